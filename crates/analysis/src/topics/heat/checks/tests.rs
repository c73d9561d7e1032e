//! Throttling and the first minute on made-up courses of three minutes.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::SourceKind;
use drivelab_core::units::Bytes;

use drivelab_core::telemetry::Quantity;
use drivelab_samples::{recorded, sample_run, source};

use super::HEAT;
use super::text::NO_TEMPERATURE;
use crate::analyse;
use crate::check::testing::{figures, noted};

const STEP: &str = "mixes/w30";
const S: u64 = 1_000_000_000;

/// The step with a second at each of these MB/s, and the drive's temperature if it is recorded.
fn run(rates: &[u64], celsius: Option<fn(u64) -> f64>) -> RunRecords {
    let mut run = sample_run();
    let mut record = run.steps.iter().find(|record| record.key.step.as_str() == STEP).expect("the mix").clone();
    let interval = run.intervals.iter().find(|interval| interval.key == record.key).expect("an interval").clone();
    let seconds = rates.len() as u64;
    record.end_ns = record.start_ns + seconds * S;
    run.intervals = (0..seconds)
        .zip(rates)
        .map(|(at, rate)| {
            let mut one = interval.clone();
            (one.index, one.ramp) = (u32::try_from(at).expect("few"), false);
            (one.start_ns, one.end_ns) = (record.start_ns + at * S, record.start_ns + (at + 1) * S);
            (one.read.bytes, one.write.bytes) = (Bytes::new(rate * 700_000), Bytes::new(rate * 300_000));
            one
        })
        .collect();
    if let Some(celsius) = celsius {
        let points: Vec<(u64, f64)> = (0..=seconds).map(|at| (record.start_ns + at * S, celsius(at))).collect();
        let mut told = source(SourceKind::Adapter, "temperature", Quantity::Temperature, &points);
        told.description.series[0].warning = Some(80.0);
        run.telemetry = recorded(vec![told]);
    }
    run.steps = vec![record];
    run
}

fn finding(run: &RunRecords, code: &str) -> Option<Finding> {
    analyse(run).findings.into_iter().find(|finding| finding.code == code)
}

/// 100 s at 1,000 MB/s, then 80 s at 400.
fn falling() -> Vec<u64> {
    [vec![1000; 100], vec![400; 80]].concat()
}

#[test]
fn a_fall_of_a_warm_drive_is_throttling_with_time_rates_and_temperature() {
    let warming = run(&falling(), Some(|at| 60.0 + at as f64 / 4.0));
    let throttled = finding(&warming, "throttled_by_heat").expect("it fell");
    assert_eq!(throttled.severity, Severity::Warning);
    assert_eq!(noted(HEAT, &warming, "throttled_by_heat"), ["100 s"]);
    let fall = &throttled.evidence[0];
    assert_eq!((fall.value, fall.limit), (400.0, Some(1000.0)));
    assert!(fall.what.starts_with("rate from 100 s, at 85 °C"), "{}", fall.what);
    let minutes = finding(&warming, "first_and_last_minute").expect("it went on for three minutes");
    assert_eq!(figures(&minutes)[..2], [(400.0, Some(1000.0), "MB/s"), (105.0, Some(80.0), "°C")]);
    assert_eq!(noted(HEAT, &warming, "first_and_last_minute"), [""; 0]);
    // 80 °C at 80 s: the ends of the seconds from 79 s on, 101 of 180.
    let warned = minutes.evidence.iter().find(|one| one.unit == "min").expect("a limit");
    assert!((warned.value - 101.0 / 60.0).abs() < 1e-9, "{warned:?}");
}

#[test]
fn a_fall_of_a_cooling_drive_or_of_one_without_a_thermometer_is_not_called_throttling() {
    let cooling = run(&falling(), Some(|at| if at <= 100 { 70.0 } else { 70.0 - (at - 100) as f64 }));
    assert_eq!(finding(&cooling, "throttled_by_heat"), None);
    let blind = run(&falling(), None);
    assert_eq!(finding(&blind, "throttled_by_heat"), None);
    let minutes = finding(&blind, "first_and_last_minute").expect("it went on for three minutes");
    assert_eq!(figures(&minutes), [(400.0, Some(1000.0), "MB/s")]);
    assert_eq!(noted(HEAT, &blind, "first_and_last_minute"), [NO_TEMPERATURE]);
}

#[test]
fn a_short_or_scheduled_step_has_no_last_minute() {
    assert_eq!(finding(&run(&[1000; 119], None), "first_and_last_minute"), None);
    let mut scheduled = run(&falling(), Some(|_| 90.0));
    for step in scheduled.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let drivelab_core::plan::Action::Io { workload, .. } = &mut step.action {
            workload.pace.rate = Some(drivelab_core::load::Rate { per_1000_s: 1, arrivals: Default::default() });
        }
    }
    assert_eq!(finding(&scheduled, "first_and_last_minute"), None);
    assert_eq!(finding(&scheduled, "throttled_by_heat"), None);
}

/// The last minute of a fill is after its write cache; the figures of the fill show that.
#[test]
fn a_fill_has_no_last_minute() {
    let mut fill = run(&falling(), None);
    for step in fill.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let (drivelab_core::plan::Action::Io { workload, stop, .. }, STEP) = (&mut step.action, step.id.as_str()) {
            workload.pattern = drivelab_core::workload::Pattern::Sequential;
            workload.write_percent = drivelab_core::units::Percent::new(100).expect("a share");
            stop.passes = Some(1);
        }
    }
    assert_eq!(finding(&fill, "first_and_last_minute"), None);
}
