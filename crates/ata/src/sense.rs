//! Sense data: SCSI's report on a command that did not simply succeed, which may include the drive's registers.

use serde::Serialize;

/// Sense keys (SPC-4, SENSE KEY field).
const NO_SENSE: u8 = 0x0;
const RECOVERED: u8 = 0x1;
const ILLEGAL_REQUEST: u8 = 0x5;
const ABORTED: u8 = 0xB;
/// The descriptor with the registers (SAT-4, ATA Status Return descriptor), and its total length.
const STATUS_RETURN: u8 = 0x09;
const STATUS_RETURN_LENGTH: usize = 14;
/// Additional sense code and qualifier: registers are present and nothing is wrong (SPC-4, ATA PASS THROUGH
/// INFORMATION AVAILABLE).
const REGISTERS_AVAILABLE: (u8, u8) = (0x00, 0x1D);

/// The drive's registers after a command (ACS-4, normal and error outputs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Registers {
    /// Status.
    pub status: u8,
    /// Error; valid if bit 0 of the status is set.
    pub error: u8,
    /// Count, bits 7:0.
    pub count: u8,
    /// LBA, bits 23:0.
    pub lba: u32,
    /// Device.
    pub device: u8,
}

impl Registers {
    /// Bit 0 of the status (ERROR): the command failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.status & 1 == 1
    }
}

/// Sense data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sense {
    /// Sense key.
    pub key: u8,
    /// Additional sense code.
    pub code: u8,
    /// Its qualifier.
    pub qualifier: u8,
    /// The drive's registers, if they are included.
    pub registers: Option<Registers>,
}

impl Sense {
    /// Decodes sense data of either format (SPC-4); `None` if it has neither format, or is cut off before the codes.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let at = |place: usize| bytes.get(place).copied();
        match at(0)? & 0x7F {
            // Descriptor format, current and deferred.
            0x72 | 0x73 => {
                let (key, code, qualifier) = (at(1)? & 0xF, at(2)?, at(3)?);
                Some(Sense { key, code, qualifier, registers: from_descriptors(bytes) })
            }
            // Fixed format, current and deferred.
            0x70 | 0x71 => {
                let (key, code, qualifier) = (at(2)? & 0xF, at(12).unwrap_or(0), at(13).unwrap_or(0));
                let has_registers = (code, qualifier) == REGISTERS_AVAILABLE;
                Some(Sense { key, code, qualifier, registers: has_registers.then(|| from_fixed(bytes)).flatten() })
            }
            _ => None,
        }
    }

    /// Whether it is only a report and the command succeeded.
    pub(crate) fn is_good(&self) -> bool {
        let is_kind = matches!(self.key, NO_SENSE | RECOVERED);
        is_kind && !self.registers.is_some_and(|registers| registers.is_error())
    }

    /// Whether something in front of the drive does not know the command or does not accept it in this form.
    pub(crate) fn is_not_passed_on(&self) -> bool {
        // 20h: invalid operation code; 24h: invalid field in the block; 25h: no such unit; 26h: invalid parameter.
        self.key == ILLEGAL_REQUEST && matches!(self.code, 0x20 | 0x24 | 0x25 | 0x26)
    }

    /// Whether the drive aborted the command (ABORT, bit 2 of the error register).
    pub(crate) fn is_aborted(&self) -> bool {
        match self.registers {
            Some(registers) => registers.is_error() && registers.error & 1 << 2 != 0,
            None => self.key == ABORTED && self.code == 0,
        }
    }

    /// As text, with the numbers.
    pub(crate) fn words(&self) -> String {
        const KEYS: [&str; 16] = [
            "no sense",
            "recovered error",
            "not ready",
            "medium error",
            "hardware error",
            "illegal request",
            "unit attention",
            "data protect",
            "blank check",
            "vendor specific",
            "copy aborted",
            "aborted command",
            "reserved",
            "volume overflow",
            "miscompare",
            "completed",
        ];
        let key = KEYS.get(usize::from(self.key)).copied().unwrap_or("reserved");
        let registers = self
            .registers
            .map(|registers| format!(", status {:02x}h, error {:02x}h", registers.status, registers.error))
            .unwrap_or_default();
        format!("{key} (sense key {:x}h, code {:02x}h/{:02x}h{registers})", self.key, self.code, self.qualifier)
    }
}

/// Registers from the descriptors: each has its type, the length of the rest, the rest (SPC-4, descriptor format).
fn from_descriptors(bytes: &[u8]) -> Option<Registers> {
    let length = usize::from(*bytes.get(7)?);
    let mut rest = bytes.get(8..)?;
    rest = rest.get(..length).unwrap_or(rest);
    while let Some([kind, length]) = rest.get(..2) {
        let whole = usize::from(*length) + 2;
        if *kind == STATUS_RETURN && whole == STATUS_RETURN_LENGTH {
            return of_descriptor(rest.get(..STATUS_RETURN_LENGTH)?);
        }
        rest = rest.get(whole..)?;
    }
    None
}

/// SAT-4, ATA Status Return descriptor: error in byte 3, count 7:0 in byte 5, LBA 7:0, 15:8, 23:16 in bytes 7, 9, 11,
/// device in byte 12, status in byte 13.
fn of_descriptor(descriptor: &[u8]) -> Option<Registers> {
    let at = |place: usize| descriptor.get(place).copied();
    Some(Registers {
        error: at(3)?,
        count: at(5)?,
        lba: u32::from_le_bytes([at(7)?, at(9)?, at(11)?, 0]),
        device: at(12)?,
        status: at(13)?,
    })
}

/// SAT-4, fixed format sense data: error, status, device and count in the INFORMATION field (bytes 3 to 6),
/// LBA 7:0, 15:8, 23:16 in bytes 9 to 11 of the COMMAND-SPECIFIC INFORMATION field.
fn from_fixed(bytes: &[u8]) -> Option<Registers> {
    let at = |place: usize| bytes.get(place).copied();
    Some(Registers {
        error: at(3)?,
        status: at(4)?,
        device: at(5)?,
        count: at(6)?,
        lba: u32::from_le_bytes([at(9)?, at(10)?, at(11)?, 0]),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn registers_are_found_among_other_descriptors() {
        // An information descriptor (type 00h, 0Ah more bytes) first.
        let mut bytes = vec![0x72, RECOVERED, 0, 0x1D, 0, 0, 0, 12 + 14];
        bytes.extend([0x00, 0x0A, 0x80, 0, 9, 9, 9, 9, 9, 9, 9, 9]);
        bytes.extend([0x09, 0x0C, 0, 0x04, 0, 0xFF, 0, 0x01, 0, 0xF4, 0, 0x2C, 0xA0, 0x51]);
        let sense = Sense::decode(&bytes).expect("sense data");
        let registers = Registers { status: 0x51, error: 0x04, count: 0xFF, lba: 0x002C_F401, device: 0xA0 };
        assert_eq!(sense.registers, Some(registers));
        assert!(registers.is_error() && sense.is_aborted() && !sense.is_good());
    }

    #[test]
    fn the_fixed_format_holds_the_same() {
        let mut bytes = [0; 18];
        bytes[0] = 0x70;
        bytes[2] = RECOVERED;
        bytes[3..7].copy_from_slice(&[0x00, 0x50, 0x40, 0x80]);
        bytes[9..12].copy_from_slice(&[0x00, 0x4F, 0xC2]);
        bytes[13] = 0x1D;
        let sense = Sense::decode(&bytes).expect("sense data");
        let registers = Registers { status: 0x50, error: 0, count: 0x80, lba: 0x00C2_4F00, device: 0x40 };
        assert_eq!(sense.registers, Some(registers));
        assert!(sense.is_good() && !sense.is_aborted());
        // Without the code that announces them, the same bytes have another meaning.
        bytes[13] = 0;
        assert_eq!(Sense::decode(&bytes).expect("sense data").registers, None);
    }

    #[test]
    fn an_unknown_command_is_not_an_aborted_one() {
        let mut bytes = [0; 18];
        (bytes[0], bytes[2], bytes[12]) = (0x70, ILLEGAL_REQUEST, 0x20);
        let sense = Sense::decode(&bytes).expect("sense data");
        assert!(sense.is_not_passed_on() && !sense.is_aborted());
        assert!(sense.words().contains("illegal request"), "{}", sense.words());
        (bytes[2], bytes[12]) = (ABORTED, 0);
        let sense = Sense::decode(&bytes).expect("sense data");
        assert!(!sense.is_not_passed_on() && sense.is_aborted());
        assert_eq!(Sense::decode(&[0x7F; 18]), None);
        assert_eq!(Sense::decode(&[]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer(mut bytes in prop::collection::vec(any::<u8>(), 0..64), format in 0x70_u8..0x74) {
            let _ = Sense::decode(&bytes);
            if let Some(first) = bytes.first_mut() {
                *first = format;
            }
            if let Some(sense) = Sense::decode(&bytes) {
                let _ = (sense.words(), sense.is_good(), sense.is_aborted(), sense.is_not_passed_on());
            }
        }
    }
}
