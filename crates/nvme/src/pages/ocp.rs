//! The extended SMART page of data-centre drives, which reports what was written to the flash.

use crate::reading::counter::Counter;
use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, structure};

/// The page's own identifier, in the order of its bytes (OCP, Log Page GUID).
const GUID: [u8; 16] = [0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4, 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF];

structure! {
    /// SMART / Health Information Extended (LID C0h; OCP 2.0; bytes 208 to 365: OCP 2.5 and 2.6). Other
    /// vendors use page C0h for other things, so a page without its GUID is refused.
    OcpSmart, "OCP extended SMART log", 512 {
        /// Log Page Version, bytes 495:494. The GUID in bytes 511:496 is checked before anything else is used.
        page_version: u16 = each(checked_version);
        /// Physical Media Units Written, bytes 15:0: bytes written to the media.
        media_bytes_written: Counter = counter(0);
        /// Physical Media Units Read, bytes 31:16: bytes read from the media.
        media_bytes_read: Counter = counter(16);
        /// Bad User NAND Blocks, bytes 37:32: user blocks of flash that went bad.
        bad_user_blocks: u64 = u48(32);
        /// Bad User NAND Blocks, bytes 39:38: normalised value of that; falls from 100.
        bad_user_blocks_normalized: u16 = u16(38);
        /// Bad System NAND Blocks, bytes 45:40: system blocks of flash that went bad.
        bad_system_blocks: u64 = u48(40);
        /// Bad System NAND Blocks, bytes 47:46: normalised value of that; falls from 100.
        bad_system_blocks_normalized: u16 = u16(46);
        /// XOR Recovery Count, bytes 55:48: data restored from parity across flash.
        xor_recoveries: u64 = u64(48);
        /// Uncorrectable Read Error Count, bytes 63:56: reads that could not be corrected.
        uncorrectable_reads: u64 = u64(56);
        /// Soft ECC Error Count, bytes 71:64: reads that needed the second stage of correction.
        soft_ecc_errors: u64 = u64(64);
        /// End to End Correction Counts, bytes 75:72: end-to-end errors found.
        end_to_end_detected: u32 = u32(72);
        /// End to End Correction Counts, bytes 79:76: of them, corrected.
        end_to_end_corrected: u32 = u32(76);
        /// System Data Percent Used, byte 80: use of the system area's life, per cent.
        system_used_percent: u8 = u8(80);
        /// Refresh Counts, bytes 87:81: blocks refreshed.
        refreshes: u64 = u56(81);
        /// User Data Erase Counts, bytes 91:88: erases of the most erased user block.
        erases_max: u32 = u32(88);
        /// User Data Erase Counts, bytes 95:92: erases of the least erased user block.
        erases_min: u32 = u32(92);
        /// Thermal Throttling Status and Count, byte 96: how often it throttled because of heat; stops at 255.
        thermal_events: u8 = u8(96);
        /// Thermal Throttling Status and Count, byte 97: throttling now: 0 none, 1 to 3 first to third level.
        thermal_status: u8 = u8(97);
        /// DSSD Specification Version, byte 103: major version of the OCP specification that the drive follows.
        specification_major: u8 = u8(103);
        /// DSSD Specification Version, bytes 102:101: its minor version.
        specification_minor: u16 = u16(101);
        /// PCIe Correctable Error Count, bytes 111:104: PCIe errors that were corrected.
        pcie_corrected_errors: u64 = u64(104);
        /// Incomplete Shutdowns, bytes 115:112: shutdowns that did not complete.
        incomplete_shutdowns: u32 = u32(112);
        /// Percent Free Blocks, byte 120: free blocks, per cent.
        free_blocks_percent: u8 = u8(120);
        /// Capacitor Health, bytes 129:128: health of the power-loss capacitor, per cent of what is needed; FFFFh
        /// means none.
        capacitor_percent: u16 = u16(128);
        /// Unaligned I/O, bytes 143:136: writes that were not aligned to its indirection unit.
        unaligned_writes: u64 = u64(136);
        /// Security Version Number, bytes 151:144: security version of the firmware.
        security_version: u64 = u64(144);
        /// NUSE, bytes 159:152: blocks in use, over all namespaces.
        used_blocks: u64 = u64(152);
        /// PLP Start Count, bytes 175:160: starts of the power-loss protection.
        power_loss_starts: Counter = counter(160);
        /// Endurance Estimate, bytes 191:176: bytes that may be written over its life, as estimated by the vendor.
        endurance_bytes: Counter = counter(176);
        /// PCIe Link Retraining Count, bytes 199:192: how often the PCIe link was retrained.
        link_retrains: u64 = u64(192);
        /// Power State Change Count, bytes 207:200: changes of power state.
        power_state_changes: u64 = u64(200);
        /// Max Temperature Recorded, byte 222: highest temperature ever, degrees Celsius; 0 is not reported (OCP 2.6).
        temperature_max_c: u8 = u8(222);
        /// NAND Average Erase Count, bytes 231:224: mean erases of all blocks; 0 is not reported (OCP 2.6).
        erases_mean: u64 = u64(224);
        /// Max Peak Power Capability, bytes 261:260: most peak power; 0 is not reported (OCP 2.6).
        peak_power: u16 = u16(260);
        /// Current Max Average Power, bytes 263:262: most average power of the current state; 0 is not reported (OCP
        /// 2.6).
        average_power_limit: u16 = u16(262);
        /// Lifetime Power Consumed, bytes 269:264: energy used over its life; 0 is not reported (OCP 2.6).
        lifetime_energy: u64 = u48(264);
    }
}

fn checked_version(fields: &Fields<'_>) -> Result<u16, DecodeError> {
    let guid: [u8; 16] = fields.array(496)?;
    if guid != GUID {
        let digits: String = guid.iter().map(|byte| format!("{byte:02x}")).collect();
        return Err(fields.odd(format!(
            "the page's identifier is {digits}, which is not that of the OCP specification: this vendor uses page C0h for \
             something else"
        )));
    }
    fields.u16(494)
}
