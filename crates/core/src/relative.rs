//! Rates that are a share of what another step did at full speed: known as soon as that step is on record.
//!
//! The plan as stored says the share; folding the records ([`crate::run::RunRecords`]) puts the rate that follows into
//! the plan, so that session, analysis and report all read the same number, also when a run goes on in another process.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{StepId, StepKey};
use crate::load::{Arrivals, OpKind, Pace, Rate, Verify};
use crate::plan::{Action, Plan, Step};
use crate::record::{GroupRecord, OpRecord, StepRecord, StopReason};
use crate::run::RunRecords;
use crate::units::Nanos;
use crate::workload::Workload;

/// Arrivals per 1,000 seconds below which Vdbench drops a point: 10 operations per second.
const VDBENCH_LEAST: u64 = 10_000;
/// Arrivals per 1,000 seconds above which Vdbench rounds up to the next 100 operations per second, and below to 10.
const VDBENCH_COARSE_ABOVE: u64 = 1_000_000;

/// How a share of a rate becomes the rate that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// As it is.
    #[default]
    None,
    /// As Vdbench does it: above 1,000 operations per second up to the next 100, else up to the next 10; what is below
    /// 10 is left out.
    Vdbench,
}

impl Rounding {
    /// The rate to ask for, both in arrivals per 1,000 seconds; `None` where it is too low to be one.
    #[must_use]
    pub fn of(self, per_1000_s: u64) -> Option<u64> {
        match self {
            Rounding::None => (per_1000_s > 0).then_some(per_1000_s),
            Rounding::Vdbench if per_1000_s < VDBENCH_LEAST => None,
            Rounding::Vdbench => {
                let unit = if per_1000_s > VDBENCH_COARSE_ABOVE { 100_000 } else { 10_000 };
                Some(per_1000_s.div_ceil(unit).saturating_mul(unit))
            }
        }
    }
}

/// A rate that is a share of what another step did.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct RelativeRate {
    /// The step that runs at full speed, before this one.
    pub of: StepId,
    /// Share of its operations per second, in per cent; may exceed 100.
    pub percent: u32,
    /// How the share is rounded.
    #[serde(default)]
    pub rounding: Rounding,
    /// Spacing of the arrivals.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// No further step of the same base is run once one had a longer mean latency than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_above: Option<Nanos>,
}

/// Why a step with a relative rate is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// The share of what the base did is too low to be a rate; what the base did, in operations per 1,000 seconds.
    TooSlow(u64),
    /// An earlier step of the same base took longer than `stop_above`: which, and its mean latency.
    StoppedAbove(StepId, Nanos),
}

/// Puts the rates that follow from a record into the plan.
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

/// What each load without a rate of its own did, in operations per 1,000 seconds; `None` for one with a rate.
fn per_load(base: &Workload, record: &StepRecord) -> Vec<Option<u64>> {
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

/// Whether operations of a kind are arrivals: flushes after so many writes, and reads that check what was just
/// written, come on top of them.
fn arrives(load: &Workload, kind: OpKind) -> bool {
    match kind {
        OpKind::Flush => !load.other.flush_percent.is_zero() || load.other.sync_every == 0,
        OpKind::Read => load.verify != Verify::AtOnce || load.read_percent() > 0,
        OpKind::Write | OpKind::Trim | OpKind::WriteZeroes => true,
    }
}

/// The rate of each load in arrivals per 1,000 seconds: the rounded sum, split as the base split it.
fn rates(relative: &RelativeRate, done: &[Option<u64>]) -> Option<Vec<Option<u64>>> {
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

/// Whether the rate of a step follows from another and is known: that of each of its loads, some of which may have a
/// rate of their own from the start.
#[must_use]
pub fn is_resolved(step: &Step) -> bool {
    step.relative.is_none() || step.workload().is_some_and(|load| load.groups().all(|one| one.pace.rate.is_some()))
}

/// Why a step of the plan is not run, as far as the records tell; `None` where it is, or its base has not run yet.
#[must_use]
pub fn skipped(records: &RunRecords, id: &StepId) -> Option<Skip> {
    let step = records.plan.step(id)?;
    let relative = step.relative.as_ref()?;
    let finished = |step: &StepId| {
        let record = records.step(&StepKey { step: step.clone(), round: 1 })?;
        (record.stop_reason != StopReason::Stopped).then_some(record)
    };
    let base = finished(&relative.of)?;
    let load = records.plan.step(&relative.of)?.workload()?;
    let done = per_load(load, base);
    if rates(relative, &done).is_none() {
        return Some(Skip::TooSlow(done.iter().flatten().sum()));
    }
    let bound = relative.stop_above?;
    let same = |other: &&Step| other.relative.as_ref().is_some_and(|other| other.of == relative.of);
    let mut before = records.plan.steps().take_while(|other| other.id != *id).filter(same);
    before.find_map(|other| {
        let latency = mean_latency(finished(&other.id)?)?;
        (latency > bound).then(|| Skip::StoppedAbove(other.id.clone(), latency))
    })
}

/// Mean time from submission to completion, over operations of every kind; `None` where there were none.
#[must_use]
pub fn mean_latency(record: &StepRecord) -> Option<Nanos> {
    let (count, sum) = record.kinds().fold((0u64, 0u64), |(count, sum), (_, op)| {
        (count + op.histogram.count, sum.saturating_add(op.histogram.sum.get()))
    });
    sum.checked_div(count).map(Nanos::new)
}

#[cfg(test)]
mod tests;
