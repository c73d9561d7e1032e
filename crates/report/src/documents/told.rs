//! Removes figures without meaning from records that documents hold whole: old recordings have percentiles of too few
//! operations and a byte rate of discards, which no table shows.
//!
//! The rules are those of `drivelab_core` ([`LatencySummary::told_by`], [`OpKind::moves_data`]), which newer recordings
//! already follow.

use drivelab_core::histogram::LatencySummary;
use drivelab_core::load::OpKind;
use drivelab_core::record::{OpRecord, StepRecord};
use drivelab_core::replay::ReplayRecord;

/// A summary without percentiles of too few operations.
pub(crate) fn summary(summary: Option<LatencySummary>, operations: u64) -> Option<LatencySummary> {
    summary.map(|summary| summary.told_by(operations))
}

/// A step's record without figures that have no meaning.
pub(crate) fn step(mut record: StepRecord) -> StepRecord {
    each(&mut record, of_kind);
    record.replay = record.replay.take().map(replay);
    record
}

/// The same for the record of a replayed trace.
pub(crate) fn replay(mut record: ReplayRecord) -> ReplayRecord {
    if let Some(late) = &mut record.lateness {
        late.summary = summary(late.summary, late.histogram.count);
    }
    record
}

fn of_kind(kind: OpKind, record: &mut OpRecord) {
    record.throughput = record.throughput.filter(|_| kind.moves_data());
    record.latency = summary(record.latency, record.histogram.count);
    if let Some(response) = &mut record.response {
        response.summary = summary(response.summary, response.histogram.count);
    }
    record.sizes.iter_mut().for_each(|size| size.latency = summary(size.latency, size.histogram.count));
}

/// Keeps the figures of every distribution and drops its buckets.
pub(crate) fn clear_buckets(record: &mut StepRecord) {
    each(record, |_, op| {
        op.histogram.buckets.clear();
        op.response.iter_mut().for_each(|response| response.histogram.buckets.clear());
        op.sizes.iter_mut().for_each(|size| size.histogram.buckets.clear());
    });
}

/// Every kind of operation of a step, and of its groups of threads.
fn each(record: &mut StepRecord, change: impl Fn(OpKind, &mut OpRecord)) {
    let StepRecord { read, write, others, groups, .. } = record;
    let main = std::iter::once((read, write, others));
    let all = main.chain(groups.iter_mut().map(|group| (&mut group.read, &mut group.write, &mut group.others)));
    for (read, write, others) in all {
        change(OpKind::Read, read);
        change(OpKind::Write, write);
        others.iter_mut().for_each(|other| change(other.op, &mut other.record));
    }
}

#[cfg(test)]
mod tests {
    //! An old recording, whose summaries have every percentile and whose discards have a byte rate.

    use drivelab_analysis::analyse;
    use drivelab_core::histogram::{Histogram, SparseHistogram};
    use drivelab_core::record::{OtherRecord, Response};
    use drivelab_core::replay::Lateness;
    use drivelab_core::run::RunRecords;
    use drivelab_core::units::{Bytes, Nanos};
    use drivelab_samples as testing;
    use serde_json::Value;

    use super::*;
    use crate::figure::input::ReportInput;

    fn latencies(count: u64) -> SparseHistogram {
        let mut histogram = Histogram::default();
        histogram.record_many(2_000, count);
        histogram.sparse()
    }

    fn with_all(summary: &mut Option<LatencySummary>) {
        let whole = summary.as_mut().expect("some operations");
        (whole.p50, whole.p99, whole.p999) = (Some(whole.max), Some(whole.max), Some(whole.max));
    }

    fn op(count: u64) -> OpRecord {
        let mut record = OpRecord::new(count, Bytes::new(4096 * count), 0, latencies(count), Nanos::from_secs(1));
        record.response = Some(Response::new(latencies(count)));
        with_all(&mut record.latency);
        record.response.iter_mut().for_each(|response| with_all(&mut response.summary));
        record
    }

    fn old_recording() -> RunRecords {
        let mut run = testing::replayed(testing::sample_run(), "sustained");
        run.steps.retain(|record| record.key.step.as_str().starts_with("sustained/"));
        let key = run.steps[0].key.clone();
        run.steps.truncate(1);
        let record = &mut run.steps[0];
        (record.read, record.write) = (op(3), op(600));
        record.others = vec![OtherRecord { op: OpKind::Trim, record: op(1) }];
        let mut late = Lateness::new(latencies(3));
        with_all(&mut late.summary);
        record.replay.as_mut().expect("a replay").lateness = Some(late);
        run.intervals.retain(|one| one.key == key);
        run.intervals.truncate(1);
        (run.intervals[0].read, run.intervals[0].write) = (op(3), op(600));
        run
    }

    /// Every object of a document that has percentiles, with its place.
    fn summaries<'v>(value: &'v Value, place: &str, found: &mut Vec<(String, &'v Value)>) {
        match value {
            Value::Object(fields) => {
                if fields.contains_key("p999") {
                    found.push((place.to_owned(), value));
                }
                fields.iter().for_each(|(name, inner)| summaries(inner, &format!("{place}/{name}"), found));
            }
            Value::Array(items) => items.iter().for_each(|inner| summaries(inner, place, found)),
            _ => {}
        }
    }

    #[test]
    fn no_percentile_of_too_few_operations_and_no_rate_of_discards_is_in_the_document() {
        let run = old_recording();
        let analysis = analyse(&run);
        let json =
            crate::documents::results::json(&[ReportInput { records: &run, analysis: &analysis }]).expect("a document");
        let mut found = Vec::new();
        summaries(&json["steps"], "", &mut found);
        let known = |one: &Value| ["p50", "p99", "p999"].map(|name| one[name].is_u64());
        for (place, summary) in &found {
            let wanted = if place.contains("write") { [true, true, false] } else { [false; 3] };
            assert_eq!(known(summary), wanted, "{place}: {summary}");
            assert!(summary["max"].is_u64() && summary["mean_ns"].is_number(), "{place}");
        }
        for part in ["rounds/read/latency", "read/response/summary", "intervals/write/latency", "others", "lateness"] {
            assert!(found.iter().any(|(place, _)| place.contains(part)), "no {part} among {found:?}");
        }
        let round = json["steps"].as_array().expect("steps").iter().find_map(|step| step["rounds"].get(0));
        let round = round.expect("an execution");
        assert!(round["others"][0]["record"]["throughput"].is_null(), "{}", round["others"]);
        assert!(round["write"]["throughput"].is_number());
    }
}
