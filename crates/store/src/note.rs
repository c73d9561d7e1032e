//! Notes: small opaque values that the program keeps with a run, separate from the measurements.
//!
//! Only the code that wrote a note interprets it. The seal covers the notes that exist at the end of the run. Later
//! notes are outside the seal, and so are the user's tags, title and note at all times.

use std::path::Path;

use drivelab_core::ids::RunId;
use serde_json::Value;

use crate::bundle::Bundle;
use crate::document::FileEntry;
use crate::error::StoreError;
use crate::fsio;
use crate::layout::{DataDir, NOTES};

/// The note with the user's tags, which may change after everything else is sealed.
pub(crate) const TAGS: &str = "tags";
/// The note with the user's title and note, which may change as well.
pub(crate) const LABEL: &str = "label";

/// Sets the note `name` (lower-case letters, digits and `-`) of a run, atomically and durably. A value of `null`
/// removes it. May be called before the bundle is made and, for a new note, after it is sealed. Never call it during
/// a measured step, because it calls fsync.
///
/// # Errors
/// [`StoreError::Unstorable`] for a bad name; [`StoreError::Sealed`] for a note that the seal covers;
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`].
pub fn write_note(data: &DataDir, run: RunId, name: &str, value: &Value) -> Result<(), StoreError> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(good) {
        let why = "its name may contain only lower-case letters, digits and '-'".to_owned();
        return Err(StoreError::Unstorable { what: format!("the note '{name}'"), why });
    }
    let bundle = data.bundle_path(run);
    let path = note_path(name);
    if let Ok(sealed) = Bundle::open(&bundle)
        && let Some(seal) = sealed.seal()
        && seal.files.iter().any(|entry| entry.path == path)
    {
        return Err(StoreError::Sealed { run, state: seal.state.name().to_owned(), just_now: false });
    }
    let folder = bundle.join(NOTES);
    if !folder.is_dir() {
        fsio::create_dir(&folder)?;
        fsio::sync_dir(&bundle)?;
    }
    fsio::write_atomically(&bundle.join(path), format!("{value:#}\n").as_bytes())
}

impl Bundle {
    /// A note; see [`crate::write_note`].
    #[must_use]
    pub fn note(&self, name: &str) -> Option<Value> {
        read(self.path(), name)
    }
}

/// The notes that exist now, by name.
pub(crate) fn entries(bundle: &Path) -> Result<Vec<FileEntry>, StoreError> {
    let folder = bundle.join(NOTES);
    if !fsio::exists(&folder) {
        return Ok(Vec::new());
    }
    let found = std::fs::read_dir(&folder).map_err(|error| StoreError::io("read", &folder, error))?;
    let names = found.flatten().filter_map(|entry| entry.file_name().to_str().map(str::to_owned));
    let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(".json").map(note_path)).collect();
    names.retain(|name| ![TAGS, LABEL].map(note_path).contains(name));
    names.sort();
    names.iter().map(|name| Ok(FileEntry::of(name, &fsio::read(&bundle.join(name))?))).collect()
}

/// Path of a note, relative to the bundle.
fn note_path(name: &str) -> String {
    format!("{NOTES}/{name}.json")
}

/// The note of the bundle at this path; `None` if it is absent or not JSON.
pub(crate) fn read(bundle: &Path, name: &str) -> Option<Value> {
    let bytes = fsio::read(&bundle.join(note_path(name))).ok()?;
    serde_json::from_slice(&bytes).ok().filter(|value: &Value| !value.is_null())
}
