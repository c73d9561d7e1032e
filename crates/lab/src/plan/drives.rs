//! The drive facts on this computer: the built-in ones and the user's own.

use std::path::Path;

use drivelab_core::drive_facts::DriveFacts;
use drivelab_device::drive_facts::{DriveLibrary, FactsError, Known};

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::voice::Voice;

/// The built-in drive facts, and the user's own if their folder exists.
///
/// # Errors
/// One of the user's files is wrong.
pub fn library(folder: Option<&Path>, voice: &Voice) -> Result<DriveLibrary> {
    let mut library = DriveLibrary::built_in();
    if let Some(folder) = folder {
        match library.add_folder(folder) {
            // Another user with the same HOME: the built-in facts are still valid.
            Err(FactsError::Unreadable { path, source }) if source.kind() == std::io::ErrorKind::PermissionDenied => {
                voice.warn(format!(
                    "your own drive facts in {} are left out: this user may not read them; is HOME right?",
                    path.display()
                ));
            }
            added => added.map_err(|error| wrong(&error, voice.color))?,
        }
    }
    Ok(library)
}

/// Turns an error of a drive facts file into a message for the user.
#[must_use]
pub fn wrong(error: &FactsError, color: bool) -> Failure {
    match error {
        FactsError::Unreadable { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            Failure::nothing(error.render(color))
        }
        FactsError::Unreadable { .. } => Failure::usage(error.render(color)),
        FactsError::Wrong { file, mistakes, .. } => {
            let mistakes =
                if mistakes.len() == 1 { "a mistake".to_owned() } else { format!("{} mistakes", mistakes.len()) };
            Failure::usage(format!("{mistakes} in {file}\n{}", error.render(color).trim_end()))
        }
    }
}

/// The facts of a known drive by its name, or of a file: a name that ends in `.toml` or contains a slash is a file.
///
/// # Errors
/// No known drive has this name, or the file is wrong or cannot be read.
pub fn named(lab: &Lab<'_>, name: &Path) -> Result<DriveFacts> {
    let text = name.display().to_string();
    if text.contains('/') || name.extension().is_some_and(|ending| ending == "toml") {
        return drivelab_device::drive_facts::read(name).map_err(|error| wrong(&error, lab.voice.color));
    }
    known(&library(lab.drives, lab.voice)?, &text).map(|known| known.facts.clone())
}

/// The facts of a known drive, by its name or by a model string.
///
/// # Errors
/// No known drive has it.
pub fn known<'l>(library: &'l DriveLibrary, name: &str) -> Result<&'l Known> {
    library.named(name).or_else(|| library.facts_for(name, None)).ok_or_else(|| {
        let lower = name.to_lowercase();
        let near = library
            .all()
            .iter()
            .find(|known| known.facts.name.contains(&lower) || known.facts.title.to_lowercase().contains(&lower));
        let near = near.map(|known| format!("; did you mean '{}'?", known.facts.name)).unwrap_or_default();
        Failure::nothing(format!(
            "no known drive is called '{name}'{near}\n`drivelab drives` lists all of them; your own file goes into \
             drives/ in the configuration folder (docs/guide/drives.md)"
        ))
    })
}
