//! What limited each step of a run, by the means of the rounds that its figures come from.

use drivelab_core::ids::StepId;
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judge::{Limit, of_rounds};
use crate::topics::rounds::used_rounds;

/// What limited one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepLimit {
    /// The step.
    pub step: StepId,
    /// The limit, by the means of the step's rounds.
    #[serde(flatten)]
    pub limit: Limit,
}

/// The limit of every step with a record, in the order of the plan, by the means of its rounds.
pub(crate) fn all(records: &RunRecords) -> Vec<StepLimit> {
    let mut limits = Vec::new();
    for test in &records.plan.tests {
        for step in &test.steps {
            let Some(workload) = step.workload() else { continue };
            let used = used_rounds(records, test, step);
            if used.is_empty() {
                continue;
            }
            limits.push(StepLimit { step: step.id.clone(), limit: of_rounds(&used, workload) });
        }
    }
    limits
}
