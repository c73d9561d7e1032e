//! One step from its request to its record: threads made, started together, collected, joined.
//!
//! The session's thread runs this. Workers wait for it only before the start.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::clock::StopToken;
use drivelab_core::load::OpKind;
use drivelab_core::record::{IntervalRecord, StepRecord, StopReason, Stuck};
use drivelab_core::target::IoTarget;
use drivelab_core::units::Nanos;

use crate::account::{Flight, Outcome};
use crate::collect::Collector;
use crate::crew::{self, Crew, Left};
use crate::errno;
use crate::faults::{Attempt, Broken, ErrorPolicy};
use crate::feed::{Lonely, Place};
use crate::fit::{Job, ThreadJob};
use crate::record::record;
use crate::schedule::Timing;
use crate::sealing::Identity;
use crate::sync_io::{self, OS_THREADS_MAX};
use crate::tally::{Lane, LaneEnd, Tally, lane};
use crate::time::Clock;
use crate::totals::Totals;
use crate::trace::{ENTRIES, TraceSink};
use crate::uring::fitness::{self, Misfit};
use crate::uring::setup::Mode;
use crate::{page_cache, uring};

/// Which backend issues the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Uring(Mode),
    Sync,
}

impl Kind {
    /// Name in the record.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Uring(Mode::Plain) => "io_uring",
            Kind::Uring(Mode::SubmissionPolled) => "io_uring, submission polled (SQPOLL; not yet tried on hardware)",
            Kind::Uring(Mode::CompletionPolled) => "io_uring, completion polled (IOPOLL; not yet tried on hardware)",
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
    /// Operations in flight for longer than this are named.
    pub(crate) watchdog: Nanos,
}

/// Where one OS thread says which of its operations have been under way since when; on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct UnderWay {
    /// How many; 0 for none.
    operations: AtomicU64,
    /// When the oldest of them was submitted.
    submitted: AtomicU64,
    offset: AtomicU64,
    kind: AtomicU8,
}

/// Nothing has ended the step.
const GOING_ON: u8 = 0;
/// The step's own group has done its share.
const DONE: u8 = 1;
/// Errors ended the step.
const ABORTED: u8 = 2;

/// What all threads of a step look at.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) policy: ErrorPolicy,
    pub(crate) clock: Clock,
    pub(crate) places: Box<[Place]>,
    /// Operations drawn by each group that has a weight.
    pub(crate) group_issued: Box<[Lonely]>,
    pub(crate) traced: bool,
    pub(crate) watchdog_ns: u64,
    under_way: Box<[UnderWay]>,
    stop: &'a StopToken,
    verdict: AtomicU8,
    /// OS threads of the step's own group that have not done their share.
    own_left: AtomicUsize,
    /// `None` until the start is decided; then the times, or `None` where there is no start.
    gate: Mutex<Option<Option<Timing>>>,
    opened: Condvar,
}

impl<'a> Shared<'a> {
    fn new(job: &'a Job<'a>, manner: &Manner<'_>, request: &StepRequest<'a>, traced: bool) -> Self {
        let places = job.threads.iter().map(|thread| Place::beginning(thread.schedule.as_ref())).collect();
        let own = job.threads.iter().take(job.own_threads());
        let os_threads = |thread: &ThreadJob<'_>| if manner.kind == Kind::Sync { thread.depth as usize } else { 1 };
        let os_threads_all: usize = job.threads.iter().map(os_threads).sum();
        Shared {
            job,
            policy: ErrorPolicy::of(request.stop_rule.errors),
            clock: Clock::for_step(),
            places,
            group_issued: job.groups.iter().map(|_| Lonely::default()).collect(),
            traced,
            watchdog_ns: manner.watchdog.get(),
            under_way: (0..os_threads_all).map(|_| UnderWay::default()).collect(),
            stop: request.stop,
            verdict: AtomicU8::new(GOING_ON),
            own_left: AtomicUsize::new(own.map(os_threads).sum()),
            gate: Mutex::new(None),
            opened: Condvar::new(),
        }
    }

    /// Why to submit nothing more, if so. Two relaxed loads and two comparisons.
    #[inline]
    pub(crate) fn ended(&self, timing: &Timing, now: u64) -> Option<StopReason> {
        match self.verdict.load(Ordering::Relaxed) {
            GOING_ON => {}
            DONE => return Some(self.job.reason),
            _ => return Some(StopReason::Errors),
        }
        if self.stop.is_stopped() {
            return Some(StopReason::Stopped);
        }
        timing.ended(now)
    }

    /// Whether somebody asked for the end.
    pub(crate) fn is_told_to_stop(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Ends the step on all threads because of errors.
    pub(crate) fn abort(&self) {
        self.verdict.store(ABORTED, Ordering::Relaxed);
    }

    fn is_aborted(&self) -> bool {
        self.verdict.load(Ordering::Relaxed) == ABORTED
    }

    /// An OS thread has done its share. Where it was the last of the step's own group, the groups beside it end too.
    pub(crate) fn own_share_done(&self, job: &ThreadJob<'_>) -> StopReason {
        if job.group == 0 && self.own_left.fetch_sub(1, Ordering::Relaxed) == 1 {
            let _ = self.verdict.compare_exchange(GOING_ON, DONE, Ordering::Relaxed, Ordering::Relaxed);
        }
        self.job.reason
    }

    /// So many operations of an OS thread are under way and worth watching; `oldest` was submitted first.
    #[inline]
    pub(crate) fn note_under_way(&self, os_thread: usize, operations: u64, oldest: Option<&Flight>) {
        let place = &self.under_way[os_thread];
        if let Some(oldest) = oldest {
            place.submitted.store(oldest.submitted, Ordering::Relaxed);
            place.offset.store(oldest.offset, Ordering::Relaxed);
            place.kind.store(oldest.kind as u8, Ordering::Relaxed);
        }
        place.operations.store(operations, Ordering::Relaxed);
    }

    /// What the threads say of operations that have been under way for longer than the watchdog allows.
    fn stuck(&self, now: u64) -> Option<Stuck> {
        let late = |place: &&UnderWay| {
            let since = now.saturating_sub(place.submitted.load(Ordering::Relaxed));
            place.operations.load(Ordering::Relaxed) > 0 && since > self.watchdog_ns
        };
        let all: Vec<&UnderWay> = self.under_way.iter().filter(late).collect();
        let operations = all.iter().map(|place| place.operations.load(Ordering::Relaxed)).sum();
        let oldest = all.iter().min_by_key(|place| place.submitted.load(Ordering::Relaxed))?;
        let kind = usize::from(oldest.kind.load(Ordering::Relaxed));
        Some(Stuck {
            operations,
            oldest: Nanos::new(now.saturating_sub(oldest.submitted.load(Ordering::Relaxed))),
            offset: oldest.offset.load(Ordering::Relaxed),
            op: OpKind::ALL.get(kind).copied().unwrap_or_default(),
        })
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
    /// Number of the OS thread in the step.
    pub(crate) os_thread: usize,
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

/// Where a step's figures go while it runs.
pub(crate) struct Outlets<'a> {
    pub(crate) interval: &'a mut dyn FnMut(IntervalRecord),
    pub(crate) trace: Option<&'a mut TraceSink>,
    /// Told at once, and again from time to time, of operations that do not come back.
    pub(crate) stuck: Option<&'a mut StuckSink>,
}

/// Where operations that do not come back are told: called on the session's thread while they are under way.
pub type StuckSink = Box<dyn FnMut(Stuck) + Send>;

/// Runs a step.
pub(crate) fn run(
    target: &IoTarget,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    identity: Identity<'_>,
    outlets: &mut Outlets<'_>,
) -> Result<StepRecord, BackendError> {
    let trace_entries = if outlets.trace.is_some() { ENTRIES } else { 0 };
    let job = Job::fit(target, request, identity, trace_entries)?;
    let sync_fits = job.total_depth() <= OS_THREADS_MAX && !job.is_nop && !job.seals_in_depth();
    if manner.kind == Kind::Sync && !sync_fits {
        return Err(BackendError::Unfit(no_sync(&job)));
    }
    let page_cache = page_cache::prepare(target, request.workload);
    let misfit = match manner.kind {
        Kind::Uring(mode) => fitness::misfit(&job, request.workload, mode),
        Kind::Sync => None,
    };
    let reason = misfit.map_or(manner.reason, |misfit| misfit.why);
    let without_ring = Manner { kind: Kind::Sync, reason, may_fall_back: false, ..*manner };
    let manner = match misfit {
        None => manner,
        Some(_) if manner.may_fall_back && sync_fits => &without_ring,
        Some(Misfit { why, advice }) => return Err(BackendError::Unfit(format!("{why}: {advice}"))),
    };
    match attempt(&job, manner, request, outlets) {
        // No operation was issued: all threads wait for all rings before the start.
        Err(Broken { what: Attempt::Ring, source }) if manner.may_fall_back && sync_fits => {
            let reason = format!("io_uring_setup was refused for this step ({})", errno::describe(&source));
            let manner = Manner { kind: Kind::Sync, reason: &reason, may_fall_back: false, ..*manner };
            attempt(&job, &manner, request, outlets)
        }
        done => done,
    }
    .map(|mut record| {
        if let Some(effort) = &mut record.engine.effort {
            effort.page_cache = page_cache;
        }
        record
    })
    .map_err(BackendError::from)
}

fn no_sync(job: &Job<'_>) -> String {
    if job.is_nop {
        return "the sync backend has no operation that does nothing: nop: needs io_uring".to_owned();
    }
    if job.seals_in_depth() {
        return "the sync backend writes blocks with headers one at a time, since its threads overtake each other: \
                take a queue depth of 1 and more threads, or io_uring"
            .to_owned();
    }
    format!(
        "the sync backend needs a thread for each of {} operations in flight and makes at most {OS_THREADS_MAX}: lower \
         the queue depth or the threads, or use io_uring",
        job.total_depth()
    )
}

/// Runs a step with one backend.
fn attempt(
    job: &Job<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    outlets: &mut Outlets<'_>,
) -> Result<StepRecord, Broken> {
    let shared = Shared::new(job, manner, request, outlets.trace.is_some());
    let (totals, mut outcomes) = with_threads(&shared, manner.kind, request, outlets)?;
    let mut record = record(job, manner, request, totals, &mut outcomes);
    if let Some(effort) = &mut record.engine.effort {
        (effort.clock, effort.clock_error_ns) = (shared.clock.describe(), shared.clock.error_ns());
    }
    if shared.is_aborted() {
        // Also where the error came while the last operations drained and another reason was there before it.
        record.stop_reason = StopReason::Errors;
    }
    Ok(record)
}

/// Runs the threads of a step and collects what they measure.
fn with_threads<'env>(
    shared: &'env Shared<'env>,
    kind: Kind,
    request: &StepRequest<'_>,
    outlets: &mut Outlets<'_>,
) -> Result<(Totals, Vec<Outcome>), Broken> {
    crew::with(|crew: &mut Crew<'env, Result<Outcome, Broken>>| {
        let _abort = AbortOnUnwind(shared);
        let (ready, readiness) = channel();
        let spawned = spawn(crew, shared, kind, &ready);
        drop(ready);
        let lanes = spawned.inspect_err(|_| shared.open_gate(None))?;
        let all_ready = readiness.iter().filter(|is_ready| *is_ready).count() == crew.len();
        let timing = Timing::starting(shared.clock.now(), request.ramp, request.interval, request.stop_rule);
        shared.open_gate(all_ready.then_some(timing));
        let offset = request.clock.now_ns().wrapping_sub(shared.clock.now());
        let stuck = || shared.stuck(shared.clock.now());
        let collector = Collector::new(request.key.clone(), shared.job, timing, offset, &stuck);
        let totals = if all_ready { collector.run(lanes, outlets) } else { Totals::none(shared.job, timing) };
        Ok((totals, crew.finish().into_iter().collect::<Result<_, _>>()?))
    })
}

/// Makes the threads of a step; each sets itself up and waits at the gate.
fn spawn<'env>(
    crew: &mut Crew<'env, Result<Outcome, Broken>>,
    shared: &'env Shared<'env>,
    kind: Kind,
    ready: &Sender<bool>,
) -> Result<Vec<Lane>, Broken> {
    let mut lanes = Vec::new();
    for (number, thread) in shared.job.threads.iter().enumerate() {
        let os_threads = if kind == Kind::Sync { thread.depth } else { 1 };
        for slot in 0..os_threads {
            let (collected, end) = lane(thread.group, &thread.layout);
            let start = Start { shared, ready: ready.clone(), lane: end, os_thread: lanes.len() };
            let work = move || match kind {
                Kind::Uring(mode) => uring::worker::run(shared, number, mode, start),
                Kind::Sync => Left { value: sync_io::run(shared, number, slot, start), is_held: false },
            };
            crew.start(format!("io-{number}.{slot}"), work)
                .map_err(|source| Broken { what: Attempt::Thread, source })?;
            lanes.push(collected);
        }
    }
    Ok(lanes)
}
