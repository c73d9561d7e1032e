//! The catalog: an index of the bundles, so that a list does not need to read all of them.
//!
//! It may be stale, damaged or missing at any time: each listing compares it with the bundles (names, lengths, times)
//! and repairs the differences. It owns no data of its own. SQL is only in `sql`; `index` turns a bundle into a row.

mod filter;
mod index;
mod kept;
mod label;
mod row;
mod sql;

pub use filter::Filter;
pub use label::{label_of, write_label};
pub use row::RunRow;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;

use kept::{Index, KeptDigest};

use crate::error::StoreError;
use crate::fsio;
use crate::layout::{CATALOG, DataDir, REMOVED};
use crate::lock::{self, Lock};

/// Compression level of digests: a few milliseconds for the largest.
const DIGEST_LEVEL: i32 = 3;

/// The runs that match a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// One run.
    One(Box<RunRow>),
    /// No run.
    None,
    /// Several, newest first.
    Several(Vec<RunId>),
}

impl Found {
    /// The run whose id begins or ends with `part`, ignoring case and hyphens. Ids begin with the time, so the end
    /// distinguishes runs of one day.
    #[must_use]
    pub fn among(rows: &[RunRow], part: &str) -> Found {
        let called: Vec<&RunRow> = rows.iter().filter(|row| row.id.is_called(part)).collect();
        match called[..] {
            [] => Found::None,
            [only] => Found::One(Box::new(only.clone())),
            _ => Found::Several(called.iter().map(|row| row.id).collect()),
        }
    }
}

/// The state of a recording at one time: a digest is valid as long as it is unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded(String);

/// The result of a reindex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reindexed {
    /// Number of rows in the catalog now, including damaged ones.
    pub indexed: usize,
    /// Folders that are damaged or not bundles, with the reason.
    pub damaged: Vec<(PathBuf, String)>,
}

/// The index over the bundles of a data folder.
#[derive(Debug)]
pub struct Catalog {
    data: DataDir,
    db: Box<dyn Index>,
}

impl Catalog {
    /// Whether this data folder has a catalog.
    #[must_use]
    pub fn exists(folder: &Path) -> bool {
        folder.join(CATALOG).is_file()
    }

    /// Opens the catalog, creating it if it is missing. On a read-only medium the index is kept in memory.
    ///
    /// # Errors
    /// [`StoreError::CatalogDamaged`], [`StoreError::CatalogNewer`]: [`Catalog::rebuild`] repairs both.
    pub fn open(data: &DataDir) -> Result<Catalog, StoreError> {
        Ok(Catalog { data: data.clone(), db: Box::new(sql::Database::open(&data.catalog_path())?) })
    }

    /// Rebuilds the catalog from the bundles. A catalog that cannot be read, or that a newer drivelab made, is moved
    /// aside (`catalog.sqlite.aside-<seconds>`), not deleted.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn rebuild(data: &DataDir) -> Result<Catalog, StoreError> {
        let path = data.catalog_path();
        let sound = match sql::Database::open_file(&path) {
            Ok(db) => db.is_sound(),
            Err(StoreError::CatalogDamaged { .. } | StoreError::CatalogNewer { .. }) => false,
            // Nothing to repair; the index is then kept in memory.
            Err(StoreError::ReadOnly { .. }) => true,
            Err(error) => return Err(error),
        };
        if !sound {
            sql::move_aside(&path)?;
        }
        let mut catalog = Catalog::open(data)?;
        catalog.reindex()?;
        Ok(catalog)
    }

    /// All runs, newest first, in the current state of the bundles.
    ///
    /// # Errors
    /// If the folder of the runs or the database cannot be read.
    pub fn list(&self) -> Result<Vec<RunRow>, StoreError> {
        let mut known = self.db.rows()?;
        let (mut rows, mut new) = (Vec::new(), Vec::new());
        for (run, path) in self.folders()? {
            let stamp = index::stamp(&path);
            let mut row = match known.remove(&run) {
                Some((row, known_stamp)) if known_stamp == stamp => row,
                _ => {
                    let row = index::row(run, &path, index::Depth::Quick);
                    new.push((row.clone(), stamp));
                    row
                }
            };
            row.live = lock::is_held(&path);
            if row.live {
                row.damaged = None;
            }
            rows.push(row);
        }
        // The rows are right; a catalog that is busy or full stores them later.
        if !new.is_empty() {
            let _ = self.db.put_all(&new);
        }
        for run in known.into_keys() {
            let _ = self.db.forget(run);
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.id));
        Ok(rows)
    }

    /// The runs that match a filter, newest first.
    ///
    /// # Errors
    /// As for [`Catalog::list`].
    pub fn filtered(&self, filter: &Filter) -> Result<Vec<RunRow>, StoreError> {
        Ok(self.list()?.into_iter().filter(|row| filter.fits(row)).collect())
    }

    /// Removes a run: its bundle, then its row. Also completes removals that were killed midway.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Live`] while a process records it; [`StoreError::ReadOnly`],
    /// [`StoreError::Io`].
    pub fn remove(&mut self, run: RunId) -> Result<(), StoreError> {
        self.sweep();
        let path = self.data.bundle_path(run);
        if !fsio::exists(&path) {
            return Err(StoreError::NotFound { run, folder: self.data.runs_dir() });
        }
        let lock = Lock::take(&path, run)?;
        // Renamed first: a kill in between then leaves no partial bundle that looks like a damaged run.
        let gone = self.data.runs_dir().join(format!("{REMOVED}{run}"));
        fsio::point();
        fs::rename(&path, &gone).map_err(|error| StoreError::io("rename", &path, error))?;
        fsio::sync_dir(&self.data.runs_dir())?;
        drop(lock);
        fsio::point();
        match fs::remove_dir_all(&gone) {
            // Another process has already removed it.
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(StoreError::io("remove", &gone, error)),
            _ => {}
        }
        let _ = self.db.forget(run);
        Ok(())
    }

    /// Reads and checks every bundle in full and rebuilds all rows.
    ///
    /// # Errors
    /// If the folder of the runs cannot be read or the database cannot be written.
    pub fn reindex(&mut self) -> Result<Reindexed, StoreError> {
        self.sweep();
        let mut rows = Vec::new();
        let mut damaged = self.strangers()?;
        for (run, path) in self.folders()? {
            let stamp = index::stamp(&path);
            let row = index::row(run, &path, index::Depth::Full);
            damaged.extend(row.damaged.iter().map(|why| (path.clone(), why.clone())));
            rows.push((row, stamp));
        }
        self.db.replace_all(&rows)?;
        damaged.sort();
        Ok(Reindexed { indexed: rows.len(), damaged })
    }

    /// The document that [`Catalog::keep_digest`] stored for this run and version; `None` if there is none, if its
    /// version differs, or if the recording has changed since.
    #[must_use]
    pub fn digest(&self, run: RunId, version: &str) -> Option<Vec<u8>> {
        let kept = self.db.digest(run).ok()??;
        let stamp = index::stamp_of_records(&self.data.bundle_path(run));
        let current = kept.version == version && kept.stamp == stamp;
        if current { zstd::decode_all(kept.document.as_slice()).ok() } else { None }
    }

    /// The current state of a run's recording; call it before making a digest.
    #[must_use]
    pub fn recorded(&self, run: RunId) -> Recorded {
        Recorded(index::stamp_of_records(&self.data.bundle_path(run)))
    }

    /// Stores a document made from a run's recording in that state, so that it need not be made again. If the catalog
    /// cannot store it, nothing is lost.
    pub fn keep_digest(&self, run: RunId, version: &str, recorded: Recorded, document: &[u8]) {
        let Recorded(stamp) = recorded;
        if let Ok(document) = zstd::encode_all(document, DIGEST_LEVEL) {
            let _ = self.db.put_digest(run, &KeptDigest { version: version.to_owned(), stamp, document });
        }
    }

    /// Folders that have the name of a run.
    fn folders(&self) -> Result<Vec<(RunId, PathBuf)>, StoreError> {
        let entries = self.entries()?;
        let run = |name: &str| name.parse::<RunId>().ok().filter(|run| run.to_string() == name);
        Ok(entries.into_iter().filter_map(|(name, path)| run(&name).map(|run| (run, path))).collect())
    }

    /// Entries among the bundles that are not bundles.
    fn strangers(&self) -> Result<Vec<(PathBuf, String)>, StoreError> {
        let entries = self.entries()?.into_iter();
        let strange = entries.filter(|(name, _)| name.parse::<RunId>().map_or(true, |run| run.to_string() != *name));
        Ok(strange.map(|(_, path)| (path, "not a bundle: its name is not the id of a run".to_owned())).collect())
    }

    fn entries(&self) -> Result<Vec<(String, PathBuf)>, StoreError> {
        let folder = self.data.runs_dir();
        let entries = fs::read_dir(&folder).map_err(|error| StoreError::io("read", &folder, error))?;
        let named = entries.flatten().map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
        Ok(named.filter(|(name, _)| !name.starts_with('.')).collect())
    }

    /// Completes removals that were killed midway.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(self.data.runs_dir()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let run = name.to_str().and_then(|name| name.strip_prefix(REMOVED));
            if run.is_some_and(|run| run.parse::<RunId>().is_ok()) {
                // What cannot be removed now is tried again next time.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// Updates the row of one run. If the catalog cannot store it, nothing is lost: the next listing compares the catalog
/// with the bundles and reports its problems.
pub(crate) fn note(data: &DataDir, run: RunId) {
    let path = data.bundle_path(run);
    fsio::point();
    if let Ok(catalog) = Catalog::open(data) {
        let stamp = index::stamp(&path);
        fsio::point();
        let _ = catalog.db.put(&index::row(run, &path, index::Depth::Quick), &stamp);
        fsio::point();
    }
}
