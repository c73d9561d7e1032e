//! What a methodology asks of several drives: how they are measured, and which questions their rates answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How several targets are measured when the command names more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MethodDrives {
    /// Each drive by itself, one after the other.
    pub each: bool,
    /// All drives at the same time.
    pub together: bool,
    /// Rate that a consumer of data needs, in bytes per second. For each step that only reads, the number of drives
    /// that deliver it is worked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feed_rate: Option<u64>,
    /// Bytes per second that the consumer's single link can carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feed_link: Option<u64>,
    /// Whether the ratio for each doubling of the capacity is worked out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub per_doubling: bool,
}

impl Default for MethodDrives {
    /// Each drive alone, then all at the same time; nothing is worked out beyond that.
    fn default() -> Self {
        MethodDrives { each: true, together: true, feed_rate: None, feed_link: None, per_doubling: false }
    }
}
