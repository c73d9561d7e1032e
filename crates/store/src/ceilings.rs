//! What this host was last found able to generate: one file in the data folder, replaced by each measurement.

use std::path::Path;

use drivelab_core::ceilings::HostCeilings;

use crate::document;
use crate::error::StoreError;
use crate::layout::{CEILINGS, DataDir};

/// Keeps what was measured, in place of what was kept before.
///
/// # Errors
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`]; [`StoreError::Unstorable`] for a figure that
/// JSON cannot hold.
pub fn write_ceilings(data: &DataDir, ceilings: &HostCeilings) -> Result<(), StoreError> {
    document::keep(&data.root().join(CEILINGS), "what this host can generate", ceilings)
}

/// What is kept in the data folder at `root`; `None` where nothing is, or nothing that this version can read: it costs
/// a few seconds to measure again.
#[must_use]
pub fn read_ceilings(root: &Path) -> Option<HostCeilings> {
    serde_json::from_slice(&crate::fsio::read(&root.join(CEILINGS)).ok()?).ok()
}
