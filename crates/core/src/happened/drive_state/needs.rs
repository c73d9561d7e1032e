//! What a test needs of the target's state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos};
use crate::workload::Pattern;

/// What a test needs of the target's state. The default needs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StateNeeds {
    /// At least this share of every part that the test touches holds data, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<u8>,
    /// Nothing was written to the parts that the test touches since the target was last discarded or formatted as a
    /// whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// The last load that wrote had this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// The last load that wrote had operations of this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_size: Option<Bytes>,
    /// Nothing was written for at least this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Nanos>,
    /// A telemetry source counts what the drive writes to its media. This is a need of the watching, not of the state.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub media_writes: bool,
    /// A telemetry source reports the drive's temperature. This is a need of the watching, not of the state.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub temperature: bool,
}

/// How a test relates to the target's state: whether its preparation may be left out if it is already done, and what
/// the test needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StateWish {
    /// For a preparation: it is left out if the target is already in the state that it leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reuse: bool,
    /// For a test: what it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<StateNeeds>,
}

impl StateWish {
    /// Whether it asks for nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == StateWish::default()
    }
}
