//! A fill whose course was made by hand, for the figures of a fill: a hundredth of the span in each interval.

use drivelab_core::plan::Step;
use drivelab_core::record::{IntervalRecord, OpRecord};

use super::*;

/// The step that fills.
pub(super) const STEP: &str = "sustained/whole-file-write";
/// A hundredth of its span, MB.
pub(super) const HUNDREDTH_MB: f64 = 34_359.738_368 / 100.0;

/// Seconds that each hundredth took: 1 for the first 20, which the cache takes, and for 10 that are fast again; 4 for
/// the others, and 8 for the last 20.
fn seconds(hundredth: u64) -> u64 {
    match hundredth {
        0..20 | 50..60 => 1,
        80.. => 8,
        _ => 4,
    }
}

/// The sample run with this course in its fill.
pub(super) fn run() -> RunRecords {
    let mut run = sample_run();
    let step: &Step = run.plan.steps().find(|step| step.id.as_str() == STEP).expect("the fill");
    let span = step.workload().expect("a load").span.length.get();
    let first = run.intervals.iter().position(|one| one.key.step == step.id).expect("its intervals");
    let sample = run.intervals[first].clone();
    run.intervals.retain(|one| one.key.step != sample.key.step);
    let mut at_ns = sample.start_ns;
    for index in 0..100_u64 {
        let mut interval =
            IntervalRecord { index: u32::try_from(index).expect("small"), ramp: false, ..sample.clone() };
        let bytes = span * (index + 1) / 100 - span * index / 100;
        interval.start_ns = at_ns;
        at_ns += seconds(index) * 1_000_000_000;
        interval.end_ns = at_ns;
        // All operations are in the first interval, so that the intervals add up to the step.
        let all = run.steps.iter().find(|record| record.key == sample.key).expect("its record").write.clone();
        interval.write = if index == 0 { all } else { OpRecord::default() };
        interval.write.bytes = Bytes::new(bytes);
        run.intervals.push(interval);
    }
    run
}

/// Wrong ways to compute these figures.
pub(super) const MISTAKES: &[(&str, &str, f64)] = &[
    ("fill.peak", "the fastest interval in MiB/s", HUNDREDTH_MB * 1e6 / 1_048_576.0),
    ("fill.peak", "of the whole fill", HUNDREDTH_MB * 100.0 / 390.0),
    ("fill.cache_size", "in GiB", 20.0 * HUNDREDTH_MB * 1e6 / 1_073_741_824.0),
    ("fill.cache_size", "everything that went fast", 30.0 * HUNDREDTH_MB / 1e3),
    ("fill.cache_share", "everything that went fast", 30.0),
    ("fill.sustained", "with the recovery", 80.0 * HUNDREDTH_MB / 370.0),
    ("fill.sustained", "mean of the rates", HUNDREDTH_MB * (50.0 / 4.0 + 20.0 / 8.0) / 70.0),
    ("fill.last_16_gb", "GiB for GB", 17_179.869_184 / (240.0 + (17_179.869_184 / HUNDREDTH_MB - 40.0))),
    ("fill.last_16_gb", "mean of all behind the cache", 80.0 * HUNDREDTH_MB / 370.0),
    ("fill.recoveries", "parts for stretches", 20.0),
    ("fill.recovery_share", "of the whole span", 10.0),
    ("fill.recovery_share", "of the time", 100.0 * 10.0 / 370.0),
    ("fill.late_decline", "against the peak", 87.5),
];

#[test]
fn a_void_figure_of_a_fill_is_shown_as_void_and_does_not_vanish() {
    let mut run = run();
    let record = run.steps.iter_mut().find(|record| record.key.step.as_str() == STEP).expect("the fill");
    record.write.count /= 2;
    let analysis = analyse(&run);
    let of_fill = |one: &&Metric| one.address.starts_with(&format!("{STEP}:fill."));
    let fill: Vec<&Metric> = analysis.metrics.iter().filter(of_fill).collect();
    assert!(fill.iter().any(|one| one.id == "fill.cache_size"));
    for one in fill {
        assert!(one.value.is_none() && !one.voided_by.is_empty(), "{one:?}");
    }
}
