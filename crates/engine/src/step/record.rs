//! The record of a step, made from what its threads left behind and what the collector added up.

use std::collections::BTreeMap;

use drivelab_core::backend::StepRequest;
use drivelab_core::load::Placement;
use drivelab_core::record::{
    Effort, EngineReport, IoError, OpenLoop, Origin, StepRecord, StopReason, StreamExtent, Verification,
};
use drivelab_core::units::{Bytes, Nanos};

use crate::host::rusage::CpuTime;
use crate::load::job::{Group, Job, ThreadJob};
use crate::replay::line::Line;
use crate::step::manner::{Kind, Manner};
use crate::step::replayed::replayed;
use crate::step::totals::{Kinds, Totals, by_group, kinds};
use crate::thread::bursts::Book;
use crate::thread::faults::first_of_all;
use crate::thread::meter::{Meter, mean_depth};
use crate::thread::outcome::{Outcome, Times};
use crate::verify::findings::Findings;

/// Makes the record. Rates are counts divided by the time from `start_ns` to `end_ns`:
///
/// - `start_ns` is the first submission of the step, or the end of the ramp if there is one. Operations then in
///   flight count in full; the other end makes up for it, where as many drain after the stop.
/// - `end_ns` is the last completion counted, or the end of the step's time if that is later. The time in which the
///   last operations drain is in the divisor, and the operations are in the dividend.
///
/// Rates of bursts by volume are counts divided by the active time instead, which is in `bursts`.
pub(crate) fn record(
    job: &Job<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    totals: Totals,
    outcomes: &mut [Outcome],
    (bursts, line): (Option<&Book>, Option<&Line>),
) -> StepRecord {
    let offset = totals.clock_offset;
    let verification = verification(outcomes);
    let outcomes = &*outcomes;
    let first = outcomes.iter().filter_map(|outcome| outcome.first_submission).min().unwrap_or(totals.measured_from);
    let end = totals.end;
    // A schedule or a pause begins with the step, whenever its first operation is due.
    let paced =
        job.threads.iter().any(|thread| thread.schedule.is_some() || thread.timed || thread.pace.bursts.is_some());
    let start = if request.ramp.get() > 0 || paced { totals.measured_from } else { first }.min(end);
    let elapsed = Nanos::new(end - start);
    let bursts = bursts.map(|book| book.done(end, totals.measured_from));
    let counted: Vec<(&Group, &Meter)> = job.groups.iter().zip(&totals.groups).collect();
    let active = bursts.map_or(elapsed, |bursts| bursts.active);
    let Kinds { read, write, others } = kinds(&counted, active);
    StepRecord {
        key: request.key.clone(),
        start_ns: start.wrapping_add(offset),
        end_ns: end.wrapping_add(offset),
        stop_reason: reason(job, outcomes),
        written_total: Bytes::new(write.bytes.get() + totals.ramp_written),
        read,
        write,
        others,
        groups: by_group(job, &totals.groups, active),
        in_flight_mean: mean_depth(totals.depth_ns(), elapsed.get()),
        open_loop: open_loop(job, &totals, outcomes),
        bursts,
        verification,
        replay: line.map(|line| replayed(line, outcomes)),
        errors: first_errors(outcomes, offset),
        streams: extents(job, outcomes),
        origin: Origin::Measured,
        engine: report(job, manner, request, outcomes),
    }
}

/// What checks of headers found on all threads; `None` if nothing was checked.
fn verification(outcomes: &mut [Outcome]) -> Option<Verification> {
    let found = outcomes.iter_mut().filter_map(|outcome| outcome.findings.take());
    let all = found.reduce(|mut all, more| {
        all.merge(more);
        all
    });
    all.map(Findings::into_verification)
}

/// The most important of the threads' reasons. The ends of a budget (volume, passes, operations) are the least
/// important, so a step has one of them only if every thread of its own group did its share.
fn reason(job: &Job<'_>, outcomes: &[Outcome]) -> StopReason {
    let weight = |reason: &StopReason| match reason {
        StopReason::Errors => 5,
        StopReason::Stopped => 4,
        StopReason::Cap => 3,
        StopReason::Time => 2,
        StopReason::Volume | StopReason::Passes | StopReason::Operations => 1,
    };
    let own = outcomes.iter().filter(|outcome| job.threads[outcome.thread].group == 0);
    own.map(|outcome| outcome.reason).max_by_key(weight).unwrap_or(StopReason::Stopped)
}

fn first_errors(outcomes: &[Outcome], offset: u64) -> Vec<IoError> {
    let mut errors = first_of_all(outcomes.iter().map(|outcome| outcome.errors.clone()));
    errors.iter_mut().for_each(|error| error.at_ns = error.at_ns.wrapping_add(offset));
    errors
}

/// One extent per logical thread of a sequential group that issued anything.
fn extents(job: &Job<'_>, outcomes: &[Outcome]) -> Vec<StreamExtent> {
    let mut extents: Vec<StreamExtent> = Vec::new();
    let told = outcomes.iter().filter(|outcome| job.groups[job.threads[outcome.thread].group].sequential);
    for Outcome { thread, touched, .. } in told.filter(|outcome| outcome.touched.lowest <= outcome.touched.highest_end)
    {
        let thread = u32::try_from(*thread).unwrap_or(u32::MAX);
        match extents.last_mut().filter(|extent| extent.thread == thread) {
            Some(extent) => {
                extent.lowest = extent.lowest.min(touched.lowest);
                extent.highest_end = extent.highest_end.max(touched.highest_end);
            }
            None => {
                extents.push(StreamExtent { thread, lowest: touched.lowest, highest_end: touched.highest_end });
            }
        }
    }
    extents
}

fn report(job: &Job<'_>, manner: &Manner<'_>, request: &StepRequest<'_>, outcomes: &[Outcome]) -> EngineReport {
    let mut refused: Vec<String> = Vec::new();
    for feature in outcomes.iter().flat_map(|outcome| &outcome.refused) {
        if !refused.contains(feature) {
            refused.push(feature.clone());
        }
    }
    let sum = |of: fn(&CpuTime) -> u64| Nanos::new(outcomes.iter().map(|outcome| of(&outcome.cpu)).sum());
    EngineReport {
        backend: manner.kind.name().to_owned(),
        reason: manner.reason.to_owned(),
        refused,
        direct_verified: job.is_direct(),
        cpu_user: sum(|cpu| cpu.user_ns),
        cpu_system: sum(|cpu| cpu.system_ns),
        punted: outcomes.iter().any(|outcome| outcome.punted),
        mode: Some(manner.kind.mode()),
        fell_back: Some(manner.fell_back),
        effort: Some(effort(job, manner, request, outcomes)),
    }
}

/// The caller fills in the clock, the page cache and what held up the whole process.
fn effort(job: &Job<'_>, manner: &Manner<'_>, request: &StepRequest<'_>, outcomes: &[Outcome]) -> Effort {
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>();
    let mut gaps = Times::default();
    outcomes.iter().for_each(|outcome| gaps.merge(&outcome.work.gaps));
    let reaps = manner.kind != Kind::Sync && gaps.count > 0;
    let Placement { cpus: _, batch } = request.workload.placement;
    let position =
        |thread: usize| outcomes.iter().find(|outcome| outcome.thread == thread).map_or(0, |outcome| outcome.cursor);
    let pinned = outcomes.iter().filter(|outcome| outcome.pinned);
    Effort {
        operations: sum(|outcome| outcome.work.operations),
        syscalls: sum(|outcome| outcome.work.syscalls),
        thread_time: Nanos::new(sum(|outcome| outcome.thread_ns)),
        waited_for_cpu: Nanos::new(sum(|outcome| outcome.waited_for_cpu_ns)),
        stood_still: Nanos::new(0),
        kept_by_quota: Nanos::new(0),
        depth_asked: job.total_depth(),
        reap_gap_mean: gaps.mean_ns().filter(|_| reaps).map(Nanos::new),
        reap_gap_max: reaps.then(|| Nanos::new(gaps.max_ns)),
        short_transfers: sum(|outcome| outcome.work.short_transfers),
        eagain_retries: sum(|outcome| outcome.work.eagain_retries),
        clock: String::new(),
        clock_error_ns: 0,
        // A thread of the sync backend waits for each of its operations.
        batch: if manner.kind == Kind::Sync { 1 } else { batch.max(1) },
        positions: (0..job.threads.len()).map(position).collect(),
        cpus: pinned.filter_map(|outcome| job.threads[outcome.thread].cpu).collect(),
        page_cache: None,
        data_window: data_window(job),
        errors_by_errno: errors_by_number(outcomes),
    }
}

/// Shortest distance at which random data repeats, over all threads that write any.
fn data_window(job: &Job<'_>) -> Option<Bytes> {
    let of_thread = |thread: &ThreadJob<'_>| thread.shape.pool.and_then(|pool| pool.apart());
    job.threads.iter().filter_map(of_thread).min().map(Bytes::new)
}

fn errors_by_number(outcomes: &[Outcome]) -> BTreeMap<i32, u64> {
    let mut all = BTreeMap::new();
    for (errno, count) in outcomes.iter().flat_map(|outcome| &outcome.errors_by_number) {
        *all.entry(*errno).or_default() += count;
    }
    all
}

/// Schedule and backlog of the groups that have one.
fn open_loop(job: &Job<'_>, totals: &Totals, outcomes: &[Outcome]) -> Option<OpenLoop> {
    let asked_iops: f64 = job.groups.iter().map(|group| group.asked_iops).sum();
    if asked_iops == 0.0 {
        return None;
    }
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>();
    let mut lateness = Times::default();
    outcomes.iter().for_each(|outcome| lateness.merge(&outcome.work.lateness));
    let (backlogs, backlog_at_end) = (&totals.backlogs, totals.backlog_at_end);
    Some(OpenLoop {
        asked_iops,
        arrived: sum(|outcome| outcome.arrived) + backlog_at_end,
        backlog_at_end,
        backlog_max: backlogs.iter().map(|(_, backlog)| *backlog).chain([backlog_at_end]).max().unwrap_or(0),
        backlog_growth_per_second: growth(totals.measured_from, backlogs),
        lateness_mean: Nanos::new(lateness.mean_ns().unwrap_or(0)),
        lateness_max: Nanos::new(lateness.max_ns),
    })
}

/// Least-squares slope of the backlog over time, per second; with fewer than three points, the mean growth since the
/// start of the measured part.
#[expect(clippy::cast_precision_loss, reason = "a slope needs no more than 53 bits")]
fn growth(start: u64, backlogs: &[(u64, u64)]) -> f64 {
    // Operations that drain after the last interval end make an interval of their own, too short to show growth.
    let spacing = |pair: &[(u64, u64)]| pair[1].0.saturating_sub(pair[0].0);
    let drains = backlogs.windows(3).last().is_some_and(|last| spacing(&last[1..]) * 2 < spacing(&last[..2]));
    let backlogs = if drains { &backlogs[..backlogs.len() - 1] } else { backlogs };
    let points: Vec<(f64, f64)> =
        backlogs.iter().map(|(at, backlog)| (at.saturating_sub(start) as f64 / 1e9, *backlog as f64)).collect();
    let count = points.len() as f64;
    if points.len() < 3 {
        return points.last().filter(|(at, _)| *at > 0.0).map_or(0.0, |(at, backlog)| backlog / at);
    }
    let (mean_x, mean_y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (xy, xx) = points
        .iter()
        .fold((0.0, 0.0), |(xy, xx), (x, y)| (xy + (x - mean_x) * (y - mean_y), xx + (x - mean_x) * (x - mean_x)));
    if xx == 0.0 { 0.0 } else { xy / xx }
}
