//! What a test needs of the target's state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos};
use crate::workload::Pattern;

/// What a test asks of the target's state. The default asks nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StateNeeds {
    /// This share of every part that the test touches holds data, at least, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<u8>,
    /// Nothing was written to what the test touches since the target was last discarded or formatted whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// The last load that wrote had this order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// The last load that wrote had operations of this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_size: Option<Bytes>,
    /// Nothing was written for so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Nanos>,
    /// Something counts what the drive writes to its media; no state of its own, and asked of whoever watches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub media_writes: bool,
    /// Something tells the drive's temperature; likewise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub temperature: bool,
}

/// What a test has to do with the target's state: whether its preparation may be left out where it is done already, and
/// what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StateWish {
    /// Of a preparation: it is left out where the target is as it would leave it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reuse: bool,
    /// Of a test: what it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<StateNeeds>,
}

impl StateWish {
    /// Whether it says nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == StateWish::default()
    }
}
