//! Commands through a device node: `/dev/sda`, and the meaning of the kernel's answers.

use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::command::AtaCommand;
use crate::error::{AtaError, Stage};
use crate::sense::{Registers, Sense};
use crate::sg_io::{self, Answer};
use crate::transport::AtaTransport;

/// SCSI status "check condition": there is sense data (SAM-5, status codes).
const CHECK_CONDITION: u8 = 0x02;
/// The driver's status without the bits that only announce sense data (`DRIVER_SENSE`, 08h).
const DRIVER_SENSE: u16 = 0x08;

/// Commands through the kernel. The node is opened only for reading, so it never blocks a program that needs
/// exclusive access.
#[derive(Debug)]
pub struct SgIoTransport {
    node: File,
    name: String,
}

impl SgIoTransport {
    /// Opens a drive's node. It does not wait for a medium (`O_NONBLOCK`), so that a sleeping drive stays asleep.
    ///
    /// # Errors
    /// It does not exist, or this user may not open it.
    pub fn open(path: &Path) -> Result<Self, AtaError> {
        let name = path.display().to_string();
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let failed = |source| AtaError::system(AtaCommand::IdentifyDevice, &name, Stage::Opening, source);
        Ok(SgIoTransport { node: opened.map_err(failed)?, name })
    }

    /// Takes a node that is already open, such as the guard's own handle; `name` is for messages.
    #[must_use]
    pub fn of(node: File, name: String) -> Self {
        SgIoTransport { node, name }
    }
}

impl AtaTransport for SgIoTransport {
    fn send(&self, command: AtaCommand, data: &mut [u8]) -> Result<Option<Registers>, AtaError> {
        let sent = sg_io::send(self.node.as_fd(), &command.block(), command.timeout_ms(), data);
        let answer = sent.map_err(|source| AtaError::system(command, &self.name, Stage::Sending, source))?;
        judge(command, &self.name, &answer)
    }
}

/// The meaning of an answer: the registers, or what went wrong.
fn judge(command: AtaCommand, node: &str, answer: &Answer) -> Result<Option<Registers>, AtaError> {
    let node = node.to_owned();
    let failed = |said: String| AtaError::Failed { command, node: node.clone(), said };
    if answer.host_status != 0 {
        return Err(failed(format!("the host adapter reports: {}", host_words(answer.host_status))));
    }
    let has_sense = answer.status == CHECK_CONDITION || answer.driver_status & DRIVER_SENSE != 0;
    if let Some(sense) = Sense::decode(&answer.sense).filter(|_| has_sense) {
        if sense.is_not_passed_on() {
            return Err(AtaError::NotPassedOn { node, why: sense.words() });
        }
        if sense.is_aborted() {
            return Err(AtaError::Aborted { command, node, registers: sense.registers });
        }
        if !sense.is_good() {
            return Err(failed(sense.words()));
        }
        if sense.registers.is_some() || !command.answers_in_registers() {
            return complete(answer, sense.registers, failed);
        }
    } else if answer.status != 0 {
        return Err(failed(format!("SCSI status {:02x}h", answer.status)));
    }
    if command.answers_in_registers() {
        let why = format!("{command} did not return the drive's registers");
        return Err(AtaError::NotPassedOn { node, why });
    }
    complete(answer, None, failed)
}

/// The registers of an answer whose data is complete.
fn complete(
    answer: &Answer,
    registers: Option<Registers>,
    failed: impl Fn(String) -> AtaError,
) -> Result<Option<Registers>, AtaError> {
    if answer.left > 0 {
        return Err(failed(format!("{} bytes of the page are missing", answer.left)));
    }
    Ok(registers)
}

/// The host adapter's status as text (include/scsi/scsi_status.h).
fn host_words(status: u16) -> String {
    let words = match status {
        0x01 => "the drive cannot be reached",
        0x02 => "the bus stayed busy",
        0x03 => "the drive did not answer in time",
        0x04 => "the drive does not exist",
        0x05 => "the command was aborted",
        0x07 => "an internal error",
        0x08 => "the bus was reset",
        _ => "an error that drivelab does not know",
    };
    format!("{words} (host status {status:02x}h)")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A verdict as libata returns it with CK_COND: recovered error, code 00h/1Dh, registers in a descriptor.
    fn with_registers(status: u8, error: u8, lba: [u8; 3]) -> Answer {
        let mut sense = vec![0x72, 0x01, 0x00, 0x1D, 0, 0, 0, 14];
        sense.extend([0x09, 0x0C, 0, error, 0, 0, 0, lba[0], 0, lba[1], 0, lba[2], 0x40, status]);
        Answer { status: CHECK_CONDITION, driver_status: DRIVER_SENSE, sense, ..Answer::default() }
    }

    #[test]
    fn what_is_no_drive_says_so() {
        // The kernel answers ENOTTY: the null device takes no SCSI command.
        let transport = SgIoTransport::open(Path::new("/dev/null")).unwrap();
        let error = transport.send(AtaCommand::IdentifyDevice, &mut [0; 512]).unwrap_err();
        let text = error.to_string();
        assert!(error.is_not_passed_on() && text.contains("/dev/null") && text.contains("not an ATA drive"), "{text}");
    }

    #[test]
    fn a_node_that_is_not_there_says_so() {
        let text = SgIoTransport::open(Path::new("/dev/sd-is-not-here")).unwrap_err().to_string();
        assert!(text.contains("/dev/sd-is-not-here") && text.contains("the drive is gone"), "{text}");
    }

    #[test]
    fn registers_that_come_back_are_no_error() {
        let registers = judge(AtaCommand::SmartStatus, "/dev/sdx", &with_registers(0x50, 0, [0, 0x4F, 0xC2]));
        assert_eq!(registers.unwrap().unwrap().lba, 0x00C2_4F00);
    }

    #[test]
    fn an_aborted_command_is_told_from_one_that_is_not_passed_on() {
        let aborted = judge(AtaCommand::SmartData, "/dev/sdx", &with_registers(0x51, 0x04, [0; 3])).unwrap_err();
        let text = aborted.to_string();
        assert!(matches!(aborted, AtaError::Aborted { .. }), "{text}");
        assert!(text.contains("status 51h, error 04h") && text.contains("smartctl --smart=on"), "{text}");

        let mut sense = vec![0; 18];
        (sense[0], sense[2], sense[12]) = (0x70, 0x05, 0x20);
        let answer = Answer { status: CHECK_CONDITION, sense, ..Answer::default() };
        let bridge = judge(AtaCommand::IdentifyDevice, "/dev/sdx", &answer).unwrap_err();
        assert!(bridge.is_not_passed_on() && bridge.to_string().contains("USB bridge"), "{bridge}");
    }

    #[test]
    fn a_bridge_that_keeps_the_registers_gives_no_verdict() {
        let answer = Answer::default();
        let error = judge(AtaCommand::SmartStatus, "/dev/sdx", &answer).unwrap_err();
        assert!(
            error.is_not_passed_on() && error.to_string().contains("did not return the drive's registers"),
            "{error}"
        );
        assert_eq!(judge(AtaCommand::IdentifyDevice, "/dev/sdx", &answer).unwrap(), None);
    }

    #[test]
    fn other_failures_keep_their_words() {
        let said = |answer: &Answer| judge(AtaCommand::SmartData, "/dev/sdx", answer).unwrap_err().to_string();
        let late = said(&Answer { host_status: 3, ..Answer::default() });
        assert!(late.contains("did not answer in time") && late.contains("SMART READ DATA to /dev/sdx"), "{late}");
        let medium = said(&Answer {
            status: CHECK_CONDITION,
            sense: vec![0x72, 0x03, 0x11, 0, 0, 0, 0, 0],
            ..Answer::default()
        });
        assert!(medium.contains("medium error (sense key 3h, code 11h/00h)"), "{medium}");
        let busy = said(&Answer { status: 0x08, ..Answer::default() });
        assert!(busy.contains("SCSI status 08h"), "{busy}");
        let cut = said(&Answer { left: 12, ..Answer::default() });
        assert!(cut.contains("12 bytes of the page are missing"), "{cut}");
    }

    #[test]
    fn without_rights_the_error_says_which() {
        let refused = |step| {
            AtaError::system(AtaCommand::SmartData, "/dev/sdx", step, std::io::Error::from_raw_os_error(libc::EPERM))
        };
        let (open, send) = (refused(Stage::Opening), refused(Stage::Sending));
        assert!(open.is_not_permitted() && open.to_string().contains("run drivelab with sudo"), "{open}");
        assert!(send.is_not_permitted() && send.to_string().contains("CAP_SYS_RAWIO"), "{send}");
    }
}
