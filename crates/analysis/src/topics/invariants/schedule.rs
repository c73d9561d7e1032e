//! The schedule of an open loop: the requested number of arrivals, each of them completed or still waiting.

use drivelab_core::load::{Arrivals, OpKind, Verify};
use drivelab_core::workload::Workload;

use crate::check::{Seen, Subject, Voids};
use crate::evidence::evidence;
use crate::values;

/// Share by which the arrivals may differ from the requested rate if gaps are equal.
const CONSTANT_SHARE: f64 = 0.005;
/// The same if gaps are random.
const RANDOM_SHARE: f64 = 0.01;
/// Standard deviations of chance in addition: a Poisson process of n arrivals is off by the root of n.
const DEVIATIONS: f64 = 4.0;
/// Share of the arrivals that may be on the other side of the border between two intervals.
const BORDER_SHARE: f64 = 0.001;

pub(super) fn schedule_missed(subject: &Subject<'_>) -> Vec<Seen> {
    let (workload, record) = (subject.execution.workload, subject.execution.record);
    let (Some(open), Some(elapsed)) = (&record.open_loop, values::duration(subject.execution)) else {
        return Vec::new();
    };
    let (asked, arrived) = (open.asked_iops * elapsed, open.arrived as f64);
    let (share, deviations) =
        if has_random_gaps(workload) { (RANDOM_SHARE, DEVIATIONS * asked.sqrt()) } else { (CONSTANT_SHARE, 0.0) };
    // Each thread has a schedule of its own, whose first and last arrival may be just inside or outside.
    let threads = workload.groups().map(|group| f64::from(group.threads.get())).sum::<f64>();
    let allowed = share * asked + deviations + burst_arrivals(workload) + threads;
    // The measured part ends with the last completion; nothing arrives while the last operations complete.
    let longest = record.kinds().map(|(_, op)| op.histogram.max.as_secs_f64()).fold(0.0, f64::max);
    let missing = asked - arrived;
    if missing <= allowed + open.asked_iops * longest && -missing <= allowed {
        return Vec::new();
    }
    let what = "arrivals per second (limit: requested)";
    vec![Seen::new(subject, Voids::Schedule, vec![evidence(what, arrived / elapsed, Some(open.asked_iops), "IOPS")])]
}

pub(super) fn arrivals_lost(subject: &Subject<'_>) -> Vec<Seen> {
    let record = subject.execution.record;
    // If one group has no schedule, its operations cannot be told from those of the others.
    if !subject.execution.workload.groups().all(|group| group.pace.rate.is_some()) {
        return Vec::new();
    }
    let Some(open) = &record.open_loop else { return Vec::new() };
    let before = subject.intervals.iter().rfind(|interval| interval.ramp).and_then(|interval| interval.backlog);
    let from_ramp = before.unwrap_or(0) as f64;
    let arrived = open.arrived as f64;
    let expected = arrived + from_ramp - open.backlog_at_end as f64;
    let done = values::done(record) as f64;
    // Flushes after writes and reads of what was written come with their write. The schedule does not state whether
    // they count as arrivals of their own.
    let followers = |kind: OpKind| record.op(kind).map_or(0.0, |op| (op.count + op.errors) as f64);
    let groups = || subject.execution.workload.groups();
    let flushed = if groups().any(|group| group.other.sync_every > 0) { followers(OpKind::Flush) } else { 0.0 };
    let read_back = if groups().any(|group| group.verify == Verify::AtOnce) { followers(OpKind::Read) } else { 0.0 };
    let borders = subject.execution.workload.total_depth() as f64 + BORDER_SHARE * arrived + 1.0;
    if (expected - borders..=expected + flushed + read_back + borders).contains(&done) {
        return Vec::new();
    }
    let what = "operations that ended (limit: arrived and not waiting)";
    vec![Seen::new(subject, Voids::Schedule, vec![evidence(what, done, Some(expected), "operations")])]
}

fn has_random_gaps(workload: &Workload) -> bool {
    workload.groups().any(|group| group.pace.rate.is_some_and(|rate| rate.arrivals != Arrivals::Constant))
}

/// Arrivals of one burst of every group: the measured part may begin and end anywhere in a cycle.
fn burst_arrivals(workload: &Workload) -> f64 {
    let of_group = |group: &Workload| {
        let (rate, bursts) = (group.pace.rate?, group.pace.bursts?);
        Some(rate.iops() * bursts.on.as_secs_f64())
    };
    workload.groups().filter_map(of_group).sum()
}
