//! Source of the figures of a record: a target, or a virtual drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Source of the figures of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From operations that a target completed.
    #[default]
    Measured,
    /// From operations that a virtual drive completed, one by one.
    Simulated,
    /// From a virtual drive in an unchanged state: its figures were extended without simulating each operation.
    Held,
}

impl Origin {
    /// Whether it was measured, which is the default.
    #[must_use]
    pub const fn is_measured(&self) -> bool {
        matches!(self, Origin::Measured)
    }
}
