//! Statistics over the rounds of a figure. Small and pure, without hidden assumptions.
//!
//! Facts from research notes, methods section 11: rounds are independent samples, seconds inside a round are not, so
//! nothing here is ever applied to one-second samples. Student's t is used from three rounds on, and only for the mean.
//! The logarithmic scale is for ratios between arms and drives, because its interval is about the geometric mean, which
//! no metric shows.

use drivelab_core::metric::{Interval95, Spread};

/// Fewest rounds for which an interval is given: with two rounds it would be 12.7 standard errors wide and useless.
pub const MIN_ROUNDS_FOR_INTERVAL: usize = 3;

/// Two-sided 95 % quantiles of Student's t distribution for 2 to 30 degrees of freedom: the value t for which
/// P(|T| <= t) = 0.95. Computed from the distribution; any statistical table has the same.
const STUDENT_T: [f64; 29] = [
    4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110,
    2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/// The quantile for more degrees of freedom than the table has; it approaches the 1.960 of the normal distribution.
const STUDENT_T_BEYOND: f64 = 2.042;

/// Arithmetic mean; `None` without values.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Middle value, or the mean of the two middle ones; `None` without values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 { Some(upper) } else { Some(f64::midpoint(*sorted.get(middle - 1)?, upper)) }
}

/// Smallest and largest value; `None` without values.
#[must_use]
pub fn range(values: &[f64]) -> Option<(f64, f64)> {
    let first = *values.first()?;
    Some(values.iter().fold((first, first), |(low, high), value| (low.min(*value), high.max(*value))))
}

/// Sample standard deviation (divided by n - 1); `None` for fewer than two values.
#[must_use]
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() >= 2).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

/// How many standard errors a 95 % interval of the mean of `n` values reaches to each side; `None` for fewer than
/// [`MIN_ROUNDS_FOR_INTERVAL`]. Beyond 31 values it stays at the last entry of the table, which errs on the safe side.
#[must_use]
pub fn student_t_95(n: usize) -> Option<f64> {
    let index = n.checked_sub(MIN_ROUNDS_FOR_INTERVAL)?;
    Some(STUDENT_T.get(index).copied().unwrap_or(STUDENT_T_BEYOND))
}

/// 95 % confidence interval of the mean of figures that cannot be negative; `None` for fewer than
/// [`MIN_ROUNDS_FOR_INTERVAL`] values, and if it would reach below zero. Such values are so far apart that Student's t,
/// which assumes a normal distribution, does not describe them. Cut off at zero, the interval would have another level
/// than 95 %, so only the values are shown.
#[must_use]
pub fn confidence_95(values: &[f64]) -> Option<Interval95> {
    let t = student_t_95(values.len())?;
    let mean = mean(values)?;
    let reach = t * standard_deviation(values)? / (values.len() as f64).sqrt();
    (reach <= mean).then_some(Interval95 { low: mean - reach, high: mean + reach })
}

/// How values spread, with the interval of their mean; `None` for fewer than two.
#[must_use]
pub fn spread(values: &[f64]) -> Option<Spread> {
    let (min, max) = range(values)?;
    Some(Spread {
        min,
        max,
        mean: mean(values)?,
        median: median(values)?,
        standard_deviation: standard_deviation(values)?,
        confidence: confidence_95(values),
    })
}

/// Whether the values fall into two groups: the widest gap between neighbours exceeds three times the median gap and
/// 10 % of the mean (research notes, methods section 11). `None` if they do not, else the largest value below the
/// gap and the smallest above it. Needs four values: with three, no gap can be so much wider than the other.
#[must_use]
pub fn two_modes(values: &[f64]) -> Option<(f64, f64)> {
    const TIMES_MEDIAN_GAP: f64 = 3.0;
    const SHARE_OF_MEAN: f64 = 0.1;
    let sorted = sorted(values);
    let gaps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (widest, gap) = gaps.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let wide = gap > TIMES_MEDIAN_GAP * median(&gaps)? && gap > SHARE_OF_MEAN * mean(values)?.abs();
    (values.len() >= 4 && wide).then(|| (sorted[widest], sorted[widest + 1]))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    //! Data and answers computed by hand.

    use proptest::prelude::*;

    use super::*;

    fn close(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-9)
    }

    #[test]
    fn mean_median_and_deviation_of_known_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert!(close(mean(&values), 5.0));
        assert!(close(median(&values), 4.5));
        assert!(close(median(&[9.0, 1.0, 5.0]), 5.0));
        // The squares of the differences add up to 32.
        assert!(close(standard_deviation(&values), (32.0_f64 / 7.0).sqrt()));
        assert_eq!(range(&values), Some((2.0, 9.0)));
        assert_eq!((mean(&[]), median(&[]), range(&[]), standard_deviation(&[1.0])), (None, None, None, None));
    }

    #[test]
    fn intervals_use_student_t_from_three_rounds_on() {
        assert_eq!((student_t_95(0), student_t_95(2)), (None, None));
        assert_eq!(student_t_95(3), Some(4.303));
        assert_eq!(student_t_95(5), Some(2.776));
        assert_eq!(student_t_95(31), Some(2.042));
        assert_eq!(student_t_95(1_000), Some(2.042));
        assert_eq!(confidence_95(&[1.0, 2.0]), None);
        // Mean 50, deviation 10, standard error 10 / sqrt(3) = 5.7735; 4.303 of them are 24.8434.
        let interval = confidence_95(&[40.0, 50.0, 60.0]).expect("an interval");
        assert!((interval.low - 25.1566).abs() < 1e-3 && (interval.high - 74.8434).abs() < 1e-3, "{interval:?}");
        assert_eq!(spread(&[7.0]), None);
        assert_eq!(spread(&[7.0, 9.0]).and_then(|spread| spread.confidence), None);
    }

    #[test]
    fn an_interval_that_would_reach_below_zero_is_left_out() {
        // Mean 20, deviation 10: 24.84 to each side. The published case was a 99.9th percentile of -420 to 2,762 us.
        assert_eq!(confidence_95(&[10.0, 20.0, 30.0]), None);
        assert_eq!(confidence_95(&[500.0, 900.0, 2_100.0]), None);
        assert!(spread(&[10.0, 20.0, 30.0]).is_some_and(|spread| spread.mean == 20.0 && spread.min == 10.0));
        // Nothing is below zero if all rounds are equal, even if they are zero.
        assert_eq!(confidence_95(&[0.0; 3]), Some(Interval95 { low: 0.0, high: 0.0 }));
    }

    #[test]
    fn two_modes_are_seen_and_plain_spread_is_not() {
        // The published case: a read result that is either near 1,200 or near 1,800 MB/s.
        assert_eq!(two_modes(&[1_800.0, 1_210.0, 1_790.0, 1_200.0, 1_205.0]), Some((1_210.0, 1_790.0)));
        assert_eq!(two_modes(&[100.0, 120.0, 140.0, 160.0, 180.0]), None, "even gaps");
        assert_eq!(two_modes(&[1_000.0, 1_001.0, 1_002.0, 1_050.0]), None, "a gap below 10 % of the mean");
        assert_eq!(two_modes(&[1.0, 1.0, 9.0]), None, "three values cannot tell");
    }

    proptest! {
        #[test]
        fn a_spread_holds_its_values(values in prop::collection::vec(0.1f64..1e9, 2..40)) {
            let spread = spread(&values).expect("two values");
            let slack = spread.max * 1e-9;
            prop_assert!(spread.min <= spread.median && spread.median <= spread.max);
            prop_assert!(spread.min - slack <= spread.mean && spread.mean <= spread.max + slack);
            prop_assert!(spread.standard_deviation >= 0.0);
            if let Some(interval) = spread.confidence {
                prop_assert!(values.len() >= 3 && interval.low >= 0.0);
                prop_assert!(interval.low <= spread.mean && spread.mean <= interval.high);
            }
        }

        #[test]
        fn positive_rounds_never_give_an_interval_below_zero(
            logarithms in prop::collection::vec(-3.0f64..12.0, 0..40),
        ) {
            // Skewed as latencies are: even on the logarithmic scale, so a few values are most of the sum.
            let values: Vec<f64> = logarithms.iter().map(|logarithm| logarithm.exp()).collect();
            prop_assert!(confidence_95(&values).is_none_or(|interval| interval.low >= 0.0));
        }

        #[test]
        fn rounds_that_lie_close_together_always_have_an_interval(
            centre in 0.1f64..1e9,
            parts in prop::collection::vec(-0.1f64..0.1, 3..40),
        ) {
            let values: Vec<f64> = parts.iter().map(|part| centre * (1.0 + part)).collect();
            prop_assert!(confidence_95(&values).is_some());
        }
    }
}
