//! Which percentiles a number of operations can support: one rule for every table, chart, document and comparison.
//!
//! The last few values of a distribution are chance: of 100 operations the 99th percentile is the second slowest, and
//! another run gives another value. Such a percentile is not reported. The exact maximum always is.

use crate::histogram::{LatencySummary, SparseHistogram};
use crate::units::Nanos;

/// Operations that must lie beyond a percentile for it to be reported: this needs 500 in all for p99, 5,000 for
/// p99.9, 50,000 for p99.99, and 10 for the median.
pub const LEAST_BEYOND: f64 = 5.0;

/// Whether this many operations have at least [`LEAST_BEYOND`] beyond a percentile; 100, the maximum, needs none.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub fn tells(operations: u64, per_cent: f64) -> bool {
    // 0.01 % of 50,000 is slightly below 5 in floating point.
    let beyond = operations as f64 * (100.0 - per_cent) / 100.0 * (1.0 + 1e-9);
    per_cent >= 100.0 || beyond >= LEAST_BEYOND
}

/// A percentile of a distribution; `None` if it is empty or inconsistent, or has too few operations for the percentile.
#[must_use]
pub fn percentile(histogram: &SparseHistogram, per_cent: f64) -> Option<Nanos> {
    let told = tells(histogram.count, per_cent) && histogram.min <= histogram.max;
    told.then(|| histogram.percentile(per_cent)).flatten()
}

impl LatencySummary {
    /// Removes the percentiles that this many operations cannot support; older recordings contain them.
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

    #[test]
    fn an_inconsistent_distribution_has_none() {
        let buckets = vec![(100, 1_000_000)];
        let wrong =
            SparseHistogram { count: 1_000_000, min: Nanos::new(9), max: Nanos::new(8), ..SparseHistogram::default() };
        assert_eq!(percentile(&SparseHistogram { buckets, ..wrong }, 99.99), None);
    }
}
