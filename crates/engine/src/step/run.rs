//! One step from its request to its record: threads are made, started together, collected and joined.
//!
//! The session's thread runs this. [`crate::thread::shared`] holds what it shares with the workers.

use std::sync::mpsc::{Sender, channel};
use std::thread;

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::units::Nanos;

use crate::host::{errno, held, page_cache};
use crate::load::job::Job;
use crate::load::schedule::Timing;
use crate::load::sealing::Identity;
use crate::load::targets::Targets;
use crate::replay::line::Line;
use crate::step::collect::Collector;
use crate::step::crew::{self, Crew, Finished};
use crate::step::manner::{Kind, Manner};
use crate::step::outlets::Outlets;
use crate::step::record::record;
use crate::step::totals::Totals;
use crate::sync::worker::OS_THREADS_MAX;
use crate::thread::faults::{Attempt, Broken};
use crate::thread::outcome::Outcome;
use crate::thread::shared::{Shared, Start};
use crate::thread::tally::{Lane, lane};
use crate::thread::trace::ENTRIES;
use crate::uring::fitness::{self, Misfit};
use crate::{replay, sync, uring};

/// Ends a step whose session thread unwinds, so that its threads do not run for the rest of the step.
struct AbortOnUnwind<'a>(&'a Shared<'a>);

impl Drop for AbortOnUnwind<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.abort();
            self.0.open_gate(None);
        }
    }
}

/// Runs a step.
pub(crate) fn run(
    targets: Targets<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    identity: Identity<'_>,
    outlets: &mut Outlets<'_>,
) -> Result<StepRecord, BackendError> {
    let trace_entries = if outlets.trace.is_some() { ENTRIES } else { 0 };
    let fit = |kind| Job::fit(targets, request, identity, (kind, trace_entries), manner.placement);
    let job = fit(manner.kind)?;
    let sync_fits = job.total_depth() <= OS_THREADS_MAX && !job.is_nop && !job.seals_in_depth();
    if manner.kind == Kind::Sync && !sync_fits {
        return Err(BackendError::Unfit(no_sync(&job)));
    }
    job.check_buffers(request.workload, manner.kind)?;
    let page_cache = page_cache::prepare(targets.target, request.workload);
    let misfit = match manner.kind {
        Kind::Uring(mode) => fitness::misfit(&job, request.workload, mode),
        Kind::Sync => None,
    };
    let by_threads = |job: Job<'_>, reason: &str, outlets: &mut Outlets<'_>| {
        drop(job);
        // Each of its threads has buffers of its own, so the pools may have to be smaller.
        let job = fit(Kind::Sync)?;
        job.check_buffers(request.workload, Kind::Sync)?;
        let manner = Manner { kind: Kind::Sync, reason, may_fall_back: false, fell_back: true, ..*manner };
        replayed(targets, &job, &manner, request, outlets)
    };
    let may_fall_back = manner.may_fall_back && sync_fits;
    let done = match misfit {
        Some(Misfit { why, .. }) if may_fall_back => by_threads(job, why, outlets)?,
        Some(Misfit { why, advice }) => {
            let said = format!("{why}: {advice}");
            let named = !manner.may_fall_back;
            return Err(if named { BackendError::HostUnfit(said) } else { BackendError::Unfit(said) });
        }
        None => match replayed(targets, &job, manner, request, outlets)? {
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
        return "the sync backend has no empty operation: nop: needs io_uring".to_owned();
    }
    if job.seals_in_depth() {
        return "the sync backend writes blocks with headers one at a time, since its threads overtake each other: \
                use a queue depth of 1 and more threads, or io_uring"
            .to_owned();
    }
    format!(
        "the sync backend needs a thread for each of {} operations in flight and makes at most {OS_THREADS_MAX}: lower \
         the queue depth or the threads, or use io_uring",
        job.total_depth()
    )
}

/// Runs a step with one backend, with its trace read ahead if it has one.
fn replayed(
    targets: Targets<'_>,
    job: &Job<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    outlets: &mut Outlets<'_>,
) -> Result<Result<StepRecord, Broken>, BackendError> {
    let Some(replay) = &request.workload.replay else { return Ok(attempt(job, manner, request, outlets, None)) };
    let Some(open) = outlets.traces.as_deref_mut() else {
        return Err(BackendError::Unfit("a trace is to be replayed, but this engine cannot open traces".into()));
    };
    let stream = open(replay).map_err(BackendError::Unfit)?;
    replay::with_trace(targets.target, request, replay, stream, |line| {
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
        // Also if the error came while the last operations drained and another reason was there before it.
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
                Kind::Sync => Finished { value: sync::worker::run(shared, number, slot, start), is_held: false },
            };
            crew.start(format!("io-{number}.{slot}"), work)
                .map_err(|source| Broken { what: Attempt::Thread, source })?;
            lanes.push(collected);
        }
    }
    Ok(lanes)
}
