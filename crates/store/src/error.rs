//! What can go wrong with bytes at rest. One clear message each: what, where, why likely, what to do.
//!
//! Owns the sorting of the kernel's answers (full, read-only, other). Must not know exit codes; they are chosen by
//! [`StoreError::kind`] at the edge.

use std::io;
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;

/// The sort of a [`StoreError`], for whoever has to choose an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// There is no such run.
    NotFound,
    /// Several runs fit.
    Ambiguous,
    /// Stored bytes are not what was written.
    Damaged,
    /// Written by a newer program.
    Newer,
    /// Another process records the run now.
    Live,
    /// The run is at its end.
    Sealed,
    /// No space left, or the quota is used up.
    Full,
    /// The place cannot be written.
    ReadOnly,
    /// Anything else.
    Other,
}

/// Why a bundle or the catalog could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No run of that name.
    #[error("there is no run {run} in {}; `drivelab results list` names the runs", folder.display())]
    NotFound {
        /// What was asked for.
        run: RunId,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The folder holds nothing that drivelab wrote.
    #[error("{} is not a bundle: {why}", path.display())]
    NotABundle {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// A run was killed before its bundle was there.
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
    /// A file is not what was written.
    #[error(
        "{} is damaged{}: {what}; {readable}. The medium or a copy has changed or lost bytes: put the file back from a \
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
        "{} has {what} version {found}, and this drivelab {} reads version {reads} only{}",
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
        /// Release that wrote it, where the file says so.
        writer: Option<String>,
    },
    /// The catalog was made by a newer program.
    #[error(
        "the catalog {} has version {found}, and this drivelab {} knows {knows}: a newer drivelab made it; use that one, \
         or make the catalog again from the bundles with `drivelab results reindex`",
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
    /// The catalog is no database any more.
    #[error(
        "the catalog {} cannot be read ({why}); nothing is lost, the bundles hold everything: make it again with \
         `drivelab results reindex`",
        path.display()
    )]
    CatalogDamaged {
        /// The database.
        path: PathBuf,
        /// SQLite's words.
        why: String,
    },
    /// The database refused.
    #[error("the catalog {} refused a request: {why}; if that stays so, `drivelab results reindex` makes it again", path.display())]
    Catalog {
        /// The database.
        path: PathBuf,
        /// SQLite's words.
        why: String,
    },
    /// Another process records the run.
    #[error("run {run} is in use: a drivelab process records it now; wait for it or stop it with Ctrl-C there")]
    Live {
        /// The run.
        run: RunId,
    },
    /// Nothing can be added to the run.
    #[error("run {run} is at its end ({state}): nothing can be added to it{}",
        if *just_now { "; the process was killed before it could seal the bundle, and that is done now" } else { "" })]
    Sealed {
        /// The run.
        run: RunId,
        /// `complete` or `failed`.
        state: String,
        /// The seal was missing and this call wrote it.
        just_now: bool,
    },
    /// The bundle exists already.
    #[error("{} exists already: a run is never written over", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// No space.
    #[error("no space left to {action} {}: make space there, or choose another data folder with --data", path.display())]
    Full {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
    },
    /// Not writable.
    #[error("cannot {action} {}: {source}; choose a data folder that can be written with --data", path.display())]
    ReadOnly {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The data folder cannot be: a file stands there, or the path leads nowhere.
    #[error("{} cannot be the data folder: {source}; name another one with --data DIR", path.display())]
    NoDataFolder {
        /// The folder as it was named.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Any other answer of the kernel.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// An earlier failure left the file in a state to which nothing can be added safely.
    #[error("nothing more can be written to {}, because of an earlier failure: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The earlier failure.
        why: String,
    },
    /// A value that the format cannot hold.
    #[error("cannot store {what}: {why}; this is a fault of drivelab, please report it")]
    Unstorable {
        /// What.
        what: String,
        /// Why not.
        why: String,
    },
}

/// " in frame 3 at byte 120", as far as known.
fn place(frame: Option<u32>, offset: Option<u64>) -> String {
    match (frame, offset) {
        (Some(frame), Some(offset)) => format!(" in frame {frame} at byte {offset}"),
        _ => String::new(),
    }
}

impl StoreError {
    /// The sort of error.
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {
        match self {
            StoreError::NotFound { .. } | StoreError::NotABundle { .. } => StoreErrorKind::NotFound,
            StoreError::Husk { .. } | StoreError::Damaged { .. } | StoreError::CatalogDamaged { .. } => {
                StoreErrorKind::Damaged
            }
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

    /// Sorts the kernel's answer to an attempt to `action` (a verb) on `path`.
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
            readable: "the other files of the bundle were not judged".to_owned(),
        }
    }
}
