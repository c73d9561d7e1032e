//! Errors of this room and the few kinds that the command line tells apart by exit code.
//!
//! Every text is one sentence chain: what went wrong, where, why likely, what to do. Must not know exit codes.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// What sort of trouble an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The write guard refuses: data that drivelab did not make could be lost.
    Refused,
    /// The path or a part of it is not there, or cannot be a path.
    Missing,
    /// Somebody else uses it.
    Busy,
    /// The user may not.
    NotPermitted,
    /// The file system or the device is read-only.
    ReadOnly,
    /// Not enough free space, a file too large for the file system, or a named file too small to measure on.
    NoSpace,
    /// The place does not do direct I/O and that was needed.
    NoDirectIo,
    /// A block device where only a file can be used.
    BlockDevice,
    /// What is there is no storage that can be measured, whatever is said.
    Unfit,
    /// Anything else the system reported.
    Other,
}

impl ErrorKind {
    /// The kind of an error of the system.
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

    /// What a person can do about an error of the system.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            ErrorKind::Missing => "check the path for a typing error",
            ErrorKind::Busy => "something else uses it: wait, or stop that first",
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

/// What a person can do about something that cannot be read.
fn reading_advice(error: &io::Error) -> &'static str {
    forbidden_to_root(error).unwrap_or_else(|| ErrorKind::of(error).advice())
}

/// What root can do who may not read something: told no by a rule, not by a lack of rights. Nothing for others, and for
/// other errors.
#[must_use]
pub fn forbidden_to_root(error: &io::Error) -> Option<&'static str> {
    let forbidden = ErrorKind::of(error) == ErrorKind::NotPermitted && rustix::process::geteuid().is_root();
    forbidden.then_some(
        "root may not either, so a rule forbids it (a container's list of devices, a sandbox, a security module): run \
         drivelab where that rule does not hold, or name a folder on a file system that lies on it",
    )
}

/// What is wrong with a path, or with reading facts about it.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// A part of the path is not there.
    #[error("{path}: {why}")]
    Missing {
        /// The path as named.
        path: PathBuf,
        /// What is missing and what to do.
        why: String,
    },
    /// A block device where a file is needed.
    #[error(
        "{path} is a block device, and in this version only a file can be used here; name a folder on the file system \
         that lies on it"
    )]
    BlockDevice {
        /// The device node.
        path: PathBuf,
    },
    /// A character device that is none of the two that can be measured.
    #[error(
        "{path} is a character device, and this command cannot measure one (`io` takes /dev/null and /dev/zero; the node \
         of an NVMe drive stands for its drive); name a folder, a file or a block device"
    )]
    Character {
        /// The device node.
        path: PathBuf,
    },
    /// Nothing to read.
    #[error("{path} holds less than a block of 4 KiB, so nothing can be measured on it; name another target")]
    Empty {
        /// The file or device.
        path: PathBuf,
    },
    /// A file in `/proc`, `/sys` and the like.
    #[error("{path} lies on {kind}, which is a window into the kernel and no storage; name a file on a drive")]
    Window {
        /// The file.
        path: PathBuf,
        /// The kind of file system.
        kind: String,
    },
    /// Neither a folder nor a regular file.
    #[error("{path} is {what}, and no storage that can be measured; name a folder, a file or a block device")]
    Unfit {
        /// The path as named.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The name cannot be stored in results.
    #[error("{} is not valid UTF-8, and results store paths as text; rename it, or name another place", path.display())]
    NotUtf8 {
        /// The path as named.
        path: PathBuf,
    },
    /// A file or device that cannot even be read.
    #[error("cannot open {path} for reading: {source}; {}", reading_advice(source))]
    Unreadable {
        /// The file or device.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The system said no.
    #[error("{what} {path}: {source}; {}", ErrorKind::of(source).advice())]
    System {
        /// What was tried, `cannot open`.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl DeviceError {
    /// The sort of trouble.
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

    /// For `map_err`: what was tried and where.
    pub(crate) fn system<E: Into<io::Error>>(what: &'static str, path: &Path) -> impl FnOnce(E) -> DeviceError {
        let path = path.to_owned();
        move |source| DeviceError::System { what, path, source: source.into() }
    }
}
