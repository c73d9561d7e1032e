//! Commands through a device node: `/dev/sda`, `/dev/sg0`.

use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::command::{AtaCommand, Registers, Transport};
use crate::error::AtaError;
use crate::ioctl::{self, Outcome};
use crate::sense::Sense;

/// Milliseconds that a command may take: a sleeping disk must spin up first.
const TIMEOUT_MS: u32 = 30_000;
/// SCSI's status of a command that has something to say.
const CHECK_CONDITION: u8 = 2;
/// Bits of the drive's status register that mean failure: device fault, error.
const FAILED: u8 = 0x21;

/// Commands through the kernel. The node is opened for reading only, so it never hinders who wants it exclusively.
#[derive(Debug)]
pub struct SgTransport {
    node: File,
    name: String,
}

impl SgTransport {
    /// Opens a disk's node.
    ///
    /// # Errors
    /// It is not there, or this user may not open it.
    pub fn open(path: &Path) -> Result<Self, AtaError> {
        let name = path.display().to_string();
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let node = opened.map_err(|source| AtaError::system("any command", &name, source))?;
        Ok(SgTransport { node, name })
    }

    /// Takes a node that is already open, such as the guard's own handle; `name` is for messages.
    #[must_use]
    pub fn of(node: File, name: String) -> Self {
        SgTransport { node, name }
    }

    fn pass(&self, command: &AtaCommand, scsi: &[u8], data: &mut [u8]) -> Result<Outcome, AtaError> {
        let sent = ioctl::send(self.node.as_fd(), scsi, data, TIMEOUT_MS);
        sent.map_err(|source| AtaError::system(command.name(), &self.name, source))
    }
}

impl Transport for SgTransport {
    fn send(&self, command: &AtaCommand, data: &mut [u8]) -> Result<Option<Registers>, AtaError> {
        let outcome = self.pass(command, &command.pass_through_16(), data)?;
        let unknown = Sense::decode(&outcome.sense).is_some_and(|sense| sense.is_unknown_command());
        match command.pass_through_12() {
            // Old bridges know the short form alone.
            Some(short) if unknown => judge(command, &self.pass(command, &short, data)?),
            _ => judge(command, &outcome),
        }
    }
}

/// Whether the drive did what was asked.
fn judge(command: &AtaCommand, outcome: &Outcome) -> Result<Option<Registers>, AtaError> {
    let refused = |why: String| AtaError::Refused { what: command.name(), why };
    if outcome.host != 0 {
        return Err(refused(format!("the host adapter lost the command (host status {:#x})", outcome.host)));
    }
    let sense = Sense::decode(&outcome.sense);
    match (outcome.status, sense) {
        (0, None) if command.answers_in_registers() => {
            Err(refused("the bridge before it does not hand the drive's registers on".to_owned()))
        }
        (0, sense) => Ok(sense.and_then(|sense| sense.registers)),
        (CHECK_CONDITION, Some(sense)) if sense.is_information() => match sense.registers {
            Some(registers) if registers.status & FAILED != 0 => {
                let (status, error) = (registers.status, registers.error);
                Err(refused(format!("it failed (status register {status:02X}h, error register {error:02X}h)")))
            }
            registers => Ok(registers),
        },
        (CHECK_CONDITION, Some(sense)) => Err(refused(sense.words())),
        (status, _) => Err(refused(format!("SCSI status {status:02X}h"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_disk_says_so() {
        // The kernel answers ENOTTY: this node takes no SCSI command.
        let transport = SgTransport::open(Path::new("/dev/null")).unwrap();
        let text = transport.send(&AtaCommand::identify(), &mut [0; 512]).unwrap_err().to_string();
        assert!(text.contains("IDENTIFY DEVICE to /dev/null") && text.contains("no SATA drive"), "{text}");
    }

    #[test]
    fn a_node_that_is_not_there_says_so() {
        let text = SgTransport::open(Path::new("/dev/sd-is-not-here")).unwrap_err().to_string();
        assert!(text.contains("/dev/sd-is-not-here") && text.contains("the drive is gone"), "{text}");
    }

    #[test]
    fn a_failed_command_is_told_from_an_answer_in_registers() {
        let sense = |status: u8| {
            let mut bytes = vec![0x72, 0x01, 0x00, 0x1D, 0, 0, 0, 14];
            bytes.extend([0x09, 12, 0, 0x04, 0, 0, 0, 0, 0, 0x4F, 0, 0xC2, 0, status]);
            bytes
        };
        let outcome = |status, sense| Outcome { status, host: 0, sense };
        let command = AtaCommand::smart_status();
        let registers = judge(&command, &outcome(2, sense(0x50))).unwrap().unwrap();
        assert_eq!(registers.address, 0xC2_4F00);
        let text = judge(&command, &outcome(2, sense(0x51))).unwrap_err().to_string();
        assert!(text.contains("error register 04h"), "{text}");
        assert!(judge(&command, &outcome(0, Vec::new())).is_err(), "no registers came");
        assert_eq!(judge(&AtaCommand::identify(), &outcome(0, Vec::new())).unwrap(), None);
        assert!(judge(&command, &outcome(8, Vec::new())).is_err(), "busy");
    }
}
