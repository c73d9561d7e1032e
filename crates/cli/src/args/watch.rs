//! The flags of `drivelab watch`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use drivelab_core::units::Nanos;

use super::TelemetryArgs;

/// Shown below the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab watch /dev/nvme0n1                       until Ctrl-C, then a summary
  drivelab watch nvme0n1 --time 1min --json         one JSON object a line, a summary last
  drivelab watch /mnt/drive -- cp -r /src /mnt/drive/    during another program, whose exit code is returned
  drivelab watch . --power-file /tmp/watts -- fio job.fio
  drivelab watch nvme0n1 --cost                     what reading costs, and what it does to reads of the drive

With a COMMAND, drivelab prints everything to stderr and leaves stdout to the command. Nothing is written to the
target. Only what --cost finds is kept: later runs on that drive record it, and their reports state it.";

/// `drivelab watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// A device (path, kernel name or serial number), or a folder or file on it.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: PathBuf,
    /// How long to watch [default: until Ctrl-C or the end of COMMAND].
    #[arg(long, value_name = "TIME")]
    pub time: Option<Nanos>,
    /// Print one JSON object per line: the sources first, then the values of each second, then a summary.
    #[arg(long)]
    pub json: bool,
    /// Measure the cost of watching, alone and during reads of the target, and store it for later runs.
    #[arg(long, conflicts_with_all = ["time", "command"])]
    pub cost: bool,
    /// What is watched.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
    /// A program to run, with its arguments.
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}
