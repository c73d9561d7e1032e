//! A sampler on real sources: rates, phases, gaps, the limit, and an end that never hangs.

use std::fs;
use std::io::Write;

use drivelab_core::clock::{MonotonicClock, StopCause};
use drivelab_core::telemetry::{Gap, Sample};
use drivelab_core::telemetry::{GapCause, SourceKind, TemperatureLimit};
use drivelab_device::Roots;
use std::sync::Mutex;

use super::*;
use crate::adapter::{Adapter, AdapterValue};
use crate::discover::{Rates, Wanted, discover};

fn clock() -> Arc<dyn RunClock> {
    Arc::new(MonotonicClock::starting_at(0))
}

fn wait(clock: &dyn RunClock, milliseconds: u64) {
    clock.sleep_until(clock.now_ns() + milliseconds * 1_000_000, &StopToken::default());
}

/// Collects until the condition is met, for half a minute at most; a test that hangs is worse than one that fails.
fn until(clock: &dyn RunClock, what: &str, mut is_seen: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if is_seen() {
            return;
        }
        wait(clock, 10);
    }
    panic!("{what} did not come");
}

/// Samples by source, and gaps by source, of several batches.
fn joined(batches: &[TelemetryBatch], source: u32) -> (Vec<Sample>, Vec<Gap>) {
    let of = batches.iter().flat_map(|batch| &batch.sources).filter(|one| one.source == source);
    let (mut samples, mut gaps) = (Vec::new(), Vec::new());
    for one in of {
        samples.extend(one.samples.clone());
        gaps.extend(one.gaps.clone());
    }
    (samples, gaps)
}

#[test]
fn each_source_has_its_rate_and_stamps_in_order_and_its_cost_is_known() {
    let clock = clock();
    let wanted = Wanted { rates: Rates::all(Nanos::from_millis(50)), ..Wanted::default() };
    let found = discover(&Roots::default(), &wanted).unwrap();
    let mut sampler =
        Sampler::start(found.sources, Arc::clone(&clock), StopToken::default(), SamplerOptions::default());
    let described = sampler.described();
    let mut batches = Vec::new();
    until(&*clock, "three samples of each source", || {
        batches.extend(sampler.collect());
        (0u32..).zip(&described.sources).all(|(at, _)| joined(&batches, at).0.len() >= 3)
    });
    batches.extend(sampler.finish());
    assert!(batches.last().is_some_and(|batch| batch.cpu.get() > 0), "reading costs CPU time");
    let end_ns = clock.now_ns();
    for (at, source) in (0u32..).zip(&described.sources) {
        let (samples, _) = joined(&batches, at);
        assert!(samples.len() >= 3, "{}: {} samples", source.id, samples.len());
        assert!(samples.windows(2).all(|pair| pair[0].at_ns < pair[1].at_ns), "{}", source.id);
        assert!(samples.iter().all(|sample| sample.at_ns + sample.read_ns <= end_ns), "{}", source.id);
        assert!(source.cost.is_some_and(|cost| cost.readings == COST_READINGS), "{}", source.id);
    }
}

#[test]
fn a_quiet_phase_is_a_gap_between_two_readings_at_its_borders() {
    // The border is waited for, half a second at most: if the reader got no CPU for that long, it is tried again.
    for _ in 0..10 {
        if let Some(borders) = quiet_phase() {
            return assert_quiet(&borders);
        }
    }
    panic!("the reader got no CPU at any of ten borders");
}

/// The batches around a quiet phase: when it began and ended, and the readings of the CPU times.
struct Quiet {
    from: u64,
    to: u64,
    samples: Vec<Sample>,
    gaps: Vec<Gap>,
}

/// `None` if the session continued at a border before the reader had read.
fn quiet_phase() -> Option<Quiet> {
    let clock = clock();
    let wanted = Wanted { rates: Rates::all(Nanos::from_millis(20)), ..Wanted::default() };
    let found = discover(&Roots::default(), &wanted).unwrap();
    let mut sampler =
        Sampler::start(found.sources, Arc::clone(&clock), StopToken::default(), SamplerOptions::default());
    let cpu = sampler.described().sources.iter().position(|source| source.kind == SourceKind::Cpu).unwrap();
    wait(&*clock, 100);
    let asked = clock.now_ns();
    sampler.enter(Phase::LatencyCritical);
    let from = clock.now_ns();
    wait(&*clock, 300);
    let to = clock.now_ns();
    sampler.enter(Phase::Ordinary);
    let back = clock.now_ns();
    wait(&*clock, 100);
    let batch = sampler.finish().unwrap();
    let (samples, gaps) = joined(&[batch], u32::try_from(cpu).unwrap());
    let in_time = [from - asked, back - to].iter().all(|ns| u128::from(*ns) < BORDER.as_nanos());
    in_time.then_some(Quiet { from, to, samples, gaps })
}

fn assert_quiet(quiet: &Quiet) {
    let (from, to) = (quiet.from, quiet.to);
    let inside = quiet.samples.iter().filter(|sample| sample.at_ns > from && sample.at_ns < to).count();
    assert_eq!(inside, 0, "nothing is read in a latency-critical phase");
    let gaps: Vec<&Gap> = quiet.gaps.iter().filter(|gap| gap.cause == GapCause::Quiet).collect();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert!(gaps[0].from_ns <= from && gaps[0].to_ns >= to);
    let read = |is: &dyn Fn(u64) -> bool| quiet.samples.iter().any(|sample| is(sample.at_ns));
    assert!(read(&|at| at <= from) && read(&|at| at >= to));
}

#[test]
fn with_always_the_quiet_phases_are_read_too() {
    let clock = clock();
    let wanted = Wanted { rates: Rates::all(Nanos::from_millis(20)), ..Wanted::default() };
    let found = discover(&Roots::default(), &wanted).unwrap();
    let options = SamplerOptions { always: true, ..SamplerOptions::default() };
    let mut sampler = Sampler::start(found.sources, Arc::clone(&clock), StopToken::default(), options);
    sampler.enter(Phase::LatencyCritical);
    let from_ns = clock.now_ns();
    let mut batches = Vec::new();
    until(&*clock, "a sample in the quiet phase", || {
        batches.extend(sampler.collect());
        batches.iter().flat_map(|batch| &batch.sources).flat_map(|one| &one.samples).any(|one| one.at_ns > from_ns)
    });
    batches.extend(sampler.finish());
    let mut gaps = batches.iter().flat_map(|batch| &batch.sources).flat_map(|one| &one.gaps);
    assert!(gaps.all(|gap| gap.cause != GapCause::Quiet));
}

#[test]
fn a_drive_that_gets_too_hot_stops_the_run_and_the_reason_is_said() {
    let clock = clock();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("celsius");
    fs::write(&path, "").unwrap();
    let thermometer = Adapter::file(AdapterValue::Temperature, "nvme0n1", path.clone()).unwrap();
    let limit = TemperatureLimit { celsius: 70.0, because: "a test".to_owned() };
    let options = SamplerOptions { abort_above: Some(limit), ..SamplerOptions::default() };
    let stop = StopToken::default();
    let mut sampler = Sampler::start(vec![Box::new(thermometer)], Arc::clone(&clock), stop.clone(), options);
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"1 69.5\n").unwrap();
    assert_eq!(sampler.drive_temperature().map(|(_, celsius)| celsius), Some(69.5));
    assert!(!stop.is_stopped());
    file.write_all(b"2 70.5\n").unwrap();
    until(&*clock, "the stop", || stop.is_stopped());
    assert_eq!(stop.cause(), Some(StopCause::Heat));
    let reason = sampler.too_hot().unwrap();
    assert!(reason.contains("70.5 °C") && reason.contains("limit of 70 °C (a test)"), "{reason}");
}

/// A source that can be told to fail, and counts its readings since then; the real sources of this machine do not
/// fail.
struct Failing(Arc<Mutex<(bool, u32)>>);

impl TelemetrySource for Failing {
    fn describe(&self) -> drivelab_core::telemetry::SourceDescription {
        let mut described = crate::host::Suspends { every: Nanos::from_millis(20) }.describe();
        described.id.0 = "failing".to_owned();
        described
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        let mut told = self.0.lock().unwrap();
        told.1 += 1;
        if told.0 {
            return Err("the sensor is gone".to_owned());
        }
        Ok(vec![Sample { at_ns: clock.now_ns(), read_ns: 0, values: vec![Some(1.0)] }])
    }
}

#[test]
fn readings_that_fail_are_a_gap_with_their_cause_and_reading_goes_on() {
    let clock = clock();
    let fails = Arc::new(Mutex::new((false, 0)));
    let source: Box<dyn TelemetrySource> = Box::new(Failing(Arc::clone(&fails)));
    let stop = StopToken::default();
    let mut sampler = Sampler::start(vec![source], Arc::clone(&clock), stop, SamplerOptions::default());
    for fail in [false, true, false] {
        *fails.lock().unwrap() = (fail, 0);
        until(&*clock, "three readings", || fails.lock().unwrap().1 >= 3);
    }
    let (samples, gaps) = joined(&[sampler.finish().unwrap()], 0);
    let failed: Vec<&Gap> = gaps.iter().filter(|gap| matches!(gap.cause, GapCause::Failed(_))).collect();
    assert_eq!(failed.len(), 1, "{gaps:?}");
    assert_eq!(failed[0].cause, GapCause::Failed("the sensor is gone".to_owned()));
    let within = |sample: &&Sample| sample.at_ns > failed[0].from_ns && sample.at_ns < failed[0].to_ns;
    assert_eq!(samples.iter().filter(within).count(), 0, "a gap holds no samples");
    assert!(samples.last().is_some_and(|last| last.at_ns >= failed[0].to_ns));
}
