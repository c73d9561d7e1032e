//! Scores: figures that a methodology computes from other figures by a published formula (weights, a sum or a mean).
//!
//! Owns the formula as stored in a plan. `analysis::scores` computes the result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepId;
use crate::metric::Better;

/// Weights are stored in thousandths, so that a plan contains no rounded numbers.
pub const WEIGHT_ONE: u64 = 1_000;

/// How the terms of a score are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreRule {
    /// The sum of the terms, each multiplied by its weight.
    #[default]
    Sum,
    /// That sum, divided by the sum of the weights.
    Mean,
}

/// Unit in which a score counts byte rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreRates {
    /// 10^6 bytes per second, as in all figures of drivelab.
    #[default]
    Decimal,
    /// 2^20 bytes per second, as in some programs that print it as MB/s.
    Binary,
}

/// Steps that share one metric and one weight: each of them is a term.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ScorePart {
    /// The steps.
    pub steps: Vec<StepId>,
    /// Name of the metric taken from each step: `read.throughput`.
    pub metric: String,
    /// Weight of each step, in thousandths.
    pub weight_thousandths: u64,
}

/// A figure computed from other figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Name, unique in the plan; the address is `score/NAME:score.sum` or `score/NAME:score.mean`.
    pub name: String,
    /// Title for display.
    pub title: String,
    /// Unit as printed: `points`, `MB/s`.
    pub unit: String,
    /// How the terms are combined.
    pub rule: ScoreRule,
    /// Which direction is better.
    pub better: Better,
    /// Unit in which byte rates are counted.
    #[serde(default)]
    pub rates: ScoreRates,
    /// Its terms.
    pub parts: Vec<ScorePart>,
    /// Name of an earlier score by which this one is divided; absent if it is not divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// Ids of the sources that state the formula.
    pub sources: Vec<String>,
    /// Why drivelab's formula differs from the published one; empty if it does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approximation: String,
}

impl Score {
    /// Name of the metric that defines the score.
    #[must_use]
    pub const fn metric(&self) -> &'static str {
        match self.rule {
            ScoreRule::Sum => "score.sum",
            ScoreRule::Mean => "score.mean",
        }
    }

    /// Its address in the run.
    #[must_use]
    pub fn address(&self) -> String {
        format!("score/{}:{}", self.name, self.metric())
    }
}
