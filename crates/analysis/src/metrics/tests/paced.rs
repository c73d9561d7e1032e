//! Rates of loads that kept their schedule are what was asked for, whatever others did to the disk meanwhile.

use drivelab_core::metric::Wrong;
use drivelab_core::telemetry::{About, Quantity, SeriesDescription, SourceKind};

use super::*;
use crate::rate;
use crate::testing::{recorded, source};

/// The run, while whose step others read as much again from the target's disk, and as much as it wrote.
fn disturbed(mut run: RunRecords, step: &str) -> RunRecords {
    let record = run.steps.iter().find(|record| record.key.step.as_str() == step).expect("the step").clone();
    let own: Vec<_> = run.intervals.iter().filter(|interval| interval.key == record.key).collect();
    let read: f64 = own.iter().map(|interval| interval.read.bytes.as_f64()).sum();
    let written = record.written_total.as_f64();
    let from = own.first().map_or(record.start_ns, |first| first.start_ns.min(record.start_ns)) - 500_000;
    let times = [from, record.end_ns + 500_000];
    let after = 1e12 + 2.0 * read + written;
    let mut disk = source(SourceKind::DiskStats, "nvme0n1", Quantity::Volume, &[(times[0], 1e12), (times[1], after)]);
    disk.description.about = About::Drive("nvme0n1".to_owned());
    for (series, after) in [("write_bytes", written), ("discard_bytes", 0.0)] {
        disk.description.series.push(SeriesDescription::new(series, Quantity::Volume));
        disk.samples[0].values.push(Some(0.0));
        disk.samples[1].values.push(Some(after));
    }
    run.telemetry = recorded(vec![disk]);
    run
}

/// In which direction each figure of a step is marked, and that codes go with marks.
fn marks(run: &RunRecords, step: &str) -> BTreeMap<String, Option<Wrong>> {
    let analysis = analyse(run);
    assert!(analysis.findings.iter().any(|finding| finding.code == "others_used_disk"), "{step}");
    let of_step = analysis.metrics.iter().filter(|metric| metric.step.as_ref().is_some_and(|id| id.as_str() == step));
    let one = |metric: &Metric| {
        assert_eq!(metric.spoiled_by.is_empty(), metric.wrong.is_none(), "{}", metric.address);
        (metric.id.clone(), metric.wrong)
    };
    of_step.map(one).collect()
}

#[test]
fn the_rate_of_a_schedule_that_was_kept_is_not_wrong_and_its_times_are() {
    let step = "paced/r20000";
    let of = marks(&disturbed(testing::sample_open_loop_run(), step), step);
    for rate in ["read.iops", "write.iops", "total.iops", "total.throughput", "open_loop.achieved_iops"] {
        assert_eq!(of[rate], None, "{rate}");
    }
    for time in ["read.latency_mean", "write.response_p99"] {
        assert_eq!(of[time], Some(Wrong::TooHigh), "{time}");
    }
}

#[test]
fn the_rate_of_a_schedule_that_was_not_kept_is_too_low_and_so_is_that_of_no_schedule() {
    let step = "overloaded/r300000";
    assert_eq!(marks(&disturbed(testing::sample_overloaded_run(), step), step)["read.iops"], Some(Wrong::TooLow));
    let step = "mixes/w30";
    assert_eq!(marks(&disturbed(sample_run(), step), step)["total.iops"], Some(Wrong::TooLow));
}

#[test]
fn a_replayed_trace_moves_what_it_says_and_is_slower_at_it() {
    let step = "mixes/w30";
    let of = marks(&disturbed(testing::replayed(sample_run(), "mixes"), step), step);
    assert_eq!((of["replay.bytes"], of["replay.busy_time"]), (None, Some(Wrong::TooHigh)));
    assert_eq!(of[rate::BUSY_RATE], Some(Wrong::TooLow));
}
