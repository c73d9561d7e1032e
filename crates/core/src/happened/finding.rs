//! A finding: a statement of analysis or session about a run, with its evidence, likely cause and next action.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepKey;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Information only.
    Note,
    /// It may have changed the figures.
    Warning,
    /// The figures that it names must not be used.
    Void,
}

/// A figure that a finding is based on, with the limit that it was compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Name of the figure.
    pub what: String,
    /// Measured value.
    pub value: f64,
    /// The limit, if there is one.
    pub limit: Option<f64>,
    /// Unit of both.
    pub unit: String,
}

/// A statement about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable name of the kind of finding: `little_law`, `virtual_disk`.
    pub code: String,
    /// Its severity.
    pub severity: Severity,
    /// The statement, in one sentence.
    pub statement: String,
    /// Whether it is the answer to the question of the methodology, so that it is shown before all figures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
    /// The executions that it concerns; empty for the whole run.
    pub steps: Vec<StepKey>,
    /// The figures that it is based on.
    pub evidence: Vec<Evidence>,
    /// The likely cause; empty if there is nothing useful to state.
    pub likely_cause: String,
    /// The next action; empty if there is nothing to do.
    pub next_action: String,
}
