//! Identify Namespace: its size, its block formats, and its preferences.

use serde::Serialize;

use crate::pages::identify_abilities::flags;
use crate::reading::counter::Counter;
use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, bit, structure};

/// Where the block formats begin, the bytes of each, and how many fit.
const FORMATS: usize = 128;
const FORMAT: usize = 4;
const MOST_FORMATS: u16 = 64;

flags! {
    /// NSFEAT, byte 24 (NVM, section 4.1.5.1).
    NamespaceFeatures: u8 {
        /// THINP, bit 0: its capacity may be smaller than its size.
        thin = 0;
        /// NSABP, bit 1: it has atomicity parameters of its own.
        own_atomicity = 1;
        /// DAE, bit 2: reading a deallocated block can be an error.
        deallocated_error = 2;
        /// UIDREUSE, bit 3: its identifiers are never used again.
        unique_identifiers = 3;
        /// OPTPERF, bit 4: the preferred granularities and alignments are defined.
        preferences = 4;
    }
}

/// FLBAS, byte 26: which format is in use (NVM, section 4.1.5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FormatIndex {
    /// Bits 6:5 and 3:0: the format's number in the list.
    pub index: u8,
    /// Bit 4: metadata follows the data of each block instead of being separate.
    pub metadata_with_data: bool,
}

flags! {
    /// DPC, byte 28: protection information that it supports (NVM, section 4.1.5.1).
    BlockProtection: u8 {
        /// Bit 0: type 1.
        type_1 = 0;
        /// Bit 1: type 2.
        type_2 = 1;
        /// Bit 2: type 3.
        type_3 = 2;
        /// Bit 3: as the first bytes of metadata.
        first_bytes = 3;
        /// Bit 4: as the last bytes of metadata.
        last_bytes = 4;
    }
}

/// Performance of a format relative to the others (RP, bits 1:0 of its last byte).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RelativePerformance {
    /// 0: best.
    Best,
    /// 1: better.
    Better,
    /// 2: good.
    Good,
    /// 3: degraded.
    Degraded,
}

/// An LBA format (NVM, section 4.1.5.1, LBA Format Data Structure).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockFormat {
    /// Its number in the list.
    pub index: u8,
    /// LBADS, byte 2: bytes of data in a block. `None` if the format is not available (below 9, 512 bytes) or the
    /// number is implausible.
    pub data_bytes: Option<u64>,
    /// MS, bytes 1:0: bytes of metadata in a block.
    pub metadata_bytes: u16,
    /// RP, byte 3 bits 1:0.
    pub relative_performance: RelativePerformance,
}

/// Preferences of a namespace (NPWG to NOWS; NVM, section 4.1.5.1), blocks. Zero-based in the fields, converted here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PreferredGranularity {
    /// NPWG, bytes 65:64.
    pub write_granularity_blocks: u32,
    /// NPWA, bytes 67:66.
    pub write_alignment_blocks: u32,
    /// NPDG, bytes 69:68.
    pub deallocate_granularity_blocks: u32,
    /// NPDA, bytes 71:70.
    pub deallocate_alignment_blocks: u32,
    /// NOWS, bytes 73:72.
    pub optimal_write_blocks: u32,
}

structure! {
    /// Identify Namespace of the NVM command set (CNS 00h; NVM, section 4.1.5.1, Figure 97).
    IdentifyNamespace, "Identify Namespace", 4096 {
        /// NSZE, bytes 7:0: size, blocks.
        size_blocks: u64 = u64(0);
        /// NCAP, bytes 15:8: blocks that may be allocated at the same time.
        capacity_blocks: u64 = u64(8);
        /// NUSE, bytes 23:16: blocks in use, if the drive reports them; a fresh or trimmed drive may report 0.
        used_blocks: u64 = u64(16);
        /// NSFEAT, byte 24.
        features: NamespaceFeatures = u8(24) => NamespaceFeatures::of;
        /// FLBAS, byte 26: the format in use.
        format: FormatIndex = u8(26) => format_index;
        /// MC, byte 27 bit 0: metadata may follow the data of each block.
        metadata_with_data_possible: bool = u8(27) => |byte: u8| bit(byte, 0);
        /// MC, byte 27 bit 1: metadata may be separate.
        metadata_apart_possible: bool = u8(27) => |byte: u8| bit(byte, 1);
        /// DPC, byte 28: protection information that it supports.
        protection_possible: BlockProtection = u8(28) => BlockProtection::of;
        /// DPS, byte 29 bits 2:0: the type of protection information in use; 0 is none.
        protection_type: u8 = u8(29) => |byte: u8| byte & 0b111;
        /// DPS, byte 29 bit 3: it is in the first bytes of metadata.
        protection_first_bytes: bool = u8(29) => |byte: u8| bit(byte, 3);
        /// NMIC, byte 30 bit 0: it may be attached to several controllers.
        shared: bool = u8(30) => |byte: u8| bit(byte, 0);
        /// RESCAP, byte 31: reservations, as bits.
        reservations: u8 = u8(31);
        /// FPI, byte 32: remaining part of a running format, per cent. None if not reported.
        format_remaining_percent: Option<u8> = u8(32) => |byte: u8| bit(byte, 7).then_some(byte & 0x7F);
        /// DLFEAT, byte 33 bits 2:0: what a deallocated block reads as: 0 not reported, 1 zeros, 2 ones.
        deallocated_reads_as: u8 = u8(33) => |byte: u8| byte & 0b111;
        /// DLFEAT, byte 33 bit 3: Write Zeroes may deallocate.
        write_zeroes_deallocates: bool = u8(33) => |byte: u8| bit(byte, 3);
        /// NAWUN, bytes 35:34: blocks written atomically, if [`NamespaceFeatures::own_atomicity`]; zero-based.
        atomic_write_zero_based: u16 = u16(34);
        /// NAWUPF, bytes 37:36: blocks written atomically when power fails; zero-based.
        atomic_write_power_fail_zero_based: u16 = u16(36);
        /// NOIOB, bytes 47:46: a boundary that I/O should not cross, blocks; 0 is none.
        io_boundary_blocks: u16 = u16(46);
        /// NVMCAP, bytes 63:48: capacity, bytes; 0 is not reported.
        nvm_capacity_bytes: Counter = counter(48);
        /// NPWG to NOWS, bytes 73:64. None if [`NamespaceFeatures::preferences`] is not set.
        preferred: Option<PreferredGranularity> = each(preferred);
        /// MSSRL, bytes 75:74: most blocks of one range of a copy.
        copy_range_blocks: u16 = u16(74);
        /// MCL, bytes 79:76: most blocks of one copy.
        copy_blocks: u32 = u32(76);
        /// NSATTR, byte 99 bit 0: it is write protected.
        write_protected: bool = u8(99) => |byte: u8| bit(byte, 0);
        /// NVMSETID, bytes 101:100: the NVM set that it is in; 0 is none.
        nvm_set: u16 = u16(100);
        /// ENDGID, bytes 103:102: the endurance group that it is in; 0 is none.
        endurance_group: u16 = u16(102);
        /// NGUID, bytes 119:104: identifier of 16 bytes, hexadecimal.
        nguid: Option<String> = hex(104, 16);
        /// EUI64, bytes 127:120: identifier of 8 bytes, hexadecimal.
        eui64: Option<String> = hex(120, 8);
        /// NLBAF (byte 25), NULBAF (byte 82) and LBAF0 to LBAF63 (bytes 383:128): the formats.
        formats: Vec<BlockFormat> = each(formats);
    }
}

impl IdentifyNamespace {
    /// The format in use.
    #[must_use]
    pub fn block_format(&self) -> Option<&BlockFormat> {
        self.formats.iter().find(|format| format.index == self.format.index)
    }

    /// Bytes of data in a block, if the format in use is available.
    #[must_use]
    pub fn block_bytes(&self) -> Option<u64> {
        self.block_format().and_then(|format| format.data_bytes)
    }

    /// Whether the namespace is active: an inactive one is all zeros.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.size_blocks != 0 || self.capacity_blocks != 0
    }
}

fn format_index(byte: u8) -> FormatIndex {
    FormatIndex { index: byte & 0x0F | (byte >> 5 & 0b11) << 4, metadata_with_data: bit(byte, 4) }
}

fn preferred(fields: &Fields<'_>) -> Result<Option<PreferredGranularity>, DecodeError> {
    // OPTPERF: bit 4, since Base 2.1 bits 5:4; any of them means that these fields are defined.
    if fields.u8(24)? & 0b11_0000 == 0 {
        return Ok(None);
    }
    let counted = |at: usize| Ok(u32::from(fields.u16(at)?) + 1);
    Ok(Some(PreferredGranularity {
        write_granularity_blocks: counted(64)?,
        write_alignment_blocks: counted(66)?,
        deallocate_granularity_blocks: counted(68)?,
        deallocate_alignment_blocks: counted(70)?,
        optimal_write_blocks: counted(72)?,
    }))
}

fn formats(fields: &Fields<'_>) -> Result<Vec<BlockFormat>, DecodeError> {
    // NLBAF is zero-based, NULBAF is not.
    let count = (u16::from(fields.u8(25)?) + 1 + u16::from(fields.u8(82)?)).min(MOST_FORMATS);
    (0..u8::try_from(count).unwrap_or(0)).map(|index| block_format(fields, index)).collect()
}

fn block_format(fields: &Fields<'_>, index: u8) -> Result<BlockFormat, DecodeError> {
    let format = fields.part(FORMATS + usize::from(index) * FORMAT, FORMAT)?;
    let exponent = format.u8(2)?;
    let relative_performance = match format.u8(3)? & 0b11 {
        0 => RelativePerformance::Best,
        1 => RelativePerformance::Better,
        2 => RelativePerformance::Good,
        _ => RelativePerformance::Degraded,
    };
    let data_bytes = if exponent < 9 { None } else { 1_u64.checked_shl(u32::from(exponent)) };
    Ok(BlockFormat { index, data_bytes, metadata_bytes: format.u16(0)?, relative_performance })
}
