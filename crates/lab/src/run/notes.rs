//! Notes that the program stores in a bundle next to the recording, so that `resume` can continue: the target and the
//! page.

use std::path::Path;

use drivelab_core::ids::RunId;
use drivelab_device::{FileIdentity, Scratch, ScratchClaim};
use drivelab_store::{Bundle, DataDir, write_note};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Result};
use crate::output::pages::Wish;

/// Note: the scratch file of a run.
const SCRATCH: &str = "scratch";
/// Note: the file that the user named, by its identity and not only by its path.
const NAMED_FILE: &str = "named-file";
/// Note: the page that the user wants at the end.
const PAGE: &str = "page";

/// Notes the scratch file.
///
/// # Errors
/// The note cannot be written.
pub(crate) fn write_scratch(data: &DataDir, run: RunId, scratch: &Scratch) -> Result<()> {
    write(data, run, SCRATCH, scratch.claim())
}

/// Notes the identity of a named file.
///
/// # Errors
/// The file is gone, or the note cannot be written.
pub(crate) fn write_named_file(data: &DataDir, run: RunId, path: &Path) -> Result<()> {
    let identity = FileIdentity::of_path(path)
        .map_err(|error| Failure::unexpected(format!("cannot inspect {}: {error}", path.display())))?;
    write(data, run, NAMED_FILE, &identity)
}

/// Notes the page.
///
/// # Errors
/// The note cannot be written.
pub(crate) fn write_page(data: &DataDir, run: RunId, page: &Wish) -> Result<()> {
    write(data, run, PAGE, page)
}

/// The scratch file of a run, if it is noted.
#[must_use]
pub(crate) fn scratch(bundle: &Bundle) -> Option<ScratchClaim> {
    read(bundle, SCRATCH)
}

/// The identity of a named target file, if it is noted.
#[must_use]
pub(crate) fn named_file(bundle: &Bundle) -> Option<FileIdentity> {
    read(bundle, NAMED_FILE)
}

/// The page of a run, if it is noted.
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
