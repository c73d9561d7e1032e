//! The lines of `drivelab watch --json`, and the document of `--cost`.

use std::path::PathBuf;

use drivelab_core::finding::Finding;
use drivelab_core::telemetry::{SourceDescription, TelemetryDescribed};
use drivelab_core::watching_cost::ReadLatency;
use schemars::JsonSchema;
use serde::Serialize;

/// One line of output: first what is watched, then the readings once a second, at the end a summary.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum WatchLine {
    /// The first line.
    Begin {
        /// `drivelab.watch`.
        schema: &'static str,
        /// Version of this document. Raised when readers of the previous version would misread the new one.
        schema_version: u32,
        /// What the user named.
        target: PathBuf,
        /// The sources, and what cannot be watched and why.
        watching: TelemetryDescribed,
    },
    /// The readings so far.
    Now {
        /// Seconds since the watch began.
        at_s: f64,
        /// One row for each quantity that has a value.
        now: Vec<WatchRow>,
    },
    /// The last line.
    End {
        /// Seconds since the watch began.
        at_s: f64,
        /// One row for each quantity that has a value.
        summary: Vec<WatchRow>,
        /// Readings of the drive in this time that cannot be true.
        findings: Vec<Finding>,
        /// Exit code of the command that was run, as a shell reports it (128 plus the signal number if a signal ended
        /// it); null if there was no command.
        command_exit_code: Option<i32>,
    },
}

impl WatchLine {
    /// The first line.
    #[must_use]
    pub const fn begin(target: PathBuf, watching: TelemetryDescribed) -> Self {
        WatchLine::Begin { schema: "drivelab.watch", schema_version: 1, target, watching }
    }
}

/// A quantity over the time of the watch.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchRow {
    /// Source and series, for programs: `hwmon:nvme0n1 Composite`.
    pub name: String,
    /// The quantity in words: `nvme0n1 temperature, Composite`.
    pub label: String,
    /// Unit of all figures. Counters of transitions, errors and times above a limit count from the start of the watch;
    /// `bits` are the bits of the drive's critical warning.
    pub unit: &'static str,
    /// Latest value.
    pub now: Option<f64>,
    /// Smallest value; null for a counter.
    pub min: Option<f64>,
    /// Mean over time; null for a counter.
    pub mean: Option<f64>,
    /// Largest value; null for a counter.
    pub max: Option<f64>,
}

/// The cost of watching.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchCost {
    /// `drivelab.watch-cost`.
    pub schema: &'static str,
    /// Version of this document. Raised when readers of the previous version would misread the new one.
    pub schema_version: u32,
    /// What the user named.
    pub target: PathBuf,
    /// The sources, each with the cost of a reading.
    pub sources: Vec<SourceDescription>,
    /// Latency of reads of the target while nothing was watched.
    pub without: ReadLatency,
    /// Latency of reads of the target while every source was watched.
    pub with: ReadLatency,
}
