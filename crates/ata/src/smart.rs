//! SMART: attributes, thresholds and the drive's verdict; and the power mode.

use serde::Serialize;

use crate::attribute_names::{attribute_name, count_of};
use crate::command::PAGE;
use crate::error::DecodeError;
use crate::identify_kinds::Checksum;
use crate::sense::Registers;
use crate::words::{Words, has};

/// The table of attributes and that of thresholds: 30 entries of 12 bytes from byte 2 on (ATA-3, Device
/// SMART data and Device attribute thresholds data).
const TABLE: usize = 2;
const ENTRY: usize = 12;
const ENTRIES: usize = 30;

/// Attributes whose raw value has a temperature in its lowest byte, the preferred one first.
const TEMPERATURES: [u8; 2] = [194, 190];

/// One attribute (ATA-3, Device attribute value entry).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// Byte 0: number.
    pub id: u8,
    /// What most vendors use the number for; empty if vendors differ too much.
    pub name: &'static str,
    /// Bytes 1 and 2, bit 0: at or below its threshold the drive is about to fail; otherwise it is only old.
    pub is_prefail: bool,
    /// Bytes 1 and 2, bit 1: updated while the drive works, instead of only by offline data collection.
    pub is_online: bool,
    /// Byte 3: normalised value, 1 to 253; higher is better.
    pub value: u8,
    /// Byte 4: lowest value so far.
    pub worst: u8,
    /// Bytes 5 to 10: the vendor's own count, lowest byte first.
    pub raw: u64,
}

impl Attribute {
    /// The raw value as one count, if a vendor packs several into it.
    #[must_use]
    pub fn count(&self) -> u64 {
        count_of(self.raw)
    }
}

/// The result of the last self-test (byte 363 bits 7:4; ACS-4, self-test execution status).
fn self_test_words(status: u8) -> &'static str {
    match status >> 4 {
        0x0 => "completed without error, or never run",
        0x1 => "aborted by the host",
        0x2 => "interrupted by a reset",
        0x3 => "could not complete: a fatal error",
        0x4 => "failed: unknown element",
        0x5 => "failed: electrical element",
        0x6 => "failed: servo or seek element",
        0x7 => "failed: read element",
        0x8 => "failed: the drive may have been damaged by handling",
        0xF => "in progress",
        _ => "a value that the standard reserves",
    }
}

/// SMART READ DATA (ATA8-ACS and ACS-4, Device SMART data structure).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SmartData {
    /// Bytes 0 and 1: revision of the vendor's structure.
    pub revision: u16,
    /// Bytes 2 to 361: attributes, entries with the number 0 left out.
    pub attributes: Vec<Attribute>,
    /// Byte 363 bits 7:4: the result of the last self-test, as text.
    pub self_test: &'static str,
    /// Byte 363 bits 3:0: the remaining part of a self-test in progress, per cent.
    pub self_test_left_percent: u8,
    /// Bytes 364 and 365: seconds that collecting data offline takes.
    pub offline_s: u16,
    /// Byte 372: minutes that a short self-test takes; 0 is none.
    pub short_self_test_min: u8,
    /// Byte 373, or bytes 375 and 376 if that is FFh: minutes that an extended self-test takes; 0 is none.
    pub extended_self_test_min: u16,
    /// Byte 511: whether all bytes add up to 0.
    pub checksum: Checksum,
}

impl SmartData {
    /// Decodes the answer of SMART READ DATA.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = Words::of("SMART data", bytes)?;
        let byte = |place: usize| bytes.get(place).copied().unwrap_or(0);
        let extended = match byte(373) {
            0xFF => u16::from_le_bytes([byte(375), byte(376)]),
            minutes => minutes.into(),
        };
        Ok(SmartData {
            revision: words.word(0),
            attributes: entries(bytes).filter_map(attribute).collect(),
            self_test: self_test_words(byte(363)),
            self_test_left_percent: (byte(363) & 0xF).saturating_mul(10),
            offline_s: words.word(182),
            short_self_test_min: byte(372),
            extended_self_test_min: extended,
            checksum: checksum(&words),
        })
    }

    /// The attribute of a number.
    #[must_use]
    pub fn attribute(&self, id: u8) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.id == id)
    }

    /// The drive's temperature, degrees Celsius: from attribute 194, otherwise 190, in the lowest bytes of the raw
    /// value. `None` if these cannot be a temperature.
    #[must_use]
    pub fn temperature_c(&self) -> Option<i8> {
        TEMPERATURES.iter().find_map(|id| self.attribute(*id).and_then(|attribute| celsius(attribute.raw)))
    }
}

/// Most drives keep the temperature in byte 0 of the raw value, with its sign extended into byte 1, and the lowest
/// and highest further up. Zero means "no sensor" more often than a frozen drive.
fn celsius(raw: u64) -> Option<i8> {
    const PLAUSIBLE: std::ops::RangeInclusive<i8> = -40..=125;
    let [low, high, ..] = raw.to_le_bytes();
    let celsius = i8::from_le_bytes([low]);
    let is_sign = if celsius < 0 { high == 0xFF } else { high == 0 };
    (is_sign && raw != 0 && PLAUSIBLE.contains(&celsius)).then_some(celsius)
}

/// The threshold of an attribute (ATA-3, Device attribute threshold entry).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Threshold {
    /// Byte 0: the attribute's number.
    pub id: u8,
    /// Byte 1: at or below this the attribute fails; 0 means never, FFh always (for tests).
    pub threshold: u8,
}

/// SMART READ ATTRIBUTE THRESHOLDS (ATA-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SmartThresholds {
    /// Bytes 0 and 1: revision of the vendor's structure.
    pub revision: u16,
    /// Bytes 2 to 361: thresholds, entries with the number 0 left out.
    pub thresholds: Vec<Threshold>,
    /// Byte 511: whether all bytes add up to 0.
    pub checksum: Checksum,
}

impl SmartThresholds {
    /// Decodes the answer of SMART READ ATTRIBUTE THRESHOLDS.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = Words::of("SMART thresholds", bytes)?;
        let threshold = |entry: &[u8]| match *entry {
            [id, threshold, ..] if id != 0 => Some(Threshold { id, threshold }),
            _ => None,
        };
        let thresholds = entries(bytes).filter_map(threshold).collect();
        Ok(SmartThresholds { revision: words.word(0), thresholds, checksum: checksum(&words) })
    }

    /// The threshold of an attribute; 0, which means never, if there is none.
    #[must_use]
    pub fn of(&self, id: u8) -> u8 {
        self.thresholds.iter().find(|threshold| threshold.id == id).map_or(0, |threshold| threshold.threshold)
    }
}

/// The drive's verdict on itself (ACS-4, SMART RETURN STATUS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// LBA 23:8 is C24Fh: no threshold is exceeded.
    Passed,
    /// LBA 23:8 is 2CF4h: a threshold is exceeded, the drive expects to fail.
    Failing,
}

impl Verdict {
    /// Reads it from the registers.
    ///
    /// # Errors
    /// The registers hold neither value, as with bridges that invent them.
    pub fn of(registers: &Registers) -> Result<Self, DecodeError> {
        match registers.lba >> 8 {
            0xC24F => Ok(Verdict::Passed),
            0x2CF4 => Ok(Verdict::Failing),
            other => {
                let why = format!("the registers hold {other:04x}h, neither passed (c24fh) nor failing (2cf4h)");
                Err(DecodeError::Odd { structure: "SMART status", why })
            }
        }
    }
}

/// The answer of CHECK POWER MODE (ACS-4, command E5h): the count register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PowerMode {
    /// 00h, 01h: standby; platters do not spin, and reading SMART data may start them.
    Standby,
    /// 80h to 83h: idle.
    Idle,
    /// FFh: active or idle.
    Active,
    /// Another value.
    Other(u8),
}

impl PowerMode {
    /// Reads it from the registers.
    #[must_use]
    pub fn of(registers: &Registers) -> Self {
        match registers.count {
            0x00 | 0x01 => PowerMode::Standby,
            0x80..=0x83 => PowerMode::Idle,
            0xFF => PowerMode::Active,
            other => PowerMode::Other(other),
        }
    }
}

/// The 30 entries of a table.
fn entries(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.get(TABLE..TABLE + ENTRIES * ENTRY).unwrap_or_default().chunks_exact(ENTRY)
}

fn attribute(entry: &[u8]) -> Option<Attribute> {
    let [id, flags, flags_high, value, worst, a, b, c, d, e, f, _] = *<&[u8; ENTRY]>::try_from(entry).ok()?;
    let flags = u16::from_le_bytes([flags, flags_high]);
    (id != 0).then(|| Attribute {
        id,
        name: attribute_name(id),
        is_prefail: has(flags, 0),
        is_online: has(flags, 1),
        value,
        worst,
        raw: u64::from_le_bytes([a, b, c, d, e, f, 0, 0]),
    })
}

/// Whether the bytes of the page add up to 0 (byte 511); for a page of zeros that shows nothing.
fn checksum(words: &Words) -> Checksum {
    match (words.is_blank(), words.sum()) {
        (true, _) => Checksum::Absent,
        (_, 0) => Checksum::Right,
        _ => Checksum::Wrong,
    }
}

const _: () = assert!(TABLE + ENTRIES * ENTRY == 362 && PAGE == 512, "byte 362 follows the table");
