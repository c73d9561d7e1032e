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
    /// A folder, a file to make (with --new-file), or a block device (with --destroy). Several: each alone, then all at
    /// once, and how much each lost.
    #[arg(required = true, value_name = "TARGET", value_hint = ValueHint::AnyPath)]
    pub targets: Vec<PathBuf>,
    /// With several targets: only all at once, without each alone before; default what the methodology says.
    #[arg(long)]
    pub together_only: bool,
    /// With several targets: only each by itself, one after the other, without all at once.
    #[arg(long, conflicts_with = "together_only")]
    pub each_only: bool,
    /// Folder that files are copied from, where the methodology copies files: best on a faster drive than the target.
    /// The run makes a folder of its own in it and removes it. Without: their content is made in memory.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub source: Option<PathBuf>,
    /// Also write a page; an existing file that drivelab did not write is never replaced.
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
