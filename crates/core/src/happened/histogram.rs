//! The latency histogram: log-linear, 128 buckets per power of two, each at most 0.78 % wide.
//!
//! A value is reported as the middle of its bucket, so the error of a percentile is at most 0.39 %, within the
//! promised 1 %; values below 128 ns are exact. Recording changes one counter and allocates nothing. Histograms are
//! stored as pairs of bucket and count ([`SparseHistogram`]), which merge exactly: percentiles always come from
//! merged histograms, never from averaged percentiles (research notes, methods, section 11).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Nanos;

/// Buckets per power of two, as a power of two.
const SUB_BITS: u32 = 7;
/// Buckets per power of two.
const SUB: u64 = 1 << SUB_BITS;
/// Values of 2^`MAX_BITS` ns (about 18 minutes) or more share the last bucket.
const MAX_BITS: u32 = 40;
/// Number of buckets.
pub const BUCKETS: usize = ((MAX_BITS - SUB_BITS + 1) as usize) << SUB_BITS;

/// Bucket number of a latency.
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the index is below BUCKETS by construction")]
pub const fn bucket_of(nanoseconds: u64) -> usize {
    if nanoseconds < SUB {
        return nanoseconds as usize;
    }
    let power = u64::BITS - 1 - nanoseconds.leading_zeros();
    if power >= MAX_BITS {
        return BUCKETS - 1;
    }
    let shift = power - SUB_BITS;
    (((shift as u64 + 1) << SUB_BITS) + ((nanoseconds >> shift) - SUB)) as usize
}

/// Smallest value of a bucket, in nanoseconds.
#[must_use]
pub const fn bucket_low(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < SUB {
        return bucket;
    }
    let shift = (bucket >> SUB_BITS) - 1;
    (SUB + (bucket & (SUB - 1))) << shift
}

/// The value that represents a bucket: its middle, in nanoseconds.
#[must_use]
pub const fn bucket_middle(bucket: usize) -> u64 {
    let low = bucket_low(bucket);
    low + (bucket_low(bucket + 1) - low) / 2
}

/// Counts for each bucket, for recording. 34 KiB; allocated before the measurement starts.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: Box<[u64]>,
    count: u64,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: vec![0; BUCKETS].into_boxed_slice(), count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl Histogram {
    /// Counts one latency. Allocates nothing, never fails.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64) {
        self.record_many(nanoseconds, 1);
    }

    /// Counts one latency `times` times.
    #[inline]
    pub fn record_many(&mut self, nanoseconds: u64, times: u64) {
        if times == 0 {
            return;
        }
        if let Some(count) = self.counts.get_mut(bucket_of(nanoseconds)) {
            *count += times;
        }
        self.count += times;
        self.sum_ns = self.sum_ns.saturating_add(nanoseconds.saturating_mul(times));
        self.min_ns = self.min_ns.min(nanoseconds);
        self.max_ns = self.max_ns.max(nanoseconds);
    }

    /// Number of recorded values.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Clears all counts and keeps the memory.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        (self.count, self.sum_ns, self.min_ns, self.max_ns) = (0, 0, u64::MAX, 0);
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// The form for storage and events.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 buckets")]
    pub fn sparse(&self) -> SparseHistogram {
        let buckets = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        SparseHistogram {
            count: self.count,
            sum: Nanos::new(self.sum_ns),
            min: Nanos::new(if self.count == 0 { 0 } else { self.min_ns }),
            max: Nanos::new(self.max_ns),
            buckets: buckets.map(|(bucket, count)| (bucket as u32, *count)).collect(),
        }
    }
}

/// A histogram for storage: only the buckets that are not empty, with the exact sum, minimum and maximum.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SparseHistogram {
    /// Number of recorded values.
    pub count: u64,
    /// Exact sum of all values, in nanoseconds.
    pub sum: Nanos,
    /// Exact smallest value, in nanoseconds; 0 when empty.
    pub min: Nanos,
    /// Exact largest value, in nanoseconds.
    pub max: Nanos,
    /// Pairs of bucket number and count, ascending; docs/formats/bundle.md defines the bucket numbers.
    pub buckets: Vec<(u32, u64)>,
}

impl SparseHistogram {
    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &SparseHistogram) {
        if other.count == 0 {
            return;
        }
        self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        // A recording may contain any numbers; real measurements stay far below the limit of the type.
        self.count = self.count.saturating_add(other.count);
        self.sum = Nanos::new(self.sum.get().saturating_add(other.sum.get()));
        let mut all: std::collections::BTreeMap<u32, u64> = self.buckets.iter().copied().collect();
        for (bucket, count) in &other.buckets {
            let sum = all.entry(*bucket).or_default();
            *sum = sum.saturating_add(*count);
        }
        self.buckets = all.into_iter().collect();
    }

    /// Exact mean in nanoseconds, or `None` when empty.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.get() as f64 / self.count as f64)
    }

    /// The value that `per_cent` of all values do not exceed (nearest rank), as the middle of its bucket, limited to
    /// the exact minimum and maximum; `None` when empty. 100 gives the exact maximum.
    #[must_use]
    pub fn percentile(&self, per_cent: f64) -> Option<Nanos> {
        if self.count == 0 {
            return None;
        }
        if per_cent >= 100.0 {
            return Some(self.max);
        }
        let rank = rank(per_cent, self.count);
        let mut seen = 0_u64;
        for (bucket, count) in &self.buckets {
            seen = count.saturating_add(seen);
            if seen >= rank {
                let middle = bucket_middle((*bucket as usize).min(BUCKETS - 1));
                return Some(Nanos::new(middle.clamp(self.min.get(), self.max.get())));
            }
        }
        Some(self.max)
    }

    /// The usual figures; `None` when empty. Percentiles with too few values are left out ([`crate::tails`]).
    #[must_use]
    pub fn summary(&self) -> Option<LatencySummary> {
        let whole = LatencySummary {
            mean_ns: self.mean_ns()?,
            p50: self.percentile(50.0),
            p99: self.percentile(99.0),
            p999: self.percentile(99.9),
            max: self.max,
        };
        Some(whole.told_by(self.count))
    }
}

/// Nearest rank of a percentile among `count` values, from 1. Rounding of the product must not raise a whole number:
/// 99.9 % of 1000 is rank 999, although 0.999 x 1000 is larger than that in floating point.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the rank is a whole number between 1 and count"
)]
fn rank(per_cent: f64, count: u64) -> u64 {
    let exact = per_cent / 100.0 * count as f64;
    ((exact * (1.0 - 1e-12)).ceil() as u64).clamp(1, count)
}

/// The usual figures of a latency distribution, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencySummary {
    /// Exact mean.
    pub mean_ns: f64,
    /// Median; null, like every percentile, with fewer than five operations beyond it.
    pub p50: Option<Nanos>,
    /// 99th percentile.
    pub p99: Option<Nanos>,
    /// 99.9th percentile.
    pub p999: Option<Nanos>,
    /// Exact maximum.
    pub max: Nanos,
}

#[cfg(test)]
mod tests {
    //! The histogram compared with an exact sort of the same samples.

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buckets_are_contiguous_and_narrow() {
        for bucket in 0..BUCKETS - 1 {
            let (low, next) = (bucket_low(bucket), bucket_low(bucket + 1));
            assert!(next > low);
            assert_eq!((bucket_of(low), bucket_of(next - 1)), (bucket, bucket));
            assert!((next - low) * SUB <= low || low < 2 * SUB, "bucket {bucket} is wider than 1/128 of its value");
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn ranks_of_whole_numbers_are_exact() {
        let of_ten = |per_mille: u64, count: u64| rank(per_mille as f64 / 10.0, count);
        for count in [1_000u64, 4_000, 1_000_000, 123_000_000] {
            for per_mille in [1, 500, 900, 990, 999] {
                assert_eq!(of_ten(per_mille, count), count / 1_000 * per_mille, "{per_mille} of {count}");
            }
        }
        assert_eq!((rank(99.9, 999), rank(50.0, 3), rank(0.0, 7), rank(99.99, 1)), (999, 2, 1, 1));
    }

    #[test]
    fn a_summary_has_no_percentile_that_too_few_values_tell() {
        let of = |values: u64| {
            let mut histogram = Histogram::default();
            histogram.record_many(5_000, values);
            let LatencySummary { p50, p99, p999, .. } = histogram.sparse().summary().expect("it is not empty");
            [p50, p99, p999].map(|time| time.is_some())
        };
        assert_eq!([of(9), of(10), of(499)], [[false; 3], [true, false, false], [true, false, false]]);
        assert_eq!([of(500), of(5_000)], [[true, true, false], [true; 3]]);
    }

    proptest! {
        #[test]
        fn many_at_once_are_as_many_one_by_one(
            samples in prop::collection::vec((0u64..1 << 42, 0u64..5), 0..50),
        ) {
            let (mut at_once, mut one_by_one) = (Histogram::default(), Histogram::default());
            for (sample, times) in samples {
                at_once.record_many(sample, times);
                (0..times).for_each(|_| one_by_one.record(sample));
            }
            prop_assert_eq!(at_once.sparse(), one_by_one.sparse());
        }

        #[test]
        fn percentiles_match_an_exact_sort_within_four_thousandths(
            mut samples in prop::collection::vec(1u64..1 << 39, 1..500),
            per_cent in 0.1f64..100.0,
        ) {
            let mut histogram = Histogram::default();
            samples.iter().for_each(|s| histogram.record(*s));
            samples.sort_unstable();
            let rank = rank(per_cent, samples.len() as u64) as usize;
            let exact = samples[rank - 1] as f64;
            let got = histogram.sparse().percentile(per_cent).map_or(0, Nanos::get) as f64;
            prop_assert!((got - exact).abs() <= exact * 0.0040 + 0.5, "exact {exact}, got {got}");
        }

        #[test]
        fn merging_equals_recording_together(a in prop::collection::vec(any::<u32>(), 0..200), b in prop::collection::vec(any::<u32>(), 0..200)) {
            let (mut one, mut two, mut both) = (Histogram::default(), Histogram::default(), Histogram::default());
            a.iter().for_each(|v| { one.record(u64::from(*v)); both.record(u64::from(*v)); });
            b.iter().for_each(|v| { two.record(u64::from(*v)); both.record(u64::from(*v)); });
            let mut sparse = one.sparse();
            sparse.merge(&two.sparse());
            prop_assert_eq!(&sparse, &both.sparse());
            one.merge(&two);
            prop_assert_eq!(one.sparse(), both.sparse());
        }
    }
}
