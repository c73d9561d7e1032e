//! Paths: the data folder, and the names of the files in a bundle (docs/formats/bundle.md).

use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;

use crate::error::StoreError;
use crate::fsio;

/// The manifest.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The seal.
pub(crate) const SEAL: &str = "seal.json";
/// The plan.
pub(crate) const PLAN: &str = "plan.json";
/// The copy of the methodology file.
pub(crate) const METHODOLOGY: &str = "methodology.toml";
/// The readable copy of the environment.
pub(crate) const ENVIRONMENT: &str = "environment.toml";
/// The folder of the segments.
pub(crate) const EVENTS: &str = "events";
/// The file that is locked while a process records the run.
pub(crate) const LOCK: &str = "lock";
/// The folder of the notes.
pub(crate) const NOTES: &str = "notes";
/// The catalog, in the data folder.
pub(crate) const CATALOG: &str = "catalog.sqlite";
/// What the user calls this testbed.
pub(crate) const TESTBED: &str = "testbed.json";
/// What the user says about drives: names and prices.
pub(crate) const DRIVES: &str = "drives.json";
/// The file that is locked while a process changes it.
pub(crate) const DRIVES_LOCK: &str = "drives.lock";
/// The last measured limits of the host as a load generator, in the data folder.
pub(crate) const CEILINGS: &str = "host-ceilings.json";
/// The last measured cost of watching for each drive, in the data folder.
pub(crate) const WATCHING_COSTS: &str = "watching-costs.json";
/// The file that is locked while a process changes it.
pub(crate) const WATCHING_COSTS_LOCK: &str = "watching-costs.lock";
/// The folder of the states in which drives were left, in the data folder.
pub(crate) const DRIVE_STATES: &str = "drive-states";
/// Prefix of the name of a bundle that is being removed.
pub(crate) const REMOVED: &str = ".removed-";

/// Name of a segment, relative to the bundle.
pub(crate) fn segment_name(number: u32) -> String {
    format!("{EVENTS}/{number:04}.jsonl.zst")
}

/// Number of the segment with this file name; `None` if it is not a segment.
pub(crate) fn segment_number(file_name: &str) -> Option<u32> {
    let digits = file_name.strip_suffix(".jsonl.zst")?;
    let number: u32 = digits.parse().ok()?;
    (format!("{number:04}") == digits).then_some(number)
}

/// The folder that holds all bundles and the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDir {
    root: PathBuf,
}

impl DataDir {
    /// The data folder at `root`, created if it is missing.
    ///
    /// # Errors
    /// [`StoreError::ReadOnly`], [`StoreError::Full`] or [`StoreError::NoDataFolder`] if it cannot be created.
    pub fn open(root: &Path) -> Result<DataDir, StoreError> {
        let data = DataDir { root: root.to_owned() };
        if !data.runs_dir().is_dir() {
            fsio::create_dir(&data.runs_dir()).map_err(|error| match error {
                StoreError::Io { source, .. } => StoreError::NoDataFolder { path: root.to_owned(), source },
                other => other,
            })?;
        }
        Ok(data)
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the bundles.
    #[must_use]
    pub fn runs_dir(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// Path of the bundle of a run, whether it exists or not.
    #[must_use]
    pub fn bundle_path(&self, run: RunId) -> PathBuf {
        self.runs_dir().join(run.to_string())
    }

    /// Path of the catalog.
    pub(crate) fn catalog_path(&self) -> PathBuf {
        self.root.join(CATALOG)
    }
}
