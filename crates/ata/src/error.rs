//! Errors of this room: a page that cannot be read, a drive that refuses, a kernel that does.
//!
//! Every text is one sentence chain: what went wrong, where, why likely, what to do. Must not know exit codes.

use std::io;

use rustix::io::Errno;

/// Bytes that are no such structure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The page ends before the structure does.
    #[error(
        "{structure}: {needs} bytes are needed and {has} are there; the page was cut off when it was read or stored"
    )]
    Short {
        /// The structure.
        structure: &'static str,
        /// Bytes that it needs.
        needs: usize,
        /// Bytes that are there.
        has: usize,
    },
    /// Long enough, but what it says of itself does not fit.
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
pub enum AtaError {
    /// The drive, or what sits between it and the kernel, refused the command.
    #[error("the drive refuses {what}: {why}")]
    Refused {
        /// The command, in words.
        what: &'static str,
        /// The answer, in words.
        why: String,
    },
    /// The user may not send it.
    #[error(
        "the kernel does not let this user send {what} to {node}: {source}; ATA commands need root (the capability \
         CAP_SYS_RAWIO): run drivelab with sudo"
    )]
    NotPermitted {
        /// The command, in words.
        what: &'static str,
        /// The device node.
        node: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The system said no.
    #[error("cannot send {what} to {node}: {source}; {}", advice(source))]
    System {
        /// The command, in words.
        what: &'static str,
        /// The device node.
        node: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The bytes came, but they are no such structure.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl AtaError {
    /// Whether more rights would help.
    #[must_use]
    pub fn is_not_permitted(&self) -> bool {
        matches!(self, AtaError::NotPermitted { .. })
    }

    /// An error of the system, sorted by whether rights are missing.
    pub(crate) fn system(what: &'static str, node: &str, source: io::Error) -> Self {
        let node = node.to_owned();
        match Errno::from_io_error(&source) {
            Some(Errno::ACCESS | Errno::PERM) => AtaError::NotPermitted { what, node, source },
            _ => AtaError::System { what, node, source },
        }
    }
}

/// What a person can do about an error of the system.
fn advice(error: &io::Error) -> &'static str {
    match Errno::from_io_error(error) {
        Some(Errno::NOTTY | Errno::INVAL | Errno::OPNOTSUPP) => {
            "its driver takes no SCSI commands, so it is no SATA drive (and none behind a USB bridge)"
        }
        Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) => "the drive is gone: look at `dmesg` and at its connection",
        Some(Errno::INTR | Errno::TIMEDOUT) => "the drive did not answer in time: look at `dmesg` before trying again",
        _ => "the system log (dmesg) may say more",
    }
}
