//! Errors of this crate: a page that cannot be read, a controller that refuses, a kernel that refuses.
//!
//! Each message says what went wrong, where, the likely cause, and what to do. Must not know exit codes.

use std::io;

use rustix::io::Errno;

use crate::commands::status::Status;

/// Bytes that are not a valid structure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The page ends before the structure does.
    #[error("{structure}: {needs} bytes are needed, but it has {has}; the page was cut off when it was read or stored")]
    Short {
        /// The structure.
        structure: &'static str,
        /// Bytes that it needs.
        needs: usize,
        /// Bytes that the page has.
        has: usize,
    },
    /// Long enough, but with contradictory content.
    #[error("{structure}: {why}")]
    Odd {
        /// The structure.
        structure: &'static str,
        /// What does not fit, and what that means.
        why: String,
    },
}

/// What went wrong with a command.
#[derive(Debug, thiserror::Error)]
pub enum NvmeError {
    /// The controller answered with an error.
    #[error("the controller refuses {what}: {status}; {}", status.advice())]
    Refused {
        /// The command, as text.
        what: String,
        /// The controller's answer.
        status: Status,
    },
    /// The user may not send it.
    #[error(
        "the kernel does not let this user send {what} to {node}: {source}; commands to a controller need root (the \
         capability CAP_SYS_ADMIN): run drivelab with sudo"
    )]
    NotPermitted {
        /// The command, in words.
        what: String,
        /// The device node.
        node: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The system refused it.
    #[error("cannot send {what} to {node}: {source}; {}", advice(source))]
    System {
        /// The command, in words.
        what: String,
        /// The device node.
        node: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The controller answered, but the bytes are not a valid structure.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The controller's own reports rule it out.
    #[error("{what}: {why}")]
    NotSupported {
        /// What was requested.
        what: String,
        /// What the controller lacks, and what to do.
        why: String,
    },
    /// The recorded pages do not contain the answer.
    #[error("{what} is not among the recorded pages; it was not requested, or not kept, when the drive was probed")]
    NotRecorded {
        /// The command, in words.
        what: String,
    },
}

impl NvmeError {
    /// The controller's answer, if it was the controller that refused.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        match self {
            NvmeError::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether more privileges would help.
    #[must_use]
    pub fn is_not_permitted(&self) -> bool {
        matches!(self, NvmeError::NotPermitted { .. })
    }

    /// Whether the controller does not support what was requested, as opposed to another failure.
    #[must_use]
    pub fn is_not_supported(&self) -> bool {
        match self {
            NvmeError::Refused { status, .. } => status.is_not_supported(),
            NvmeError::NotSupported { .. } | NvmeError::NotRecorded { .. } => true,
            _ => false,
        }
    }

    /// An error of the system, sorted by whether privileges are missing.
    pub(crate) fn system(what: String, node: String, source: io::Error) -> Self {
        match Errno::from_io_error(&source) {
            Some(Errno::ACCESS | Errno::PERM) => NvmeError::NotPermitted { what, node, source },
            _ => NvmeError::System { what, node, source },
        }
    }
}

/// What a user can do about an error of the system.
fn advice(error: &io::Error) -> &'static str {
    match Errno::from_io_error(error) {
        Some(Errno::NOTTY | Errno::INVAL) => {
            "it is not an NVMe device, or the kernel does not accept such commands for it: name a controller (/dev/nvme0) or a \
             namespace (/dev/nvme0n1)"
        }
        Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) => "the drive is gone: check `dmesg` and its connection",
        Some(Errno::INTR | Errno::TIMEDOUT) => {
            "the controller did not answer in time: check `dmesg` before trying again"
        }
        Some(Errno::IO) => "the kernel lost the command, usually because it had to reset the controller: check `dmesg`",
        _ => "the system log (dmesg) may say more",
    }
}
