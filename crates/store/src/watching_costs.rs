//! What watching was last found to cost, one entry a drive: one file in the data folder.

use std::path::Path;

use drivelab_core::watching_cost::WatchingCost;

use crate::error::StoreError;
use crate::fsio;
use crate::layout::{DataDir, WATCHING_COSTS};

/// Drives that are kept; the one that was measured longest ago goes first.
const MOST: usize = 100;

/// Keeps what was measured, in place of what was kept of the same drive before.
///
/// # Errors
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`]; [`StoreError::Unstorable`] for a figure that
/// JSON cannot hold.
pub fn write_watching_cost(data: &DataDir, cost: &WatchingCost) -> Result<(), StoreError> {
    let mut all = read_watching_costs(data.root());
    all.retain(|kept| !kept.is_of(&cost.device));
    all.push(cost.clone());
    all.drain(..all.len().saturating_sub(MOST));
    let unstorable = |error: serde_json::Error| StoreError::Unstorable {
        what: "what watching costs".to_owned(),
        why: error.to_string(),
    };
    let text = serde_json::to_string_pretty(&all).map_err(unstorable)?;
    fsio::write_atomically(&data.root().join(WATCHING_COSTS), format!("{text}\n").as_bytes())
}

/// What is kept in the data folder at `root`, the newest last; nothing where nothing is, or nothing that this version
/// can read: it costs a few seconds to measure again.
#[must_use]
pub fn read_watching_costs(root: &Path) -> Vec<WatchingCost> {
    let kept = crate::fsio::read(&root.join(WATCHING_COSTS)).ok();
    kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}
