//! The last measured limits of this host as a load generator: one file in the data folder, replaced by each
//! measurement.

use std::path::Path;

use drivelab_core::ceilings::HostCeilings;

use crate::document;
use crate::error::StoreError;
use crate::layout::{CEILINGS, DataDir};

/// Stores the measured limits and replaces the earlier ones.
///
/// # Errors
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`]; [`StoreError::Unstorable`] for a figure that
/// JSON cannot hold.
pub fn write_ceilings(data: &DataDir, ceilings: &HostCeilings) -> Result<(), StoreError> {
    document::keep(&data.root().join(CEILINGS), "what this host can generate", ceilings)
}

/// The limits stored in the data folder at `root`; `None` if there are none, or none that this version can read: a
/// new measurement takes only a few seconds.
#[must_use]
pub fn read_ceilings(root: &Path) -> Option<HostCeilings> {
    serde_json::from_slice(&crate::fsio::read(&root.join(CEILINGS)).ok()?).ok()
}
