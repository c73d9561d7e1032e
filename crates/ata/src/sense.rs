//! Sense data: what SCSI says about a command, and the drive's registers inside it.

use crate::command::Registers;

/// What sense data says (SPC, section 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sense {
    /// The key: 0 none, 1 recovered, 5 illegal request, 0Bh aborted.
    pub key: u8,
    /// Additional sense code.
    pub code: u8,
    /// Its qualifier.
    pub qualifier: u8,
    /// The drive's registers, where they are in it.
    pub registers: Option<Registers>,
}

impl Sense {
    /// Reads it from bytes, of both formats; nothing where they are no sense data. Short ones say less.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let at = |place: usize| bytes.get(place).copied().unwrap_or(0);
        match at(0) & 0x7F {
            // Fixed format: key in byte 2, code in 12, qualifier in 13 (SPC, section 4.5.3).
            0x70 | 0x71 => {
                let (key, code, qualifier) = (at(2) & 0xF, at(12), at(13));
                let registers = is_registers(code, qualifier).then(|| fixed_registers(bytes));
                Some(Sense { key, code, qualifier, registers: registers.flatten() })
            }
            // Descriptor format: key in byte 1, code in 2, qualifier in 3 (SPC, section 4.5.2).
            0x72 | 0x73 => {
                let registers = descriptor(bytes.get(8..).unwrap_or_default()).and_then(described_registers);
                Some(Sense { key: at(1) & 0xF, code: at(2), qualifier: at(3), registers })
            }
            _ => None,
        }
    }

    /// Whether it only brings the registers: "ATA pass-through information available" (SAT, section 12.2.6).
    #[must_use]
    pub fn is_information(&self) -> bool {
        self.key <= 1 && (is_registers(self.code, self.qualifier) || self.code == 0)
    }

    /// Whether the command itself is not known: "invalid command operation code".
    #[must_use]
    pub fn is_unknown_command(&self) -> bool {
        self.key == 5 && self.code == 0x20
    }

    /// What it says, for a person.
    pub(crate) fn words(&self) -> String {
        let meaning = match (self.key, self.code) {
            (5, 0x20) => "the command is not known to it or to the bridge before it",
            (5, 0x24) => "it does not do this",
            (2, _) => "it is not ready",
            (3, _) => "the medium is in trouble",
            (4, _) => "the hardware is in trouble",
            (0xB, _) => "it gave the command up, which is how a drive answers what it does not do",
            _ => "it says no",
        };
        format!("{meaning} (sense {:X}h/{:02X}h/{:02X}h)", self.key, self.code, self.qualifier)
    }
}

fn is_registers(code: u8, qualifier: u8) -> bool {
    (code, qualifier) == (0x00, 0x1D)
}

/// Bytes 6:3 are error, status, device and count, 11:9 the address from bit 0 up (SAT, section 12.2.7).
fn fixed_registers(bytes: &[u8]) -> Option<Registers> {
    let [error, status, _, count, _, _, low, middle, high]: [u8; 9] = bytes.get(3..12)?.try_into().ok()?;
    Some(Registers { error, status, count, address: u32::from_le_bytes([low, middle, high, 0]) })
}

/// The ATA status return descriptor (type 09h) among descriptors: type, length of the rest, rest.
fn descriptor(mut bytes: &[u8]) -> Option<&[u8]> {
    while let [kind, length, rest @ ..] = bytes {
        let length = usize::from(*length);
        if *kind == 0x09 && length >= 12 {
            return rest.get(..12);
        }
        bytes = rest.get(length..)?;
    }
    None
}

/// Behind type and length: extend, error, count (2), address in pairs of high and low (6), device, status (SAT, section
/// 12.2.6).
fn described_registers(rest: &[u8]) -> Option<Registers> {
    let [_, error, _, count, _, low, _, middle, _, high, _, status]: [u8; 12] = rest.try_into().ok()?;
    Some(Registers { error, status, count, address: u32::from_le_bytes([low, middle, high, 0]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sense data in descriptor format with an ATA descriptor behind another one.
    fn described() -> Vec<u8> {
        let mut bytes = vec![0x72, 0x01, 0x00, 0x1D, 0, 0, 0, 18];
        bytes.extend([0x02, 2, 0xAA, 0xBB]);
        bytes.extend([0x09, 12, 0, 0x04, 0, 0x55, 0, 0x11, 0, 0xF4, 0, 0x2C, 0xA0, 0x51]);
        bytes
    }

    #[test]
    fn registers_are_found_in_descriptors() {
        let sense = Sense::decode(&described()).unwrap();
        assert!(sense.is_information());
        let registers = sense.registers.unwrap();
        assert_eq!((registers.error, registers.count, registers.status), (0x04, 0x55, 0x51));
        assert_eq!(registers.address, 0x2C_F411);
    }

    #[test]
    fn registers_are_found_in_fixed_format() {
        let mut bytes = vec![0; 18];
        (bytes[0], bytes[2], bytes[13]) = (0x70, 0x01, 0x1D);
        bytes[3..7].copy_from_slice(&[0x00, 0x50, 0xA0, 0xFF]);
        bytes[9..12].copy_from_slice(&[0x00, 0x4F, 0xC2]);
        let sense = Sense::decode(&bytes).unwrap();
        let registers = sense.registers.unwrap();
        assert_eq!((registers.status, registers.count, registers.address), (0x50, 0xFF, 0xC2_4F00));
    }

    #[test]
    fn a_command_that_is_not_known_is_told_from_one_that_is_refused() {
        let sense = |code| Sense { key: 5, code, ..Sense::default() };
        assert!(sense(0x20).is_unknown_command() && !sense(0x24).is_unknown_command());
        assert!(!sense(0x24).is_information() && sense(0x24).words().contains("5h/24h/00h"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Sense::decode(&bytes);
        }

        #[test]
        fn any_length_of_real_sense_data_is_read_without_a_panic(end in 0_usize..26) {
            let bytes = described();
            let _ = Sense::decode(&bytes[..end.min(bytes.len())]);
        }
    }
}
