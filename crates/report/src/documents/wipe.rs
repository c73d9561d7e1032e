//! The document of `drivelab wipe --json`.

use std::path::PathBuf;

use drivelab_core::target::GuardDecision;
use drivelab_core::units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

/// What was wiped, how, and what was read back. For a dry run: what would be wiped.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WipeDocument {
    /// `drivelab.wipe`.
    pub schema: &'static str,
    /// Version of this document. Raised when readers of the previous version would misread the new one.
    pub schema_version: u32,
    /// Whether this was a dry run, which writes nothing.
    pub dry_run: bool,
    /// The device.
    pub target: PathBuf,
    /// The way of wiping: `discard`, `write-zeroes`, `format`, `sanitize` or `overwrite`.
    pub how: &'static str,
    /// Length of the device in bytes.
    pub bytes: Bytes,
    /// Why writing is allowed, which device it is and what was found on it.
    pub guard: GuardDecision,
    /// Bytes that were wiped; absent for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_done: Option<Bytes>,
    /// Whether it was stopped before the end; absent for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<bool>,
    /// Duration in seconds; absent for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What was read back; null if wiping was stopped before, and for a dry run.
    pub check: Option<WipeCheck>,
}

/// Sample blocks read back after the device was wiped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WipeCheck {
    /// Blocks of 4 KiB that were read.
    pub blocks: u64,
    /// Blocks that do not hold what a wiped block should.
    pub wrong: u64,
    /// Byte offset of the first such block; null if there is none.
    pub first_wrong: Option<u64>,
}

impl WipeDocument {
    /// The document of a dry run: everything that is known in advance.
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
