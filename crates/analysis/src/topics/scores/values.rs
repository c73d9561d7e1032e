//! Figures computed from other figures: each from weights and values, in the order of the formula.

/// The values, each times its weight, added up; `None` if there are none.
pub(crate) fn weighted_sum(terms: &[(f64, f64)]) -> Option<f64> {
    (!terms.is_empty()).then(|| terms.iter().map(|(weight, value)| weight * value).sum())
}

/// That sum divided by the sum of the weights.
pub(crate) fn weighted_mean(terms: &[(f64, f64)]) -> Option<f64> {
    let weights: f64 = terms.iter().map(|(weight, _)| weight).sum();
    weighted_sum(terms).filter(|_| weights > 0.0).map(|sum| sum / weights)
}
