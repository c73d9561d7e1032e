//! Where things lie: the data folder, and the names of the files in a bundle (docs/formats/bundle.md).

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
/// Copy of the methodology file.
pub(crate) const METHODOLOGY: &str = "methodology.toml";
/// Readable copy of the environment.
pub(crate) const ENVIRONMENT: &str = "environment.toml";
/// Folder of the segments.
pub(crate) const EVENTS: &str = "events";
/// Held while a process records the run.
pub(crate) const LOCK: &str = "lock";
/// Folder of the notes.
pub(crate) const NOTES: &str = "notes";
/// The catalog, in the data folder.
pub(crate) const CATALOG: &str = "catalog.sqlite";
/// What the host was last found able to generate, in the data folder.
pub(crate) const CEILINGS: &str = "host-ceilings.json";
/// What watching was last found to cost on each drive, in the data folder.
pub(crate) const WATCHING_COSTS: &str = "watching-costs.json";
/// Held while a process changes that, beside it.
pub(crate) const WATCHING_COSTS_LOCK: &str = "watching-costs.lock";
/// Folder of the states in which drives were left, in the data folder.
pub(crate) const DRIVE_STATES: &str = "drive-states";
/// Begins the name of a bundle that is being removed.
pub(crate) const REMOVED: &str = ".removed-";

/// Name of a segment, relative to the bundle.
pub(crate) fn segment_name(number: u32) -> String {
    format!("{EVENTS}/{number:04}.jsonl.zst")
}

/// Number of the segment with this file name, where it is one.
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
    /// The data folder at `root`, made where it is missing.
    ///
    /// # Errors
    /// [`StoreError::ReadOnly`], [`StoreError::Full`] or [`StoreError::NoDataFolder`] where it cannot be made.
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

    /// Where the bundle of a run is or would be.
    #[must_use]
    pub fn bundle_path(&self, run: RunId) -> PathBuf {
        self.runs_dir().join(run.to_string())
    }

    /// The catalog's file.
    pub(crate) fn catalog_path(&self) -> PathBuf {
        self.root.join(CATALOG)
    }
}
