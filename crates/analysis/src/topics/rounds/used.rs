//! The executions of a step that its figures come from.

use drivelab_core::plan::{Rounds, Step, TestPlan};
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::run::RunRecords;

use crate::topics::search;
use crate::{steady, values};

/// The executions of a step that its figures come from, by round: all finished ones that count. Of a steady test only
/// the reported window (or, before there is a verdict, the last rounds of that number); of a search the round with the
/// highest rate that kept the bound (or, if none did, the lowest rate). An execution that was stopped early counts only
/// if there is no other.
pub(crate) fn used_rounds<'r>(records: &'r RunRecords, test: &TestPlan, step: &Step) -> Vec<&'r StepRecord> {
    let counts = |record: &&StepRecord| record.key.step == step.id && !test.is_warm_up(record.key.round);
    let of_step = records.steps.iter().filter(counts);
    let mut used: Vec<&StepRecord> = of_step.filter(|record| !values::is_empty(record)).collect();
    used.sort_by_key(|record| record.key.round);
    if used.iter().any(|record| record.stop_reason != StopReason::Stopped) {
        used.retain(|record| record.stop_reason != StopReason::Stopped);
    }
    if let Some(found) = search::found(test, step, records) {
        let best = found.reported().map(|one| one.round);
        used.retain(|record| Some(record.key.round) == best);
    }
    if matches!(test.rounds, Rounds::Steady { .. }) {
        match records.steadiness.iter().rfind(|verdict| verdict.test == test.name) {
            Some(verdict) => used.retain(|r| (verdict.first_round..=verdict.last_round).contains(&r.key.round)),
            None => drop(used.drain(..used.len().saturating_sub(steady::WINDOW))),
        }
    }
    used
}
