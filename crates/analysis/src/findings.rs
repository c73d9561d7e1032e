//! Findings that only the caller can make: about events around a run.

pub use crate::host::{bundle_on_target_device, scratch_file_smaller, target_smaller};
pub use crate::topics::others::{others_not_watched, others_not_watched_any_more};
pub use crate::topics::state::{foreign_writes, not_emptied, prepared_flat, state_unmet};
