//! The document of what a command would do: a run of one target, a run under conditions, a run of several targets at
//! once, or the rest of a run that is resumed.
//!
//! Parts that do not apply to a command are absent.

use std::path::PathBuf;

use drivelab_core::condition::Condition;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, LeftOut};
use drivelab_core::units::{Bytes, BytesPerSecond};
use schemars::JsonSchema;
use serde::Serialize;

/// What the command would do.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DryRun {
    /// `drivelab.dry-run`.
    pub schema: &'static str,
    /// Version of this document. Raised when readers of the previous version would misread the new one.
    pub schema_version: u32,
    /// The methodology.
    pub method: String,
    /// Version of the methodology.
    pub method_version: String,
    /// Form of the methodology.
    pub form: Form,
    /// The stored run that would be resumed; absent for a new run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Steps of one run, counting every round. Under several conditions: steps of the longest run.
    pub steps: usize,
    /// Steps that are not finished; absent for a new run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_left: Option<usize>,
    /// Estimated duration of the whole command in seconds.
    pub estimated_time_s: f64,
    /// Estimated bytes that the whole command writes.
    pub estimated_written: Bytes,
    /// Whether more would be written to a faster drive, because steps that write last a fixed time.
    pub written_by_time: bool,
    /// Whether a slower drive would take longer, because steps end by volume, passes or operations.
    pub timed_by_rate: bool,
    /// Sequential rate in bytes per second on which the estimates of time and bytes are based (`--assume-rate`).
    pub assumed_rate: BytesPerSecond,
    /// The target, if there is only one.
    #[serde(flatten)]
    pub target: Option<DryRunTarget>,
    /// The targets of a run of several at once, in the order of their letters; absent for a single target.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<DryRunTarget>,
    /// The conditions that would be set up on the target, in this order, each measured and then undone; absent if there
    /// are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Tests that would not run, and why; absent if all would.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Parameters set on the command line; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// Conditions of the methodology on figures under which the run would fail; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// What else the user should know, a sentence each.
    pub remarks: Vec<String>,
}

/// A target that would be measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DryRunTarget {
    /// What the user named.
    pub target: PathBuf,
    /// Bytes of the target that would be tested.
    pub length: Bytes,
    /// Estimated bytes written to the target, in all runs together.
    pub written: Bytes,
    /// Capacity in bytes of the device below the target; null if unknown.
    pub device_capacity: Option<Bytes>,
    /// Estimated bytes written as a multiple of that capacity; null if it is unknown.
    pub drive_writes: Option<f64>,
    /// What is known about the wear, a phrase.
    pub endurance: String,
    /// If the target is a block device: which one it is and what is on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DryRunDevice>,
}

/// A block device that is the target itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DryRunDevice {
    /// The kernel's name.
    pub name: String,
    /// Model; null if it has none.
    pub model: Option<String>,
    /// Serial number; null if it has none.
    pub serial: Option<String>,
    /// Content that was found on it, a phrase each; empty if nothing was found.
    pub found: Vec<String>,
    /// What was searched for content, one phrase.
    pub looked_at: String,
    /// The `--destroy` flag that writing to it needs; absent if it is only read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destroy: Option<DryRunDestroy>,
}

/// The flag that permits overwriting a block device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DryRunDestroy {
    /// The ID to give with `--destroy`: the serial number, or the kernel's name if there is none.
    pub id: String,
    /// The flag as to be typed in a shell.
    pub flag: String,
    /// Whether this command has the flag; without it the run is refused.
    pub named: bool,
}

impl DryRun {
    /// Name of the document.
    pub const SCHEMA: &'static str = "drivelab.dry-run";
    /// Its version.
    pub const VERSION: u32 = 1;
}
