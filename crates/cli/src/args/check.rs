//! The flags of `drivelab check`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{BackendArg, TelemetryArgs};

/// Shown below the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  sudo drivelab check /dev/nvme0n1      the drive: its logs, and reads at 25 places
  sudo drivelab check /mnt/drive        the drive below a folder
  drivelab check /mnt/drive/film.mkv    the logs of the drive below a file, reads of the file
  sudo drivelab check /dev/sda -o for-the-seller.html --redact
  drivelab check /dev/sda --json | jq -r .verdict.text

Nothing is written: the target is opened for reading only, and may be in use. -v prints the evidence of each answer. \
Exit code 3 means that the verdict is `Do not buy`. Reading cannot prove that the capacity exists: only \
`drivelab run genuine` can, and it destroys the data on the drive.";

/// `drivelab check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A device (path, kernel name, by-id name or serial number), or a file or folder on it.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: PathBuf,
    /// Also write the result as an HTML page. An existing file is only replaced if drivelab wrote it.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "no_read")]
    pub output: Option<PathBuf>,
    /// Leave serial numbers and folder names out of the page.
    #[arg(long, requires = "output")]
    pub redact: bool,
    /// Print one JSON document (docs/formats/check.schema.json).
    #[arg(long)]
    pub json: bool,
    /// Do not store the result.
    #[arg(long)]
    pub no_save: bool,
    /// Read only what the drive reports about itself, no data.
    #[arg(long)]
    pub no_read: bool,
    /// Set a parameter of all tests of the methodology `check` (KEY=VALUE) or of one (TEST.KEY=VALUE).
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How the I/O is issued.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// What is watched beside the I/O.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
}
