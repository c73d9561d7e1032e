//! Arguments of the commands that only look at targets.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// `drivelab targets`.
#[derive(Debug, Args)]
pub struct TargetsArgs {
    /// Also loop and zram devices and drives for discs.
    #[arg(long)]
    pub all: bool,
    /// As one JSON document (docs/formats/targets.schema.json).
    #[arg(long)]
    pub json: bool,
}

/// `drivelab show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A device, its kernel name, controller, by-id name or serial number, or a file or folder on it.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: PathBuf,
    /// As one JSON document (docs/formats/show.schema.json), with the pages behind it.
    #[arg(long)]
    pub json: bool,
}
