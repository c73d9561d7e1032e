//! Sets of files on a real file system: what a copy holds, what a check finds, what a full file system does.

use std::fs::File;
use std::path::Path;

use drivelab_core::backend::Backend;
use drivelab_core::clock::{MonotonicClock, StopCause, StopToken};
use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::plan::StopRule;
use drivelab_core::record::{DataFault, IntervalRecord, StepRecord, StopReason};
use drivelab_core::target::WritableFolder;
use drivelab_core::units::{Bytes, Nanos, Percent, Threads};
use drivelab_core::workload::Workload;
use drivelab_engine::{BackendChoice, Engine, Folders, Options};

use crate::common::{folder, target, zeros};

/// An engine with a folder to work in and, if needed, one to copy from.
struct Bench {
    _root: tempfile::TempDir,
    drive: std::path::PathBuf,
    engine: Engine,
    stop: StopToken,
}

fn writable(path: &Path) -> WritableFolder {
    std::fs::create_dir(path).unwrap();
    WritableFolder::from_guard(path.to_owned(), File::open(path).unwrap().into())
}

impl Bench {
    fn new(with_source: bool) -> Self {
        let root = folder();
        let (drive, file) = (root.path().join("drive"), root.path().join("file"));
        zeros(&file, 4096);
        let source = with_source.then(|| writable(&root.path().join("source")));
        let folders = Folders::new(Some(writable(&drive)), source);
        let options = Options { folders, ..Options::new(BackendChoice::Sync) };
        let engine = Engine::open(target(&file, 4096, false), options).unwrap();
        Bench { _root: root, drive, engine, stop: StopToken::default() }
    }

    fn run(&mut self, load: FileLoad, threads: u32, direct: bool) -> (StepRecord, Vec<IntervalRecord>) {
        let key = StepKey { step: StepId::new("files", load.work.name()), round: 1 };
        let write = if load.work.reads() { 0 } else { 100 };
        let workload = Workload {
            write_percent: Percent::new(write).unwrap(),
            block_size: Bytes::new(64 << 10),
            threads: Threads::new(threads.into()).unwrap(),
            direct,
            files: Some(Box::new(load)),
            ..Workload::default()
        };
        let stop_rule = StopRule { passes: Some(1), ..StopRule::capped(Nanos::from_secs(60)) };
        let request = drivelab_core::backend::StepRequest {
            key: &key,
            workload: &workload,
            stop_rule: &stop_rule,
            ramp: Nanos::new(0),
            interval: Nanos::from_millis(20),
            clock: &MonotonicClock::starting_at(0),
            stop: &self.stop,
        };
        let mut intervals = Vec::new();
        let record = self.engine.run_step(request, &mut |interval| intervals.push(interval)).unwrap();
        (record, intervals)
    }
}

/// 2,005 files of odd sizes around 3 KiB, in three folders.
fn many() -> FileSet {
    FileSet {
        name: "small".to_owned(),
        count: 2005,
        sizes: FileSizes::LogNormal { median: Bytes::new(3 << 10), sigma_millionths: 900_000 },
        total: None,
        seed: 11,
        compress_percent: Percent::new(25).unwrap(),
    }
}

/// Three files of a quarter of a MiB and some bytes.
fn few() -> FileSet {
    let sizes = FileSizes::Fixed { size: Bytes::new((256 << 10) + 1234) };
    FileSet { name: "large".to_owned(), count: 3, sizes, ..many() }
}

fn load(set: FileSet, work: FileWork, of: FilePlace) -> FileLoad {
    FileLoad { set, work, of, sync: FileSync::End }
}

#[test]
fn files_are_copied_to_the_drive_and_on_it_whole_by_several_threads() {
    let mut bench = Bench::new(true);
    let sum = many().bytes();
    for (work, of) in [
        (FileWork::Read, FilePlace::Source),
        (FileWork::Copy, FilePlace::Source),
        (FileWork::Copy, FilePlace::Original),
        (FileWork::Verify, FilePlace::Original),
        (FileWork::Verify, FilePlace::Copy),
    ] {
        let (record, intervals) = bench.run(load(many(), work, of), 3, false);
        let own = if work.reads() { &record.read } else { &record.write };
        assert_eq!((own.count, own.bytes, own.errors), (2005, sum, 0), "{work:?} {of:?}");
        assert_eq!(record.stop_reason, StopReason::Passes);
        let told: u64 = intervals.iter().map(|one| one.read.bytes.get() + one.write.bytes.get()).sum();
        let files: u64 = intervals.iter().map(|one| one.read.count + one.write.count).sum();
        assert_eq!((told, files), (sum.get(), 2005), "the intervals are not the whole");
        assert!(record.in_flight_mean <= 3.0 && record.in_flight_mean > 0.0, "{}", record.in_flight_mean);
        assert_eq!(record.verification.is_some(), work == FileWork::Verify);
        if let Some(found) = record.verification {
            let blocks: u64 = many().file_sizes().iter().map(|size| size.div_ceil(4096)).sum();
            assert_eq!((found.checked, found.faults.len()), (blocks, 0));
        }
    }
    let in_folders = |set: &str| std::fs::read_dir(bench.drive.join(set)).unwrap().count();
    assert_eq!((in_folders("small"), in_folders("small.copy")), (3, 3));
    let same = |name: &str| {
        let read = |set: &str| std::fs::read(bench.drive.join(set).join("d002").join(name)).unwrap();
        let (one, other) = (read("small"), read("small.copy"));
        assert!(one == other && !one.is_empty());
        one.len() as u64
    };
    assert_eq!(same("f00002004"), many().file_sizes()[2004]);
    let (record, _) = bench.run(load(many(), FileWork::Delete, FilePlace::Copy), 2, false);
    assert_eq!((record.write.count, record.write.bytes.get()), (2005, 0));
    assert_eq!(std::fs::read_dir(bench.drive.join("small.copy")).unwrap().count(), 0);
}

#[test]
fn a_flipped_byte_is_found_where_it_is_and_past_the_page_cache_too() {
    let mut bench = Bench::new(false);
    for direct in [false, true] {
        bench.run(load(few(), FileWork::Create, FilePlace::Original), 1, direct);
        let path = bench.drive.join("large/d000/f00000001");
        let mut bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, few().file_sizes()[1], "the padding of the last block was cut off");
        bytes[5 * 4096 + 4000] ^= 1;
        bytes[7 * 4096..8 * 4096].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        let (record, _) = bench.run(load(few(), FileWork::Verify, FilePlace::Original), 1, direct);
        let found = record.verification.unwrap();
        assert_eq!(found.faults, [(DataFault::Corrupt, 1), (DataFault::Zero, 1)].into());
        let start = few().file_sizes()[0];
        let places: Vec<u64> = found.first.iter().map(|bad| bad.offset).collect();
        assert_eq!(places, [start + 5 * 4096, start + 7 * 4096]);
        assert_eq!(record.engine.direct_verified, direct);
    }
}

#[test]
fn a_file_that_is_shorter_is_an_error_of_that_file_alone() {
    let mut bench = Bench::new(false);
    bench.run(load(few(), FileWork::Create, FilePlace::Original), 1, false);
    File::options().write(true).open(bench.drive.join("large/d000/f00000001")).unwrap().set_len(70_000).unwrap();
    let (record, _) = bench.run(load(few(), FileWork::Read, FilePlace::Original), 1, false);
    assert_eq!((record.read.count, record.read.errors), (2, 1));
    assert_eq!((record.errors[0].errno, record.stop_reason), (0, StopReason::Passes));
}

#[test]
fn what_a_step_needs_is_made_outside_its_time_and_what_it_makes_is_made_anew() {
    let mut bench = Bench::new(false);
    let (record, _) = bench.run(load(few(), FileWork::Copy, FilePlace::Original), 1, false);
    let note = record.engine.effort.unwrap().page_cache.unwrap();
    assert!(note.contains("made before the step"), "{note}");
    assert_eq!(record.write.count, 3);
    let (again, _) = bench.run(load(few(), FileWork::Copy, FilePlace::Original), 1, false);
    assert_eq!((again.write.count, again.write.errors), (3, 0), "the copy of the last round is in the way");
    bench.stop.stop(StopCause::Person);
    let (stopped, _) = bench.run(load(many(), FileWork::Read, FilePlace::Copy), 1, false);
    assert_eq!((stopped.stop_reason, stopped.read.count), (StopReason::Stopped, 0));
}
