//! Rates of loads that kept their schedule are as requested, whatever other I/O the disk had.

use drivelab_core::metric::Wrong;

use super::*;
use crate::rate;

/// The run; other programs used its disk during this step.
fn disturbed(run: RunRecords, step: &str) -> RunRecords {
    testing::beside_others(run, |key| key.step.as_str() == step)
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

/// The same without growth throughout, as after one stall: no overload, but the rate was still missed.
#[test]
fn the_rate_of_a_schedule_that_fell_behind_once_is_too_low() {
    let step = "overloaded/r300000";
    let mut run = testing::sample_overloaded_run();
    let records = run.steps.iter_mut().filter(|record| record.key.step.as_str() == step);
    records.filter_map(|record| record.open_loop.as_mut()).for_each(|open| open.backlog_growth_per_second = 0.0);
    let run = disturbed(run, step);
    assert!(analyse(&run).findings.iter().all(|finding| finding.code != "open_loop_overloaded"));
    assert_eq!(marks(&run, step)["read.iops"], Some(Wrong::TooLow));
}

#[test]
fn a_replayed_trace_moves_what_it_says_and_is_slower_at_it() {
    let step = "mixes/w30";
    let of = marks(&disturbed(testing::replayed(sample_run(), "mixes"), step), step);
    assert_eq!((of["replay.bytes"], of["replay.busy_time"]), (None, Some(Wrong::TooHigh)));
    assert_eq!(of[rate::BUSY_RATE], Some(Wrong::TooLow));
}
