//! Which executions of a test are still to be done, and when a steady test is steady.

use drivelab_analysis::steady::{snia_window, tracked_value};
use drivelab_core::event::Steadiness;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Rounds, Step, StepRole, TestPlan};
use drivelab_core::record::StopReason;
use drivelab_core::run::RunRecords;

/// Executions of a test, in order, in groups after which a steady test is judged.
pub(crate) fn groups(test: &TestPlan) -> Vec<Vec<(StepKey, &Step)>> {
    match test.rounds {
        Rounds::Fixed { .. } => vec![test.schedule()],
        // A round is judged as a whole, whatever order the method names.
        Rounds::Steady { max, .. } => (1..=max)
            .map(|round| test.steps.iter().map(|step| (StepKey { step: step.id.clone(), round }, step)).collect())
            .collect(),
    }
}

/// Whether an execution must still be done: it is not finished, or it prepares a target that is not prepared now.
pub(crate) fn is_due(records: &RunRecords, key: &StepKey, step: &Step, prepared: bool) -> bool {
    !records.is_finished(key) || (step.role == StepRole::Prepare && !prepared)
}

/// The verdict on a steady test after some rounds: `Some` when it is steady or its most rounds are done.
/// Fewer than five rounds (the smoke form) make no window and so no verdict.
pub(crate) fn judge(test: &TestPlan, records: &RunRecords) -> Option<Steadiness> {
    let Rounds::Steady { step, tracked, max } = &test.rounds else { return None };
    let values: Vec<f64> = (1..=*max)
        .map_while(|round| records.step(&StepKey { step: step.clone(), round }))
        .filter(|record| record.stop_reason != StopReason::Stopped)
        .map(|record| tracked_value(record, *tracked))
        .collect();
    let last = u32::try_from(values.len()).unwrap_or(u32::MAX);
    let window = snia_window(&values);
    match window {
        Some(window) if window.steady || last >= *max => Some(Steadiness {
            test: test.name.clone(),
            reached: window.steady,
            first_round: window.first_round,
            last_round: window.last_round,
            range_percent: window.range_percent,
            slope_percent: window.slope_percent,
        }),
        _ => None,
    }
}
