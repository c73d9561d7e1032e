//! Scores: figures that a methodology makes of other figures by a published formula (weights, a sum or a mean).
//!
//! Owns the formula as a plan holds it. What it comes to is worked out by `analysis::scores`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepId;
use crate::metric::Better;

/// Weights are stored in thousandths, so that a plan has no rounded numbers.
pub const WEIGHT_ONE: u64 = 1_000;

/// How the terms of a score become one figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreRule {
    /// The terms, each times its weight, added up.
    #[default]
    Sum,
    /// That sum divided by the sum of the weights.
    Mean,
}

/// What a score counts rates of bytes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreRates {
    /// 10^6 bytes per second, as every figure of drivelab.
    #[default]
    Decimal,
    /// 2^20 bytes per second, as some programs count and call MB/s all the same.
    Binary,
}

/// Some steps with one figure and one weight: each of them is a term.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ScorePart {
    /// The steps.
    pub steps: Vec<StepId>,
    /// Name of the metric that is taken of each: `read.throughput`.
    pub metric: String,
    /// Weight of each, in thousandths.
    pub weight_thousandths: u64,
}

/// A figure made of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Name, unique in the plan; the address is `score/NAME:score.sum` or `score/NAME:score.mean`.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Unit as printed: `points`, `MB/s`.
    pub unit: String,
    /// How the terms become one figure.
    pub rule: ScoreRule,
    /// Which direction is better.
    pub better: Better,
    /// What rates of bytes are counted in.
    #[serde(default)]
    pub rates: ScoreRates,
    /// What it is made of.
    pub parts: Vec<ScorePart>,
    /// Name of the score, before this one, by which it is divided; absent where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// Ids of the sources that state the formula.
    pub sources: Vec<String>,
    /// Why parts of the formula are drivelab's own; empty where they are not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approximation: String,
}

impl Score {
    /// Name of the metric that defines it.
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
