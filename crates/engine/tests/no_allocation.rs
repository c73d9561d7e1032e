//! The loop allocates nothing: a long step makes as many allocations on its I/O threads as a short one.
//!
//! A counting allocator counts on every thread except the test's own. Set-up and end cost the same in both steps, so
//! any difference would come from the operations.
#![expect(unsafe_code, reason = "a global allocator can only be written with it")]
#![expect(clippy::unwrap_used, reason = "a test ends where its set-up fails")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_core::clock::StopToken;
use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
use drivelab_core::load::{
    Arrivals, Bursts, Content, Locality, OpKind, OtherOps, Pace, Placement, Rate, SizeShare, Verify, VolumeBursts,
};
use drivelab_core::plan::StopRule;
use drivelab_core::replay::{ReplayMode, TraceFit, TraceOp, TraceOpener, TraceTrims};
use drivelab_core::target::WritableFolder;
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::{Pattern, Workload};
use drivelab_engine::{BackendChoice, Engine, Folders, Options};

struct Counting;

static ELSEWHERE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static IS_TEST: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: every call goes to the system's allocator unchanged; the counter is an atomic and the flag is const.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !IS_TEST.try_with(Cell::get).unwrap_or(false) {
            ELSEWHERE.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Pairs of steps that are tried until one pair has equal counts.
const ATTEMPTS: usize = 20;

/// Loads that together use every part of the loop.
fn loads(choice: BackendChoice) -> Vec<(&'static str, Workload)> {
    let percent = |percent| Percent::new(percent).unwrap();
    let (queue_depth, threads) = common::depth(4, 1);
    let mixed = Workload { write_percent: percent(50), queue_depth, threads, ..common::workload(8 << 20) };
    let share = |size, operations| SizeShare { block_size: Bytes::new(size), operations };
    let sizes = vec![share(4096, 3), share(16384, 1)];
    let rate = Some(Rate { per_1000_s: 4_000_000_000, arrivals: Arrivals::Exponential });
    let zipf = Locality::Zipf { theta_thousandths: 1100, scattered: true };
    let depth = if choice == BackendChoice::Sync { 1 } else { 4 };
    let once = Workload { pattern: Pattern::RandomOnce, ..mixed.clone() };
    let bursts = Some(Bursts { on: Nanos::from_millis(2), off: Nanos::new(50_000) });
    let (volume, duty_percent) = (Bytes::new(256 << 10), percent(90));
    let volume_bursts = Some(VolumeBursts { volume, duty_percent, on_at_most: Some(Nanos::from_millis(5)) });
    let compressible = Content { compress_percent: percent(50), dedup_percent: percent(25), ..Content::default() };
    let others = OtherOps {
        trim_percent: percent(10),
        write_zeroes_percent: percent(10),
        flush_percent: percent(1),
        ..OtherOps::default()
    };
    let weighted = |weight| Workload { pace: Pace { weight, ..Pace::default() }, ..mixed.clone() };
    let beside = Workload { name: "beside".to_owned(), ..weighted(1) };
    let replay = |mode| Workload { queue_depth, ..common::replay(8 << 20, mode, TraceFit::Wrap, TraceTrims::Skip) };
    vec![
        ("every block once", once),
        ("bursts", Workload { pace: Pace { bursts, ..Pace::default() }, ..mixed.clone() }),
        ("bursts by volume", Workload { pace: Pace { volume_bursts, ..Pace::default() }, ..mixed.clone() }),
        ("compressible and alike", Workload { content: compressible, ..mixed.clone() }),
        ("trims, zeroes, flushes", Workload { other: others, ..mixed.clone() }),
        ("groups with weights", Workload { beside: vec![beside], ..weighted(3) }),
        ("batches", Workload { placement: Placement { batch: 2, ..Placement::default() }, ..mixed.clone() }),
        ("sizes", Workload { block_size: Bytes::new(16384), block_size_mix: sizes, ..mixed.clone() }),
        ("open loop", Workload { pace: Pace { rate, ..Pace::default() }, ..mixed.clone() }),
        ("zipf", Workload { locality: zipf, ..mixed.clone() }),
        ("headers", Workload { verify: Verify::AtOnce, queue_depth: common::depth(depth, 1).0, ..mixed.clone() }),
        ("think time", Workload { pace: Pace { think_time: Nanos::new(1), ..Pace::default() }, ..mixed.clone() }),
        ("flushes", Workload { other: OtherOps { sync_every: 50, ..OtherOps::default() }, ..mixed.clone() }),
        ("trace in a closed loop", replay(ReplayMode::ClosedLoop {})),
        ("trace in time", replay(ReplayMode::Timed {})),
        ("mixed", mixed),
    ]
}

/// An endless trace that allocates nothing.
fn trace() -> TraceOpener {
    // Reads of several lengths. Writes among them would sometimes go to threads of the kernel, and looking for those
    // in /proc at the end of a step costs allocations.
    fn of(number: u64) -> TraceOp {
        let (offset, length) = (number * 7919 % 1024 * 4096, (1 + number % 8) * 4096);
        TraceOp { at_ns: number * 100, op: OpKind::Read, offset, length }
    }
    Box::new(|_| Ok(Box::new(common::Made { next: 0, operations: u64::MAX, of })))
}

/// A step on `files` small files.
fn on_files(files: u32, work: FileWork) -> Workload {
    let percent = |percent| Percent::new(percent).unwrap();
    let set = FileSet {
        name: format!("files-{files}"),
        count: files,
        sizes: FileSizes::LogNormal { median: Bytes::new(3 << 10), sigma_millionths: 900_000 },
        total: None,
        seed: 11,
        compress_percent: percent(25),
    };
    let load = FileLoad { set, work, of: FilePlace::Original, sync: FileSync::Each };
    Workload {
        write_percent: percent(if work.reads() { 0 } else { 100 }),
        block_size: Bytes::new(64 << 10),
        threads: common::depth(1, 2).1,
        files: Some(Box::new(load)),
        ..Workload::default()
    }
}

/// The loop of work on files: everything made before the step is made on this thread, and not counted.
fn ten_times_the_files_make_no_more_allocations() {
    for work in [FileWork::Create, FileWork::Read, FileWork::Copy, FileWork::Verify, FileWork::Delete] {
        let root = common::folder();
        let (file, drive) = (root.path().join("file"), root.path().join("drive"));
        common::zeros(&file, 4096);
        std::fs::create_dir(&drive).unwrap();
        let handle = std::fs::File::open(&drive).unwrap().into();
        let folders = Folders::new(Some(WritableFolder::from_guard(drive, handle)), None);
        let options = Options { folders, ..Options::new(BackendChoice::Sync) };
        let mut engine = Engine::open(common::target(&file, 4096, false), options).unwrap();
        let mut count = |files: u32| {
            let before = ELSEWHERE.load(Ordering::SeqCst);
            let rule = StopRule { passes: Some(1), ..common::no_rule() };
            let (record, _) =
                common::run_with(&mut engine, &on_files(files, work), &rule, (0, 2), &StopToken::default()).unwrap();
            let done = if work.reads() { record.read.count } else { record.write.count };
            assert_eq!(done, u64::from(files), "{work:?}");
            ELSEWHERE.load(Ordering::SeqCst) - before
        };
        count(20);
        let mut pairs: Vec<(u64, u64)> = Vec::new();
        while pairs.len() < ATTEMPTS && pairs.last().is_none_or(|(short, long)| long > short) {
            pairs.push((count(40), count(400)));
        }
        let (short, long) = pairs[pairs.len() - 1];
        assert!(short > 0, "the allocator counts nothing");
        assert!(long <= short, "{work:?}: allocations for 40 files and for 400: {pairs:?}");
    }
}

#[test]
fn ten_times_the_operations_make_no_more_allocations() {
    IS_TEST.set(true);
    ten_times_the_files_make_no_more_allocations();
    for choice in common::BOTH {
        for (name, workload) in loads(choice) {
            let mut bench = match &workload.replay {
                None => common::Bench::new(8 << 20, true, choice),
                Some(_) => common::Bench::opening(8 << 20, choice, trace()),
            };
            let mut count = |operations: u64| {
                let before = ELSEWHERE.load(Ordering::SeqCst);
                // With a least time the buffers cannot be made smaller for a few operations: both steps have the same
                // set-up.
                let (at_least, operations) = (Some(Nanos::new(1)), Some(operations));
                let rule = StopRule { at_least, operations, ..common::no_rule() };
                let stop = StopToken::default();
                // Short intervals: handing them over must not allocate either.
                common::run_with(&mut bench.engine, &workload, &rule, (0, 2), &stop).unwrap();
                ELSEWHERE.load(Ordering::SeqCst) - before
            };
            count(100);
            // Before and after the loop each thread reads /proc about itself and about the process's threads. How
            // many of those still exist is chance, and each costs allocations. This evens out in a few attempts (more
            // on a busy machine); allocations in the loop do not.
            let mut pairs: Vec<(u64, u64)> = Vec::new();
            while pairs.len() < ATTEMPTS && pairs.last().is_none_or(|(short, long)| long > short) {
                pairs.push((count(200), count(2000)));
            }
            let (short, long) = pairs[pairs.len() - 1];
            assert!(short > 0, "the allocator counts nothing");
            assert!(long <= short, "{choice:?} {name}: allocations for 200 operations and for 2,000: {pairs:?}");
        }
    }
}
