//! Errors of stored data. One clear message each: what, where, likely why, what to do.
//!
//! Owns the classification of the kernel's errors (full, read-only, other). Must not know exit codes; callers choose
//! them by [`StoreError::kind`].

use std::io;
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;

/// The kind of a [`StoreError`], for callers that choose an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// There is no such run.
    NotFound,
    /// Several runs match.
    Ambiguous,
    /// Stored bytes are not what was written.
    Damaged,
    /// Written by a newer program.
    Newer,
    /// Another process is recording the run now.
    Live,
    /// The run has ended.
    Sealed,
    /// No space left, or the quota is exhausted.
    Full,
    /// The location cannot be written.
    ReadOnly,
    /// Anything else.
    Other,
}

/// Why a bundle or the catalog could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no run with that id.
    #[error("there is no run {run} in {}; `drivelab results list` lists the runs", folder.display())]
    NotFound {
        /// The run that was requested.
        run: RunId,
        /// The folder that was searched.
        folder: PathBuf,
    },
    /// The folder contains nothing that drivelab wrote.
    #[error("{} is not a bundle: {why}", path.display())]
    NotABundle {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// A run was killed before its bundle existed.
    #[error(
        "{} has no manifest.json: the process was killed in the first moment of the run, before anything was measured; \
         remove it with `drivelab results remove {run}` and run again",
        path.display()
    )]
    Husk {
        /// The folder.
        path: PathBuf,
        /// The run.
        run: String,
    },
    /// The manifest of a run that recorded something is gone.
    #[error(
        "{} is missing, but the run recorded data: a copy may have left it out. Restore it from where the folder came \
         from; do not remove the run: its recorded data are still there",
        file.display()
    )]
    NoManifest {
        /// The manifest.
        file: PathBuf,
    },
    /// The names and prices of drives cannot be read.
    #[error(
        "{} cannot be read: {why}. It stores the names and prices that `drivelab drives name` and `drivelab drives price` \
         set; correct it, or remove it and set them again. No run depends on it",
        file.display()
    )]
    DrivesUnreadable {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The name of the testbed cannot be read.
    #[error(
        "{} cannot be read: {why}. It stores the name that `drivelab testbed set` gave this testbed; correct the \
         file, or set the name again. Stored runs are unaffected",
        file.display()
    )]
    TestbedUnreadable {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A file is not what was written.
    #[error(
        "{} is damaged{}: {what}; {readable}. The medium or a copy changed or lost bytes: restore the file from a \
         copy, or remove the run",
        file.display(),
        place(*frame, *offset)
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// Number of the frame, for event files.
        frame: Option<u32>,
        /// Offset of the damaged frame in the file, for event files.
        offset: Option<u64>,
        /// What is wrong.
        what: String,
        /// What can still be read.
        readable: String,
    },
    /// Another version of the format.
    #[error(
        "{} has {what} version {found}, but this drivelab {} reads only version {reads}{}",
        path.display(),
        env!("CARGO_PKG_VERSION"),
        writer.as_ref().map_or_else(
            || "; use the drivelab that wrote it".to_owned(),
            |version| format!("; drivelab {version} wrote it and can read it")
        )
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Which version: of the bundle format or of the events.
        what: &'static str,
        /// The version found.
        found: u32,
        /// The newest version that can be read.
        reads: u32,
        /// Release that wrote it, if the file states it.
        writer: Option<String>,
    },
    /// The catalog was made by a newer program.
    #[error(
        "the catalog {} has version {found}, but this drivelab {} knows only {knows}: a newer drivelab made it; use that one, \
         or rebuild the catalog from the bundles with `drivelab results reindex`",
        path.display(),
        env!("CARGO_PKG_VERSION")
    )]
    CatalogNewer {
        /// The database.
        path: PathBuf,
        /// The version found.
        found: i64,
        /// The newest version known here.
        knows: i64,
    },
    /// The catalog is not a valid database any more.
    #[error(
        "the catalog {} cannot be read ({why}); nothing is lost, because the bundles hold everything: rebuild it with \
         `drivelab results reindex`",
        path.display()
    )]
    CatalogDamaged {
        /// The database.
        path: PathBuf,
        /// SQLite's message.
        why: String,
    },
    /// SQLite refused a request.
    #[error("the catalog {} refused a request: {why}; if this persists, rebuild it with `drivelab results reindex`", path.display())]
    Catalog {
        /// The database.
        path: PathBuf,
        /// SQLite's message.
        why: String,
    },
    /// Another process is recording the run.
    #[error("run {run} is in use: a drivelab process is recording it; wait for it, or stop it there with Ctrl-C")]
    Live {
        /// The run.
        run: RunId,
    },
    /// Nothing can be added to the run.
    #[error("run {run} has ended ({state}): nothing can be added to it{}",
        if *just_now { "; the process was killed before it could seal the bundle, which is sealed now" } else { "" })]
    Sealed {
        /// The run.
        run: RunId,
        /// `complete` or `failed`.
        state: String,
        /// Whether the seal was missing and this call wrote it.
        just_now: bool,
    },
    /// The bundle already exists.
    #[error("{} already exists: a run is never overwritten", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// No space.
    #[error("no space left to {action} {}: free some space there, or choose another data folder with --data", path.display())]
    Full {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// Not writable.
    #[error("cannot {action} {}: {source}; choose a writable data folder with --data", path.display())]
    ReadOnly {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The data folder cannot be created: there is a file at its path, or the path leads nowhere.
    #[error("{} cannot be the data folder: {source}; choose another one with --data DIR", path.display())]
    NoDataFolder {
        /// The folder as the user named it.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// Any other error of the kernel.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// After an earlier failure nothing can be added to the file safely.
    #[error("nothing more can be written to {}, because of an earlier failure: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The earlier failure.
        why: String,
    },
    /// A value that the format cannot hold.
    #[error("cannot store {what}: {why}; this is a bug in drivelab, please report it")]
    Unstorable {
        /// The value.
        what: String,
        /// Why not.
        why: String,
    },
}

/// The place, " in frame 3 at byte 120", as far as it is known.
fn place(frame: Option<u32>, offset: Option<u64>) -> String {
    match (frame, offset) {
        (Some(frame), Some(offset)) => format!(" in frame {frame} at byte {offset}"),
        _ => String::new(),
    }
}

impl StoreError {
    /// The kind of the error.
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {
        match self {
            StoreError::NotFound { .. } | StoreError::NotABundle { .. } => StoreErrorKind::NotFound,
            StoreError::Husk { .. }
            | StoreError::Damaged { .. }
            | StoreError::NoManifest { .. }
            | StoreError::DrivesUnreadable { .. }
            | StoreError::TestbedUnreadable { .. }
            | StoreError::CatalogDamaged { .. } => StoreErrorKind::Damaged,
            StoreError::Newer { .. } | StoreError::CatalogNewer { .. } => StoreErrorKind::Newer,
            StoreError::Live { .. } => StoreErrorKind::Live,
            StoreError::Sealed { .. } => StoreErrorKind::Sealed,
            StoreError::Full { .. } => StoreErrorKind::Full,
            StoreError::ReadOnly { .. } | StoreError::NoDataFolder { .. } => StoreErrorKind::ReadOnly,
            StoreError::Catalog { .. }
            | StoreError::Exists { .. }
            | StoreError::Io { .. }
            | StoreError::Broken { .. }
            | StoreError::Unstorable { .. } => StoreErrorKind::Other,
        }
    }

    /// Classifies the kernel's error of an attempt to `action` (a verb) on `path`.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { action, path },
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                StoreError::ReadOnly { action, path, source }
            }
            _ => StoreError::Io { action, path, source },
        }
    }

    /// Damage of a whole file.
    pub(crate) fn damaged(file: &Path, what: impl Into<String>) -> Self {
        StoreError::Damaged {
            file: file.to_owned(),
            frame: None,
            offset: None,
            what: what.into(),
            readable: "the other files of the bundle were not checked".to_owned(),
        }
    }
}
