//! Tags: words that the user gives a run, stored in a note of its bundle, outside the seal.

use std::path::Path;

use drivelab_core::ids::RunId;

use crate::error::StoreError;
use crate::layout::DataDir;
use crate::note::{TAGS, read, write_note};

/// The tags of the run in this bundle.
pub(super) fn of(bundle: &Path) -> Vec<String> {
    read(bundle, TAGS).and_then(|tags| serde_json::from_value(tags).ok()).unwrap_or_default()
}

/// Sets the tags of a run; without tags, the note is removed.
///
/// # Errors
/// As for [`write_note`].
pub fn write_tags(data: &DataDir, run: RunId, tags: &[String]) -> Result<(), StoreError> {
    let value = if tags.is_empty() { serde_json::Value::Null } else { serde_json::Value::from(tags) };
    write_note(data, run, TAGS, &value)
}
