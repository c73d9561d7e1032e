//! The power log on recorded pages: windows, what makes a window invalid, and that the drive's feature is restored.
//! Not yet tried on hardware.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use drivelab_core::clock::{MonotonicClock, StopCause, StopToken, VirtualClock};
use drivelab_core::telemetry::{Observer, Phase};
use drivelab_nvme::{AdminCommand, NSID_ALL, RecordedTransport, Recording, Request, Select, Status};

use super::*;
use crate::sampler::{Sampler, SamplerOptions};

const S: u64 = 1_000_000_000;
/// Feature 25h as it was found: no action, kind 2, no minutes.
const FOUND: u32 = 2 << 4;
/// Start, kind 2, to stop after 30 minutes, the longest time that the controller allows.
const STARTED: u32 = 1 | 2 << 4 | 30 << 16;

/// Log page 25h: generation, attributes (bit 0 runs, 1 has gaps, 2 estimated), intervals, milliwatts.
fn page(generation: u8, attributes: u16, intervals: u32, milliwatts: u32) -> Vec<u8> {
    let mut page = vec![0u8; 64];
    page[1] = generation;
    page[2..4].copy_from_slice(&attributes.to_le_bytes());
    page[4..8].copy_from_slice(&64u32.to_le_bytes());
    page[8..12].copy_from_slice(&intervals.to_le_bytes());
    // In units of 10 mW: scale 2.
    page[40..44].copy_from_slice(&((milliwatts / 10) | (2 << 16)).to_le_bytes());
    page[44..48].copy_from_slice(&(900u32 | 2 << 16).to_le_bytes());
    page[56] = 5;
    page
}

fn power_log() -> Request {
    Request::LogPage { log: LOG, nsid: NSID_ALL, parameter: 0, specific: 0 }
}

fn setting() -> Request {
    Request::GetFeature { feature: 0x25, select: Select::Current, argument: 0 }
}

/// A controller that measures its power, with this page.
fn recording(page: Vec<u8>) -> Recording {
    let mut identify = vec![0u8; 4096];
    identify[96..100].copy_from_slice(&(1u32 << 21).to_le_bytes());
    identify[394..396].copy_from_slice(&30u16.to_le_bytes());
    let mut logs = vec![0u8; 1024];
    logs[usize::from(LOG) * 4] = 1;
    let mut recording = Recording::default();
    recording.page(Request::Identify { cns: 1, nsid: 0 }, identify);
    recording.page(Request::LogPage { log: 0, nsid: 0, parameter: 0, specific: 0 }, logs.clone());
    recording.page(Request::LogPage { log: 0, nsid: NSID_ALL, parameter: 0, specific: 0 }, logs);
    recording.page(power_log(), page);
    recording.value(setting(), FOUND);
    recording
}

/// Two recordings of one controller: the second one applies when the test selects it. All features are set on the
/// first.
struct Drive {
    first: RecordedTransport,
    second: RecordedTransport,
    later: AtomicBool,
}

impl Drive {
    fn new(first: Vec<u8>, second: Vec<u8>) -> Arc<Self> {
        let of = |page| RecordedTransport::new(recording(page));
        Arc::new(Drive { first: of(first), second: of(second), later: AtomicBool::new(false) })
    }

    /// The values that the feature was set to, in order.
    fn set(&self) -> Vec<u32> {
        let set = self.first.set_features();
        assert!(set.iter().all(|(feature, _)| *feature == 0x25), "{set:?}");
        set.into_iter().map(|(_, value)| value).collect()
    }
}

/// A transport to it.
struct Way(Arc<Drive>);

impl Transport for Way {
    fn admin(&self, command: &AdminCommand, data: &mut [u8]) -> Result<u32, NvmeError> {
        let later = self.0.later.load(Ordering::SeqCst) && *command.request() == power_log();
        if later { &self.0.second } else { &self.0.first }.admin(command, data)
    }
}

fn open(drive: &Arc<Drive>) -> PowerLog<Way> {
    let controller = Controller::new(Way(Arc::clone(drive)));
    PowerLog::open(controller, "nvme0n1", "/dev/nvme0".to_owned(), Nanos::from_secs(2)).unwrap()
}

fn refused(recording: Recording) -> String {
    let controller = Controller::new(RecordedTransport::new(recording));
    let opened = PowerLog::open(controller, "nvme0n1", "/dev/nvme0".to_owned(), Nanos::from_secs(2));
    opened.err().expect("it must not be used")
}

/// Sets the clock forward to this second.
fn put(clock: &VirtualClock, second: u64) {
    clock.sleep_until(second * S, &StopToken::default());
}

#[test]
fn a_reading_gives_the_mean_of_its_window_and_begins_the_next() {
    let drive = Drive::new(page(7, 0, 0, 0), page(7, 1, 25, 4_500));
    let mut log = open(&drive);
    let described = log.describe();
    assert_eq!((described.id.0.as_str(), described.kind), ("power_log:nvme0n1", SourceKind::PowerLog));
    assert_eq!(described.every, Nanos::from_secs(5), "a window is several intervals long");
    assert!(described.accuracy.contains("measured by the drive, error up to 5 %"), "{}", described.accuracy);
    assert_eq!(drive.set(), [0; 0], "nothing is started before the first reading");
    let clock = VirtualClock::default();
    put(&clock, 100);
    assert_eq!(log.read(&clock).unwrap(), [], "the first reading starts it");
    assert_eq!(drive.set(), [STARTED]);
    drive.later.store(true, Ordering::SeqCst);
    put(&clock, 125);
    let samples = log.read(&clock).unwrap();
    let at: Vec<u64> = samples.iter().map(|sample| sample.at_ns).collect();
    assert_eq!(at, [100 * S + 1, 110 * S + 1, 120 * S + 1, 125 * S], "the whole window, without a gap of 15 s");
    assert!(samples.iter().all(|sample| sample.values == [Some(4.5), Some(9.0)]), "{samples:?}");
    assert_eq!(drive.set(), [STARTED, STARTED], "and again");
    put(&clock, 130);
    assert_eq!(log.read(&clock).unwrap()[0].at_ns, 125 * S + 1, "the next window begins where this one ended");
}

#[test]
fn a_window_without_a_whole_interval_goes_on() {
    let drive = Drive::new(page(7, 1 << 2, 0, 0), page(7, 1 | 1 << 2, 3, 2_000));
    let mut log = open(&drive);
    assert!(log.describe().accuracy.contains("estimated by the drive"), "it says so");
    let clock = VirtualClock::default();
    log.read(&clock).unwrap();
    drive.later.store(true, Ordering::SeqCst);
    put(&clock, 3);
    assert_eq!(log.read(&clock).unwrap().len(), 2);
    // Now not one interval is complete.
    let drive = Drive::new(page(7, 0, 0, 0), page(7, 1, 0, 0));
    let mut log = open(&drive);
    log.read(&clock).unwrap();
    drive.later.store(true, Ordering::SeqCst);
    put(&clock, 4);
    assert_eq!(log.read(&clock).unwrap(), []);
    assert_eq!(drive.set(), [STARTED], "it is not started again, or it would never end");
}

#[test]
fn windows_that_are_not_ours_alone_are_gaps_and_the_next_one_begins() {
    for (later, why) in [
        (page(9, 1, 3, 2_000), "another program started"),
        (page(7, 0, 3, 2_000), "stopped before"),
        (page(7, 0b11, 3, 2_000), "has gaps"),
    ] {
        let drive = Drive::new(page(7, 0, 0, 0), later);
        let mut log = open(&drive);
        let clock = VirtualClock::default();
        log.read(&clock).unwrap();
        drive.later.store(true, Ordering::SeqCst);
        put(&clock, 5);
        let error = log.read(&clock).unwrap_err();
        assert!(error.contains(why) && error.contains("/dev/nvme0"), "{error}");
        assert_eq!(drive.set(), [STARTED, STARTED]);
    }
}

#[test]
fn the_feature_is_as_it_was_when_the_source_goes_and_untouched_where_nothing_was_started() {
    let drive = Drive::new(page(7, 0, 0, 0), page(7, 1, 3, 2_000));
    drop(open(&drive));
    assert_eq!(drive.set(), [0; 0]);
    let mut log = open(&drive);
    log.read(&VirtualClock::default()).unwrap();
    drop(log);
    assert_eq!(drive.set(), [STARTED, FOUND]);
    let now = Controller::new(Way(Arc::clone(&drive))).power_measurement_setting().unwrap();
    assert_eq!((now.action, now.kind, now.stop_after_min), (0, 2, 0));
}

#[test]
fn a_run_that_is_stopped_by_ctrl_c_or_dropped_leaves_the_drive_as_it_was() {
    let sampled = || {
        let drive = Drive::new(page(7, 0, 0, 0), page(7, 1, 3, 2_000));
        let source: Box<dyn TelemetrySource> = Box::new(open(&drive));
        let (clock, stop) = (Arc::new(MonotonicClock::starting_at(0)), StopToken::default());
        let mut sampler = Sampler::start(vec![source], clock, stop.clone(), SamplerOptions::default());
        drive.later.store(true, Ordering::SeqCst);
        sampler.enter(Phase::Ordinary);
        assert_eq!(drive.set().first(), Some(&STARTED), "it measures");
        assert_ne!(drive.set().last(), Some(&FOUND), "and continues");
        (drive, sampler, stop)
    };
    // As Ctrl-C does: the token is set, then the session or `watch` ends and finishes the sampler.
    let (drive, mut sampler, stop) = sampled();
    stop.stop(StopCause::Person);
    let batch = sampler.finish().unwrap();
    assert!(batch.sources[0].samples.iter().all(|sample| sample.values[0] == Some(2.0)), "{batch:?}");
    assert_eq!(drive.set().last(), Some(&FOUND));
    // An error in between: nothing finishes the sampler.
    let (drive, sampler, _) = sampled();
    drop(sampler);
    assert_eq!(drive.set().last(), Some(&FOUND));
}

#[test]
fn a_start_that_is_refused_is_a_gap_with_the_drives_words_and_is_tried_again() {
    let mut refusing = recording(page(7, 0, 0, 0));
    refusing.refusal(Request::SetFeature { feature: 0x25, value: STARTED }, Status::new(0x4002));
    let transport = RecordedTransport::new(refusing);
    let mut log =
        PowerLog::open(Controller::new(&transport), "nvme0n1", "/dev/nvme0".to_owned(), Nanos::from_secs(2)).unwrap();
    for _ in 0..2 {
        let error = log.read(&VirtualClock::default()).unwrap_err();
        assert!(error.contains("Set Features 25h") && error.contains("Invalid Field"), "{error}");
    }
    drop(log);
    assert_eq!(transport.set_features(), [(0x25, FOUND)], "restored in any case: its effect is unknown");
}

#[test]
fn a_drive_that_does_not_measure_or_measures_for_somebody_else_is_left_alone() {
    let mut without = recording(page(7, 0, 0, 0));
    without.page(Request::Identify { cns: 1, nsid: 0 }, vec![0; 4096]);
    assert!(refused(without).contains("does not measure its power"));
    let mut no_page = recording(page(7, 0, 0, 0));
    no_page.page(Request::LogPage { log: 0, nsid: 0, parameter: 0, specific: 0 }, vec![0; 1024]);
    no_page.page(Request::LogPage { log: 0, nsid: NSID_ALL, parameter: 0, specific: 0 }, vec![0; 1024]);
    assert!(refused(no_page).contains("no log page 25h"));
    let running = refused(recording(page(7, 1, 3, 2_000)));
    let words = ["another program has already started", "does not touch it", "stops on its own within 60 min"];
    assert!(words.iter().all(|words| running.contains(words)), "{running}");
    let mut no_feature = recording(page(7, 0, 0, 0));
    no_feature.refusal(setting(), Status::new(0x4002));
    assert!(refused(no_feature).contains("Invalid Field"));
}
