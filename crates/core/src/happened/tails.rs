//! Which percentile so many operations can tell: the one rule that every table, chart, document and comparison follows.
//!
//! The last few of a distribution are an accident: of 100 operations the 99th percentile is the slowest but one, and
//! another run has another. A figure of so few is none. The exact maximum is always told, as what it is.

use crate::histogram::{LatencySummary, SparseHistogram};
use crate::units::Nanos;

/// Operations that must lie beyond a percentile for it to be a figure: 500 in all for p99, 5,000 for p99.9, 50,000 for
/// p99.99, and 10 for the median.
pub const LEAST_BEYOND: f64 = 5.0;

/// Whether a percentile of so many operations has at least [`LEAST_BEYOND`] of them beyond it; 100, the maximum, needs
/// none.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub fn tells(operations: u64, per_cent: f64) -> bool {
    // 0.01 % of 50,000 is a hair below 5 in floating point.
    let beyond = operations as f64 * (100.0 - per_cent) / 100.0 * (1.0 + 1e-9);
    per_cent >= 100.0 || beyond >= LEAST_BEYOND
}

/// A percentile of a distribution; `None` where too few operations tell it, or it is empty or contradicts itself.
#[must_use]
pub fn percentile(histogram: &SparseHistogram, per_cent: f64) -> Option<Nanos> {
    let told = tells(histogram.count, per_cent) && histogram.min <= histogram.max;
    histogram.percentile(per_cent).filter(|_| told)
}

impl LatencySummary {
    /// Without the percentiles that so many operations do not tell, which older recordings have.
    #[must_use]
    pub fn told_by(self, operations: u64) -> Self {
        let told = |time: Option<Nanos>, per_cent| time.filter(|_| tells(operations, per_cent));
        LatencySummary { p50: told(self.p50, 50.0), p99: told(self.p99, 99.0), p999: told(self.p999, 99.9), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_five_operations_beyond_it() {
        for (per_cent, least) in
            [(50.0, 10), (90.0, 50), (99.0, 500), (99.9, 5_000), (99.99, 50_000), (99.999, 500_000)]
        {
            assert!(tells(least, per_cent), "p{per_cent} of {least}");
            assert!(!tells(least - 1, per_cent), "p{per_cent} of {}", least - 1);
        }
        assert!(tells(1, 100.0), "the maximum is what it is");
    }

    #[test]
    fn an_empty_distribution_has_none() {
        assert_eq!(percentile(&SparseHistogram::default(), 100.0), None);
    }
}
