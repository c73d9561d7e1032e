//! Real files as targets, requests on them, and traces of what was issued, for the engine's tests.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]
#![expect(clippy::unwrap_used, reason = "a test ends where its set-up fails")]

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::load::Content;
use drivelab_core::plan::StopRule;
use drivelab_core::record::{IntervalRecord, StepRecord};
use drivelab_core::replay::{
    Replay, ReplayMode, TraceFacts, TraceFit, TraceOp, TraceOpener, TraceSource, TraceStream, TraceTrims,
};
use drivelab_core::target::{DirectIo, GuardDecision, GuardedParts, WritableTarget};
use drivelab_core::units::{Bytes, Nanos, Percent, QueueDepth, Threads};
use drivelab_core::workload::{DataPattern, Pattern, Span, Streams, Workload};
use drivelab_engine::{BackendChoice, Engine, Options, TraceEntry};

pub const BOTH: [BackendChoice; 2] = [BackendChoice::Uring, BackendChoice::Sync];

/// A folder on the file system of the build folder, which has direct I/O on every machine drivelab is built on.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A file of zeros, allocated.
pub fn zeros(path: &Path, length: u64) {
    let mut file = File::create(path).unwrap();
    let chunk = vec![0; 1 << 20];
    let mut left = usize::try_from(length).unwrap();
    while left > 0 {
        let part = left.min(chunk.len());
        file.write_all(&chunk[..part]).unwrap();
        left -= part;
    }
    file.sync_all().unwrap();
}

fn open(path: &Path, flags: i32) -> std::io::Result<OwnedFd> {
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).map(OwnedFd::from)
}

/// The file as a target, with direct I/O if `direct`.
pub fn target(path: &Path, length: u64, direct: bool) -> WritableTarget {
    WritableTarget::from_guard(GuardedParts {
        path: path.to_path_buf(),
        direct: direct.then(|| open(path, libc::O_DIRECT).unwrap()),
        buffered: open(path, 0).unwrap(),
        length: Bytes::new(length),
        direct_io: DirectIo {
            supported: direct,
            memory_align: Bytes::new(512),
            offset_align: Bytes::new(512),
            reason: "made by a test".to_owned(),
        },
        decision: GuardDecision { allowed_because: "made by a test".to_owned(), destroy_named: None, device: None },
        held: Vec::new(),
    })
}

/// A new file of zeros, and an engine on it.
pub struct Bench {
    pub folder: tempfile::TempDir,
    pub path: PathBuf,
    pub engine: Engine,
}

impl Bench {
    pub fn new(length: u64, direct: bool, choice: BackendChoice) -> Self {
        let folder = folder();
        let path = folder.path().join("target");
        zeros(&path, length);
        let engine = Engine::open(target(&path, length, direct), choice).unwrap();
        Bench { folder, path, engine }
    }
}

/// The operations that a trace reported.
pub type Told = Arc<Mutex<Vec<TraceEntry>>>;

impl Bench {
    /// As `new`, with every operation reported. Losing an entry is a failure.
    pub fn traced(length: u64, direct: bool, choice: BackendChoice) -> (Self, Told) {
        let mut bench = Bench::new(length, direct, choice);
        let told = Told::default();
        let kept = Arc::clone(&told);
        let mut options = Options::new(choice);
        options.trace = Some(Box::new(move |entries, lost| {
            assert_eq!(lost, 0, "the trace has no room");
            kept.lock().unwrap().extend_from_slice(entries);
        }));
        bench.engine = Engine::open(target(&bench.path, length, direct), options).unwrap();
        (bench, told)
    }
}

/// A trace that is made as it is read, without allocating: operation number `n` from a function, up to a given
/// number.
pub struct Made {
    pub next: u64,
    pub operations: u64,
    pub of: fn(u64) -> TraceOp,
}

impl TraceStream for Made {
    fn next_op(&mut self) -> Result<Option<TraceOp>, String> {
        let number = self.next;
        self.next += 1;
        Ok((number < self.operations).then(|| (self.of)(number)))
    }
}

impl Bench {
    /// With every operation reported, and with an opener of traces.
    pub fn replaying(length: u64, choice: BackendChoice, open: TraceOpener) -> (Self, Told) {
        let told = Told::default();
        (Bench::telling(length, choice, open, Arc::clone(&told)), told)
    }

    /// As [`Bench::replaying`], with reports into the list that is given.
    pub fn telling(length: u64, choice: BackendChoice, open: TraceOpener, told: Told) -> Self {
        let mut bench = Bench::new(length, true, choice);
        let mut options = Options::new(choice);
        options.trace = Some(Box::new(move |entries, _| told.lock().unwrap().extend_from_slice(entries)));
        options.traces = Some(open);
        bench.engine = Engine::open(target(&bench.path, length, true), options).unwrap();
        bench
    }
}

impl Bench {
    /// With an opener of traces.
    pub fn opening(length: u64, choice: BackendChoice, open: TraceOpener) -> Self {
        let mut bench = Bench::new(length, true, choice);
        let mut options = Options::new(choice);
        options.traces = Some(open);
        bench.engine = Engine::open(target(&bench.path, length, true), options).unwrap();
        bench
    }
}

/// A load that replays a trace: half of its operations write, none is longer than 64 KiB.
pub fn replay(span: u64, mode: ReplayMode, fit: TraceFit, trims: TraceTrims) -> Workload {
    let facts = TraceFacts {
        format: "made by a test".to_owned(),
        hash: String::new(),
        reads: 50,
        writes: 50,
        trims: 1,
        flushes: 1,
        read: Bytes::new(50 * 4096),
        written: Bytes::new(50 * 4096),
        largest: Bytes::new(65_536),
        end: Bytes::new(4 * span),
        duration: Nanos::new(1),
        empty: 0,
        out_of_order: 0,
    };
    let source = TraceSource::File { path: "t".into(), format: None, device: None };
    let replay = Replay { trace: "t".to_owned(), source, mode, fit, trims, facts };
    let (write_percent, other) = replay.shares();
    Workload { write_percent, other, block_size: Bytes::new(65_536), replay: Some(replay), ..workload(span) }
}

/// Takes the reported operations, in the order of submission.
pub fn take(told: &Told) -> Vec<TraceEntry> {
    let mut entries = std::mem::take(&mut *told.lock().unwrap());
    entries.sort_by_key(|entry| (entry.submit_ns, entry.thread, entry.index));
    entries
}

/// 4 KiB random reads, depth 4, one thread, direct.
pub fn workload(span: u64) -> Workload {
    Workload {
        write_percent: Percent::new(0).unwrap(),
        block_size: Bytes::new(4096),
        pattern: Pattern::Random,
        streams: Streams::Disjoint,
        span: Span { offset: Bytes::new(0), length: Bytes::new(span) },
        queue_depth: QueueDepth::new(4).unwrap(),
        threads: Threads::new(1).unwrap(),
        data: DataPattern::Incompressible,
        direct: true,
        seed: 7,
        ..Workload::default()
    }
}

/// Writes for which the sync backend needs 16 MiB of random bytes per operation in flight: 16 GiB in total, and some
/// 64 MiB on io_uring.
pub fn much_to_write_from(span: u64) -> Workload {
    let (queue_depth, threads) = depth(1024, 1);
    let content = Content { window: Some(Bytes::new(16 << 20)), ..Content::default() };
    let write_percent = Percent::new(100).unwrap();
    Workload { write_percent, queue_depth, threads, content, ..workload(span) }
}

pub fn depth(depth: u64, threads: u64) -> (QueueDepth, Threads) {
    (QueueDepth::new(depth).unwrap(), Threads::new(threads).unwrap())
}

/// No rule except a cap of ten minutes, which a test reaches only if the engine hangs.
pub fn no_rule() -> StopRule {
    StopRule::capped(Nanos::from_secs(600))
}

pub fn passes(passes: u32) -> StopRule {
    StopRule { passes: Some(passes), ..no_rule() }
}

pub fn volume(bytes: u64) -> StopRule {
    StopRule { volume: Some(Bytes::new(bytes)), ..no_rule() }
}

pub fn time(milliseconds: u64) -> StopRule {
    StopRule { time: Some(Nanos::from_millis(milliseconds)), ..no_rule() }
}

/// Runs a step with a ramp and an interval in milliseconds.
pub fn run_with(
    engine: &mut Engine,
    workload: &Workload,
    stop_rule: &StopRule,
    times: (u64, u64),
    stop: &StopToken,
) -> Result<(StepRecord, Vec<IntervalRecord>), BackendError> {
    try_listen(engine, workload, stop_rule, times, stop, |_| ())
}

/// As [`run_with`], for a step that fits; a listener gets the number of each interval.
pub fn listen(
    engine: &mut Engine,
    workload: &Workload,
    stop_rule: &StopRule,
    times: (u64, u64),
    stop: &StopToken,
    listener: impl FnMut(u32),
) -> (StepRecord, Vec<IntervalRecord>) {
    try_listen(engine, workload, stop_rule, times, stop, listener).unwrap()
}

fn try_listen(
    engine: &mut Engine,
    workload: &Workload,
    stop_rule: &StopRule,
    (ramp, interval): (u64, u64),
    stop: &StopToken,
    mut listener: impl FnMut(u32),
) -> Result<(StepRecord, Vec<IntervalRecord>), BackendError> {
    let key = StepKey { step: StepId::new("test", "step"), round: 1 };
    let clock = MonotonicClock::starting_at(5_000_000_000);
    let request = StepRequest {
        key: &key,
        workload,
        stop_rule,
        ramp: Nanos::from_millis(ramp),
        interval: Nanos::from_millis(interval),
        clock: &clock,
        stop,
    };
    let mut intervals: Vec<IntervalRecord> = Vec::new();
    let record = engine.run_step(request, &mut |interval| {
        listener(interval.index);
        intervals.push(interval);
    })?;
    Ok((record, intervals))
}

/// Runs a step without ramp, intervals of 100 ms, not stopped from outside.
pub fn run(engine: &mut Engine, workload: &Workload, stop_rule: &StopRule) -> (StepRecord, Vec<IntervalRecord>) {
    run_with(engine, workload, stop_rule, (0, 100), &StopToken::default()).unwrap()
}

/// Measures again, up to ten times, until the effect was seen. For effects that a busy machine may sometimes hide (a
/// thread that gets no CPU shows nothing). What must hold whatever the timing is asserted inside, each time.
pub fn until_seen(what: &str, mut attempt: impl FnMut() -> bool) {
    assert!((0..10).any(|_| attempt()), "{what}: not once in ten tries");
}

/// No rule except a stop by the listener, which a step that works reaches even on a busy machine.
pub fn until_stopped() -> StopRule {
    StopRule::capped(Nanos::from_secs(120))
}
