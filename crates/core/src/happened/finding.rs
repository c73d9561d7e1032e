//! A finding: a statement that analysis or session makes about a run, with its evidence, cause and next action.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepKey;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Note,
    /// May have changed the figures.
    Warning,
    /// The figures it names must not be used.
    Void,
}

/// A figure that a finding rests on, with the limit it was held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// What the figure is.
    pub what: String,
    /// Measured value.
    pub value: f64,
    /// The limit, where there is one.
    pub limit: Option<f64>,
    /// Unit of both.
    pub unit: String,
}

/// A statement about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable name of the kind of statement: `little_law`, `virtual_disk`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// The statement, one sentence.
    pub statement: String,
    /// Whether it is the answer to what the methodology asks, and so stands before all figures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
    /// The executions it is about; empty for the whole run.
    pub steps: Vec<StepKey>,
    /// The figures it rests on.
    pub evidence: Vec<Evidence>,
    /// Why it is likely so; empty where nothing useful can be said.
    pub likely_cause: String,
    /// What to do about it; empty where there is nothing to do.
    pub next_action: String,
}
