//! The document of `drivelab wipe --json`.

use std::path::PathBuf;

use drivelab_core::target::GuardDecision;
use drivelab_core::units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

/// What was emptied, how, and what was read back; of a dry run what would be.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WipeDocument {
    /// `drivelab.wipe`.
    pub schema: &'static str,
    /// Raised when readers of the version before would misread it.
    pub schema_version: u32,
    /// Whether nothing was written, because only what would be done was asked for.
    pub dry_run: bool,
    /// The device.
    pub target: PathBuf,
    /// `discard`, `write-zeroes`, `format`, `sanitize` or `overwrite`.
    pub how: &'static str,
    /// Length of the device in bytes.
    pub bytes: Bytes,
    /// Why it may be written, which device it is and what was found on it.
    pub guard: GuardDecision,
    /// Bytes that were emptied; absent of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_done: Option<Bytes>,
    /// Whether it was stopped before the end; absent of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<bool>,
    /// Seconds that it took; absent of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What was read back; null where it was stopped before, and of a dry run.
    pub check: Option<WipeCheck>,
}

/// What samples said after the device was emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WipeCheck {
    /// Blocks of 4 KiB that were read.
    pub blocks: u64,
    /// Blocks that do not hold what they should.
    pub wrong: u64,
    /// Byte at which the first of those begins.
    pub first_wrong: Option<u64>,
}

impl WipeDocument {
    /// Of a dry run: everything that is known before.
    #[must_use]
    pub const fn planned(target: PathBuf, how: &'static str, bytes: Bytes, guard: GuardDecision) -> Self {
        WipeDocument {
            schema: "drivelab.wipe",
            schema_version: 1,
            dry_run: true,
            target,
            how,
            bytes,
            guard,
            bytes_done: None,
            stopped: None,
            seconds: None,
            check: None,
        }
    }
}
