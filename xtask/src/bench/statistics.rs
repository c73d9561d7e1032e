//! The few statistics a bench needs, on small samples.

/// The value at a position of the sorted sample (0 to 1), with linear interpolation between neighbours; NaN for an
/// empty sample.
pub(crate) fn quantile(sample: &[f64], part: f64) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = part * last as f64;
    let below = at.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (at - below as f64)
}

/// The middle value.
pub(crate) fn median(sample: &[f64]) -> f64 {
    quantile(sample, 0.5)
}

/// Lowest and highest value; NaN for an empty sample.
pub(crate) fn range(sample: &[f64]) -> (f64, f64) {
    (quantile(sample, 0.0), quantile(sample, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn quartiles_of_five_are_the_second_and_the_fourth() {
        let sample = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!((quantile(&sample, 0.25), quantile(&sample, 0.75)), (2.0, 4.0));
        assert_eq!(range(&sample), (1.0, 5.0));
    }
}
