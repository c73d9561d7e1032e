//! Why a step whose rate depends on another step is not run.

use super::rate::Skip;
use super::resolve::{mean_latency, per_load, rates};
use crate::ids::{StepId, StepKey};
use crate::plan::Step;
use crate::record::StopReason;
use crate::run::RunRecords;

/// Why a step of the plan is not run, according to the records; `None` if it runs, or if its base has not run yet.
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
