//! What a methodology asks of several drives: how they are measured, and which question their rates answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How several targets are measured where the command names more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MethodDrives {
    /// Each drive by itself, one after the other.
    pub each: bool,
    /// All drives at once.
    pub together: bool,
    /// Bytes per second that somebody needs; how many drives deliver them is worked out from each step that only
    /// reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feed_rate: Option<u64>,
    /// Bytes per second that the one link of who needs them can carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feed_link: Option<u64>,
    /// Whether the ratio for each doubling of the capacity is worked out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub per_doubling: bool,
}

impl Default for MethodDrives {
    /// Each alone, then all at once; nothing is worked out beyond that.
    fn default() -> Self {
        MethodDrives { each: true, together: true, feed_rate: None, feed_link: None, per_doubling: false }
    }
}
