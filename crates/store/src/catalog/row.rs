//! A run as the catalog shows it.

use drivelab_core::event::RunState;
use drivelab_core::ids::RunId;
use drivelab_core::plan::Form;
use drivelab_core::units::Bytes;

/// A run as the catalog shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// State of the run.
    pub state: RunState,
    /// Whether a process is recording it now.
    pub live: bool,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// Name of the methodology.
    pub method: String,
    /// Its version.
    pub method_version: String,
    /// Its hash.
    pub method_hash: String,
    /// Its form; `smoke` (not usable for comparisons) if the bundle does not state it.
    pub form: Form,
    /// What was measured, for display: the title of the plan; empty if the bundle does not state it.
    pub title: String,
    /// Path of the target.
    pub target: String,
    /// Model of the drive.
    pub drive: Option<String>,
    /// Its serial number.
    pub serial: Option<String>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// Its capacity.
    pub capacity: Option<Bytes>,
    /// The host: processor and board; empty if the bundle does not state it.
    pub testbed: String,
    /// Tags that the user gave it, in their order.
    pub tags: Vec<String>,
    /// Number of finished executions.
    pub steps_done: u32,
    /// Number of executions in the plan.
    pub steps_total: u32,
    /// Why the bundle cannot be used; the facts above are then as far as they could be read.
    pub damaged: Option<String>,
}
