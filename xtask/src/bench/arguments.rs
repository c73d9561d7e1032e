//! The arguments of the bench of the engine.

use std::path::PathBuf;

use clap::Args;

/// How the engine is measured.
#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    /// Only these rows (`3` also means `3-method`), separated by commas
    #[arg(long, value_delimiter = ',', value_name = "ROW,…")]
    pub(super) only: Vec<String>,
    /// Pairs of runs per row; figures are medians
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(super) runs: usize,
    /// Length of one run in seconds
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(super) seconds: u64,
    /// The CPU that both sides are pinned to; rows with two threads also use the lowest other one
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(super) cpu: usize,
    /// The program t/io_uring, built from fio's source; without it its rows are left out
    #[arg(long, value_name = "PATH")]
    pub(super) peer_t_io_uring: Option<PathBuf>,
    /// This drivelab instead of building target/release/drivelab
    #[arg(long, value_name = "PATH")]
    pub(super) drivelab: Option<PathBuf>,
    /// Seconds that a row may wait until the machine is calm
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub(super) patience: u64,
    /// Where the result goes [default: bench/engine.json in the target folder]
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Exit code 1 unless every measured row reached its requirement
    #[arg(long)]
    pub(super) check: bool,
    /// Lists the rows with their commands and measures nothing
    #[arg(long)]
    pub(super) list: bool,
}
