//! What a test repeats besides its rounds: rounds that do not count, whole sets, and when it rests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Repetitions besides the rounds of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Repeats {
    /// Rounds at the start of each set that are run and recorded but not counted in the figures; with fixed rounds
    /// only.
    #[serde(skip_serializing_if = "is_none")]
    pub warm_up_rounds: u32,
    /// How often the whole set of tests runs; with fixed rounds only. At least 1.
    pub sets: u32,
    /// When a step rests.
    pub rest_after: RestAfter,
}

/// When a step rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestAfter {
    /// After each of its executions.
    #[default]
    Rounds,
    /// After the last round of a step, except the last step of the last test; with the order step by step only.
    Steps,
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats { warm_up_rounds: 0, sets: 1, rest_after: RestAfter::Rounds }
    }
}

impl Repeats {
    /// Whether nothing is repeated besides the rounds.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Repeats::default()
    }
}

const fn is_none(count: &u32) -> bool {
    *count == 0
}
