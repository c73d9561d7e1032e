//! The whole analysis: any run, at any moment, and what was noted while it ran.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;

use super::*;
use crate::testing::{sample_events, sample_run};

#[test]
fn a_run_can_be_analysed_after_every_single_event() {
    let mut events = sample_events().into_iter();
    let mut run = RunRecords::begin(events.next().expect("an event")).expect("a run");
    let whole = analyse(&sample_run()).metrics.len();
    let mut most = 0;
    for event in events {
        let matters = matches!(event.event, drivelab_core::event::EventBody::StepEnded(_));
        run.push(event);
        if matters {
            let analysis = analyse(&run);
            assert!(analysis.metrics.iter().all(|metric| metric.value.is_none_or(f64::is_finite)));
            assert!(analysis.findings.iter().all(|finding| finding.severity < Severity::Void));
            assert!(analysis.metrics.len() >= most);
            most = analysis.metrics.len();
        }
    }
    assert_eq!(most, whole);
}

#[test]
fn a_step_stopped_before_its_first_completion_is_no_measurement() {
    let mut run = sample_run();
    let record = run.steps.last_mut().expect("a step");
    record.stop_reason = drivelab_core::record::StopReason::Stopped;
    record.write = drivelab_core::record::OpRecord::default();
    (record.end_ns, record.in_flight_mean) = (record.start_ns, 0.0);
    let key = record.key.clone();
    run.intervals.retain(|interval| interval.key != key);
    let analysis = analyse(&run);
    assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
    assert!(analysis.step_metric(&key.step, "write.iops").is_none());
}

#[test]
fn addresses_are_unique_and_found_again() {
    let analysis = analyse(&sample_run());
    for metric in &analysis.metrics {
        let same = analysis.metrics.iter().filter(|other| other.address == metric.address).count();
        assert_eq!((same, analysis.metric(&metric.address)), (1, Some(metric)));
    }
}

#[test]
fn what_the_session_noted_stays_and_is_not_told_twice() {
    let mut run = sample_run();
    run.environment.bundle_on_same_device = true;
    // The sample's fill notes the end of a write cache, too.
    let of_session = |run: &RunRecords| {
        let all = analyse(run).findings.into_iter();
        all.filter(|finding| finding.code != "write_cache_ended").collect::<Vec<Finding>>()
    };
    let before = of_session(&run);
    assert_eq!(before.len(), 1);
    let measured = findings::bundle_on_target_device(Bytes::new(123_456));
    assert_eq!(measured.statement, "The record of the run (121 KiB) is written to the device that is measured.");
    assert_eq!(measured.evidence[0].value, 123_456.0, "the exact figure is in the evidence");
    run.findings = vec![before[0].clone(), measured.clone()];
    let mut own = measured.clone();
    own.code = "noticed_by_session".to_owned();
    run.findings.push(own.clone());
    assert_eq!(of_session(&run), [measured, own], "the one with the measured bytes");
}

#[test]
fn the_gravest_findings_come_first() {
    let mut run = sample_run();
    run.environment.bundle_on_same_device = true;
    run.environment.testbed.cpu_busy = Some(0.9);
    run.steps[3].engine.direct_verified = false;
    let severities: Vec<Severity> = analyse(&run).findings.iter().map(|finding| finding.severity).collect();
    // The second note is about the write cache that the sample's fill ends.
    assert_eq!(severities, [Severity::Void, Severity::Warning, Severity::Note, Severity::Note]);
}

#[test]
fn every_finding_is_a_sentence() {
    let mut run = crate::testing::sample_resumed_run();
    run.environment.bundle_on_same_device = true;
    run.environment.testbed.cpu_busy = Some(0.9);
    run.steps.iter_mut().for_each(|record| {
        record.engine.direct_verified = false;
        record.in_flight_mean = 500.0;
        record.engine.punted = true;
    });
    let all = analyse(&run).findings;
    assert!(all.len() >= 6);
    for finding in all {
        assert!(finding.statement.ends_with('.'), "{}", finding.statement);
        assert!(finding.statement.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit()));
        assert!(finding.evidence.len() <= 24, "{} spells out {}", finding.code, finding.evidence.len());
    }
}

#[test]
fn json_holds_no_value_that_is_not_a_number() {
    let mut run = sample_run();
    run.steps.iter_mut().for_each(|record| record.end_ns = record.start_ns);
    let json = serde_json::to_string(&analyse(&run)).expect("JSON");
    assert!(!json.contains("NaN") && !json.contains("inf"));
    assert!(json.contains("\"voided_by\":[\"time_order\"]"));
}
