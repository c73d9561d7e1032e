//! The lines of `drivelab watch --json`, and the document of `--cost`.

use std::path::PathBuf;

use drivelab_core::finding::Finding;
use drivelab_core::telemetry::{SourceDescription, TelemetryDescribed};
use drivelab_core::watching_cost::ReadLatency;
use schemars::JsonSchema;
use serde::Serialize;

/// One line: first what is watched, then every second what was read, at the end a summary.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum WatchLine {
    /// The first line.
    Begin {
        /// `drivelab.watch`.
        schema: &'static str,
        /// Raised when readers of the version before would misread it.
        schema_version: u32,
        /// What the user named.
        target: PathBuf,
        /// The sources, and what is not watched and why.
        watching: TelemetryDescribed,
    },
    /// What was read until now.
    Now {
        /// Seconds since the watch began.
        at_s: f64,
        /// Every quantity that has a value.
        now: Vec<WatchRow>,
    },
    /// The last line.
    End {
        /// Seconds since the watch began.
        at_s: f64,
        /// Every quantity that has a value.
        summary: Vec<WatchRow>,
        /// What the drive said in this time that cannot be true.
        findings: Vec<Finding>,
        /// What the command ended with, as a shell tells it (128 and the signal); null where there was none.
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
    /// The same in words: `nvme0n1 temperature, Composite`.
    pub label: String,
    /// Unit of all figures. Counters of transitions, errors and times above a limit say how far they rose since the
    /// watch began; `bits` are those of the drive's critical warning.
    pub unit: &'static str,
    /// Newest value.
    pub now: Option<f64>,
    /// Smallest value; null of what only rises.
    pub min: Option<f64>,
    /// Mean over time; null of what only rises.
    pub mean: Option<f64>,
    /// Largest value; null of what only rises.
    pub max: Option<f64>,
}

/// What watching costs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchCost {
    /// `drivelab.watch-cost`.
    pub schema: &'static str,
    /// Raised when readers of the version before would misread it.
    pub schema_version: u32,
    /// What the user named.
    pub target: PathBuf,
    /// The sources, each with what a reading costs.
    pub sources: Vec<SourceDescription>,
    /// Reads of the target while nothing was watched.
    pub without: ReadLatency,
    /// The same while everything was.
    pub with: ReadLatency,
}
