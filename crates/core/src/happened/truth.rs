//! What a virtual drive knows of itself: when its behaviour changed, and why.
//!
//! Only a virtual target writes it. No analysis reads it: what analysis finds in the figures is held against it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepKey;
use crate::units::Bytes;

/// The beginning of a regime: from here on the drive behaves otherwise than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroundTruth {
    /// The execution in which it begins; absent where it begins between two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<StepKey>,
    /// When, nanoseconds on the run clock.
    pub from_ns: u64,
    /// Bytes that the execution had written by then.
    pub written: Bytes,
    /// Name of the regime in the drive's model: `slc_cache`, `folding`, `throttled`.
    pub regime: String,
    /// What began it: `cache full`, `72 C reached`.
    pub cause: String,
}
