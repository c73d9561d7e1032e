//! Errors of this crate, and the few kinds that the command line maps to different exit codes.
//!
//! Every text states in this order: what failed, where, the likely cause, what to do. Must not know exit codes.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The write guard refuses: data that drivelab did not make could be lost.
    Refused,
    /// The path or a part of it does not exist, or cannot be a path.
    Missing,
    /// Another program uses it.
    Busy,
    /// The user does not have permission.
    NotPermitted,
    /// The file system or the device is read-only.
    ReadOnly,
    /// Not enough free space, a file too large for the file system, or a named file too small to measure on.
    NoSpace,
    /// Direct I/O is required and not supported.
    NoDirectIo,
    /// A block device, although only a file can be used.
    BlockDevice,
    /// The path does not lead to storage that can be measured, with any options.
    Unfit,
    /// Any other error of the system.
    Other,
}

impl ErrorKind {
    /// The kind of a system error.
    pub(crate) fn of(error: &io::Error) -> Self {
        match Errno::from_io_error(error) {
            Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG) => ErrorKind::Missing,
            Some(Errno::BUSY | Errno::TXTBSY | Errno::WOULDBLOCK) => ErrorKind::Busy,
            Some(Errno::ACCESS | Errno::PERM) => ErrorKind::NotPermitted,
            Some(Errno::ROFS) => ErrorKind::ReadOnly,
            Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => ErrorKind::NoSpace,
            _ => ErrorKind::Other,
        }
    }

    /// Advice for a system error.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            ErrorKind::Missing => "check the path for a typing error",
            ErrorKind::Busy => "another program uses it: wait, or stop that program first",
            ErrorKind::NotPermitted => {
                "name a place that you may use, or run drivelab as a user who may (devices: root or the group disk)"
            }
            ErrorKind::ReadOnly => "the file system is mounted read-only: name a folder on another one",
            ErrorKind::NoSpace => "free some space, ask for a smaller file, or name a folder on another file system",
            ErrorKind::Refused
            | ErrorKind::NoDirectIo
            | ErrorKind::BlockDevice
            | ErrorKind::Unfit
            | ErrorKind::Other => "the system log (dmesg) may say more",
        }
    }
}

/// Advice for something that cannot be read.
fn reading_advice(error: &io::Error) -> &'static str {
    forbidden_to_root(error).unwrap_or_else(|| ErrorKind::of(error).advice())
}

/// Advice for root if root may not read something: a rule forbids it, not a lack of rights. `None` for other users
/// and other errors.
#[must_use]
pub fn forbidden_to_root(error: &io::Error) -> Option<&'static str> {
    let forbidden = ErrorKind::of(error) == ErrorKind::NotPermitted && rustix::process::geteuid().is_root();
    forbidden.then_some(
        "root may not either, so a rule forbids it (a container's device list, a sandbox, a security module): run drivelab \
         where that rule does not apply, or name a folder on a file system that lies on it",
    )
}

/// Errors of a path, or of reading facts about it.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// A part of the path does not exist.
    #[error("{path}: {why}")]
    Missing {
        /// The path as the user named it.
        path: PathBuf,
        /// What is missing, and what to do.
        why: String,
    },
    /// A block device although a file is needed.
    #[error(
        "{path} is a block device, and in this version only a file can be used here; name a folder on the file system \
         that lies on it"
    )]
    BlockDevice {
        /// The device node.
        path: PathBuf,
    },
    /// A character device that cannot be measured.
    #[error(
        "{path} is a character device, and this command cannot measure one (`io` takes /dev/null and /dev/zero; the node \
         of an NVMe drive is used as its drive); name a folder, a file or a block device"
    )]
    Character {
        /// The device node.
        path: PathBuf,
    },
    /// There is nothing to read.
    #[error("{path} holds less than a block of 4 KiB, so nothing can be measured on it; name another target")]
    Empty {
        /// The file or device.
        path: PathBuf,
    },
    /// A file in `/proc`, `/sys` and the like.
    #[error("{path} lies on {kind}, which is a kernel interface and not storage; name a file on a drive")]
    Window {
        /// The file.
        path: PathBuf,
        /// The kind of file system.
        kind: String,
    },
    /// Neither a folder nor a regular file.
    #[error("{path} is {what} and cannot be measured here; name a folder, a file or a block device")]
    Unfit {
        /// The path as the user named it.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The name cannot be stored in results.
    #[error("{} is not valid UTF-8, and results store paths as text; rename it, or name another place", path.display())]
    NotUtf8 {
        /// The path as the user named it.
        path: PathBuf,
    },
    /// A file or device that cannot be read.
    #[error("cannot open {path} for reading: {source}; {}", reading_advice(source))]
    Unreadable {
        /// The file or device.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A system call failed.
    #[error("{what} {path}: {source}; {}", ErrorKind::of(source).advice())]
    System {
        /// What was tried, such as `cannot open`.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl DeviceError {
    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            DeviceError::Missing { .. } => ErrorKind::Missing,
            DeviceError::Empty { .. } => ErrorKind::NoSpace,
            DeviceError::BlockDevice { .. } => ErrorKind::BlockDevice,
            DeviceError::Window { .. }
            | DeviceError::Unfit { .. }
            | DeviceError::Character { .. }
            | DeviceError::NotUtf8 { .. } => ErrorKind::Unfit,
            DeviceError::Unreadable { source, .. } | DeviceError::System { source, .. } => ErrorKind::of(source),
        }
    }

    /// For `map_err`: what was tried, and the path.
    pub(crate) fn system<E: Into<io::Error>>(what: &'static str, path: &Path) -> impl FnOnce(E) -> DeviceError {
        let path = path.to_owned();
        move |source| DeviceError::System { what, path, source: source.into() }
    }
}
