//! What this host was last found able to generate: one file in the data folder, replaced by each measurement.

use std::path::Path;

use drivelab_core::ceilings::HostCeilings;

use crate::error::StoreError;
use crate::fsio;
use crate::layout::{CEILINGS, DataDir};

/// Keeps what was measured, in place of what was kept before.
///
/// # Errors
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`]; [`StoreError::Unstorable`] for a figure that
/// JSON cannot hold.
pub fn write_ceilings(data: &DataDir, ceilings: &HostCeilings) -> Result<(), StoreError> {
    let unstorable = |error: serde_json::Error| StoreError::Unstorable {
        what: "what this host can generate".to_owned(),
        why: error.to_string(),
    };
    let text = serde_json::to_string_pretty(ceilings).map_err(unstorable)?;
    fsio::write_atomically(&data.root().join(CEILINGS), format!("{text}\n").as_bytes())
}

/// What is kept in the data folder at `root`; `None` where nothing is, or nothing that this version can read: it costs
/// a few seconds to measure again.
#[must_use]
pub fn read_ceilings(root: &Path) -> Option<HostCeilings> {
    serde_json::from_slice(&crate::fsio::read(&root.join(CEILINGS)).ok()?).ok()
}
