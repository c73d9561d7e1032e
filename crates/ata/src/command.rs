//! The commands that drivelab sends, and no others: none of them changes the drive. How they get there.

use crate::error::AtaError;

/// The commands' and features' numbers (ACS, section 7; SMART READ THRESHOLDS: ATA-3).
const READ_LOG_EXT: u8 = 0x2F;
const TRUSTED_RECEIVE: u8 = 0x5C;
const SMART: u8 = 0xB0;
const CHECK_POWER_MODE: u8 = 0xE5;
const IDENTIFY_DEVICE: u8 = 0xEC;
const SMART_READ_DATA: u8 = 0xD0;
const SMART_READ_THRESHOLDS: u8 = 0xD1;
const SMART_RETURN_STATUS: u8 = 0xDA;
/// What SMART wants in bits 23:8 of the address (ACS, section 7.44).
const SMART_KEY: u64 = 0xC2_4F00;
/// The log of device statistics.
const STATISTICS_LOG: u64 = 0x04;
/// Operation codes of SCSI's passthrough (SAT, sections 12.2.2 and 12.2.1).
const PASS_THROUGH_16: u8 = 0x85;
const PASS_THROUGH_12: u8 = 0xA1;
/// Protocols of the passthrough (SAT, section 12.2.2): no data, data to the host by the processor.
const NON_DATA: u8 = 3;
const PIO_IN: u8 = 4;

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtaCommand {
    name: &'static str,
    command: u8,
    feature: u8,
    address: u64,
    /// Pages of 512 bytes that come back.
    pages: u8,
    /// Whether the registers are wanted, which costs a condition of its own.
    registers: bool,
    /// Whether it is a command with addresses of 48 bits.
    extended: bool,
}

impl AtaCommand {
    const fn new(name: &'static str, command: u8) -> Self {
        AtaCommand { name, command, feature: 0, address: 0, pages: 0, registers: false, extended: false }
    }

    pub(crate) const fn identify() -> Self {
        AtaCommand { pages: 1, ..AtaCommand::new("IDENTIFY DEVICE", IDENTIFY_DEVICE) }
    }

    pub(crate) const fn smart_data() -> Self {
        let command = AtaCommand::new("SMART READ DATA", SMART);
        AtaCommand { feature: SMART_READ_DATA, address: SMART_KEY, pages: 1, ..command }
    }

    pub(crate) const fn smart_thresholds() -> Self {
        let command = AtaCommand::new("SMART READ THRESHOLDS", SMART);
        AtaCommand { feature: SMART_READ_THRESHOLDS, address: SMART_KEY, pages: 1, ..command }
    }

    pub(crate) const fn smart_status() -> Self {
        let command = AtaCommand::new("SMART RETURN STATUS", SMART);
        AtaCommand { feature: SMART_RETURN_STATUS, address: SMART_KEY, registers: true, ..command }
    }

    pub(crate) const fn power_mode() -> Self {
        AtaCommand { registers: true, ..AtaCommand::new("CHECK POWER MODE", CHECK_POWER_MODE) }
    }

    /// A page of the device statistics: the log in bits 7:0 of the address, the page in 15:8 (ACS, section 7.29).
    pub(crate) const fn statistics(page: u8) -> Self {
        let address = STATISTICS_LOG | (page as u64) << 8;
        AtaCommand {
            address,
            pages: 1,
            extended: true,
            ..AtaCommand::new("READ LOG EXT (device statistics)", READ_LOG_EXT)
        }
    }

    /// What a security protocol has to say: the protocol in the feature, what of it in bits 23:8 of the address, pages
    /// in the count and in bits 7:0 of the address (ACS, section 7.58).
    pub(crate) const fn trusted_receive(protocol: u8, specific: u16, pages: u8) -> Self {
        let address = (specific as u64) << 8;
        AtaCommand { feature: protocol, address, pages, ..AtaCommand::new("TRUSTED RECEIVE", TRUSTED_RECEIVE) }
    }

    /// Its name in the standard.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether its answer is in the registers.
    #[must_use]
    pub fn answers_in_registers(&self) -> bool {
        self.registers
    }

    fn flags(&self) -> (u8, u8) {
        let protocol = if self.pages == 0 { NON_DATA } else { PIO_IN };
        // CK_COND in bit 5; T_DIR (to the host) in 3, BYT_BLOK (pages) in 2, T_LENGTH (in the count) in 1:0.
        let transfer = if self.pages == 0 { 0 } else { 0b0_1110 };
        (protocol << 1 | u8::from(self.extended), u8::from(self.registers) << 5 | transfer)
    }

    /// ATA PASS-THROUGH (16) (SAT, section 12.2.2).
    pub(crate) fn pass_through_16(&self) -> [u8; 16] {
        let (first, second) = self.flags();
        let [l0, l1, l2, l3, l4, l5, ..] = self.address.to_le_bytes();
        [PASS_THROUGH_16, first, second, 0, self.feature, 0, self.pages, l3, l0, l4, l1, l5, l2, 0, self.command, 0]
    }

    /// ATA PASS-THROUGH (12) (SAT, section 12.2.1), for bridges that know no other; nothing for commands with addresses
    /// of 48 bits.
    pub(crate) fn pass_through_12(&self) -> Option<[u8; 12]> {
        let (first, second) = self.flags();
        let [l0, l1, l2, ..] = self.address.to_le_bytes();
        let words = [PASS_THROUGH_12, first, second, self.feature, self.pages, l0, l1, l2, 0, self.command, 0, 0];
        (!self.extended).then_some(words)
    }
}

/// The drive's registers after a command (SAT, section 12.2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers {
    /// Error.
    pub error: u8,
    /// Status; bit 0 is an error, bit 5 a device fault.
    pub status: u8,
    /// Count, bits 7:0.
    pub count: u8,
    /// Address, bits 23:0.
    pub address: u32,
}

/// A way to a drive.
pub trait Transport {
    /// Sends one command and fills `data` with its pages. Returns the registers where the command answers in them.
    ///
    /// # Errors
    /// The drive refused it, or the kernel did not let it through.
    fn send(&self, command: &AtaCommand, data: &mut [u8]) -> Result<Option<Registers>, AtaError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smart_carries_its_key_in_the_address() {
        let bytes = AtaCommand::smart_data().pass_through_16();
        assert_eq!(bytes, [0x85, 0x08, 0x0E, 0, 0xD0, 0, 1, 0, 0, 0, 0x4F, 0, 0xC2, 0, 0xB0, 0]);
        let short = AtaCommand::smart_data().pass_through_12().unwrap();
        assert_eq!(short, [0xA1, 0x08, 0x0E, 0xD0, 1, 0, 0x4F, 0xC2, 0, 0xB0, 0, 0]);
    }

    #[test]
    fn a_command_without_data_asks_for_the_registers() {
        let bytes = AtaCommand::smart_status().pass_through_16();
        assert_eq!((bytes[1], bytes[2], bytes[4], bytes[6]), (0x06, 0x20, 0xDA, 0));
    }

    #[test]
    fn a_log_is_named_by_number_and_page_and_needs_the_long_form() {
        let command = AtaCommand::statistics(7);
        let bytes = command.pass_through_16();
        assert_eq!((bytes[1], bytes[8], bytes[10], bytes[14]), (0x09, 0x04, 7, 0x2F));
        assert_eq!(command.pass_through_12(), None);
    }

    #[test]
    fn no_command_writes() {
        let commands = [
            AtaCommand::identify(),
            AtaCommand::smart_data(),
            AtaCommand::smart_thresholds(),
            AtaCommand::smart_status(),
            AtaCommand::power_mode(),
            AtaCommand::statistics(1),
            AtaCommand::trusted_receive(1, 1, 4),
        ];
        for command in commands {
            let [_, protocol, flags, ..] = command.pass_through_16();
            assert!(matches!(protocol >> 1, 3 | 4), "{}: no data, or data to the host", command.name());
            assert!(flags & 0b11 == 0 || flags >> 3 & 1 == 1, "{}: to the host", command.name());
        }
    }
}
