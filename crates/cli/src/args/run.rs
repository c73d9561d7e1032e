//! Arguments of `drivelab run`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::condition::ConditionArgs;
use super::measure::MeasureArgs;
use super::trace::GivenTraces;

/// `drivelab run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Name of a built-in methodology, or a TOML file.
    pub method: String,
    /// A folder, a file to create (with --new-file), or a block device (with --destroy). Several targets are measured
    /// one by one, then all at once.
    #[arg(required = true, value_name = "TARGET", value_hint = ValueHint::AnyPath)]
    pub targets: Vec<PathBuf>,
    /// With several targets: only measure them all at once [default: as the methodology states].
    #[arg(long)]
    pub together_only: bool,
    /// With several targets: only measure them one by one.
    #[arg(long, conflicts_with = "together_only")]
    pub each_only: bool,
    /// Folder to copy files from, if the methodology copies files; best on a faster drive than the target. The run
    /// creates a folder in it and removes it. Without this flag, the files' content comes from memory.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub source: Option<PathBuf>,
    /// Also write the result as an HTML page. An existing file is only replaced if drivelab wrote it.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// How to measure.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Files for its traces.
    #[command(flatten)]
    pub traces: GivenTraces,
    /// What is set up before and undone afterwards.
    #[command(flatten)]
    pub conditions: ConditionArgs,
}
