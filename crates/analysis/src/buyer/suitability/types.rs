//! The verdict for each use of a drive, with what it rests on.

use drivelab_core::verdict_rules::{FactKind, RuleVerdict};
use schemars::JsonSchema;
use serde::Serialize;

use super::fact::Fact;

/// The verdict for one use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// No rule speaks against it, and everything that it needs is known.
    Recommended,
    /// Recommended under a condition.
    Conditional,
    /// Not recommended.
    NotRecommended,
    /// Too little is known.
    Unknown,
}

impl Outcome {
    /// The words for it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Outcome::Recommended => "recommended",
            Outcome::Conditional => "conditionally recommended",
            Outcome::NotRecommended => "not recommended",
            Outcome::Unknown => "no verdict",
        }
    }
}

/// A rule that applies.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reason {
    /// The fact behind it.
    pub fact: Fact,
    /// The rule's threshold, in the unit of the fact.
    pub threshold: f64,
    /// The fact is below the threshold; otherwise above it.
    pub below: bool,
    /// What the rule says.
    pub verdict: RuleVerdict,
    /// On what a conditional recommendation depends; empty for others.
    pub condition: String,
    /// Why.
    pub reason: String,
    /// Where the threshold comes from.
    pub source: String,
}

/// The verdict for one use, with what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UseVerdict {
    /// Short name of the use.
    pub id: String,
    /// Name for people.
    pub title: String,
    /// The verdict.
    pub outcome: Outcome,
    /// The rules that apply, the most severe first.
    pub reasons: Vec<Reason>,
    /// Facts that the use needs and that are not known: without them nothing is recommended.
    pub missing: Vec<FactKind>,
    /// Facts that would decide, but that may be on the other side of the threshold: a bound, or disturbed by other
    /// programs.
    pub undecided: Vec<FactKind>,
    /// Other facts of its rules that are not known.
    pub unknown: Vec<FactKind>,
}

/// What a drive is good for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suitability {
    /// Why there is no verdict at all; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub none_because: Option<String>,
    /// What is known about the drive.
    pub facts: Vec<Fact>,
    /// What was looked for and did not happen, such as throttling.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub did_not_happen: Vec<FactKind>,
    /// The verdict for each use, in the order of the rules; empty if there is none at all.
    pub uses: Vec<UseVerdict>,
}
