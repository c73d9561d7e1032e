//! Why the guard did not release a target.

use std::io;
use std::path::{Path, PathBuf};

use drivelab_core::units::Bytes;

use crate::error::{DeviceError, ErrorKind};

/// Why the guard did not release a target. If the text says that nothing was touched, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// Writing could destroy data that drivelab did not create.
    #[error("refusing to write to {path}: {why}")]
    Refused {
        /// The target.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// Another program uses the file now.
    #[error("{path} is in use: {by}; stop that first, or name another target")]
    Busy {
        /// The target.
        path: PathBuf,
        /// The program, and how it uses the target.
        by: String,
    },
    /// The device is set read-only.
    #[error(
        "{path} is set read-only in the kernel; make it writable (a loop device: attach it again without --read-only), or \
         only read it"
    )]
    ReadOnly {
        /// The device.
        path: PathBuf,
    },
    /// The scratch file of an interrupted run no longer exists, or cannot be proven to be the same.
    #[error("the scratch file {path} is gone: {why}; it has to be created and filled again")]
    Gone {
        /// Its path.
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// A named file is smaller than one block.
    #[error(
        "{path} holds {length} bytes, less than one block of 4 KiB, so nothing can be measured on it; name a larger file, \
         or a folder"
    )]
    TooSmall {
        /// The file.
        path: PathBuf,
        /// Its length.
        length: u64,
    },
    /// The scratch file does not fit.
    #[error(
        "{folder} has no room for a scratch file of {}: {} are free; free some space, ask for a smaller file, or name a \
         folder on another file system (nothing was left behind)", needed.about(), free.about()
    )]
    NoSpace {
        /// Where it was to be created.
        folder: PathBuf,
        /// Its size.
        needed: Bytes,
        /// Free for this user.
        free: Bytes,
    },
    /// The path is wrong, or a system call failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl GuardError {
    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            GuardError::Refused { .. } | GuardError::ReadOnly { .. } => ErrorKind::Refused,
            GuardError::Busy { .. } => ErrorKind::Busy,

            GuardError::Gone { .. } => ErrorKind::Missing,
            GuardError::TooSmall { .. } | GuardError::NoSpace { .. } => ErrorKind::NoSpace,
            GuardError::Device(error) => error.kind(),
        }
    }

    /// Whether the scratch file is gone and should be created again.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        matches!(self, GuardError::Gone { .. })
    }
}

/// For `map_err`: what was tried, and the path.
pub(super) fn system<E: Into<io::Error>>(what: &'static str, path: &Path) -> impl FnOnce(E) -> GuardError {
    let device = DeviceError::system(what, path);
    move |source| GuardError::Device(device(source))
}
