//! Operations that never come back: reported while the step runs, given up after it, never waited for without end.
//!
//! Method: a file on ext4 on a loop device; `fsfreeze` makes every write to it wait until the file system is thawed,
//! as a drive that has stopped answering would. Needs root.
#![expect(clippy::unwrap_used, reason = "a test ends where its set-up fails")]

mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use drivelab_core::clock::StopToken;
use drivelab_core::load::OpKind;
use drivelab_core::plan::StopRule;
use drivelab_core::record::{StepRecord, StopReason, Stuck};
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::Workload;
use drivelab_engine::{BackendChoice, Engine, Options};
use drivelab_rig::{LoopDevice, LoopFs, or_skip, root_or_skip, text, tool, tried};

const MIB: u64 = 1 << 20;
const WATCHDOG: Nanos = Nanos::from_millis(300);

/// A file system that can be frozen, with a file on it; thawed before it is removed.
struct Freezer(LoopFs);

impl Freezer {
    /// A new one, if this machine allows it.
    fn new_or_skip() -> Option<Self> {
        if !root_or_skip("mounting a file system") {
            return None;
        }
        let below = LoopDevice::sparse(env!("CARGO_TARGET_TMPDIR"), 64 * MIB, &[]);
        let made = Freezer(or_skip(below.and_then(|below| LoopFs::on(below, &[])))?);
        common::zeros(&made.file(), 4 * MIB);
        Some(made)
    }

    fn file(&self) -> PathBuf {
        self.0.mount_point().join("target")
    }

    fn freeze(&self) {
        tool("fsfreeze", &["-f", text(self.0.mount_point())]);
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        let _ = tried("fsfreeze", &["-u", text(self.0.mount_point())]);
    }
}

/// Runs a step on io_uring that gives up early: returns its record, the last report of operations that do not come
/// back, and how long it took.
fn step(freezer: &Freezer, workload: &Workload, rule: &StopRule) -> (StepRecord, Option<Stuck>, Duration) {
    let mut options = Options::new(BackendChoice::Uring);
    options.watchdog = WATCHDOG;
    let mut engine = Engine::open(common::target(&freezer.file(), 4 * MIB, true), options).unwrap();
    let (begun, stop) = (Instant::now(), StopToken::default());
    let (record, intervals) = common::run_with(&mut engine, workload, rule, (0, 100), &stop).unwrap();
    (record, intervals.iter().rev().find_map(|interval| interval.stuck), begun.elapsed())
}

/// Operations, of which `percent` per cent are writes.
fn writing(percent: u64, seed: u64) -> Workload {
    Workload { write_percent: Percent::new(percent).unwrap(), seed, ..common::workload(4 * MIB) }
}

/// A step that ends with its work. If it did not give up, it would run until its cap.
fn work(operations: u64) -> StopRule {
    StopRule { operations: Some(operations), ..StopRule::capped(Nanos::from_secs(30)) }
}

#[test]
fn a_drive_that_stops_answering_is_named_and_given_up() {
    let Some(freezer) = Freezer::new_or_skip() else { return };
    freezer.freeze();
    let (record, stuck, _) = step(&freezer, &writing(100, 7), &common::time(1500));
    let stuck = stuck.unwrap();
    assert_eq!((stuck.operations, stuck.op), (4, OpKind::Write));
    assert!(stuck.oldest > WATCHDOG, "{stuck:?}");
    assert_eq!((record.stop_reason, record.write.count, record.write.errors), (StopReason::Errors, 0, 4));
    assert!(record.errors.iter().all(|error| error.errno == libc::ETIMEDOUT), "{:?}", record.errors);
}

/// The work is done except for the last operations, in every slot: nothing else shows that the step has ended.
#[test]
fn a_step_that_ends_with_its_work_gives_up_what_is_lost_long_before_its_cap() {
    let Some(freezer) = Freezer::new_or_skip() else { return };
    freezer.freeze();
    for rule in [work(4), StopRule { volume: Some(Bytes::new(4 * 4096)), ..work(5) }] {
        let (record, stuck, took) = step(&freezer, &writing(100, 7), &rule);
        assert!(took < Duration::from_secs(15), "{took:?}");
        assert_eq!(stuck.map(|stuck| stuck.operations), Some(4));
        assert_eq!((record.stop_reason, record.write.count, record.write.errors), (StopReason::Errors, 0, 4));
    }
}

/// One or a few writes among reads, which a frozen file system still serves: the reads continue and end the step.
#[test]
fn a_write_that_is_lost_among_reads_that_end_the_step_is_given_up_long_before_its_cap() {
    let Some(freezer) = Freezer::new_or_skip() else { return };
    // The same seed gives the same operations: one is searched that has fewer writes than slots.
    let few = (1..200).find_map(|seed| {
        let load = writing(5, seed);
        let (record, ..) = step(&freezer, &load, &work(40));
        (1..=3).contains(&record.write.count).then_some((load, record.write.count))
    });
    let (load, writes) = few.unwrap();
    freezer.freeze();
    let (record, _, took) = step(&freezer, &load, &work(40));
    assert!(took < Duration::from_secs(15), "{took:?}");
    assert_eq!((record.stop_reason, record.read.count), (StopReason::Errors, 40 - writes));
    assert_eq!((record.write.count, record.write.errors), (0, writes));
}
