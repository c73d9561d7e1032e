//! Nine significant digits: more than any measurement has, and half as long as a float may be.

/// A value in nine significant digits.
pub(super) fn nine_digits(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}
