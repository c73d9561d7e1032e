//! Identify Controller: the drive's identity and capabilities.

use serde::{Serialize, Serializer};

use crate::pages::identify_abilities::{
    AdminCommands, ControllerAttributes, ControllerKind, FirmwareUpdates, FormatAttributes, IoCommands, LogAttributes,
    SanitizeAbilities, SharedUse, WriteCache,
};
use crate::pages::power_state::{DESCRIPTOR, PowerState};
use crate::reading::counter::Counter;
use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, structure};
use crate::reading::temperature::reported_k;

/// Where the power states begin, and how many fit.
const POWER_STATES: usize = 2048;
const MOST_POWER_STATES: u8 = 32;
/// Units of the host memory buffer, bytes.
const MEMORY_PAGE: u64 = 4096;

/// A version of the specification (VER; Base, section 3.1.3.2). In JSON it is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// MJR, bits 31:16.
    pub major: u16,
    /// MNR, bits 15:8.
    pub minor: u8,
    /// TER, bits 7:0.
    pub tertiary: u8,
}

impl Version {
    /// The version of a register or field.
    #[must_use]
    pub fn of(raw: u32) -> Self {
        let [tertiary, minor, low, high] = raw.to_le_bytes();
        Version { major: u16::from_le_bytes([low, high]), minor, tertiary }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)?;
        if self.tertiary != 0 {
            write!(out, ".{}", self.tertiary)?;
        }
        Ok(())
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

structure! {
    /// Identify Controller (CNS 01h; Base, section 5.17.2.1, Figure 275; bytes 390 to 395: Base 2.3).
    IdentifyController, "Identify Controller", 4096 {
        /// VID, bytes 1:0: the vendor, by the PCI-SIG.
        pci_vendor: u16 = u16(0);
        /// SSVID, bytes 3:2: the subsystem's vendor, by the PCI-SIG.
        pci_subsystem_vendor: u16 = u16(2);
        /// SN, bytes 23:4: serial number.
        serial: String = text(4, 20);
        /// MN, bytes 63:24: model.
        model: String = text(24, 40);
        /// FR, bytes 71:64: the active firmware.
        firmware: String = text(64, 8);
        /// RAB, byte 72: recommended arbitration burst, commands as a power of two.
        arbitration_burst_log2: u8 = u8(72);
        /// IEEE, bytes 75:73: the vendor's identifier, most significant byte first, such as `00-25-38`.
        ieee_oui: String = array(73) => oui;
        /// CMIC, byte 76: what the subsystem shares.
        shared_use: SharedUse = u8(76) => SharedUse::of;
        /// MDTS, byte 77: largest transfer, as a power of two of the smallest memory page (CAP.MPSMIN); 0 is no limit.
        max_transfer_log2_pages: u8 = u8(77);
        /// CNTLID, bytes 79:78: the controller's number in its subsystem.
        controller_id: u16 = u16(78);
        /// VER, bytes 83:80: the specification it follows; 0.0 before NVMe 1.2.
        version: Version = u32(80) => Version::of;
        /// RTD3R, bytes 87:84: time to resume from power off (D3 cold), microseconds; 0 is not reported.
        resume_latency_us: u32 = u32(84);
        /// RTD3E, bytes 91:88: time to get ready for power off, microseconds; 0 is not reported.
        shutdown_latency_us: u32 = u32(88);
        /// OAES, bytes 95:92: optional asynchronous events, as bits.
        optional_events: u32 = u32(92);
        /// CTRATT, bytes 99:96: attributes.
        attributes: ControllerAttributes = u32(96) => ControllerAttributes::of;
        /// CNTRLTYPE, byte 111: its kind.
        kind: ControllerKind = u8(111) => ControllerKind::of;
        /// FGUID, bytes 127:112: identifier of the field-replaceable unit, hexadecimal.
        fru_guid: Option<String> = hex(112, 16);
        /// OACS, bytes 257:256: optional admin commands.
        admin_commands: AdminCommands = u16(256) => AdminCommands::of;
        /// ACL, byte 258: most concurrent aborts; zero-based in the field, converted here.
        aborts: u16 = u8(258) => counted;
        /// AERL, byte 259: most concurrent asynchronous event requests; zero-based in the field, converted here.
        event_requests: u16 = u8(259) => counted;
        /// FRMW, byte 260: firmware updates.
        firmware_updates: FirmwareUpdates = u8(260) => FirmwareUpdates::of;
        /// LPA, byte 261: log page attributes.
        log_attributes: LogAttributes = u8(261) => LogAttributes::of;
        /// ELPE, byte 262: entries of the error log; zero-based in the field, converted here.
        error_log_entries: u16 = u8(262) => counted;
        /// APSTA, byte 265 bit 0: whether it changes power states by itself.
        autonomous_power_states: bool = u8(265) => |byte: u8| byte & 1 == 1;
        /// WCTEMP, bytes 267:266: the composite temperature at which it warns, kelvin. None if not reported.
        warning_temperature_k: Option<u16> = u16(266) => reported_k;
        /// CCTEMP, bytes 269:268: the composite temperature that is critical, kelvin. None if not reported.
        critical_temperature_k: Option<u16> = u16(268) => reported_k;
        /// MTFA, bytes 271:270: longest pause for a firmware activation, milliseconds; 0 is not reported.
        firmware_pause_ms: u32 = u16(270) => |hundreds: u16| u32::from(hundreds) * 100;
        /// HMPRE, bytes 275:272: preferred host memory buffer, bytes; 0 is none.
        memory_buffer_preferred_bytes: u64 = u32(272) => |pages: u32| u64::from(pages) * MEMORY_PAGE;
        /// HMMIN, bytes 279:276: smallest useful host memory buffer, bytes.
        memory_buffer_minimum_bytes: u64 = u32(276) => |pages: u32| u64::from(pages) * MEMORY_PAGE;
        /// TNVMCAP, bytes 295:280: capacity of the subsystem, bytes; 0 is not reported.
        total_capacity_bytes: Counter = counter(280);
        /// UNVMCAP, bytes 311:296: capacity not allocated to a namespace, bytes.
        unallocated_capacity_bytes: Counter = counter(296);
        /// RPMBS, bytes 315:312: replay protected memory blocks; bits 2:0 are the number.
        replay_protected_memory: u32 = u32(312);
        /// EDSTT, bytes 317:316: time of an extended self-test, minutes.
        extended_self_test_min: u16 = u16(316);
        /// DSTO, byte 318 bit 0: whether only one self-test of the subsystem runs at a time.
        one_self_test: bool = u8(318) => |byte: u8| byte & 1 == 1;
        /// FWUG, byte 319: granularity of firmware images, units of 4 KiB; 0 is not reported, 255 is none.
        firmware_granularity: u8 = u8(319);
        /// KAS, bytes 321:320: granularity of the keep-alive timer, milliseconds; 0 is no keep-alive.
        keep_alive_ms: u32 = u16(320) => |hundreds: u16| u32::from(hundreds) * 100;
        /// HCTMA, bytes 323:322 bit 0: whether the host can set throttling temperatures.
        host_thermal_management: bool = u16(322) => |word: u16| word & 1 == 1;
        /// MNTMT, bytes 325:324: the lowest such temperature, kelvin.
        thermal_minimum_k: Option<u16> = u16(324) => reported_k;
        /// MXTMT, bytes 327:326: the highest such temperature, kelvin.
        thermal_maximum_k: Option<u16> = u16(326) => reported_k;
        /// SANICAP, bytes 331:328: sanitize.
        sanitize: SanitizeAbilities = u32(328) => SanitizeAbilities::of;
        /// HMMINDS, bytes 335:332: smallest part of a host memory buffer, bytes; 0 is no limit.
        memory_buffer_smallest_part_bytes: u64 = u32(332) => |pages: u32| u64::from(pages) * MEMORY_PAGE;
        /// HMMAXD, bytes 337:336: most parts of a host memory buffer; 0 is no limit.
        memory_buffer_parts: u16 = u16(336);
        /// NSETIDMAX, bytes 339:338: largest NVM set.
        nvm_set_max: u16 = u16(338);
        /// ENDGIDMAX, bytes 341:340: largest endurance group; 0 is none.
        endurance_group_max: u16 = u16(340);
        /// DOMAINID, bytes 357:356: its domain.
        domain: u16 = u16(356);
        /// MEGCAP, bytes 383:368: largest endurance group, bytes.
        endurance_group_capacity_bytes: Counter = counter(368);
        /// MUP, bytes 391:390: most power of state 0 without a limit, in the units of the Power Limit feature.
        max_unlimited_power: u16 = u16(390);
        /// IPMSR, bytes 393:392: longest time between power samples; value in bits 7:0, scale in bits 15:8.
        power_sample_rate: u16 = u16(392);
        /// MSMT, bytes 395:394: longest measurement of power, minutes.
        power_measurement_max_min: u16 = u16(394);
        /// MAXCMD, bytes 515:514: most outstanding commands per queue; 0 is not reported.
        max_outstanding_commands: u16 = u16(514);
        /// NN, bytes 519:516: largest namespace identifier.
        namespaces: u32 = u32(516);
        /// ONCS, bytes 521:520: optional I/O commands.
        io_commands: IoCommands = u16(520) => IoCommands::of;
        /// FUSES, bytes 523:522: fused commands, as bits.
        fused_commands: u16 = u16(522);
        /// FNA, byte 524: what a format affects.
        format: FormatAttributes = u8(524) => FormatAttributes::of;
        /// VWC, byte 525: volatile write cache.
        write_cache: WriteCache = u8(525) => WriteCache::of;
        /// AWUN, bytes 527:526: blocks written atomically in normal operation; zero-based in the field, converted
        /// here.
        atomic_write_blocks: u32 = u16(526) => counted_blocks;
        /// AWUPF, bytes 529:528: blocks written atomically when power fails; zero-based in the field, converted here.
        atomic_write_power_fail_blocks: u32 = u16(528) => counted_blocks;
        /// ACWU, bytes 533:532: blocks compared and written atomically; zero-based in the field, converted here.
        atomic_compare_write_blocks: u32 = u16(532) => counted_blocks;
        /// SGLS, bytes 539:536: scatter gather lists, as bits.
        scatter_gather: u32 = u32(536);
        /// MNAN, bytes 543:540: most namespaces at the same time; 0 means as many as
        /// [`IdentifyController::namespaces`].
        max_allowed_namespaces: u32 = u32(540);
        /// SUBNQN, bytes 1023:768: the subsystem's qualified name.
        subsystem_nqn: String = text(768, 256);
        /// NPSS (byte 263) and PSD0 to PSD31 (bytes 3071:2048): the power states, from 0 up.
        power_states: Vec<PowerState> = each(power_states);
    }
}

impl IdentifyController {
    /// The largest transfer of one command, bytes, if the smallest memory page is `page_bytes` (4,096 on all common
    /// machines); `None` if there is no limit or the value is implausible.
    #[must_use]
    pub fn max_transfer_bytes(&self, page_bytes: u64) -> Option<u64> {
        match self.max_transfer_log2_pages {
            0 => None,
            exponent => 1_u64.checked_shl(u32::from(exponent)).and_then(|pages| pages.checked_mul(page_bytes)),
        }
    }
}

fn counted(zero_based: u8) -> u16 {
    u16::from(zero_based) + 1
}

fn counted_blocks(zero_based: u16) -> u32 {
    u32::from(zero_based) + 1
}

fn oui([low, middle, high]: [u8; 3]) -> String {
    format!("{high:02x}-{middle:02x}-{low:02x}")
}

fn power_states(fields: &Fields<'_>) -> Result<Vec<PowerState>, DecodeError> {
    // Bits 4:0; more would not fit into the structure.
    let last = fields.u8(263)?.min(MOST_POWER_STATES - 1);
    let state =
        |number: u8| PowerState::decode(fields.slice(POWER_STATES + usize::from(number) * DESCRIPTOR, DESCRIPTOR)?);
    (0..=last).map(state).collect()
}
