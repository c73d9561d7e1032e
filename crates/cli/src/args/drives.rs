//! Arguments of `drivelab drives`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use drivelab_core::units::Bytes;

/// Shown below the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab drives                              list the known drives, and your names and prices
  drivelab drives samsung-960-evo              all facts about one, by its short name
  drivelab drives 'Samsung SSD 960 EVO 250GB'  the same, by the model string that the drive reports
  drivelab drives samsung-980-pro --daily 50GB  how long each capacity lasts
  drivelab drives --check my-drive.toml        check a file of your own
  drivelab drives name S5H9NX0N 'Desk 500 GB'  a name for the drive with this serial number, in comparisons
  drivelab drives price '970 EVO' '54.90 EUR'  what drives of this model cost today, for comparisons

Your own files: drives/*.toml in the configuration folder (docs/guide/drives.md).";

/// `drivelab drives`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DrivesArgs {
    /// What to set for a drive.
    #[command(subcommand)]
    pub command: Option<DrivesCommand>,
    /// Short name, or the model that a drive reports [default: list all].
    pub name: Option<String>,
    /// Check a data sheet file instead.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "name")]
    pub check: Option<PathBuf>,
    /// Data written per day, such as 50GB: shows how many years the rated endurance lasts.
    #[arg(long, value_name = "SIZE", requires = "name", conflicts_with = "json")]
    pub daily: Option<Bytes>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// What the user can set for a drive.
#[derive(Debug, Subcommand)]
pub enum DrivesCommand {
    /// Name a drive; comparisons and rankings show the name instead of the model.
    Name {
        /// A serial number (one drive), a part of the model (all drives of that model), or the target of a drive that
        /// reports no model. A stored run must be of it.
        drive: String,
        /// Its name; '' removes it.
        name: String,
    },
    /// Set the price of a drive; comparisons then show the price per GB and the performance per unit of currency.
    Price {
        /// A serial number (one drive), a part of the model (all drives of that model), or the target of a drive that
        /// reports no model. A stored run must be of it.
        drive: String,
        /// Amount and currency: '54.90 EUR' (as of today) or '54.90 EUR on 2026-11-20'; '' removes it.
        #[arg(allow_hyphen_values = true)]
        price: String,
    },
}
