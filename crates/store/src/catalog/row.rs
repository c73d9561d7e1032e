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
    /// How it stands.
    pub state: RunState,
    /// A process records it now.
    pub live: bool,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// Name of the methodology.
    pub method: String,
    /// Its version.
    pub method_version: String,
    /// Its hash.
    pub method_hash: String,
    /// Its form; `smoke` (fit for no comparison) where the bundle cannot say.
    pub form: Form,
    /// What was measured, for people: the title of the plan; empty where the bundle cannot say.
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
    /// The host: processor and board; empty where the bundle cannot say.
    pub testbed: String,
    /// Words that the user put on it, in their order.
    pub tags: Vec<String>,
    /// Executions that finished.
    pub steps_done: u32,
    /// Executions in the plan.
    pub steps_total: u32,
    /// Why the bundle cannot be used; the facts above are then as good as could be read.
    pub damaged: Option<String>,
}
