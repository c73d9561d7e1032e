//! One step from its request to its record: threads made, started together, collected, joined.
//!
//! The session's thread runs this. What it shares with the workers is in [`crate::shared`].

use std::sync::mpsc::{Sender, channel};
use std::thread;

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::record::{IntervalRecord, IssueMode, StepRecord, StopReason, Stuck};
use drivelab_core::replay::TraceOpener;
use drivelab_core::target::PlacementHandles;
use drivelab_core::units::Nanos;

use crate::account::Outcome;
use crate::collect::Collector;
use crate::crew::{self, Crew, Finished};
use crate::errno;
use crate::faults::{Attempt, Broken};
use crate::fit::Job;
use crate::ground::Ground;
use crate::held;
use crate::record::record;
use crate::replay::{self, Line};
use crate::schedule::Timing;
use crate::sealing::Identity;
use crate::shared::{Shared, Start};
use crate::sync_io::{self, OS_THREADS_MAX};
use crate::tally::{Lane, lane};
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
    /// What it is in the record.
    pub(crate) const fn mode(self) -> IssueMode {
        match self {
            Kind::Uring(Mode::Plain) => IssueMode::Ring,
            Kind::Uring(Mode::SubmissionPolled) => IssueMode::RingSubmissionPolled,
            Kind::Uring(Mode::CompletionPolled) => IssueMode::RingCompletionPolled,
            Kind::Sync => IssueMode::Threads,
        }
    }

    /// Its name for people.
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
    /// This kind was taken because another could not be had.
    pub(crate) fell_back: bool,
    /// Operations in flight for longer than this are named.
    pub(crate) watchdog: Nanos,
    /// The handles by which writes can be placed, where they are known.
    pub(crate) placement: Option<&'a PlacementHandles>,
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

/// Where a step's figures go while it runs.
pub(crate) struct Outlets<'a> {
    pub(crate) interval: &'a mut dyn FnMut(IntervalRecord),
    pub(crate) trace: Option<&'a mut TraceSink>,
    /// Told at once, and again from time to time, of operations that do not come back.
    pub(crate) stuck: Option<&'a mut StuckSink>,
    /// Opens the traces that are replayed.
    pub(crate) traces: Option<&'a mut TraceOpener>,
}

/// Where operations that do not come back are told: called on the session's thread while they are under way.
pub type StuckSink = Box<dyn FnMut(Stuck) + Send>;

/// Runs a step.
pub(crate) fn run(
    ground: Ground<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    identity: Identity<'_>,
    outlets: &mut Outlets<'_>,
) -> Result<StepRecord, BackendError> {
    let trace_entries = if outlets.trace.is_some() { ENTRIES } else { 0 };
    let fit = |kind| Job::fit(ground, request, identity, (kind, trace_entries), manner.placement);
    let job = fit(manner.kind)?;
    let sync_fits = job.total_depth() <= OS_THREADS_MAX && !job.is_nop && !job.seals_in_depth();
    if manner.kind == Kind::Sync && !sync_fits {
        return Err(BackendError::Unfit(no_sync(&job)));
    }
    job.check_buffers(request.workload, manner.kind)?;
    let page_cache = page_cache::prepare(ground.target, request.workload);
    let misfit = match manner.kind {
        Kind::Uring(mode) => fitness::misfit(&job, request.workload, mode),
        Kind::Sync => None,
    };
    let by_threads = |job: Job<'_>, reason: &str, outlets: &mut Outlets<'_>| {
        drop(job);
        // Its threads have buffers of their own each, so what they write from may have to be smaller.
        let job = fit(Kind::Sync)?;
        job.check_buffers(request.workload, Kind::Sync)?;
        let manner = Manner { kind: Kind::Sync, reason, may_fall_back: false, fell_back: true, ..*manner };
        replayed(ground, &job, &manner, request, outlets)
    };
    let may_fall_back = manner.may_fall_back && sync_fits;
    let done = match misfit {
        Some(Misfit { why, .. }) if may_fall_back => by_threads(job, why, outlets)?,
        Some(Misfit { why, advice }) => {
            let said = format!("{why}: {advice}");
            let named = !manner.may_fall_back;
            return Err(if named { BackendError::HostUnfit(said) } else { BackendError::Unfit(said) });
        }
        None => match replayed(ground, &job, manner, request, outlets)? {
            // No operation was issued: all threads wait for all rings before the start.
            Err(Broken { what: Attempt::Ring, source }) if may_fall_back => {
                let reason = format!("io_uring_setup was refused for this step ({})", errno::describe(&source));
                by_threads(job, &reason, outlets)?
            }
            done => done,
        },
    };
    done.map(|mut record| {
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

/// Runs a step with one backend, with its trace read ahead where it has one.
fn replayed(
    ground: Ground<'_>,
    job: &Job<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    outlets: &mut Outlets<'_>,
) -> Result<Result<StepRecord, Broken>, BackendError> {
    let Some(replay) = &request.workload.replay else { return Ok(attempt(job, manner, request, outlets, None)) };
    let Some(open) = outlets.traces.as_deref_mut() else {
        return Err(BackendError::Unfit(
            "a trace is to be replayed, and this engine was given nothing that opens one".into(),
        ));
    };
    let stream = open(replay).map_err(BackendError::Unfit)?;
    replay::with_trace(ground.target, request, replay, stream, |line| {
        attempt(job, manner, request, outlets, Some(line))
    })
}

/// Runs a step with one backend.
fn attempt(
    job: &Job<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    outlets: &mut Outlets<'_>,
    line: Option<&Line>,
) -> Result<StepRecord, Broken> {
    let shared = Shared::new(job, manner, request, outlets.trace.is_some(), line);
    let quota = held::kept_by_quota_ns();
    let (totals, mut outcomes) = with_threads(&shared, manner.kind, request, outlets)?;
    let stood_still = totals.stood_still;
    let mut record = record(job, manner, request, totals, &mut outcomes, (shared.bursts.as_ref(), line));
    let elapsed = record.elapsed().get();
    if let Some(effort) = &mut record.engine.effort {
        (effort.clock, effort.clock_error_ns) = (shared.clock.describe(), shared.clock.error_ns());
        effort.stood_still = Nanos::new(stood_still.of(elapsed));
        effort.kept_by_quota = Nanos::new(held::kept_by_quota_ns().saturating_sub(quota));
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
            let (collected, end) = lane(number, thread.group, &thread.layout);
            let start = Start { shared, ready: ready.clone(), lane: end, os_thread: lanes.len() };
            let work = move || match kind {
                Kind::Uring(mode) => uring::worker::run(shared, number, mode, start),
                Kind::Sync => Finished { value: sync_io::run(shared, number, slot, start), is_held: false },
            };
            crew.start(format!("io-{number}.{slot}"), work)
                .map_err(|source| Broken { what: Attempt::Thread, source })?;
            lanes.push(collected);
        }
    }
    Ok(lanes)
}
