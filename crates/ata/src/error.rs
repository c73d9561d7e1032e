//! Errors of this crate: a page that cannot be read, a drive that refuses, a device in between that does not pass ATA
//! on.
//!
//! Each message says what went wrong, where, the likely cause, and what to do. Must not know exit codes.

use std::io;

use rustix::io::Errno;

use crate::command::AtaCommand;
use crate::sense::Registers;

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
pub enum AtaError {
    /// The user may not send it.
    #[error("the kernel does not let this user send {command} to {node}: {source}; {}", RIGHTS)]
    NotPermitted {
        /// The command.
        command: AtaCommand,
        /// The device node.
        node: String,
        /// The system's answer.
        source: io::Error,
    },
    /// A device in between accepts no ATA commands.
    #[error(
        "{node} does not accept ATA commands ({why}): it is not an ATA drive, or the USB bridge or controller in front of it \
         does not translate ATA PASS-THROUGH; connect the drive to a SATA port"
    )]
    NotPassedOn {
        /// The device node.
        node: String,
        /// How this was detected.
        why: String,
    },
    /// The drive aborted the command.
    #[error(
        "the drive on {node} aborts {command}{}: it does not support the command, or the feature is off{}",
        with(registers.as_ref()),
        if command.is_smart() { " (SMART is turned on with `smartctl --smart=on`)" } else { "" }
    )]
    Aborted {
        /// The command.
        command: AtaCommand,
        /// The device node.
        node: String,
        /// The drive's registers, if they were returned.
        registers: Option<Registers>,
    },
    /// The command failed on its way or in the drive.
    #[error("{command} to {node} failed: {said}; check `dmesg` and the cable before trying again")]
    Failed {
        /// The command.
        command: AtaCommand,
        /// The device node.
        node: String,
        /// What the kernel or the drive reported.
        said: String,
    },
    /// The system refused it.
    #[error("cannot send {command} to {node}: {source}; {}", advice(source))]
    System {
        /// The command.
        command: AtaCommand,
        /// The device node.
        node: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The drive answered, but the bytes are not a valid structure.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The recorded pages do not contain the answer.
    #[error("{command} is not among the recorded pages; it was not requested, or not kept, when the drive was probed")]
    NotRecorded {
        /// The command.
        command: AtaCommand,
    },
}

/// When the system refused it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// When opening the node.
    Opening,
    /// When sending the command.
    Sending,
}

impl AtaError {
    /// Whether more privileges would help.
    #[must_use]
    pub fn is_not_permitted(&self) -> bool {
        matches!(self, AtaError::NotPermitted { .. })
    }

    /// Whether no ATA command gets through to a drive here.
    #[must_use]
    pub fn is_not_passed_on(&self) -> bool {
        matches!(self, AtaError::NotPassedOn { .. })
    }

    /// How to get the answer anyway; empty if this crate knows no way.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            AtaError::NotPermitted { .. } => RIGHTS.to_owned(),
            AtaError::NotPassedOn { .. } => "connect the drive to a SATA port".to_owned(),
            AtaError::Aborted { command, .. } if command.is_smart() => {
                "turn SMART on with `smartctl --smart=on`".to_owned()
            }
            AtaError::Failed { .. } => "check `dmesg` and the cable".to_owned(),
            AtaError::System { source, .. } => advice(source).to_owned(),
            AtaError::Aborted { .. } | AtaError::Decode(_) | AtaError::NotRecorded { .. } => String::new(),
        }
    }

    /// An error of the system, sorted by what it means for a command.
    pub(crate) fn system(command: AtaCommand, node: &str, stage: Stage, source: io::Error) -> Self {
        let node = node.to_owned();
        match Errno::from_io_error(&source) {
            Some(Errno::ACCESS | Errno::PERM) => AtaError::NotPermitted { command, node, source },
            // The driver of the device has no SG_IO.
            Some(Errno::NOTTY | Errno::INVAL | Errno::OPNOTSUPP) if stage == Stage::Sending => {
                AtaError::NotPassedOn { node, why: format!("the kernel answers: {source}") }
            }
            _ => AtaError::System { command, node, source },
        }
    }
}

/// Which privileges are needed (drivers/scsi/scsi_ioctl.c: without the capability only a few harmless SCSI commands
/// are allowed, even if the node may be read).
const RIGHTS: &str = "run drivelab with sudo: commands to a drive need root (the capability CAP_SYS_RAWIO)";

/// The drive's registers for a message.
fn with(registers: Option<&Registers>) -> String {
    registers
        .map(|registers| format!(" (status {:02x}h, error {:02x}h)", registers.status, registers.error))
        .unwrap_or_default()
}

/// What a user can do about an error of the system.
fn advice(error: &io::Error) -> &'static str {
    match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) => "the drive is gone: check `dmesg` and its connection",
        Some(Errno::BUSY) => "the drive is resetting or in use by another program: try again in a moment",
        Some(Errno::INTR | Errno::TIMEDOUT) => "the drive did not answer in time: check `dmesg` before trying again",
        Some(Errno::NOMEDIUM) => "the drive has no medium",
        _ => "the system log (dmesg) may say more",
    }
}
