//! Four minutes on a drive that throttles twice as it warms up, made by hand, for the figures of heat.

use drivelab_core::histogram::Histogram;
use drivelab_core::plan::Action;
use drivelab_core::record::OpRecord;
use drivelab_core::telemetry::{Quantity, SourceKind};
use drivelab_core::units::Nanos;

use super::*;

/// The step.
pub(super) const STEP: &str = "mixes/w30";
const S: u64 = 1_000_000_000;
const SECONDS: u64 = 240;

/// Bytes of each operation: a megabyte is a thousand operations.
const BLOCK: u64 = 1_000;
const LATENCY_NS: u64 = 1_000;

/// The record of one kind of operation, which moved this many thousandths of these megabytes.
fn done(megabytes: u64, thousandths: u64, elapsed_ns: u64) -> OpRecord {
    let count = megabytes * thousandths;
    let mut latencies = Histogram::default();
    latencies.record_many(LATENCY_NS, count);
    OpRecord::new(count, Bytes::new(count * BLOCK), 0, latencies.sparse(), Nanos::new(elapsed_ns))
}

/// Megabytes of each second: 1,000 for 100 s, 600 up to 180 s, then 300; seven tenths of them reads.
const fn megabytes(second: u64) -> u64 {
    match second {
        0..100 => 1_000,
        100..180 => 600,
        _ => 300,
    }
}

/// The step with this course, and a thermometer that rises by half a degree a second from 30 °C; it warns at 75 °C (at
/// 90 s) and is critical at 125 °C (at 190 s).
pub(super) fn run() -> RunRecords {
    let mut run = sample_run();
    let mut record = run.steps.iter().find(|record| record.key.step.as_str() == STEP).expect("the mix").clone();
    let interval = run.intervals.iter().find(|interval| interval.key == record.key).expect("an interval").clone();
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).filter(|step| step.id.as_str() == STEP) {
        let Action::Io { workload, .. } = &mut step.action else { unreachable!("the mix is a load") };
        workload.block_size = Bytes::new(BLOCK);
    }
    record.end_ns = record.start_ns + SECONDS * S;
    let all: u64 = (0..SECONDS).map(megabytes).sum();
    (record.read, record.write) = (done(all, 700, SECONDS * S), done(all, 300, SECONDS * S));
    record.in_flight_mean = (all * 1_000 * LATENCY_NS) as f64 / (SECONDS * S) as f64;
    let second = |at: u64| {
        let mut one = interval.clone();
        (one.index, one.ramp) = (u32::try_from(at).expect("few"), false);
        (one.start_ns, one.end_ns) = (record.start_ns + at * S, record.start_ns + (at + 1) * S);
        (one.read, one.write) = (done(megabytes(at), 700, S), done(megabytes(at), 300, S));
        one
    };
    run.intervals = (0..SECONDS).map(second).collect();
    let warming = |at: u64| (record.start_ns + at * S, 30.0 + at as f64 / 2.0);
    let points: Vec<(u64, f64)> = (0..=SECONDS).map(warming).collect();
    let mut told = testing::source(SourceKind::Adapter, "temperature", Quantity::Temperature, &points);
    (told.description.series[0].warning, told.description.series[0].critical) = (Some(75.0), Some(125.0));
    run.telemetry = testing::recorded(vec![told]);
    run.steps = vec![record];
    run
}

/// What the figures are, computed by hand.
pub(super) const KNOWN_ANSWERS: &[(&str, f64)] = &[
    ("heat.first_minute", 1_000.0),
    ("heat.last_minute", 300.0),
    ("heat.kept", 30.0),
    ("heat.throttle_steps", 2.0),
    ("heat.time_to_throttle", 100.0),
    // The ends of the seconds from 89 s on: 151 of them.
    ("heat.warning_minutes", 151.0 / 60.0),
    ("heat.critical_minutes", 51.0 / 60.0),
    ("heat.warning_limit", 75.0),
    ("heat.critical_limit", 125.0),
];

/// Wrong ways to compute these figures.
pub(super) const MISTAKES: &[(&str, &str, f64)] = &[
    ("heat.first_minute", "MiB for MB", 1_000e6 / 1_048_576.0),
    ("heat.first_minute", "reads alone", 700.0),
    ("heat.first_minute", "of the whole step", (100.0 * 1_000.0 + 80.0 * 600.0 + 60.0 * 300.0) / 240.0),
    ("heat.last_minute", "of the second half", (60.0 * 600.0 + 60.0 * 300.0) / 120.0),
    ("heat.last_minute", "MiB for MB", 300e6 / 1_048_576.0),
    ("heat.kept", "a share for per cent", 0.3),
    ("heat.kept", "of the step before", 50.0),
    ("heat.throttle_steps", "falls below the first rate, once", 1.0),
    ("heat.throttle_steps", "seconds below it", 140.0),
    ("heat.time_to_throttle", "of the last step", 180.0),
    ("heat.time_to_throttle", "when it was noticed", 105.0),
    ("heat.time_to_throttle", "minutes for seconds", 100.0 / 60.0),
    ("heat.warning_minutes", "seconds for minutes", 151.0),
    ("heat.warning_minutes", "above the critical limit", 51.0 / 60.0),
    ("heat.critical_minutes", "above the warning limit", 151.0 / 60.0),
    ("heat.warning_limit", "kelvin", 348.15),
    ("heat.warning_limit", "the critical limit", 125.0),
    ("heat.critical_limit", "the highest temperature", 150.0),
];
