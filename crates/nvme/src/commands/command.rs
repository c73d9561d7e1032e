//! The only commands that drivelab sends: the requests, and the dwords that encode them.
//!
//! A command cannot be assembled from numbers outside this crate, so nothing can bypass the write guard: commands
//! that change data (format, sanitize) need a [`DestroyPermit`](crate::DestroyPermit).

use std::fmt;

/// The namespace identifier that means all of them, or the controller (Base, section 3.2.1.4).
pub const NSID_ALL: u32 = 0xFFFF_FFFF;

/// Milliseconds that a reading command may take: the kernel's own default for the admin queue. A shorter time would
/// make the kernel reset a controller that is only busy.
const READ_TIMEOUT_MS: u32 = 60_000;
/// Milliseconds that formatting may take: the command completes when formatting is done.
const FORMAT_TIMEOUT_MS: u32 = 3_600_000;

/// Which of a feature's values is requested (SEL; Base, section 5.15, Get Features).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Select {
    /// The current value.
    Current,
    /// The default.
    Default,
    /// The value saved across power cycles.
    Saved,
    /// What the feature supports: dword 0 bit 0 saveable, 1 per namespace, 2 changeable.
    Supported,
}

impl Select {
    fn bits(self) -> u32 {
        match self {
            Select::Current => 0,
            Select::Default => 1,
            Select::Saved => 2,
            Select::Supported => 3,
        }
    }
}

/// A request to a controller. Two commands with the same request give the same kind of answer, so it is the key to
/// recorded pages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// Identify (opcode 06h; Base, section 5.17).
    Identify {
        /// CNS: which structure.
        cns: u8,
        /// The namespace, 0 if it does not matter.
        nsid: u32,
    },
    /// Get Log Page (opcode 02h; Base, section 5.16).
    LogPage {
        /// LID: which page.
        log: u8,
        /// The namespace.
        nsid: u32,
        /// LSP: a parameter that the page defines.
        parameter: u8,
        /// LSI: an identifier that the page defines, such as the endurance group's.
        specific: u16,
    },
    /// Get Features (opcode 0Ah; Base, section 5.15).
    GetFeature {
        /// FID: which feature.
        feature: u8,
        /// Which of its values.
        select: Select,
        /// Command dword 11, whose meaning the feature defines.
        argument: u32,
    },
    /// Set Features (opcode 09h; Base, section 5.27), never saved across power cycles.
    SetFeature {
        /// FID: which feature.
        feature: u8,
        /// Command dword 11.
        value: u32,
    },
    /// Security Receive (opcode 82h; Base, section 5.25).
    SecurityReceive {
        /// SECP: the protocol.
        protocol: u8,
        /// SPSP: what is requested of it.
        specific: u16,
    },
    /// I/O Management Receive (I/O opcode 12h; Base 2.1, section 7.3): the status of reclaim unit handles.
    HandleStatus {
        /// The namespace.
        nsid: u32,
    },
    /// Format NVM (opcode 80h; Base, section 5.14).
    Format {
        /// The namespace.
        nsid: u32,
        /// Command dword 10.
        value: u32,
    },
    /// Sanitize (opcode 84h; Base, section 5.24).
    Sanitize {
        /// Command dword 10.
        value: u32,
        /// Command dword 11: the pattern of an overwrite.
        pattern: u32,
    },
}

impl fmt::Display for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Identify { cns: 1, .. } => write!(out, "Identify Controller"),
            Request::Identify { cns: 0, nsid } => write!(out, "Identify Namespace {nsid}"),
            Request::Identify { cns, .. } => write!(out, "Identify (CNS {cns:02X}h)"),
            Request::LogPage { log, .. } => write!(out, "Get Log Page {log:02X}h{}", log_words(*log)),
            Request::GetFeature { feature, .. } => {
                write!(out, "Get Features {feature:02X}h{}", feature_words(*feature))
            }
            Request::SetFeature { feature, value } => {
                write!(out, "Set Features {feature:02X}h{} to {value:#x}", feature_words(*feature))
            }
            Request::SecurityReceive { protocol, .. } => write!(out, "Security Receive (protocol {protocol:02X}h)"),
            Request::HandleStatus { .. } => write!(out, "I/O Management Receive (reclaim unit handle status)"),
            Request::Format { nsid: NSID_ALL, .. } => write!(out, "Format NVM of all namespaces"),
            Request::Format { nsid, .. } => write!(out, "Format NVM of namespace {nsid}"),
            Request::Sanitize { .. } => write!(out, "Sanitize"),
        }
    }
}

fn log_words(log: u8) -> &'static str {
    match log {
        0x00 => " (supported log pages)",
        0x01 => " (errors)",
        0x02 => " (SMART / health)",
        0x03 => " (firmware slots)",
        0x06 => " (self-tests)",
        0x09 => " (endurance group)",
        0x20 => " (FDP configurations)",
        0x21 => " (reclaim unit handle usage)",
        0x22 => " (FDP statistics)",
        0x23 => " (FDP events)",
        0x25 => " (power measurement)",
        0x81 => " (sanitize status)",
        0xC0 => " (OCP extended SMART)",
        _ => "",
    }
}

fn feature_words(feature: u8) -> &'static str {
    match feature {
        0x02 => " (power management)",
        0x04 => " (temperature threshold)",
        0x06 => " (volatile write cache)",
        0x07 => " (number of queues)",
        0x08 => " (interrupt coalescing)",
        0x0C => " (autonomous power state transition)",
        0x0D => " (host memory buffer)",
        0x10 => " (host controlled thermal management)",
        0x1D => " (flexible data placement)",
        0x25 => " (power measurement)",
        _ => "",
    }
}

/// A request with what its transport needs: how much data, from where, how long it may take. It goes to the admin
/// queue, except [`Request::HandleStatus`], which goes to an I/O queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminCommand {
    request: Request,
    length: u32,
    offset: u64,
    timeout_ms: u32,
}

/// The dwords of a command, as the specification numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Dwords {
    pub(crate) opcode: u8,
    pub(crate) nsid: u32,
    pub(crate) cdw10: u32,
    pub(crate) cdw11: u32,
    pub(crate) cdw12: u32,
    pub(crate) cdw13: u32,
}

impl AdminCommand {
    /// A command for `request` with `length` bytes of data.
    pub(crate) fn new(request: Request, length: usize) -> Self {
        let timeout_ms = if matches!(request, Request::Format { .. }) { FORMAT_TIMEOUT_MS } else { READ_TIMEOUT_MS };
        AdminCommand { request, length: u32::try_from(length).unwrap_or(u32::MAX), offset: 0, timeout_ms }
    }

    /// This command, for the part of a log page that begins at byte `offset`.
    pub(crate) fn at(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// The request.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The byte of a log page at which the data begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Milliseconds after which the kernel gives up the command.
    #[must_use]
    pub fn timeout_ms(&self) -> u32 {
        self.timeout_ms
    }

    /// Whether it goes to an I/O queue.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(self.request, Request::HandleStatus { .. })
    }

    /// The dwords that encode it.
    pub(crate) fn dwords(&self) -> Dwords {
        // Lengths in dwords, less one (NUMD; Base, section 5.16).
        let dwords_less_one = (self.length / 4).saturating_sub(1);
        match self.request {
            Request::Identify { cns, nsid } => {
                Dwords { opcode: 0x06, nsid, cdw10: u32::from(cns), ..Dwords::default() }
            }
            Request::LogPage { log, nsid, parameter, specific } => Dwords {
                opcode: 0x02,
                nsid,
                // Bit 15 (RAE): reading must not clear events that the kernel waits for.
                cdw10: u32::from(log) | u32::from(parameter) << 8 | 1 << 15 | (dwords_less_one & 0xFFFF) << 16,
                cdw11: dwords_less_one >> 16 | u32::from(specific) << 16,
                cdw12: low(self.offset),
                cdw13: low(self.offset >> 32),
            },
            Request::GetFeature { feature, select, argument } => Dwords {
                opcode: 0x0A,
                cdw10: u32::from(feature) | select.bits() << 8,
                cdw11: argument,
                ..Dwords::default()
            },
            Request::SetFeature { feature, value } => {
                Dwords { opcode: 0x09, cdw10: u32::from(feature), cdw11: value, ..Dwords::default() }
            }
            Request::SecurityReceive { protocol, specific } => Dwords {
                opcode: 0x82,
                cdw10: u32::from(protocol) << 24 | u32::from(specific) << 8,
                cdw11: self.length,
                ..Dwords::default()
            },
            // Management operation 1: reclaim unit handle status.
            Request::HandleStatus { nsid } => {
                Dwords { opcode: 0x12, nsid, cdw10: 1, cdw11: dwords_less_one, ..Dwords::default() }
            }
            Request::Format { nsid, value } => Dwords { opcode: 0x80, nsid, cdw10: value, ..Dwords::default() },
            Request::Sanitize { value, pattern } => {
                Dwords { opcode: 0x84, cdw10: value, cdw11: pattern, ..Dwords::default() }
            }
        }
    }
}

/// The low 32 bits.
fn low(value: u64) -> u32 {
    u32::try_from(value & 0xFFFF_FFFF).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dwords(request: Request, length: usize) -> Dwords {
        AdminCommand::new(request, length).dwords()
    }

    #[test]
    fn a_log_page_is_asked_by_dwords_less_one_with_its_identifier_and_keeps_events() {
        let request = Request::LogPage { log: 0x09, nsid: 0, parameter: 0, specific: 7 };
        let words = dwords(request, 512);
        assert_eq!((words.opcode, words.cdw10, words.cdw11), (0x02, 0x007F_8009, 0x0007_0000));
        let part = AdminCommand::new(Request::LogPage { log: 0x23, nsid: 0, parameter: 1, specific: 0 }, 4096);
        let words = part.at(0x1_0000_2000).dwords();
        assert_eq!((words.cdw10, words.cdw12, words.cdw13), (0x03FF_8123, 0x2000, 1));
    }

    #[test]
    fn a_long_log_page_carries_the_upper_half_of_its_length() {
        let request = Request::LogPage { log: 0x07, nsid: 0, parameter: 0, specific: 0 };
        let words = dwords(request, 0x10_0000);
        assert_eq!((words.cdw10 >> 16, words.cdw11 & 0xFFFF), (0xFFFF, 3));
    }

    #[test]
    fn features_are_read_by_value_and_set_without_being_saved() {
        let get = Request::GetFeature { feature: 0x04, select: Select::Saved, argument: 0x0010_0000 };
        assert_eq!((dwords(get.clone(), 0).cdw10, dwords(get, 0).cdw11), (0x204, 0x0010_0000));
        let set = dwords(Request::SetFeature { feature: 2, value: 3 }, 0);
        assert_eq!((set.opcode, set.cdw10, set.cdw11), (0x09, 2, 3));
        assert_eq!(set.cdw10 >> 31, 0, "the save bit");
    }

    #[test]
    fn security_names_protocol_and_what_of_it() {
        let words = dwords(Request::SecurityReceive { protocol: 1, specific: 1 }, 2048);
        assert_eq!((words.opcode, words.cdw10, words.cdw11), (0x82, 0x0100_0100, 2048));
    }
}
