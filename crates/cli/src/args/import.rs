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
    /// File to write [default: stdout]. An existing file is never replaced.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Kind of file [default: guessed from its first line].
    #[arg(long, value_enum, value_name = "TOOL")]
    pub from: Option<ForeignFormat>,
    /// Print what became of each option as one JSON document; needs --output.
    #[arg(long, requires = "output")]
    pub json: bool,
}
