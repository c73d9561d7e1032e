//! Stored data: the bundle (one run on disk, the source of all its results) and the catalog (an index of bundles that
//! can be rebuilt at any time).
//!
//! Owns: every file in the data folder, their formats (docs/formats/bundle.md), and what a kill or a power cut may
//! lose. Must not know: the meaning of the numbers, who runs the steps, terminals, HTML.

#![forbid(unsafe_code)]

mod bundle;
mod catalog;
mod ceilings;
mod document;
mod drive_states;
mod error;
mod frame;
mod fsio;
mod kept_drives;
mod layout;
mod lock;
mod note;
mod progress;
mod published;
mod recorder;
mod seal;
mod segment;
mod testbed;
mod torn;
mod verdict_rules;
mod watching_costs;

pub use bundle::Bundle;
pub use catalog::{Catalog, Filter, Found, Recorded, Reindexed, RunRow, label_of, write_label};
pub use ceilings::{read_ceilings, write_ceilings};
pub use document::{FORMAT_VERSION, FileEntry, Manifest, Seal};
pub use drive_states::{read_drive_state, write_drive_state};
pub use error::{StoreError, StoreErrorKind};
pub use kept_drives::{KeptDrive, change_drive, read_drives};
pub use layout::DataDir;
pub use note::write_note;
pub use published::read_published;
pub use recorder::{NewBundle, Recorder};
pub use seal::seal_ended;
pub use testbed::{NamedTestbed, read_testbed, write_testbed};
pub use torn::Torn;
pub use verdict_rules::read_verdict_rules;
pub use watching_costs::{read_watching_costs, write_watching_cost};

#[cfg(test)]
mod tests;
