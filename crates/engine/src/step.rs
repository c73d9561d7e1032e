//! One step from its request to its record: threads made, started together, collected, joined.
//!
//! The session's thread runs this. Workers wait for it only before the start.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::clock::StopToken;
use drivelab_core::record::{IntervalRecord, IoError, StepRecord, StopReason};
use drivelab_core::target::WritableTarget;

use crate::collect::{Collector, Totals};
use crate::errno;
use crate::faults::{Attempt, Broken, ErrorPolicy};
use crate::fit::Job;
use crate::record::record;
use crate::rusage::CpuTime;
use crate::schedule::Timing;
use crate::sync_io::{self, OS_THREADS_MAX, Position};
use crate::tally::{Lane, LaneEnd, Tally, lane};
use crate::time;
use crate::uring;

/// Which backend issues the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Uring,
    Sync,
}

impl Kind {
    /// Name in the record.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Uring => "io_uring",
            Kind::Sync => "sync",
        }
    }
}

/// How a step is to be run, apart from what it is.
#[derive(Debug)]
pub(crate) struct Manner<'a> {
    pub(crate) kind: Kind,
    pub(crate) reason: &'a str,
    /// Where a ring cannot be made, the step is done by the sync backend, and the record says so.
    pub(crate) may_fall_back: bool,
}

/// What all threads of a step look at.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) policy: ErrorPolicy,
    pub(crate) positions: Box<[Position]>,
    stop: &'a StopToken,
    abort: AtomicBool,
    /// `None` until the start is decided; then the times, or `None` where there is no start.
    gate: Mutex<Option<Option<Timing>>>,
    opened: Condvar,
}

impl Shared<'_> {
    /// Why to submit nothing more, if so. Two relaxed loads and two comparisons.
    #[inline]
    pub(crate) fn ended(&self, timing: &Timing, now: u64) -> Option<StopReason> {
        if self.abort.load(Ordering::Relaxed) {
            return Some(StopReason::Errors);
        }
        if self.stop.is_stopped() {
            return Some(StopReason::Stopped);
        }
        timing.ended(now)
    }

    /// Ends the step on all threads because of errors.
    pub(crate) fn abort(&self) {
        self.abort.store(true, Ordering::Relaxed);
    }

    fn open_gate(&self, timing: Option<Timing>) {
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = Some(timing);
        self.opened.notify_all();
    }

    fn pass_gate(&self) -> Option<Timing> {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(decided) = *gate {
                return decided;
            }
            gate = self.opened.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends a step whose session thread unwinds, so that its threads do not run on for the rest of the step.
struct AbortOnUnwind<'a>(&'a Shared<'a>);

impl Drop for AbortOnUnwind<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.abort();
            self.0.open_gate(None);
        }
    }
}

/// A thread's part in the common start.
pub(crate) struct Start<'a> {
    shared: &'a Shared<'a>,
    ready: Sender<bool>,
    lane: LaneEnd,
}

impl Start<'_> {
    /// Reports the set-up, waits for the others, and returns what was set up with the times to keep, or without where
    /// another thread could not be set up.
    pub(crate) fn ready<T>(self, setup: Result<T, Broken>) -> Result<(T, Option<(Timing, Tally)>), Broken> {
        let _ = self.ready.send(setup.is_ok());
        drop(self.ready);
        let timing = self.shared.pass_gate();
        Ok((setup?, timing.map(|timing| (timing, Tally::new(self.lane, timing)))))
    }
}

/// Lowest and highest offset of a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touched {
    pub(crate) lowest: u64,
    pub(crate) highest: u64,
}

impl Default for Touched {
    fn default() -> Self {
        Touched { lowest: u64::MAX, highest: 0 }
    }
}

impl Touched {
    /// An operation goes to `offset`.
    #[inline]
    pub(crate) fn note(&mut self, offset: u64) {
        self.lowest = self.lowest.min(offset);
        self.highest = self.highest.max(offset);
    }
}

/// What a thread leaves behind, times in CLOCK_MONOTONIC_RAW.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) thread: u32,
    pub(crate) reason: StopReason,
    pub(crate) first_submission: Option<u64>,
    pub(crate) last_completion: Option<u64>,
    pub(crate) errors: Vec<IoError>,
    pub(crate) touched: Touched,
    pub(crate) cpu: CpuTime,
    pub(crate) refused: Vec<String>,
    pub(crate) punted: bool,
}

impl Outcome {
    /// Of a thread that never started because another could not.
    pub(crate) fn not_started(thread: u32) -> Self {
        Outcome {
            thread,
            reason: StopReason::Stopped,
            first_submission: None,
            last_completion: None,
            errors: Vec::new(),
            touched: Touched::default(),
            cpu: CpuTime::default(),
            refused: Vec::new(),
            punted: false,
        }
    }
}

/// Runs a step.
pub(crate) fn run(
    target: &WritableTarget,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    interval: &mut dyn FnMut(IntervalRecord),
) -> Result<StepRecord, BackendError> {
    let job = Job::fit(target, request)?;
    let sync_fits = job.total_depth() <= OS_THREADS_MAX;
    if manner.kind == Kind::Sync && !sync_fits {
        return Err(BackendError::Unfit(format!(
            "the sync backend needs a thread for each of {} operations in flight and makes at most {OS_THREADS_MAX}: \
             lower the queue depth or the threads, or use io_uring",
            job.total_depth()
        )));
    }
    match attempt(&job, manner, request, interval) {
        // No operation was issued: all threads wait for all rings before the start.
        Err(Broken { what: Attempt::Ring, source }) if manner.may_fall_back && sync_fits => {
            let reason = format!("io_uring_setup was refused for this step ({})", errno::describe(&source));
            let manner = Manner { kind: Kind::Sync, reason: &reason, may_fall_back: false };
            Ok(attempt(&job, &manner, request, interval)?)
        }
        done => Ok(done?),
    }
}

/// Runs a step with one backend.
fn attempt(
    job: &Job<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    interval: &mut dyn FnMut(IntervalRecord),
) -> Result<StepRecord, Broken> {
    let shared = Shared {
        job,
        policy: ErrorPolicy::default(),
        positions: job.streams.iter().map(|_| Position::default()).collect(),
        stop: request.stop,
        abort: AtomicBool::new(false),
        gate: Mutex::new(None),
        opened: Condvar::new(),
    };
    let (totals, outcomes) = with_threads(&shared, manner.kind, request, interval)?;
    let mut record = record(job, manner, request, totals, &outcomes);
    if shared.abort.load(Ordering::Relaxed) {
        // Also where the error came while the last operations drained and another reason was there before it.
        record.stop_reason = StopReason::Errors;
    }
    Ok(record)
}

type Joined<'scope> = Vec<ScopedJoinHandle<'scope, Result<Outcome, Broken>>>;

/// Runs the threads of a step and collects what they measure.
fn with_threads(
    shared: &Shared<'_>,
    kind: Kind,
    request: &StepRequest<'_>,
    interval: &mut dyn FnMut(IntervalRecord),
) -> Result<(Totals, Vec<Outcome>), Broken> {
    thread::scope(|scope| {
        let _abort = AbortOnUnwind(shared);
        let (ready, readiness) = channel();
        let spawned = spawn(scope, shared, kind, &ready);
        drop(ready);
        let (lanes, handles) = spawned.inspect_err(|_| shared.open_gate(None))?;
        let all_ready = readiness.iter().filter(|is_ready| *is_ready).count() == handles.len();
        let timing = Timing::starting(time::now_ns(), request.ramp, request.interval, request.stop_rule);
        shared.open_gate(all_ready.then_some(timing));
        let offset = request.clock.now_ns().wrapping_sub(time::now_ns());
        let collector = Collector::new(request.key.clone(), u64::from(shared.job.block), timing, offset);
        let totals = if all_ready { collector.run(lanes, interval) } else { Totals::default() };
        let outcomes = handles.into_iter().map(|handle| match handle.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        Ok((totals, outcomes.collect::<Result<_, _>>()?))
    })
}

/// Makes the threads of a step; each sets itself up and waits at the gate.
fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    shared: &'scope Shared<'_>,
    kind: Kind,
    ready: &Sender<bool>,
) -> Result<(Vec<Lane>, Joined<'scope>), Broken> {
    let threads = u32::try_from(shared.job.streams.len()).unwrap_or(u32::MAX);
    let per_thread = if kind == Kind::Sync { shared.job.depth } else { 1 };
    let (mut lanes, mut handles): (Vec<Lane>, Joined<'scope>) = (Vec::new(), Vec::new());
    for (thread, slot) in (0..threads).flat_map(|thread| (0..per_thread).map(move |slot| (thread, slot))) {
        let (collected, end) = lane();
        let start = Start { shared, ready: ready.clone(), lane: end };
        let worker = move || match kind {
            Kind::Uring => uring::worker::run(shared, thread, start),
            Kind::Sync => sync_io::run(shared, thread, slot, start),
        };
        let handle = thread::Builder::new()
            .name(format!("io-{thread}.{slot}"))
            .spawn_scoped(scope, worker)
            .map_err(|source| Broken { what: Attempt::Thread, source })?;
        handles.push(handle);
        lanes.push(collected);
    }
    Ok((lanes, handles))
}
