//! What the user calls a run: title, note and tags. They are notes of its bundle, outside the seal, and change no
//! figure.

use std::path::Path;

use drivelab_core::ids::RunId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::StoreError;
use crate::layout::DataDir;
use crate::note::{LABEL, TAGS, read, write_note};

/// What the user calls a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label {
    /// A title, for lists and comparisons; empty for none.
    pub title: String,
    /// A note of any length; empty for none.
    pub note: String,
    /// Tags, in the order in which they were given.
    pub tags: Vec<String>,
}

/// The label of a run that has none.
pub static NO_LABEL: Label = Label::none();

/// Title and note as stored.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    title: String,
    note: String,
}

impl Label {
    /// Nothing.
    #[must_use]
    pub const fn none() -> Label {
        Label { title: String::new(), note: String::new(), tags: Vec::new() }
    }
}

/// The label of the run in this bundle.
pub(super) fn of(bundle: &Path) -> Label {
    let tags = read(bundle, TAGS).and_then(|tags| serde_json::from_value(tags).ok()).unwrap_or_default();
    let stored = read(bundle, LABEL).and_then(|label| serde_json::from_value::<Stored>(label).ok());
    let Stored { title, note } = stored.unwrap_or_default();
    Label { title, note, tags }
}

/// Sets what the user calls a run. What is empty is removed.
///
/// # Errors
/// As for [`write_note`].
pub fn write_label(data: &DataDir, run: RunId, label: &Label) -> Result<(), StoreError> {
    let now = of(&data.bundle_path(run));
    let Label { title, note, tags } = label;
    if now.tags != *tags {
        let value = if tags.is_empty() { Value::Null } else { Value::from(tags.as_slice()) };
        write_note(data, run, TAGS, &value)?;
    }
    if (&now.title, &now.note) != (title, note) {
        let both = serde_json::json!({ "title": title, "note": note });
        let value = if title.is_empty() && note.is_empty() { Value::Null } else { both };
        write_note(data, run, LABEL, &value)?;
    }
    Ok(())
}
