//! What an ATA drive says of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// One attribute of the SMART table, whose meaning is the vendor's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SmartAttribute {
    /// Number.
    pub id: u8,
    /// What most vendors use the number for; empty where that differs too much.
    pub name: String,
    /// Normalised value, 1 to 253; higher is better.
    pub value: u8,
    /// Lowest it ever was.
    pub worst: u8,
    /// At or below this the drive calls itself failing; 0 for never.
    pub threshold: u8,
    /// The vendor's own count, six bytes.
    pub raw: u64,
}

impl SmartAttribute {
    /// Number of the count of blocks that were replaced by spare ones, with most vendors.
    pub const REPLACED_BLOCKS: u8 = 5;

    /// How texts name the attribute that a figure is of, in brackets.
    #[must_use]
    pub fn mark(id: u8) -> String {
        format!("(SMART attribute {id})")
    }
}

/// IDENTIFY DEVICE and SMART of an ATA drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AtaProbe {
    /// Model, as the drive writes it.
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
    /// Rotations per minute; 1 stands for solid state in the standard and 0 for not reported, both absent here.
    pub rotations_per_minute: Option<u16>,
    /// Whether it says it has no moving parts.
    pub solid_state: bool,
    /// Form factor in words.
    pub form_factor: Option<String>,
    /// Negotiated speed of the link: `6.0 Gb/s`.
    pub link_now: Option<String>,
    /// Fastest that the drive can: `6.0 Gb/s`.
    pub link_possible: Option<String>,
    /// Commands in the queue of the drive.
    pub queue_depth: Option<u32>,
    /// Whether it takes TRIM.
    pub trim: bool,
    /// What a trimmed block reads as, in words.
    pub after_trim: String,
    /// Volatile write cache: absent where it has none.
    pub write_cache_enabled: Option<bool>,
    /// Whether SMART is on.
    pub smart_enabled: bool,
    /// The drive's own verdict; absent where it cannot be asked.
    pub smart_failing: Option<bool>,
    /// State of the ATA security feature in words.
    pub security: String,
    /// Whether it answers TCG commands (trusted computing feature set).
    pub trusted_computing: bool,
    /// Ways it can be sanitised, in words.
    pub sanitize: Vec<String>,
    /// SMART attributes.
    pub attributes: Vec<SmartAttribute>,
}
