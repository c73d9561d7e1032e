//! Arguments of the commands that only look at targets.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// `drivelab targets`.
#[derive(Debug, Args)]
pub struct TargetsArgs {
    /// Include loop and zram devices and optical drives.
    #[arg(long)]
    pub all: bool,
    /// Print one JSON document (docs/formats/targets.schema.json).
    #[arg(long)]
    pub json: bool,
}

/// `drivelab show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A device (path, kernel name, by-id name or serial number), or a file or folder on it.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: PathBuf,
    /// Print one JSON document (docs/formats/show.schema.json), with the raw log pages.
    #[arg(long)]
    pub json: bool,
}
