//! The analysis of a run: its metrics, findings, limits and the buyer's answer.

use drivelab_core::finding::Finding;
use drivelab_core::ids::StepId;
use drivelab_core::metric::Metric;
use schemars::JsonSchema;
use serde::Serialize;

use crate::buyer::Checked;
use crate::buyer::suitability::Suitability;
use crate::topics::limits::StepLimit;

/// Version of the definitions and thresholds; raised whenever the same records give another figure or finding.
pub const ANALYSIS_VERSION: u32 = 19;

/// The analysis of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Analysis {
    /// [`ANALYSIS_VERSION`] of the code that made it.
    pub analysis_version: u32,
    /// Every figure, in the order of the plan; figures of the whole run come last.
    pub metrics: Vec<Metric>,
    /// Statements about the run, by severity, the highest first.
    pub findings: Vec<Finding>,
    /// What limited each executed step.
    pub limits: Vec<StepLimit>,
    /// The buyer's answer; absent for runs other than a check, and for a check that was not completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// What the drive is good for by the rules on this computer; absent until they have been applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suitability: Option<Suitability>,
}

impl Analysis {
    /// The metric with this address: `<step id>:<metric id>` or `run:<metric id>`.
    #[must_use]
    pub fn metric(&self, address: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.address == address)
    }

    /// The metric of a step.
    #[must_use]
    pub fn step_metric(&self, step: &StepId, id: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.id == id && metric.step.as_ref() == Some(step))
    }
}
