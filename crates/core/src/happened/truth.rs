//! What a virtual drive knows about itself: when its behaviour changed, and why.
//!
//! Only a virtual target writes it. No analysis reads it: the results of the analysis are compared with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepKey;
use crate::units::Bytes;

/// The start of a regime: from this point the drive behaves differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroundTruth {
    /// The execution in which it begins; absent if it begins between two executions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<StepKey>,
    /// Time, nanoseconds on the run clock.
    pub from_ns: u64,
    /// Bytes that the execution had written by then.
    pub written: Bytes,
    /// Name of the regime in the drive's model: `slc_cache`, `folding`, `throttled`.
    pub regime: String,
    /// Its cause: `cache full`, `72 C reached`.
    pub cause: String,
}
