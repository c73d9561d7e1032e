//! Notes: small opaque values that the program keeps beside a run, outside of what is measured and sealed.
//!
//! What a note means is the business of whoever wrote it.

use std::path::Path;

use drivelab_core::ids::RunId;
use serde_json::Value;

use crate::error::StoreError;
use crate::fsio;
use crate::layout::{DataDir, NOTES};

/// Sets the note `name` (lower-case letters, digits and `-`) of a run, atomically and durably. A value of `null`
/// makes it absent. May be called before the bundle is made and after it is sealed. Never call it while a step is
/// measured: it fsyncs.
///
/// # Errors
/// [`StoreError::Unstorable`] for a bad name; [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`].
pub fn write_note(data: &DataDir, run: RunId, name: &str, value: &Value) -> Result<(), StoreError> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(good) {
        let why = "its name may hold lower-case letters, digits and '-' only".to_owned();
        return Err(StoreError::Unstorable { what: format!("the note '{name}'"), why });
    }
    let bundle = data.bundle_path(run);
    let folder = bundle.join(NOTES);
    if !folder.is_dir() {
        fsio::create_dir(&folder)?;
        fsio::sync_dir(&bundle)?;
    }
    fsio::write_atomically(&folder.join(format!("{name}.json")), format!("{value:#}\n").as_bytes())
}

/// The note of the bundle at this path; `None` where it is absent or no JSON.
pub(crate) fn read(bundle: &Path, name: &str) -> Option<Value> {
    let bytes = std::fs::read(bundle.join(NOTES).join(format!("{name}.json"))).ok()?;
    serde_json::from_slice(&bytes).ok().filter(|value: &Value| !value.is_null())
}
