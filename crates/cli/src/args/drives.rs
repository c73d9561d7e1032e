//! Arguments of `drivelab drives`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Shown below the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab drives                              list the known drives
  drivelab drives samsung-960-evo              all facts about one, by its short name
  drivelab drives 'Samsung SSD 960 EVO 250GB'  the same, by the model string that the drive reports
  drivelab drives --check my-drive.toml        check a file of your own

Your own files: drives/*.toml in the configuration folder (docs/guide/drives.md).";

/// `drivelab drives`.
#[derive(Debug, Args)]
pub struct DrivesArgs {
    /// Short name, or the model that a drive reports [default: list all].
    pub name: Option<String>,
    /// Check a data sheet file instead.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "name")]
    pub check: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}
