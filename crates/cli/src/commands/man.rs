//! `drivelab completions` and `drivelab man`: made from the same definition as the command line itself.

use std::path::Path;

use clap::CommandFactory;
use drivelab_core::exit::ExitCode;

use crate::args::Cli;
use crate::fail::{Failure, Result};
use crate::say;

/// Prints the completions of a shell.
///
/// # Errors
/// Only where stdout cannot be written.
pub fn completions(shell: clap_complete::Shell) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "drivelab", &mut script);
    say::data(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::Ok)
}

/// Writes one man page a command.
///
/// # Errors
/// Where the folder cannot be written.
pub fn man(folder: &Path, dry_run: bool) -> Result {
    if dry_run {
        say::data(&format!("Dry run: would write a man page for each command to {}\n", folder.display()))?;
        return Ok(ExitCode::Ok);
    }
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|error| {
        Failure::new(
            ExitCode::TargetUnusable,
            format!("the man pages cannot be written to {}: {error}; name another folder", folder.display()),
        )
    })?;
    Ok(ExitCode::Ok)
}
