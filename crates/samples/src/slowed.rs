//! The sample run, slower by a known factor.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::record::OpRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Nanos};

use super::sample::sample_run;

/// The sample run with a part of its operations left out: rates and operations in flight fall by the same factor, so
/// that the records stay consistent, and every step keeps its time.
#[must_use]
pub fn slowed(factor: f64) -> RunRecords {
    let mut records = sample_run();
    if factor <= 1.0 {
        return records;
    }
    for interval in &mut records.intervals {
        let elapsed = Nanos::new(interval.end_ns - interval.start_ns);
        let thin = |op: &OpRecord| of_histogram(op, thinned(&op.histogram, factor), elapsed);
        (interval.read, interval.write) = (thin(&interval.read), thin(&interval.write));
        interval.in_flight_mean /= factor;
    }
    for record in &mut records.steps {
        let own = records.intervals.iter().filter(|interval| interval.key == record.key && !interval.ramp);
        let (mut read, mut write) = (SparseHistogram::default(), SparseHistogram::default());
        for interval in own {
            read.merge(&interval.read.histogram);
            write.merge(&interval.write.histogram);
        }
        let elapsed = record.elapsed();
        (record.read, record.write) =
            (of_histogram(&record.read, read, elapsed), of_histogram(&record.write, write, elapsed));
        record.in_flight_mean /= factor;
    }
    records
}

/// Keeps one in `factor` operations of each bucket.
fn thinned(histogram: &SparseHistogram, factor: f64) -> SparseHistogram {
    let left = |(bucket, count): &(u32, u64)| (*bucket, (*count as f64 / factor).round() as u64);
    let buckets: Vec<(u32, u64)> = histogram.buckets.iter().map(left).filter(|(_, count)| *count > 0).collect();
    let count = buckets.iter().map(|(_, count)| count).sum();
    let mean = histogram.mean_ns().unwrap_or(0.0);
    SparseHistogram { count, sum: Nanos::new((mean * count as f64).round() as u64), buckets, ..histogram.clone() }
}

/// The record of these operations, with their original size.
fn of_histogram(before: &OpRecord, histogram: SparseHistogram, elapsed: Nanos) -> OpRecord {
    let each = before.bytes.get().checked_div(before.count).unwrap_or(0);
    OpRecord::new(histogram.count, Bytes::new(histogram.count * each), 0, histogram, elapsed)
}
