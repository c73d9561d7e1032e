//! What the engine's own account of a step shows: what limited it, what was refused, how times were taken.
//!
//! Voids nothing except the response times of an overloaded open loop.

use drivelab_core::finding::Evidence;
use drivelab_core::plan::Action;
use drivelab_core::record::{Effort, IssueMode, OpenLoop};

use super::words as text;
use crate::check::{Check, Seen, Subject, Voids, told};
use crate::evidence::evidence;
use crate::topics::limits::{self, CpuRule, LimitedBy};
use crate::{GeneratorLimit, values};

/// Drift of the clock against CLOCK_MONOTONIC_RAW from which it is reported, as a share: 100 ppm. That is ten times the
/// drift of a checked time-stamp counter, and still far below any error of a rate.
const CLOCK_DRIFT: f64 = 100e-6;
/// Lateness of the generator from which it is reported, as a share of the mean gap between a thread's arrivals: from a
/// tenth on, it distorts the distribution of the gaps.
const LATE_SHARE: f64 = 0.1;
/// Share of the measured full speed from which a point of a curve requests at least as much as the target did, per
/// cent.
const FULL_SPEED_PERCENT: u32 = 100;
/// Features whose loss costs time or changes what is measured. No measurement has shown a gain from the others
/// (research notes, engine 3.2).
const FEATURES_THAT_MATTER: [&str; 5] =
    ["registered file", "registered buffers", "transparent huge pages", "SINGLE_ISSUER", "DEFER_TASKRUN"];

/// Checks of single executions.
pub(crate) static ACCOUNT: &[Check] = &[
    Check { finding: &text::OPEN_LOOP_OVERLOADED, rule: "", check: overloaded },
    Check { finding: &text::CURVE_OVERLOADED, rule: "", check: overloaded_as_asked },
    Check { finding: &text::GENERATOR_LIMITED, rule: "", check: generator_limited },
    Check { finding: &text::HOST_CPU_LIMITED, rule: "", check: host_cpu_limited },
    Check { finding: &text::CPU_HAD_BY_OTHERS, rule: "", check: cpu_had_by_others },
    Check { finding: &text::CPU_QUOTA, rule: "", check: cpu_quota },
    Check { finding: &text::STOOD_STILL, rule: "", check: stood_still },
    Check { finding: &text::DEPTH_NOT_KEPT, rule: "", check: depth_not_kept },
    Check { finding: &text::GENERATOR_LATE, rule: "", check: generator_late },
    Check { finding: &text::CEILING_MODE, rule: "", check: ceiling_mode },
    Check { finding: &text::PLACED_BY_HANDLE, rule: "", check: placed_by_handle },
    Check { finding: &text::BACKEND_FALLBACK, rule: "", check: backend_fallback },
    Check { finding: &text::KERNEL_WORKERS, rule: "", check: kernel_workers },
    Check { finding: &text::FEATURES_REFUSED, rule: "", check: features_refused },
    Check { finding: &text::UNTRIED_MODE, rule: "", check: untried_mode },
    Check { finding: &text::CLOCK_FALLBACK, rule: "", check: clock_fallback },
    Check { finding: &text::CLOCK_DRIFT, rule: "", check: clock_drift },
    Check { finding: &text::BUFFERED_IO, rule: "", check: buffered_io },
];

fn effort<'a>(subject: &Subject<'a>) -> Option<&'a Effort> {
    subject.execution.record.engine.effort.as_ref()
}

fn limit_of(subject: &Subject<'_>) -> LimitedBy {
    limits::limited_by(subject.execution.record, subject.execution.workload)
}

fn overloaded(subject: &Subject<'_>) -> Vec<Seen> {
    if asks_for_more(subject) { Vec::new() } else { growing(subject) }
}

/// A point of a curve at full speed or above is meant to show how the backlog grows.
fn overloaded_as_asked(subject: &Subject<'_>) -> Vec<Seen> {
    if asks_for_more(subject) { growing(subject) } else { Vec::new() }
}

/// Whether the step requests at least the measured full speed.
fn asks_for_more(subject: &Subject<'_>) -> bool {
    subject.step.relative.as_ref().is_some_and(|relative| relative.percent >= FULL_SPEED_PERCENT)
}

/// The figures of an open loop whose backlog grew throughout.
fn growing(subject: &Subject<'_>) -> Vec<Seen> {
    let record = subject.execution.record;
    let behind = |open: &OpenLoop| !subject.probe && limits::is_overloaded(open, record, subject.execution.workload);
    let Some(open) = record.open_loop.filter(behind) else { return Vec::new() };
    let limit = limits::OVERLOAD_SHARE * open.asked_iops;
    let mut found =
        vec![evidence("growth of the backlog", open.backlog_growth_per_second, Some(limit), "operations/s")];
    if let Some(achieved) = values::open_loop_achieved_iops(subject.execution) {
        found.push(evidence("arrivals completed (limit: requested)", achieved, Some(open.asked_iops), "IOPS"));
    }
    found.push(evidence("waiting at the end", open.backlog_at_end as f64, None, "operations"));
    vec![Seen::new(subject, Voids::Responses, found)]
}

fn generator_limited(subject: &Subject<'_>) -> Vec<Seen> {
    let LimitedBy::Generator { why: GeneratorLimit::UserTime { share, rule } } = limit_of(subject) else {
        return Vec::new();
    };
    told(subject, Some(vec![cpu_time(share, rule, "user CPU time", limits::GENERATOR_SHARE)]))
}

/// The CPU time that exceeded its limit, with that limit.
fn cpu_time(share: f64, rule: CpuRule, one_mode: &str, limit: f64) -> Evidence {
    let (whose, limit) = match rule {
        CpuRule::OneMode => (one_mode, limit),
        CpuRule::Together => ("CPU time, user and kernel,", limits::BUSY_SHARE),
        CpuRule::Unsplit => ("CPU time, too short to be split,", limit),
    };
    evidence(&format!("{whose} of the issuing threads"), 100.0 * share, Some(100.0 * limit), "%")
}

fn host_cpu_limited(subject: &Subject<'_>) -> Vec<Seen> {
    let LimitedBy::HostCpu { share, rule } = limit_of(subject) else { return Vec::new() };
    told(subject, Some(vec![cpu_time(share, rule, "kernel CPU time", limits::KERNEL_SHARE)]))
}

fn cpu_had_by_others(subject: &Subject<'_>) -> Vec<Seen> {
    let LimitedBy::OtherWork { share } = limit_of(subject) else { return Vec::new() };
    let what = "time in which the issuing threads were ready and other programs used the CPU";
    told(subject, Some(vec![evidence(what, 100.0 * share, Some(100.0 * limits::STARVED_SHARE), "%")]))
}

fn cpu_quota(subject: &Subject<'_>) -> Vec<Seen> {
    let LimitedBy::Quota { share } = limit_of(subject) else { return Vec::new() };
    let what = "share of the step in which the quota kept drivelab off the CPU";
    told(subject, Some(vec![evidence(what, 100.0 * share, Some(100.0 * limits::QUOTA_SHARE), "%")]))
}

/// Reported even if it is too short to be the limit: the longest latencies include it.
fn stood_still(subject: &Subject<'_>) -> Vec<Seen> {
    let still = effort(subject).map(|effort| effort.stood_still).filter(|still| !still.is_zero());
    told(subject, still.map(|still| vec![evidence("time that drivelab stood still", still.as_secs_f64(), None, "s")]))
}

fn depth_not_kept(subject: &Subject<'_>) -> Vec<Seen> {
    let LimitedBy::Generator { why: GeneratorLimit::DepthNotKept { reached, asked } } = limit_of(subject) else {
        return Vec::new();
    };
    told(subject, Some(vec![evidence("operations in flight (limit: requested)", reached, Some(asked), "operations")]))
}

/// Later than a tenth of the mean gap between the arrivals of one thread. Each thread has its own schedule.
fn generator_late(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(open) = subject.execution.record.open_loop.filter(|open| open.asked_iops > 0.0) else { return Vec::new() };
    let paced = subject.execution.workload.groups().filter(|group| group.pace.rate.is_some());
    let threads: f64 = paced.map(|group| f64::from(group.threads.get())).sum();
    let limit_us = LATE_SHARE * threads / open.asked_iops * 1e6;
    let (mean_us, max_us) = (open.lateness_mean.get() as f64 / 1e3, open.lateness_max.get() as f64 / 1e3);
    let found = || {
        vec![
            evidence("mean lateness of the generator", mean_us, Some(limit_us), "us"),
            evidence("longest lateness of the generator", max_us, None, "us"),
        ]
    };
    told(subject, (mean_us > limit_us).then(found))
}

fn ceiling_mode(subject: &Subject<'_>) -> Vec<Seen> {
    let batch = effort(subject).map_or(subject.execution.workload.placement.batch, |effort| effort.batch);
    let found = || vec![evidence("completions waited for at a time", f64::from(batch), Some(1.0), "operations")];
    told(subject, (batch > 1).then(found))
}

/// Writes that were issued as commands of their own.
fn placed_by_handle(subject: &Subject<'_>) -> Vec<Seen> {
    told(subject, (!subject.execution.workload.placement_handles().is_empty()).then(Vec::new))
}

/// The sync backend ran although it was not requested.
fn backend_fallback(subject: &Subject<'_>) -> Vec<Seen> {
    let engine = &subject.execution.record.engine;
    if engine.is_fallback() {
        vec![Seen::new(subject, Voids::Nothing, Vec::new()).noting(&engine.reason)]
    } else {
        Vec::new()
    }
}

fn kernel_workers(subject: &Subject<'_>) -> Vec<Seen> {
    told(subject, subject.execution.record.engine.punted.then(Vec::new))
}

fn features_refused(subject: &Subject<'_>) -> Vec<Seen> {
    let matters = |feature: &&String| FEATURES_THAT_MATTER.iter().any(|name| feature.contains(name));
    let mut seen = Seen::new(subject, Voids::Nothing, Vec::new());
    seen.notes.extend(subject.execution.record.engine.refused.iter().filter(matters).cloned());
    if seen.notes.is_empty() { Vec::new() } else { vec![seen] }
}

fn untried_mode(subject: &Subject<'_>) -> Vec<Seen> {
    let engine = &subject.execution.record.engine;
    let (backend, mode) = (&engine.backend, engine.issue_mode());
    if matches!(mode, IssueMode::RingSubmissionPolled | IssueMode::RingCompletionPolled) {
        vec![Seen::new(subject, Voids::Nothing, Vec::new()).noting(backend)]
    } else {
        Vec::new()
    }
}

/// Not for work on files: it has only one clock, and a file takes longer than reading any clock.
fn clock_fallback(subject: &Subject<'_>) -> Vec<Seen> {
    if subject.execution.workload.files.is_some() {
        return Vec::new();
    }
    let clock = effort(subject).map_or("", |effort| &effort.clock);
    if clock.is_empty() || clock.starts_with("tsc") {
        return Vec::new();
    }
    vec![Seen::new(subject, Voids::Nothing, Vec::new()).noting(clock)]
}

fn clock_drift(subject: &Subject<'_>) -> Vec<Seen> {
    // The clock is compared at both ends of the step, which includes its ramp.
    let ramp = match &subject.step.action {
        Action::Io { ramp, .. } => ramp.as_secs_f64(),
        Action::Idle { .. } | Action::CoolDown(_) => 0.0,
    };
    let Some((effort, measured)) = effort(subject).zip(values::duration(subject.execution)) else { return Vec::new() };
    let elapsed = measured + ramp;
    let drift = effort.clock_error_ns.unsigned_abs() as f64 / 1e9 / elapsed;
    let found = || vec![evidence("drift of the clock", drift * 1e6, Some(CLOCK_DRIFT * 1e6), "ppm")];
    told(subject, (drift > CLOCK_DRIFT).then(found))
}

fn buffered_io(subject: &Subject<'_>) -> Vec<Seen> {
    let workload = subject.execution.workload;
    if subject.stores_nothing || workload.groups().all(|group| group.direct) {
        return Vec::new();
    }
    let through = workload.groups().filter(|group| !group.direct);
    let span = through.map(|group| group.span.length.as_f64()).fold(0.0, f64::max);
    let what = "span (limit: memory, which can hold it)";
    // A set of files has a size but no span.
    let sized = workload.files.is_none().then(|| evidence(what, span, Some(subject.memory.as_f64()), "B"));
    let mut seen = Seen::new(subject, Voids::Nothing, sized.into_iter().collect());
    seen.notes.extend(effort(subject).and_then(|effort| effort.page_cache.clone()));
    vec![seen]
}
