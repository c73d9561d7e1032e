//! Flags of `drivelab methods import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ForeignFormat {
    /// A fio job file.
    Fio,
    /// A Vdbench parameter file.
    Vdbench,
}

/// `drivelab methods import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file to import.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Where to write the methodology; default stdout. An existing file is never replaced.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Whose file it is [default: as its first line with content looks].
    #[arg(long, value_enum, value_name = "TOOL")]
    pub from: Option<ForeignFormat>,
    /// The list of what became of each option as one JSON document on stdout; needs --output.
    #[arg(long, requires = "output")]
    pub json: bool,
}
