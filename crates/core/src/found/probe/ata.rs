//! What an ATA drive reports about itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// One attribute of the SMART table; its meaning depends on the vendor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SmartAttribute {
    /// Number.
    pub id: u8,
    /// Meaning of this number with most vendors; empty if vendors differ too much.
    pub name: String,
    /// Normalised value, 1 to 253; higher is better.
    pub value: u8,
    /// Lowest value so far.
    pub worst: u8,
    /// At or below this value the drive reports a failure; 0 for never.
    pub threshold: u8,
    /// The vendor's raw count, six bytes.
    pub raw: u64,
}

impl SmartAttribute {
    /// Number of the attribute that most vendors use for reallocated blocks.
    pub const REPLACED_BLOCKS: u8 = 5;

    /// The reference to the attribute behind a figure, in brackets.
    #[must_use]
    pub fn mark(id: u8) -> String {
        format!("(SMART attribute {id})")
    }
}

/// IDENTIFY DEVICE and SMART of an ATA drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AtaProbe {
    /// Model, as the drive reports it.
    pub model: String,
    /// Serial number.
    pub serial: String,
    /// Firmware revision.
    pub firmware: String,
    /// Capacity that can be addressed.
    pub capacity: Bytes,
    /// Logical sector.
    pub logical_sector: Bytes,
    /// Physical sector.
    pub physical_sector: Bytes,
    /// Rotations per minute; absent for 1 (solid state) and 0 (not reported) of the standard.
    pub rotations_per_minute: Option<u16>,
    /// Whether it reports that it has no moving parts.
    pub solid_state: bool,
    /// Form factor as text.
    pub form_factor: Option<String>,
    /// Negotiated speed of the link: `6.0 Gb/s`.
    pub link_now: Option<String>,
    /// Fastest speed that the drive supports: `6.0 Gb/s`.
    pub link_possible: Option<String>,
    /// Depth of the drive's command queue.
    pub queue_depth: Option<u32>,
    /// Whether it supports TRIM.
    pub trim: bool,
    /// What reads of a trimmed block return, as text.
    pub after_trim: String,
    /// Whether the volatile write cache is on; absent if it has none.
    pub write_cache_enabled: Option<bool>,
    /// Whether SMART is enabled.
    pub smart_enabled: bool,
    /// The drive's own verdict; absent if it cannot be queried.
    pub smart_failing: Option<bool>,
    /// State of the ATA security feature as text.
    pub security: String,
    /// Whether it supports TCG commands (Trusted Computing feature set).
    pub trusted_computing: bool,
    /// Supported sanitize methods, as text.
    pub sanitize: Vec<String>,
    /// SMART attributes.
    pub attributes: Vec<SmartAttribute>,
}
