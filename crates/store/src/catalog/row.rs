//! A run as the catalog shows it.

use drivelab_core::event::RunState;
use drivelab_core::ids::RunId;
use drivelab_core::plan::Form;
use drivelab_core::units::Bytes;

use drivelab_core::label::Label;

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
    /// Profile of the methodology; empty if it has none.
    pub profile: String,
    /// How long it took, from its start to its last event, milliseconds; 0 if it is not sealed.
    pub length_ms: u64,
    /// What the user calls it.
    pub label: Label,
    /// Number of finished executions.
    pub steps_done: u32,
    /// Number of executions in the plan.
    pub steps_total: u32,
    /// Why the bundle cannot be used; the facts above are then as far as they could be read.
    pub damaged: Option<String>,
}

/// Prefix of the names of scratch files.
const SCRATCH: &str = ".drivelab-scratch-";

impl RunRow {
    /// The target as the user named it: of a scratch file its folder, because its own name means nothing to people.
    #[must_use]
    pub fn place(&self) -> &str {
        match self.target.rsplit_once('/') {
            Some((folder, name)) if name.starts_with(SCRATCH) => folder,
            _ => &self.target,
        }
    }

    /// The model of the drive; of a drive that reports none the target.
    #[must_use]
    pub fn drive_or_place(&self) -> &str {
        self.drive.as_deref().map_or_else(|| self.place(), str::trim)
    }

    /// Whether the serial number of the drive is this one.
    #[must_use]
    pub fn has_serial(&self, serial: &str) -> bool {
        self.serial.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(serial))
    }
}
