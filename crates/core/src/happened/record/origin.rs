//! Where the figures of a record come from: a target, or a virtual drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the figures of a record come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From operations that a target ended.
    #[default]
    Measured,
    /// From operations that a virtual drive ended, one by one.
    Simulated,
    /// From a virtual drive whose state did not change: its figures were extended without simulating each operation.
    Held,
}

impl Origin {
    /// Whether it was measured, which goes without saying.
    #[must_use]
    pub const fn is_measured(&self) -> bool {
        matches!(self, Origin::Measured)
    }
}
