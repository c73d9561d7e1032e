//! Device statistics: counters with a meaning that a standard gives them (log 04h; ACS, section 9.5).

use serde::Serialize;

use crate::error::DecodeError;
use crate::words::Words;

/// A statistic of eight bytes: bit 63 says that there is one, bit 62 that its value counts.
fn value(words: &Words<'_>, at: usize, bits: u32) -> Result<Option<u64>, DecodeError> {
    let raw = words.u64_at(at)?;
    Ok((raw >> 62 == 0b11).then_some(raw & ((1 << bits) - 1)))
}

/// The same as a temperature of one signed byte.
fn degrees(words: &Words<'_>, at: usize) -> Result<Option<i8>, DecodeError> {
    let raw = value(words, at, 8)?;
    Ok(raw.map(|raw| i8::from_le_bytes([raw.to_le_bytes()[0]])))
}

/// The page's number stands in byte 2 of its head.
fn checked<'a>(structure: &'static str, bytes: &'a [u8], number: u8) -> Result<Words<'a>, DecodeError> {
    let words = Words::of(structure, bytes)?;
    let found = words.byte(2)?;
    if found != number {
        return Err(words.odd(format!("this is page {found:02X}h of the device statistics and not {number:02X}h")));
    }
    Ok(words)
}

/// General statistics (page 01h; ACS, section 9.5.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GeneralStatistics {
    /// Bytes 15:8: power-on resets.
    pub power_cycles: Option<u64>,
    /// Bytes 23:16: hours of power.
    pub power_on_h: Option<u64>,
    /// Bytes 31:24: logical sectors written.
    pub sectors_written: Option<u64>,
    /// Bytes 39:32: write commands.
    pub write_commands: Option<u64>,
    /// Bytes 47:40: logical sectors read.
    pub sectors_read: Option<u64>,
    /// Bytes 55:48: read commands.
    pub read_commands: Option<u64>,
}

impl GeneralStatistics {
    /// The page's number.
    pub const PAGE: u16 = 1;

    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes, or another page.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = checked("general statistics", bytes, 1)?;
        Ok(GeneralStatistics {
            power_cycles: value(&words, 8, 32)?,
            power_on_h: value(&words, 16, 32)?,
            sectors_written: value(&words, 24, 48)?,
            write_commands: value(&words, 32, 48)?,
            sectors_read: value(&words, 40, 48)?,
            read_commands: value(&words, 48, 48)?,
        })
    }
}

/// Temperature statistics (page 05h; ACS, section 9.5.8), degrees Celsius.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TemperatureStatistics {
    /// Byte 8: now.
    pub current_c: Option<i8>,
    /// Byte 32: the highest ever.
    pub highest_c: Option<i8>,
    /// Byte 40: the lowest ever.
    pub lowest_c: Option<i8>,
    /// Bytes 83:80: minutes above the specified maximum.
    pub over_temperature_min: Option<u64>,
    /// Byte 88: the specified maximum.
    pub specified_max_c: Option<i8>,
    /// Byte 104: the specified minimum.
    pub specified_min_c: Option<i8>,
}

impl TemperatureStatistics {
    /// The page's number.
    pub const PAGE: u16 = 5;

    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes, or another page.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = checked("temperature statistics", bytes, 5)?;
        Ok(TemperatureStatistics {
            current_c: degrees(&words, 8)?,
            highest_c: degrees(&words, 32)?,
            lowest_c: degrees(&words, 40)?,
            over_temperature_min: value(&words, 80, 32)?,
            specified_max_c: degrees(&words, 88)?,
            specified_min_c: degrees(&words, 104)?,
        })
    }
}

/// Solid state statistics (page 07h; ACS, section 9.5.10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SolidStateStatistics {
    /// Byte 8: how much of the expected life is used, per cent; stops at 255.
    pub used_percent: Option<u64>,
}

impl SolidStateStatistics {
    /// The page's number.
    pub const PAGE: u16 = 7;

    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes, or another page.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = checked("solid state statistics", bytes, 7)?;
        Ok(SolidStateStatistics { used_percent: value(&words, 8, 8)? })
    }
}
