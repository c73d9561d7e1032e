//! The rate of a step from the record of its base.

use super::rate::RelativeRate;
use crate::load::{Arrivals, OpKind, Pace, Rate, Verify};
use crate::plan::{Action, Plan, Step};
use crate::record::{GroupRecord, OpRecord, StepRecord, StopReason};
use crate::units::Nanos;
use crate::workload::Workload;

/// Puts the rates that follow from this record into the plan.
pub fn resolve(plan: &mut Plan, record: &StepRecord) {
    if record.key.round != 1 || record.stop_reason == StopReason::Stopped {
        return;
    }
    let Some(base) = plan.step(&record.key.step).and_then(Step::workload).cloned() else { return };
    let done = per_load(&base, record);
    for step in plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        let Some(relative) = step.relative.as_ref().filter(|relative| relative.of == record.key.step) else { continue };
        if let (Action::Io { workload, .. }, Some(rates)) = (&mut step.action, rates(relative, &done)) {
            set(workload, &rates, relative.arrivals);
        }
    }
}

/// The rate of each load without a rate of its own, in operations per 1,000 seconds; `None` for a load with a rate.
pub(super) fn per_load(base: &Workload, record: &StepRecord) -> Vec<Option<u64>> {
    let elapsed_ns = u128::from(record.elapsed().get()).max(1);
    let per_1000_s = |count: u64| u64::try_from(u128::from(count) * 1_000_000_000_000 / elapsed_ns).unwrap_or(u64::MAX);
    let of = |load: &Workload| {
        let group = record.groups.iter().find(|group| group.name == load.name);
        let counted = |kind: OpKind| group.map_or_else(|| record.op(kind), |group: &GroupRecord| group.op(kind));
        let count = |kind: OpKind| counted(kind).map_or(0, |op: &OpRecord| op.count);
        per_1000_s(OpKind::ALL.into_iter().filter(|kind| arrives(load, *kind)).map(count).sum())
    };
    base.groups().map(|load| load.pace.rate.is_none().then(|| of(load))).collect()
}

/// Whether operations of this kind are arrivals. Flushes after a number of writes, and reads that check data just
/// written, are not: they come in addition to the arrivals.
fn arrives(load: &Workload, kind: OpKind) -> bool {
    match kind {
        OpKind::Flush => !load.other.flush_percent.is_zero() || load.other.sync_every == 0,
        OpKind::Read => load.verify != Verify::AtOnce || load.read_percent() > 0,
        OpKind::Write | OpKind::Trim | OpKind::WriteZeroes => true,
    }
}

/// The rate of each load in arrivals per 1,000 seconds: the rounded sum, divided among the loads as in the base.
pub(super) fn rates(relative: &RelativeRate, done: &[Option<u64>]) -> Option<Vec<Option<u64>>> {
    let sum = done.iter().flatten().map(|done| u128::from(*done)).sum::<u128>();
    let share = u64::try_from(sum * u128::from(relative.percent) / 100).ok()?;
    let rate = u128::from(relative.rounding.of(share)?);
    let part = |done: u64| u64::try_from(rate * u128::from(done) / sum.max(1)).unwrap_or(u64::MAX).max(1);
    Some(done.iter().map(|done| done.map(part)).collect())
}

fn set(workload: &mut Workload, rates: &[Option<u64>], arrivals: Arrivals) {
    let one = |load: &mut Workload, rate: Option<u64>| {
        if let Some(per_1000_s) = rate {
            load.pace = Pace { rate: Some(Rate { per_1000_s, arrivals }), bursts: load.pace.bursts, ..Pace::default() };
        }
    };
    let (first, beside) = rates.split_first().map_or((None, &[][..]), |(first, beside)| (*first, beside));
    one(workload, first);
    workload.beside.iter_mut().zip(beside).for_each(|(load, rate)| one(load, *rate));
}

/// Whether the rate of a step is known: it does not depend on another step, or each of its loads has its rate. Some
/// loads may have a rate of their own from the start.
#[must_use]
pub fn is_resolved(step: &Step) -> bool {
    step.relative.is_none() || step.workload().is_some_and(|load| load.groups().all(|one| one.pace.rate.is_some()))
}

/// Mean time from submission to completion, over operations of every kind; `None` if there were none.
#[must_use]
pub fn mean_latency(record: &StepRecord) -> Option<Nanos> {
    let (count, sum) = record.kinds().fold((0u64, 0u64), |(count, sum), (_, op)| {
        (count + op.histogram.count, sum.saturating_add(op.histogram.sum.get()))
    });
    sum.checked_div(count).map(Nanos::new)
}

#[cfg(test)]
mod tests;
