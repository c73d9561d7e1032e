//! The commands that drivelab sends to an ATA drive, and how each is wrapped for SCSI.
//!
//! All of them only read. None changes data or a setting; one that did would have to go through the guard.

use std::fmt;

/// Bytes of a page: one data block of 512 bytes.
pub(crate) const PAGE: usize = 512;

/// SMART (ACS-4, SMART feature set): the command's code, and the signature that the drive requires.
const SMART: u8 = 0xB0;
const SMART_SIGNATURE: u32 = 0x00C2_4F00;

/// Protocols of ATA PASS-THROUGH (SAT-4, PROTOCOL field).
const NON_DATA: u8 = 3;
const PIO_DATA_IN: u8 = 4;

/// One command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtaCommand {
    /// IDENTIFY DEVICE (ACS-4, command ECh): 512 bytes with the drive's identity.
    IdentifyDevice,
    /// SMART READ DATA (ACS-4, command B0h, feature D0h): 512 bytes of attributes and self-test state.
    SmartData,
    /// SMART READ ATTRIBUTE THRESHOLDS (ATA-3, command B0h, feature D1h; obsolete since ATA-4, and answered by nearly
    /// all drives).
    SmartThresholds,
    /// SMART RETURN STATUS (ACS-4, command B0h, feature DAh): the verdict, in the registers.
    SmartStatus,
    /// CHECK POWER MODE (ACS-4, command E5h): whether the drive sleeps, in the registers. Does not wake it.
    PowerMode,
}

impl AtaCommand {
    /// All of them.
    pub const ALL: [AtaCommand; 5] = [
        AtaCommand::IdentifyDevice,
        AtaCommand::SmartData,
        AtaCommand::SmartThresholds,
        AtaCommand::SmartStatus,
        AtaCommand::PowerMode,
    ];

    /// The name of its page in stored pages.
    #[must_use]
    pub fn page_name(self) -> &'static str {
        match self {
            AtaCommand::IdentifyDevice => "ata identify device",
            AtaCommand::SmartData => "ata smart data",
            AtaCommand::SmartThresholds => "ata smart thresholds",
            AtaCommand::SmartStatus => "ata smart status",
            AtaCommand::PowerMode => "ata power mode",
        }
    }

    /// Bytes that it returns; 0 if the answer is in the registers.
    #[must_use]
    pub fn data_length(self) -> usize {
        if self.answers_in_registers() { 0 } else { PAGE }
    }

    /// Whether the answer is in the drive's registers.
    #[must_use]
    pub fn answers_in_registers(self) -> bool {
        matches!(self, AtaCommand::SmartStatus | AtaCommand::PowerMode)
    }

    /// Whether it belongs to SMART, which can be off.
    pub(crate) fn is_smart(self) -> bool {
        self.words().0 == SMART
    }

    /// How long to wait for the answer, milliseconds. A drive with platters that has to spin up takes 10 s or more.
    pub(crate) fn timeout_ms(self) -> u32 {
        match self {
            AtaCommand::PowerMode => 10_000,
            _ => 30_000,
        }
    }

    /// Command, feature and LBA register.
    fn words(self) -> (u8, u8, u32) {
        match self {
            AtaCommand::IdentifyDevice => (0xEC, 0, 0),
            AtaCommand::SmartData => (SMART, 0xD0, SMART_SIGNATURE),
            AtaCommand::SmartThresholds => (SMART, 0xD1, SMART_SIGNATURE),
            AtaCommand::SmartStatus => (SMART, 0xDA, SMART_SIGNATURE),
            AtaCommand::PowerMode => (0xE5, 0, 0),
        }
    }

    /// The ATA PASS-THROUGH (16) block (SAT-4, operation code 85h) that carries it.
    ///
    /// With data: from the drive (T_DIR), length in blocks of 512 bytes (BYT_BLOK, T_TYPE 0) in the count field
    /// (T_LENGTH 2). Without data: CK_COND, so that the registers come back with the sense data.
    pub(crate) fn block(self) -> [u8; 16] {
        let (command, feature, lba) = self.words();
        let [low, middle, high, _] = lba.to_le_bytes();
        let (protocol, flags, count) =
            if self.answers_in_registers() { (NON_DATA, 1 << 5, 0) } else { (PIO_DATA_IN, 1 << 3 | 1 << 2 | 2, 1) };
        [0x85, protocol << 1, flags, 0, feature, 0, count, 0, low, 0, middle, 0, high, 0, command, 0]
    }
}

impl fmt::Display for AtaCommand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            AtaCommand::IdentifyDevice => "IDENTIFY DEVICE",
            AtaCommand::SmartData => "SMART READ DATA",
            AtaCommand::SmartThresholds => "SMART READ THRESHOLDS",
            AtaCommand::SmartStatus => "SMART RETURN STATUS",
            AtaCommand::PowerMode => "CHECK POWER MODE",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte for byte as in the tables of SAT-4 and ACS-4, written by hand.
    #[test]
    fn commands_are_wrapped_as_the_standard_says() {
        let data = |feature, lba: [u8; 2], command| {
            [0x85, 0x08, 0x0E, 0, feature, 0, 1, 0, 0, 0, lba[0], 0, lba[1], 0, command, 0]
        };
        assert_eq!(AtaCommand::IdentifyDevice.block(), data(0, [0, 0], 0xEC));
        assert_eq!(AtaCommand::SmartData.block(), data(0xD0, [0x4F, 0xC2], 0xB0));
        assert_eq!(AtaCommand::SmartThresholds.block(), data(0xD1, [0x4F, 0xC2], 0xB0));
        let status = [0x85, 0x06, 0x20, 0, 0xDA, 0, 0, 0, 0, 0, 0x4F, 0, 0xC2, 0, 0xB0, 0];
        assert_eq!(AtaCommand::SmartStatus.block(), status);
        assert_eq!(AtaCommand::PowerMode.block(), [0x85, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xE5, 0]);
    }

    #[test]
    fn a_command_gives_a_page_or_registers() {
        for command in AtaCommand::ALL {
            assert_eq!(command.data_length() == 0, command.answers_in_registers(), "{command}");
        }
    }
}
