//! Flags of every command that measures.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use drivelab_analysis::AcceptanceLimit;
use drivelab_core::label::Label;
use drivelab_core::units::Bytes;
use drivelab_method::SpeedGuess;

use super::results::tag;
use super::telemetry::TelemetryArgs;
use super::words::{BackendArg, EventsArg, FormArg, assumed_rate, one_line, stated, title};

/// Flags of every command that measures.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Profile (variant) of the methodology, if it has several; `drivelab methods show` lists them [default: the
    /// first].
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Form (length) of the methodology [default: quick, or the only one it has].
    #[arg(long, value_enum)]
    pub form: Option<FormArg>,
    /// Allow this target to be overwritten. For a file: its path. For a block device: its serial number, its name in
    /// /dev/disk/by-id, or its kernel name if it has no serial number. Give it once for each target.
    #[arg(long, value_name = "ID", value_hint = ValueHint::FilePath)]
    pub destroy: Vec<PathBuf>,
    /// Do not ask. This alone allows nothing: a block device also needs --destroy.
    #[arg(long, short)]
    pub yes: bool,
    /// Create the target as a scratch file, in an existing folder, and remove it at the end. Without this flag, a
    /// target that does not exist is an error.
    #[arg(long)]
    pub new_file: bool,
    /// Size of the scratch file [default: as the methodology states, at most 10 % of the free space].
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,
    /// Drive facts (the figures of a data sheet) to compare with: the name of a known drive (`drivelab drives`) or a
    /// TOML file [default: those that fit the model].
    #[arg(long, value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub facts: Option<PathBuf>,
    /// Set a parameter of all tests (KEY=VALUE) or of one (TEST.KEY=VALUE). VALUE is as in the TOML file, a list
    /// (1,2,8) or powers of two (1..64). Can be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How the I/O is issued.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Leave serial numbers and folder names out of the page.
    #[arg(long)]
    pub redact: bool,
    /// Print what would be done, how long it takes and how much it writes, without doing it.
    #[arg(long)]
    pub dry_run: bool,
    /// Estimate time and bytes for a drive with this sequential rate, such as 3.5GB/s, and random rates in proportion
    /// [default: 500MB/s].
    #[arg(long, value_name = "RATE", requires = "dry_run", value_parser = assumed_rate)]
    pub assume_rate: Option<SpeedGuess>,
    /// What the run is called.
    #[command(flatten)]
    pub label: LabelArgs,
    /// How the run and its result are printed.
    #[command(flatten)]
    pub print: PrintArgs,
    /// What is watched beside the I/O.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
}

/// What a run is called. It is kept outside the run's seal, and can be changed later.
#[derive(Debug, Args)]
pub struct LabelArgs {
    /// Title of the run, for lists and comparisons.
    #[arg(long, value_name = "TEXT", value_parser = title)]
    pub title: Option<String>,
    /// A note about the run, such as how the drive was cooled.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// A tag, such as bench-2. Can be repeated.
    #[arg(long, value_name = "TAG", value_parser = tag)]
    pub tag: Vec<String>,
    /// A condition that drivelab cannot detect, for the page and comparisons: cooling=heatsink. Can be repeated.
    #[arg(long, value_name = "NAME=TEXT", value_parser = stated)]
    pub condition: Vec<(String, String)>,
}

impl From<&LabelArgs> for Label {
    fn from(asked: &LabelArgs) -> Label {
        let mut label = Label {
            title: asked.title.clone().unwrap_or_default(),
            note: one_line(asked.note.as_deref().unwrap_or_default()),
            tags: Vec::new(),
            conditions: asked.condition.iter().cloned().collect(),
        };
        label.add_tags(&asked.tag);
        label
    }
}

/// How a run and its result are printed.
#[derive(Debug, Args)]
pub struct PrintArgs {
    /// Print every event as it happens.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub events: Option<EventsArg>,
    /// Print the result as one JSON document instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Exit with code 3 if a figure is beyond a limit, is void or is missing:
    /// 'depths/rnd-4k-q1t1-read:read.latency_p99 > 1 ms'. Can be repeated.
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<AcceptanceLimit>,
}
