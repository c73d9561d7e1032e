//! What the program keeps in a bundle beside the recording, so that `resume` can go on: which target, which page.

use std::path::Path;

use drivelab_core::ids::RunId;
use drivelab_device::{FileIdentity, Scratch, ScratchClaim};
use drivelab_store::{Bundle, DataDir, write_note};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Result};
use crate::output::pages::Wish;

/// Which scratch file a run uses.
const SCRATCH: &str = "scratch";
/// Which file the user named: the very file, not only its path.
const NAMED_FILE: &str = "named-file";
/// Which page the user wants at the end.
const PAGE: &str = "page";

/// Remembers the scratch file.
///
/// # Errors
/// Where the note cannot be written.
pub(crate) fn write_scratch(data: &DataDir, run: RunId, scratch: &Scratch) -> Result<()> {
    write(data, run, SCRATCH, scratch.claim())
}

/// Remembers which file a named target is.
///
/// # Errors
/// Where the file is gone or the note cannot be written.
pub(crate) fn write_named_file(data: &DataDir, run: RunId, path: &Path) -> Result<()> {
    let identity = FileIdentity::of_path(path)
        .map_err(|error| Failure::unexpected(format!("cannot look at {}: {error}", path.display())))?;
    write(data, run, NAMED_FILE, &identity)
}

/// Remembers the page.
///
/// # Errors
/// Where the note cannot be written.
pub(crate) fn write_page(data: &DataDir, run: RunId, page: &Wish) -> Result<()> {
    write(data, run, PAGE, page)
}

/// The scratch file of a run, where it is on record.
#[must_use]
pub(crate) fn scratch(bundle: &Bundle) -> Option<ScratchClaim> {
    read(bundle, SCRATCH)
}

/// Which file a named target was, where it is on record.
#[must_use]
pub(crate) fn named_file(bundle: &Bundle) -> Option<FileIdentity> {
    read(bundle, NAMED_FILE)
}

/// The page of a run, where one was wanted.
#[must_use]
pub(crate) fn page(bundle: &Bundle) -> Option<Wish> {
    read(bundle, PAGE)
}

fn read<T: DeserializeOwned>(bundle: &Bundle, name: &str) -> Option<T> {
    serde_json::from_value(bundle.note(name)?).ok()
}

fn write(data: &DataDir, run: RunId, name: &str, value: &impl Serialize) -> Result<()> {
    let value = serde_json::to_value(value)
        .map_err(|error| Failure::unexpected(format!("cannot write the note '{name}': {error}")))?;
    Ok(write_note(data, run, name, &value)?)
}
