//! The user's description of a run, as notes of its bundle: outside the seal, and without effect on any figure.

use std::path::Path;

use drivelab_core::ids::RunId;
use drivelab_core::label::Label;
use serde_json::Value;

use crate::bundle::Bundle;
use crate::error::StoreError;
use crate::layout::DataDir;
use crate::note::{LABEL, TAGS, read, write_note};

/// The current label of a recorded run.
#[must_use]
pub fn label_of(bundle: &Bundle) -> Label {
    of(bundle.path())
}

/// The label of the run in this bundle.
pub(super) fn of(bundle: &Path) -> Label {
    let tags = read(bundle, TAGS).and_then(|tags| serde_json::from_value(tags).ok()).unwrap_or_default();
    let stored = read(bundle, LABEL).and_then(|label| serde_json::from_value::<Label>(label).ok());
    Label { tags, ..stored.unwrap_or_default() }
}

/// Sets the label of a run. An empty part is removed.
///
/// # Errors
/// As for [`write_note`].
pub fn write_label(data: &DataDir, run: RunId, label: &Label) -> Result<(), StoreError> {
    let now = of(&data.bundle_path(run));
    if now.tags != label.tags {
        let tags = &label.tags;
        let value = if tags.is_empty() { Value::Null } else { Value::from(tags.as_slice()) };
        write_note(data, run, TAGS, &value)?;
    }
    // Tags have a note of their own, as earlier versions wrote them.
    let rest = |label: &Label| Label { tags: Vec::new(), ..label.clone() };
    let (now, rest) = (rest(&now), rest(label));
    if now != rest {
        let value = if rest.is_empty() { Value::Null } else { serde_json::json!(rest) };
        write_note(data, run, LABEL, &value)?;
    }
    Ok(())
}
