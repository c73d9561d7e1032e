//! The document of what a command would do: for a run of one target, under conditions, of several targets at once, and
//! for what is left of a run that is resumed.
//!
//! Parts that an order has nothing to say about are absent.

use std::path::PathBuf;

use drivelab_core::condition::Condition;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, LeftOut};
use drivelab_core::units::{Bytes, BytesPerSecond};
use schemars::JsonSchema;
use serde::Serialize;

/// What would be done.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DryRun {
    /// `drivelab.dry-run`.
    pub schema: &'static str,
    /// Raised when readers of the version before would misread it.
    pub schema_version: u32,
    /// The methodology.
    pub method: String,
    /// Its version.
    pub method_version: String,
    /// In which form.
    pub form: Form,
    /// The stored run that would go on; absent of a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Steps of one run, each round counted; under several conditions those of the longest.
    pub steps: usize,
    /// Steps that are not finished; absent of a new run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_left: Option<usize>,
    /// Seconds that all of it is expected to take.
    pub estimated_time_s: f64,
    /// Bytes that all of it is expected to write.
    pub estimated_written: Bytes,
    /// Whether a faster drive would be written more, as steps that write last a fixed time.
    pub written_by_time: bool,
    /// Whether a slower drive would take longer, as steps end by volume, passes or operations.
    pub timed_by_rate: bool,
    /// Bytes per second of sequential operations that time and bytes are reckoned with (`--assume-rate`).
    pub assumed_rate: BytesPerSecond,
    /// The target, where there is one.
    #[serde(flatten)]
    pub target: Option<DryRunTarget>,
    /// The targets, where they are several at once, in the order of their letters; absent of one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<DryRunTarget>,
    /// What would be set up on the target, in this order, each measured and undone; absent where nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Tests that would not run, and why; absent where all would.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Parameters set on the command line; absent where none is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// What else the user should know, a sentence each.
    pub remarks: Vec<String>,
}

/// What would be measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DryRunTarget {
    /// What the user named.
    pub target: PathBuf,
    /// Bytes of it that are tested.
    pub length: Bytes,
    /// Bytes of it that are expected to be written, in all runs.
    pub written: Bytes,
    /// Capacity of the device below it in bytes, where that is known.
    pub device_capacity: Option<Bytes>,
    /// Bytes expected to be written as a multiple of that capacity.
    pub drive_writes: Option<f64>,
    /// What is known of the wear.
    pub endurance: String,
    /// Of a block device: which one it is and what is on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DryRunDevice>,
}

/// A block device that is measured itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DryRunDevice {
    /// The kernel's name.
    pub name: String,
    /// Model, where it has one.
    pub model: Option<String>,
    /// Serial number, where it has one.
    pub serial: Option<String>,
    /// Its content, a phrase each; empty where nothing was found.
    pub found: Vec<String>,
    /// What was looked at to find it, one phrase.
    pub looked_at: String,
    /// The user's word that writing to it needs; absent where it is only read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destroy: Option<DryRunDestroy>,
}

/// The word that lets a block device be overwritten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DryRunDestroy {
    /// The ID that `--destroy` needs: serial number, or the kernel's name where there is none.
    pub id: String,
    /// The flag as a shell takes it.
    pub flag: String,
    /// Whether this command named the device; without it the same command is refused.
    pub named: bool,
}

impl DryRun {
    /// Name of the document.
    pub const SCHEMA: &'static str = "drivelab.dry-run";
    /// Its version.
    pub const VERSION: u32 = 1;
}
