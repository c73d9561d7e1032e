//! Events during an execution that are reported, and those that are not.

use drivelab_core::finding::Finding;
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;
use drivelab_samples::{recorded, sample_run, sample_watched_run, source};

use super::*;
use crate::analyse;

const STEP: &str = "mixes/w30";

fn step(run: &RunRecords) -> StepRecord {
    run.steps.iter().find(|record| record.key.step.as_str() == STEP).expect("the mix").clone()
}

/// A series that has one value before a step and another after it.
fn around_step(run: &RunRecords, kind: SourceKind, quantity: Quantity, before: f64, after: f64) -> RecordedSource {
    let record = step(run);
    source(kind, "it", quantity, &[(record.start_ns - 1_000_000, before), (record.end_ns + 1_000_000, after)])
}

fn findings(sources: Vec<RecordedSource>) -> Vec<Finding> {
    let mut run = sample_run();
    let before = analyse(&run).findings;
    run.telemetry = recorded(sources);
    let mut found = analyse(&run).findings;
    found.retain(|finding| !before.contains(finding));
    found
}

/// The only finding that the series make; it names the step.
fn only(code: &str, sources: Vec<RecordedSource>) -> Finding {
    let mut found = findings(sources);
    assert_eq!(found.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), [code]);
    let finding = found.remove(0);
    assert!(finding.steps.iter().any(|key| key.step.as_str() == STEP), "{finding:?}");
    finding
}

#[test]
fn a_quiet_run_has_nothing_to_say() {
    let before = analyse(&sample_run()).findings.len();
    assert_eq!(analyse(&sample_watched_run()).findings.len(), before);
}

#[test]
fn throttling_suspends_and_pcie_errors_are_named_with_what_rose() {
    let run = sample_run();
    let rising = |kind, quantity, by| vec![around_step(&run, kind, quantity, 7.0, 7.0 + by)];
    let throttled = only("drive_throttled", rising(SourceKind::Smart, Quantity::ThrottleTransitions, 2.0));
    assert_eq!(throttled.evidence[0].value, 2.0);
    only("pcie_errors", rising(SourceKind::PcieErrors, Quantity::Errors, 1.0));
    let media = only("media_errors_rose", rising(SourceKind::Smart, Quantity::Errors, 3.0));
    assert_eq!(media.evidence[0].value, 3.0);
    let suspended = only("machine_suspended", rising(SourceKind::Suspend, Quantity::SuspendedTime, 30.0));
    assert_eq!(suspended.evidence[0].value, 30.0);
    assert!(findings(rising(SourceKind::Suspend, Quantity::SuspendedTime, 0.000_05)).is_empty(), "clocks read in turn");
    assert!(findings(rising(SourceKind::Smart, Quantity::ThrottleTransitions, 0.0)).is_empty());
}

#[test]
fn a_link_that_changed_is_named_with_both_speeds() {
    let run = sample_run();
    let mut link = around_step(&run, SourceKind::Link, Quantity::LinkSpeed, 16.0, 8.0);
    let found = only("link_changed", vec![link.clone()]);
    assert_eq!((found.evidence[0].value, found.evidence[0].limit), (8.0, Some(16.0)));
    link.samples[1].values[0] = Some(16.0);
    assert!(findings(vec![link]).is_empty());
}

#[test]
fn a_drive_at_its_warning_limit_is_hot_and_one_below_is_not() {
    let run = sample_run();
    let record = step(&run);
    let at = |celsius: f64| {
        let mut sensor =
            source(SourceKind::Hwmon, "Composite", Quantity::Temperature, &[(record.start_ns + 1_000_000, celsius)]);
        sensor.description.series[0].warning = Some(82.0);
        vec![sensor]
    };
    let hot = only("drive_hot", at(82.5));
    assert_eq!((hot.evidence[0].value, hot.evidence[0].limit), (82.5, Some(82.0)));
    assert!(findings(at(81.0)).is_empty());
}

#[test]
fn memory_pressure_is_a_share_of_the_time() {
    let run = sample_run();
    let record = step(&run);
    let seconds = record.elapsed().as_secs_f64();
    let waited = |share: f64| {
        vec![around_step(&run, SourceKind::MemoryPressure, Quantity::StallTime, 3.0, 3.0 + share * seconds)]
    };
    let found = only("memory_pressure", waited(0.3));
    assert!((found.evidence[0].value - 30.0).abs() < 0.5, "{found:?}");
    assert!(findings(waited(0.01)).is_empty());
}

#[test]
fn figures_from_one_or_two_readings_are_marked_and_a_moment_between_two_has_none() {
    let mut run = sample_run();
    let record = step(&run);
    let middle = |part: u64| record.start_ns + (record.end_ns - record.start_ns) * part / 4;
    let meter = |times: &[u64]| {
        let readings: Vec<(u64, f64)> = times.iter().map(|at_ns| (*at_ns, 5.0)).collect();
        recorded(vec![source(SourceKind::Adapter, "meter", Quantity::Power, &readings)])
    };
    let power = |run: &RunRecords| {
        let metric = analyse(run).metrics.into_iter().find(|metric| metric.address == format!("{STEP}:power.mean"));
        metric.and_then(|metric| metric.value)
    };
    let marked = |run: &RunRecords| {
        let of_step = |finding: &Finding| finding.steps.iter().any(|key| key.step.as_str() == STEP);
        analyse(run).findings.into_iter().any(|finding| finding.code == "few_readings" && of_step(&finding))
    };
    let (before, behind) = (record.start_ns - 1_000, record.end_ns + 1_000);
    run.telemetry = meter(&[before, middle(2), behind]);
    assert_eq!((power(&run), marked(&run)), (Some(5.0), true), "one reading");
    run.telemetry = meter(&[before, middle(1), middle(2), middle(3), behind]);
    assert_eq!((power(&run), marked(&run)), (Some(5.0), false), "three readings");
    let far = record.end_ns - record.start_ns;
    run.telemetry = meter(&[record.start_ns - far, record.end_ns + far]);
    assert_eq!((power(&run), marked(&run)), (None, false), "a moment between two readings");
}
