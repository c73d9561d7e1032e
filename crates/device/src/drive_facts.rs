//! Drive facts files: reading them, with errors that point into the file, and finding the file that matches a drive's
//! model.
//!
//! Owns the files that are part of the program (`reference/drives`) and the user's own files. The types are in
//! `core::drive_facts`. Must not know: where the user's folder is, and what the figures are compared with.

mod check;
mod library;
mod wrong;

use std::path::{Path, PathBuf};

use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::units::Bytes;

pub use library::BUILT_IN;
pub use wrong::{FactsError, Mistake};

/// Most bytes of a file of facts.
pub const LONGEST: u64 = 4 << 20;

/// Origin of a facts file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Part of the program: its path in the repository.
    BuiltIn(&'static str),
    /// The user's own.
    File(PathBuf),
}

impl Origin {
    /// The origin as text.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Origin::BuiltIn(path) => format!("built in ({path})"),
            Origin::File(path) => path.display().to_string(),
        }
    }
}

/// Facts and their origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The facts.
    pub facts: DriveFacts,
    /// Where from.
    pub origin: Origin,
}

/// All drives whose facts are known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DriveLibrary {
    known: Vec<Known>,
}

/// Reads a drive facts file. `file_name` is its name in messages.
///
/// # Errors
/// All mistakes in the file, with their positions.
pub fn parse(file_name: &str, text: &str) -> Result<DriveFacts, FactsError> {
    check::parse(file_name, text)
}

/// The JSON Schema of a drive facts file; docs/formats/drive-facts.schema.json is its checked-in copy.
#[must_use]
pub fn json_schema() -> serde_json::Value {
    drivelab_core::drive_facts::schema().to_value()
}

/// The program's facts for a drive of this model and capacity: [`DriveLibrary::facts_for`] of the built-in files.
#[must_use]
pub fn facts_for(model: &str, capacity: Option<Bytes>) -> Option<DriveFacts> {
    DriveLibrary::built_in().facts_for(model, capacity).map(|known| known.facts.clone())
}

impl DriveLibrary {
    /// The built-in files. A test checks that all of them can be read.
    #[must_use]
    pub fn built_in() -> DriveLibrary {
        let read = |(path, text): &(&'static str, &str)| {
            Some(Known { facts: parse(path, text).ok()?, origin: Origin::BuiltIn(path) })
        };
        let mut known: Vec<Known> = BUILT_IN.iter().filter_map(read).collect();
        known.sort_by(|left, right| left.facts.name.cmp(&right.facts.name));
        DriveLibrary { known }
    }

    /// Adds the `*.toml` files of a folder, if it exists. A file with a name that is already known replaces those
    /// facts.
    ///
    /// # Errors
    /// A folder or file that cannot be read, or a file that is wrong.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), FactsError> {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(FactsError::unreadable(folder, source)),
        };
        let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
        let mut paths = paths.map_err(|source| FactsError::unreadable(folder, source))?;
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
        paths.sort();
        for path in paths {
            let facts = read(&path)?;
            self.known.retain(|other| other.facts.name != facts.name);
            self.known.push(Known { facts, origin: Origin::File(path) });
        }
        self.known.sort_by(|left, right| left.facts.name.cmp(&right.facts.name));
        Ok(())
    }

    /// All facts, by name.
    #[must_use]
    pub fn all(&self) -> &[Known] {
        &self.known
    }

    /// The facts with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Known> {
        self.known.iter().find(|known| known.facts.name == name)
    }

    /// The facts that match a drive's model string: the strictest pattern wins, the user's own before the built-in;
    /// of two equal matches, the one that has this capacity.
    #[must_use]
    pub fn facts_for(&self, model: &str, capacity: Option<Bytes>) -> Option<&Known> {
        let fitting = self.known.iter().filter_map(|known| Some((known.facts.fit(model)?, known)));
        let rank = |(literal, known): &(usize, &Known)| {
            let has = capacity.is_some_and(|bytes| known.facts.capacity(bytes).is_some());
            (matches!(known.origin, Origin::File(_)), *literal, has)
        };
        fitting.max_by_key(rank).map(|(_, known)| known)
    }
}

/// Reads one file.
///
/// # Errors
/// It cannot be read, or is wrong.
pub fn read(path: &Path) -> Result<DriveFacts, FactsError> {
    let text = drivelab_core::input::read_text(path, LONGEST).map_err(|source| FactsError::unreadable(path, source))?;
    parse(&path.display().to_string(), &text)
}
