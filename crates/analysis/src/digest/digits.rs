//! Nine significant digits: more than any measurement has, and half as long as what a float may print.

/// A value in nine significant digits.
pub(super) fn nine_digits(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}
