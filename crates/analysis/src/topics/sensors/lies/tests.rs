//! Contradictions in a drive's series, with known answers, and drives without contradictions.

use drivelab_core::finding::Finding;
use drivelab_core::telemetry::{Sample, SeriesDescription};
use drivelab_samples::{recorded, sample_run, source};

use super::*;
use crate::analyse;

const S: u64 = SECOND_NS;

/// A SMART log of these series, with a reading at each of these times.
fn smart(series: &[(&str, Quantity)], readings: &[(u64, Vec<f64>)]) -> RecordedSource {
    let mut log = source(SourceKind::Smart, "smart:nvme0n1", Quantity::Temperature, &[]);
    log.description.series = series.iter().map(|(name, quantity)| SeriesDescription::new(*name, *quantity)).collect();
    let sample = |(at_ns, values): &(u64, Vec<f64>)| Sample {
        at_ns: *at_ns,
        read_ns: 90_000,
        values: values.iter().copied().map(Some).collect(),
    };
    log.samples = readings.iter().map(sample).collect();
    log
}

/// A composite temperature and one sensor: times in seconds, °C.
fn two(readings: &[(u64, f64, f64)]) -> RecordedSource {
    let series = [("composite", Quantity::Temperature), ("sensor 2", Quantity::Temperature)];
    let readings: Vec<_> = readings.iter().map(|(s, one, other)| (s * S, vec![*one, *other])).collect();
    smart(&series, &readings)
}

/// The kernel's counters of the disk, every second, that read this many bytes until each second.
fn disk(seconds: u64, bytes: impl Fn(u64) -> f64) -> RecordedSource {
    let mut counters = source(SourceKind::DiskStats, "diskstats:nvme0n1", Quantity::Operations, &[]);
    let series = [("reads", Quantity::Operations), ("read_bytes", Quantity::Volume), ("write_bytes", Quantity::Volume)];
    counters.description.series = series.map(|(name, quantity)| SeriesDescription::new(name, quantity)).to_vec();
    let sample = |s: u64| {
        let read = bytes(s);
        Sample { at_ns: s * S, read_ns: 9_000, values: vec![Some((read / 4096.0).floor()), Some(read), Some(7e6)] }
    };
    counters.samples = (0..=seconds).map(sample).collect();
    counters
}

fn found(sources: Vec<RecordedSource>) -> Vec<Finding> {
    of_series(&recorded(sources), true)
}

fn codes(sources: Vec<RecordedSource>) -> Vec<String> {
    found(sources).into_iter().map(|finding| finding.code).collect()
}

/// Whether the stuck sensor is the one that the figures of the run come from: it shows nowhere but in the words.
fn makes_the_figures(stuck: &Finding) -> bool {
    stuck.statement.contains(" figures ")
}

#[test]
fn a_sensor_that_stands_at_105_degrees_while_the_drive_warms_is_stuck() {
    let findings = found(vec![two(&[(0, 60.0, 105.0), (10, 66.0, 105.0), (20, 72.0, 105.0)])]);
    assert_eq!(findings.len(), 1);
    let stuck = &findings[0];
    assert_eq!(stuck.code, "stuck_sensor");
    assert!(!makes_the_figures(stuck), "the composite temperature makes them");
    let shown: Vec<(f64, &str)> = stuck.evidence.iter().map(|one| (one.value, one.what.as_str())).collect();
    assert_eq!(shown[0], (105.0, "sensor 2 (smart:nvme0n1) in all 3 readings"));
    assert_eq!((shown[1].0, shown[2].0), (60.0, 72.0), "{shown:?}");
    assert!(!stuck.likely_cause.is_empty() && stuck.next_action.contains("--temperature-file"));
}

#[test]
fn sensors_that_stand_still_are_believed_until_something_shows_that_they_cannot() {
    let same = [(0, 60.0, 80.0), (10, 60.0, 80.0), (20, 61.0, 80.0)];
    assert_eq!(codes(vec![two(&same)]), [""; 0], "where the drive's temperature does not change no sensor's does");
    let idle: Vec<_> = (0..200).map(|n| (2 * n, 35.0 + f64::from(u8::from(n % 7 == 3)), 30.0)).collect();
    assert_eq!(codes(vec![two(&idle), disk(400, |_| 1e9)]), [""; 0], "nothing runs and nothing warms");
    let steady: Vec<_> = (0..200).map(|n| (2 * n, 62.0, 62.0)).collect();
    assert_eq!(codes(vec![two(&steady), disk(400, |s| s as f64 * 2e9)]), [""; 0], "at full speed and in balance");
    assert_eq!(codes(vec![two(&steady), disk(400, |s| s as f64 * 20e6)]), [""; 0], "little to do");
    let late = [(0, 40.0, 35.0), (2, 44.0, 35.0), (4, 47.0, 35.0), (6, 50.0, 35.0)];
    assert_eq!(codes(vec![two(&late)]), [""; 0], "flash warms after the controller");
    let one_odd_reading: Vec<_> = (0..60).map(|n| (2 * n, if n == 30 { 55.0 } else { 40.0 }, 38.0)).collect();
    assert_eq!(codes(vec![two(&one_odd_reading)]), [""; 0], "one reading that jumps is no movement");
    let warming: Vec<_> = (0..4).map(|n| (20 * n, 40.0 + 3.0 * n as f64, 38.0 + n as f64)).collect();
    assert_eq!(codes(vec![two(&warming)]), [""; 0], "both move");
    let slight: Vec<_> = (0..60).map(|n| (2 * n, 60.0 + (n / 15) as f64, 80.0)).collect();
    assert_eq!(codes(vec![two(&slight)]), [""; 0], "three kelvin may pass a sensor by");
}

/// The composite temperature alone, at 50 °C as QEMU's.
fn constant(readings: u64) -> RecordedSource {
    let readings: Vec<_> = (0..readings).map(|n| (2 * n * S, vec![50.0])).collect();
    smart(&[("composite", Quantity::Temperature)], &readings)
}

#[test]
fn a_thermometer_of_the_users_shows_that_the_drives_own_does_not_move() {
    let meter = |to: f64| {
        let points: Vec<(u64, f64)> = (0..90).map(|s| (s * S, 40.0 + (to - 40.0) * s as f64 / 90.0)).collect();
        source(SourceKind::Adapter, "temperature", Quantity::Temperature, &points)
    };
    let findings = found(vec![constant(45), meter(60.0)]);
    assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["stuck_sensor"]);
    assert!(!makes_the_figures(&findings[0]), "the user's thermometer makes them");
    assert_eq!(codes(vec![constant(45), meter(43.0)]), [""; 0], "a room that warms up");
    let mut another = meter(60.0);
    another.description.about = About::Drive("nvme1n1".to_owned());
    assert_eq!(codes(vec![constant(45), another]), [""; 0], "of another drive");
    let lone = codes(vec![meter(40.0), two(&[(0, 50.0, 50.0), (40, 56.0, 52.0), (80, 60.0, 54.0)])]);
    assert_eq!(lone, [""; 0], "the user's own meter is the user's affair");
}

#[test]
fn a_temperature_that_stays_from_rest_to_hard_work_is_stuck_and_its_figures_are_named() {
    // A minute and a half of rest, then work.
    let works = |rate: f64| disk(240, move |s| rate * s.saturating_sub(90) as f64);
    let findings = found(vec![constant(120), works(500e6)]);
    assert_eq!(findings.len(), 1);
    assert!(makes_the_figures(&findings[0]), "{findings:?}");
    let load = findings[0].evidence.iter().find(|one| one.what.contains("busiest")).expect("the load");
    assert_eq!((load.value, load.unit.as_str()), (500.0, "MB/s"));
    assert_eq!(codes(vec![constant(120), works(150e6)]), [""; 0], "as hard disks work");
    assert_eq!(codes(vec![constant(60), works(500e6)]), [""; 0], "half a minute of work warms no sensor for sure");
    assert_eq!(codes(vec![constant(120)]), [""; 0], "what it had to do is not known");
}

/// Seven quick queries in a row, after a while.
fn quick(after_s: u64, temperatures: [f64; 7]) -> RecordedSource {
    let of = temperatures.iter().zip(after_s..).map(|(celsius, s)| (s * S, vec![*celsius]));
    smart(&[("composite", Quantity::Temperature)], &of.collect::<Vec<_>>())
}

#[test]
fn readings_that_jump_while_nothing_uses_the_drive_are_found() {
    // Seed 004: 60 60 61 66 64 63 63.
    let seed = [60.0, 60.0, 61.0, 66.0, 64.0, 63.0, 63.0];
    let findings = found(vec![quick(0, seed), disk(10, |_| 5e9)]);
    assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["jumping_temperature"]);
    let [before, after] = &findings[0].evidence[..] else { panic!("{findings:?}") };
    assert_eq!((before.value, after.value, after.limit), (61.0, 66.0, Some(65.0)));
    assert!(after.what.contains("1.0 s later"), "{after:?}");
    assert_eq!(codes(vec![quick(0, seed), disk(10, |s| s as f64 * 1e6)]), [""; 0], "under load it may");
    assert_eq!(codes(vec![quick(0, seed)]), [""; 0], "whether it had work is not known");
    let mut slow = quick(0, seed);
    slow.samples.iter_mut().for_each(|sample| sample.at_ns *= 60);
    assert_eq!(codes(vec![slow, disk(420, |_| 5e9)]), [""; 0], "a minute apart a drive may warm up");
}

#[test]
fn a_drive_that_cools_after_its_work_does_not_jump() {
    let cools = [70.0, 65.0, 60.0, 57.0, 55.0, 54.0, 53.0];
    let worked_until = |end: u64| disk(150, move |s| s.min(end) as f64 * 1e9);
    assert_eq!(codes(vec![quick(100, cools), worked_until(99)]), [""; 0]);
    assert_eq!(codes(vec![quick(100, cools), worked_until(20)]), ["jumping_temperature"], "long after");
    assert_eq!(codes(vec![quick(10, cools), disk(150, |_| 0.0)]), [""; 0], "what was before is not known");
}

/// Composite temperature and critical warning, each two seconds; it warns from 77 °C.
fn hot(celsius: &[f64], bits: f64) -> RecordedSource {
    let of = celsius.iter().zip(0u64..).map(|(celsius, n)| (2 * n * S, vec![*celsius, bits]));
    let series = [("composite", Quantity::Temperature), ("critical warning", Quantity::WarningBits)];
    let mut log = smart(&series, &of.collect::<Vec<_>>());
    log.description.series[0].warning = Some(77.0);
    log
}

#[test]
fn a_drive_that_stays_above_its_warning_temperature_must_say_so() {
    let findings = found(vec![hot(&[70.0, 78.0, 81.0, 80.0, 76.0], 0.0)]);
    assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["hot_not_flagged"]);
    assert_eq!((findings[0].evidence[0].value, findings[0].evidence[0].limit), (81.0, Some(77.0)));
    assert_eq!(codes(vec![hot(&[78.0, 81.0, 80.0], 2.0)]), [""; 0], "it does");
    assert_eq!(codes(vec![hot(&[77.0, 76.0, 77.0, 77.0], 0.0)]), [""; 0], "at the threshold is not above it");
    assert_eq!(codes(vec![hot(&[70.0, 79.0, 78.0, 70.0], 0.0)]), [""; 0], "it may look at its limit seldom");
    assert_eq!(codes(vec![hot(&[251.0, 251.0, 251.0, 250.0], 0.0)]), [""; 0], "no temperature at all");
    assert_eq!(codes(vec![hot(&[78.0, 81.0, 80.0], 4.0)]), ["hot_not_flagged"], "another bit is another matter");
}

#[test]
fn counters_of_a_life_that_go_back_are_found_and_those_that_rise_are_not() {
    let series = [("power-on time", Quantity::PowerOnTime), ("data written", Quantity::Volume)];
    let log = |hours: [f64; 3]| {
        let readings: Vec<_> = (0..).zip(hours).map(|(n, hours)| (n * S, vec![hours, 1e9])).collect();
        smart(&series, &readings)
    };
    let findings = found(vec![log([340.0, 339.0, 340.0])]);
    assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["counter_went_back"]);
    let went = &findings[0].evidence[0];
    assert_eq!((went.value, went.limit, went.unit.as_str()), (339.0, Some(340.0), "h"));
    assert_eq!(codes(vec![log([340.0, 340.0, 341.0])]), [""; 0]);
    let meter = source(SourceKind::DiskStats, "diskstats:nvme0n1", Quantity::Volume, &[(0, 9.0), (S, 3.0)]);
    assert_eq!(codes(vec![meter]), [""; 0], "the kernel's counters begin anew with the drive");
}

#[test]
fn a_counter_of_data_that_stands_still_beside_the_kernels_is_found() {
    let series = [("data read", Quantity::Volume), ("data written", Quantity::Volume)];
    let log = |of: fn(u64) -> f64| {
        let readings: Vec<_> = (0..=60).map(|n| (20 * n * S, vec![of(20 * n), 7e6])).collect();
        smart(&series, &readings)
    };
    let load = || disk(1200, |s| s as f64 * 100e6);
    let findings = found(vec![log(|_| 512e3), load()]);
    assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["counter_stands_still"]);
    let [still] = &findings[0].evidence[..] else { panic!("only that one: {findings:?}") };
    assert!(still.what.starts_with("rise of data read (smart:nvme0n1)"), "{still:?}");
    assert_eq!((still.value, still.limit), (0.0, Some(120e9)));
    assert_eq!(codes(vec![log(|s| (s / 600) as f64 * 60e9), load()]), [""; 0], "it counts now and then");
    assert_eq!(codes(vec![log(|_| 512e3), disk(1200, |s| s as f64 * 1e6)]), [""; 0], "little was moved");
    let mut short = log(|_| 512e3);
    short.samples.truncate(20);
    assert_eq!(codes(vec![short, load()]), [""; 0], "it may not have had the time");
}

#[test]
fn a_run_says_so_in_its_findings() {
    let mut run = sample_run();
    let before = analyse(&run).findings.len();
    run.telemetry = recorded(vec![two(&[(0, 60.0, 105.0), (10, 66.0, 105.0), (20, 72.0, 105.0)])]);
    let after = analyse(&run).findings;
    assert_eq!(after.len(), before + 1);
    assert!(after.iter().any(|finding| finding.code == "stuck_sensor"));
    assert_eq!(crate::lies(&run.telemetry).len(), 1);
}
