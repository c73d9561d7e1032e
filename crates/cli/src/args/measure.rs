//! Flags of every command that measures.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use drivelab_core::units::Bytes;
use drivelab_method::SpeedGuess;

use super::telemetry::TelemetryArgs;
use super::words::{BackendArg, EventsArg, FormArg, assumed_rate};

/// What every command that measures takes.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Profile of the methodology, where it has several (`drivelab methods show` names them) [default: its first].
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Form of the methodology [default: quick, or the only form it has].
    #[arg(long, value_enum)]
    pub form: Option<FormArg>,
    /// Permit that this is overwritten: the existing file itself, or of a block device its serial number, its name in
    /// /dev/disk/by-id, or the kernel's name where it has no serial number.
    /// Once for each target that is written.
    #[arg(long, value_name = "ID", value_hint = ValueHint::FilePath)]
    pub destroy: Vec<PathBuf>,
    /// Ask nothing. Alone it permits nothing: a block device is written only where --destroy names it.
    #[arg(long, short)]
    pub yes: bool,
    /// Make the scratch file under the name that the target has, which must not be there yet, in a folder that is; it
    /// is removed at the end. Without this flag a target that is not there is refused.
    #[arg(long)]
    pub new_file: bool,
    /// Size of the scratch file; default what the methodology wants, at most 10 % of free space.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,
    /// What is printed of the drive: the name of a known drive (`drivelab drives`), or a TOML file of drive facts;
    /// default the facts that its model string fits.
    #[arg(long, value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub facts: Option<PathBuf>,
    /// Set a parameter of every test (KEY=VALUE) or of one (TEST.KEY=VALUE); VALUE as in the file, a list such as 1,2,8
    /// or doublings such as 1..64. May be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Engine that issues the I/O.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Leave serial numbers and folder names out of the page, for one that is published.
    #[arg(long)]
    pub redact: bool,
    /// Say what would be done, how long it takes and how much it writes; touch nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Reckon time and bytes with a drive of this sequential rate, such as 3.5GB/s, and random operations in proportion
    /// to it [default: 500MB/s].
    #[arg(long, value_name = "RATE", requires = "dry_run", value_parser = assumed_rate)]
    pub assume_rate: Option<SpeedGuess>,
    /// How the run and its result are printed.
    #[command(flatten)]
    pub print: PrintArgs,
    /// What is watched beside the I/O.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
}

/// How a run and its result are printed.
#[derive(Debug, Args)]
pub struct PrintArgs {
    /// Print every event while it happens.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub events: Option<EventsArg>,
    /// Print the result as one JSON document instead of the table.
    #[arg(long)]
    pub json: bool,
}
