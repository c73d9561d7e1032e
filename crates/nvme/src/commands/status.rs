//! A controller's status for a command, in the terms of the specification.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The status of a completed command without its phase bit: SC in bits 7:0, SCT in 10:8, CRD in 12:11, More in 13, DNR
/// in 14 (Base, section 3.3.3.2.1). This is what the kernel's ioctl returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Status(u16);

impl Status {
    /// The status of these bits.
    #[must_use]
    pub const fn new(bits: u16) -> Self {
        Status(bits & 0x7FFF)
    }

    /// The bits.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// SC: the code, whose meaning depends on its type.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    /// SCT: the type; 0 generic, 1 command specific, 2 media and data integrity, 3 path, 7 vendor specific.
    #[must_use]
    pub const fn kind(self) -> u8 {
        self.0.to_le_bytes()[1] & 0b111
    }

    /// DNR: whether the same command would fail again.
    #[must_use]
    pub const fn is_final(self) -> bool {
        self.0 & 1 << 14 != 0
    }

    /// More: whether the error log has an entry about it.
    #[must_use]
    pub const fn is_logged(self) -> bool {
        self.0 & 1 << 13 != 0
    }

    /// Whether it means that the controller does not support what was requested.
    #[must_use]
    pub fn is_not_supported(self) -> bool {
        // Invalid Opcode, Invalid Field, Invalid Namespace or Format, FDP Disabled; and Invalid Log Page.
        matches!((self.kind(), self.code()), (0, 0x01 | 0x02 | 0x0B | 0x29) | (1, 0x09))
    }

    /// The specification's name for it, if it has one.
    #[must_use]
    pub fn words(self) -> Option<&'static str> {
        match self.kind() {
            0 => generic(self.code()),
            1 => command_specific(self.code()),
            2 => media(self.code()),
            3 => path(self.code()),
            _ => None,
        }
    }

    /// What a user can do about it.
    pub(crate) fn advice(self) -> &'static str {
        match (self.kind(), self.code()) {
            (0, 0x1D) => "wait until the sanitize operation has ended",
            (0, 0x1C) => {
                "the last sanitize operation failed, and only a new one (or leaving failure mode) frees the drive"
            }
            (0, 0x84) => "wait until the format has ended",
            (0, 0x15 | 0x23) => "the drive is locked or forbids it: unlock it, or check its lockdown settings",
            (0, 0x29) => "flexible data placement is switched off in this endurance group",
            (0, 0x06) => "the drive has an internal error: read its error log",
            (1, 0x0E) => "the controller has the feature but does not let it be changed",
            (1, 0x0A) => "the namespace does not have this block format",
            _ if self.is_not_supported() => "this controller does not support it",
            _ if self.is_final() => "the same command would fail again",
            _ => "it may work on another try",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, code) = (self.kind(), self.code());
        match self.words() {
            Some(words) => write!(out, "{words}")?,
            None if kind == 7 => write!(out, "a vendor-specific status")?,
            None => write!(out, "a status that the specification does not name")?,
        }
        write!(out, " (status type {kind:X}h, code {code:02X}h; NVMe Base 2.0, section 3.3.3.2.1)")
    }
}

/// Generic command status (SCT 0h; Base 2.0, section 3.3.3.2.1.1; 29h and 2Ah: Base 2.1).
fn generic(code: u8) -> Option<&'static str> {
    Some(match code {
        0x00 => "Successful Completion",
        0x01 => "Invalid Command Opcode",
        0x02 => "Invalid Field in Command",
        0x03 => "Command ID Conflict",
        0x04 => "Data Transfer Error",
        0x05 => "Commands Aborted due to Power Loss Notification",
        0x06 => "Internal Error",
        0x07 => "Command Abort Requested",
        0x08 => "Command Aborted due to SQ Deletion",
        0x09 => "Command Aborted due to Failed Fused Command",
        0x0A => "Command Aborted due to Missing Fused Command",
        0x0B => "Invalid Namespace or Format",
        0x0C => "Command Sequence Error",
        0x0D => "Invalid SGL Segment Descriptor",
        0x0E => "Invalid Number of SGL Descriptors",
        0x0F => "Data SGL Length Invalid",
        0x10 => "Metadata SGL Length Invalid",
        0x11 => "SGL Descriptor Type Invalid",
        0x12 => "Invalid Use of Controller Memory Buffer",
        0x13 => "PRP Offset Invalid",
        0x14 => "Atomic Write Unit Exceeded",
        0x15 => "Operation Denied",
        0x16 => "SGL Offset Invalid",
        0x18 => "Host Identifier Inconsistent Format",
        0x19 => "Keep Alive Timer Expired",
        0x1A => "Keep Alive Timeout Invalid",
        0x1B => "Command Aborted due to Preempt and Abort",
        0x1C => "Sanitize Failed",
        0x1D => "Sanitize In Progress",
        0x1E => "SGL Data Block Granularity Invalid",
        0x1F => "Command Not Supported for Queue in CMB",
        0x20 => "Namespace is Write Protected",
        0x21 => "Command Interrupted",
        0x22 => "Transient Transport Error",
        0x23 => "Command Prohibited by Command and Feature Lockdown",
        0x24 => "Admin Command Media Not Ready",
        0x29 => "FDP Disabled",
        0x2A => "Invalid Placement Handle List",
        0x80 => "LBA Out of Range",
        0x81 => "Capacity Exceeded",
        0x82 => "Namespace Not Ready",
        0x83 => "Reservation Conflict",
        0x84 => "Format In Progress",
        _ => return None,
    })
}

/// Command specific status (SCT 1h; Base 2.0, section 3.3.3.2.1.2; 3Eh: Base 2.3).
fn command_specific(code: u8) -> Option<&'static str> {
    Some(match code {
        0x00 => "Completion Queue Invalid",
        0x01 => "Invalid Queue Identifier",
        0x02 => "Invalid Queue Size",
        0x03 => "Abort Command Limit Exceeded",
        0x05 => "Asynchronous Event Request Limit Exceeded",
        0x06 => "Invalid Firmware Slot",
        0x07 => "Invalid Firmware Image",
        0x08 => "Invalid Interrupt Vector",
        0x09 => "Invalid Log Page",
        0x0A => "Invalid Format",
        0x0B => "Firmware Activation Requires Conventional Reset",
        0x0C => "Invalid Queue Deletion",
        0x0D => "Feature Identifier Not Saveable",
        0x0E => "Feature Not Changeable",
        0x0F => "Feature Not Namespace Specific",
        0x10 => "Firmware Activation Requires NVM Subsystem Reset",
        0x11 => "Firmware Activation Requires Controller Level Reset",
        0x12 => "Firmware Activation Requires Maximum Time Violation",
        0x13 => "Firmware Activation Prohibited",
        0x14 => "Overlapping Range",
        0x15 => "Namespace Insufficient Capacity",
        0x16 => "Namespace Identifier Unavailable",
        0x18 => "Namespace Already Attached",
        0x19 => "Namespace Is Private",
        0x1A => "Namespace Not Attached",
        0x1B => "Thin Provisioning Not Supported",
        0x1C => "Controller List Invalid",
        0x1D => "Device Self-test In Progress",
        0x1E => "Boot Partition Write Prohibited",
        0x1F => "Invalid Controller Identifier",
        0x20 => "Invalid Secondary Controller State",
        0x21 => "Invalid Number of Controller Resources",
        0x22 => "Invalid Resource Identifier",
        0x23 => "Sanitize Prohibited While Persistent Memory Region is Enabled",
        0x24 => "ANA Group Identifier Invalid",
        0x25 => "ANA Attach Failed",
        0x26 => "Insufficient Capacity",
        0x27 => "Namespace Attachment Limit Exceeded",
        0x28 => "Prohibition of Command Execution Not Supported",
        0x29 => "I/O Command Set Not Supported",
        0x2A => "I/O Command Set Not Enabled",
        0x2B => "I/O Command Set Combination Rejected",
        0x2C => "Invalid I/O Command Set",
        0x2D => "Identifier Unavailable",
        0x3E => "Invalid Power Limit",
        0x80 => "Conflicting Attributes",
        0x81 => "Invalid Protection Information",
        0x82 => "Attempted Write to Read Only Range",
        0x83 => "Command Size Limit Exceeded",
        _ => return None,
    })
}

/// Media and data integrity errors (SCT 2h; Base 2.0, section 3.3.3.2.1.3).
fn media(code: u8) -> Option<&'static str> {
    Some(match code {
        0x80 => "Write Fault",
        0x81 => "Unrecovered Read Error",
        0x82 => "End-to-end Guard Check Error",
        0x83 => "End-to-end Application Tag Check Error",
        0x84 => "End-to-end Reference Tag Check Error",
        0x85 => "Compare Failure",
        0x86 => "Access Denied",
        0x87 => "Deallocated or Unwritten Logical Block",
        0x88 => "End-to-End Storage Tag Check Error",
        _ => return None,
    })
}

/// Path related status (SCT 3h; Base 2.0, section 3.3.3.2.1.4).
fn path(code: u8) -> Option<&'static str> {
    Some(match code {
        0x00 => "Internal Path Error",
        0x01 => "Asymmetric Access Persistent Loss",
        0x02 => "Asymmetric Access Inaccessible",
        0x03 => "Asymmetric Access Transition",
        0x60 => "Controller Pathing Error",
        0x70 => "Host Pathing Error",
        0x71 => "Command Aborted By Host",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_taken_apart_and_named() {
        // DNR, More, type 1 (command specific), code 0Eh.
        let status = Status::new(0x610E);
        assert_eq!((status.kind(), status.code(), status.is_final(), status.is_logged()), (1, 0x0E, true, true));
        assert_eq!(status.words(), Some("Feature Not Changeable"));
        let text = Status::new(0x4002).to_string();
        assert!(text.starts_with("Invalid Field in Command (status type 0h, code 02h"), "{text}");
    }

    #[test]
    fn every_status_has_a_text_and_what_is_missing_is_told_from_what_failed() {
        for bits in 0..=u16::MAX {
            assert!(!Status::new(bits).to_string().is_empty() && !Status::new(bits).advice().is_empty());
        }
        assert!(Status::new(0x0109).is_not_supported(), "Invalid Log Page");
        assert!(Status::new(0x0002).is_not_supported(), "Invalid Field in Command");
        assert!(!Status::new(0x0006).is_not_supported(), "Internal Error");
        assert!(!Status::new(0x0281).is_not_supported(), "Unrecovered Read Error");
    }
}
