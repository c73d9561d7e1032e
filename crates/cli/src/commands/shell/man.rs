//! `drivelab man`: pages generated from the same definition as the command line itself.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use drivelab_core::exit::ExitCode;
use drivelab_lab::output::new_file::NewFile;
use drivelab_lab::{Failure, Result};

use crate::args::Cli;
use crate::say;

/// Most bytes of a man page.
const LONGEST: u64 = 4 << 20;

/// Writes one man page per command.
///
/// # Errors
/// The folder cannot be written.
pub fn man(folder: &Path, dry_run: bool) -> Result {
    if dry_run {
        say::data(&format!("Dry run: would write a man page for each command to {}\n", folder.display()))?;
        return Ok(ExitCode::Ok);
    }
    let unwritable = |error: std::io::Error| {
        Failure::new(
            ExitCode::TargetUnusable,
            format!("the man pages cannot be written to {}: {error}; name another folder", folder.display()),
        )
    };
    let pages = pages().map_err(unwritable)?;
    // Before the first page is written, so that either all pages are written or none.
    pages.iter().try_for_each(|(name, _)| refuse_foreign(&folder.join(name)))?;
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    for (name, page) in pages {
        let new = NewFile::begin(folder).map_err(unwritable)?;
        new.file().write_all(&page).and_then(|()| new.replace(&folder.join(name))).map_err(unwritable)?;
    }
    Ok(ExitCode::Ok)
}

/// The pages by name.
fn pages() -> std::io::Result<Vec<(OsString, Vec<u8>)>> {
    let made = tempfile::tempdir()?;
    clap_mangen::generate_to(Cli::command(), made.path())?;
    let entries = std::fs::read_dir(made.path())?;
    entries.map(|entry| entry.and_then(|entry| Ok((entry.file_name(), std::fs::read(entry.path())?)))).collect()
}

/// Refuses to replace existing files that are not man pages of drivelab.
fn refuse_foreign(path: &Path) -> Result<()> {
    let ours = match std::fs::symlink_metadata(path) {
        Err(_) => true,
        Ok(facts) => facts.is_file() && is_ours(&drivelab_core::input::read(path, LONGEST).unwrap_or_default()),
    };
    if ours {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::GuardRefused,
        format!(
            "{} exists and is not a man page of drivelab; nothing was written. Move it away, or name another folder",
            path.display()
        ),
    ))
}

/// Whether it is a page with drivelab's name in its title line (`.TH`, man(7)).
fn is_ours(page: &[u8]) -> bool {
    let text = String::from_utf8_lossy(page);
    let title = text.lines().find_map(|line| line.strip_prefix(".TH "));
    title.is_some_and(|title| title.trim_start_matches('"').to_lowercase().starts_with("drivelab"))
}
