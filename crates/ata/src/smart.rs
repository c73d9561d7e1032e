//! The SMART pages: attributes, self-test, thresholds.

use serde::Serialize;

use crate::attributes::{Known, known};
use crate::error::DecodeError;
use crate::words::{Words, bit};

/// Where attributes begin, bytes of one, and how many there are.
const ATTRIBUTES: usize = 2;
const ATTRIBUTE: usize = 12;
const ATTRIBUTE_COUNT: usize = 30;
/// The attributes that are temperatures, the drive's own first.
const TEMPERATURES: [u8; 2] = [194, 190];
/// No drive is warmer than this, degrees Celsius.
const HOTTEST_C: u8 = 150;

/// A SMART attribute (SFF-8035i).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// Byte 0: its number.
    pub id: u8,
    /// Bytes 2:1 bit 0: falling to its threshold means that the drive is about to fail, and not only that it is old.
    pub pre_failure: bool,
    /// Bytes 2:1: all flags.
    pub flags: u16,
    /// Byte 3: its value, normalised; falls from 100 or 200.
    pub value: u8,
    /// Byte 4: the lowest that the value ever was.
    pub worst: u8,
    /// Bytes 10:5: the raw value; how it is packed is the vendor's secret.
    pub raw: u64,
    /// What it means, where vendors agree.
    pub known: Option<&'static Known>,
}

/// SMART READ DATA (command B0h, feature D0h; ATA8, section 7.54.6).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SmartData {
    /// Bytes 361:2: the attributes that are in use.
    pub attributes: Vec<Attribute>,
    /// Byte 363 bits 7:4: how the last self-test ended; 0 passed, 15 runs.
    pub self_test_outcome: u8,
    /// Byte 363 bits 3:0: tenths of the running self-test that are left.
    pub self_test_remaining_tenths: u8,
    /// Bytes 365:364: seconds that an offline collection takes.
    pub offline_s: u16,
    /// Byte 372: minutes of a short self-test.
    pub short_test_min: u8,
    /// Byte 373, or 376:375 where that is FFh: minutes of an extended self-test.
    pub extended_test_min: u16,
    /// Byte 511: whether the page's checksum is right.
    pub checksum_right: bool,
}

impl SmartData {
    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = Words::of("SMART data", bytes)?;
        let mut attributes = Vec::new();
        for number in 0..ATTRIBUTE_COUNT {
            attributes.extend(attribute(&words, ATTRIBUTES + number * ATTRIBUTE)?);
        }
        let test = words.byte(363)?;
        let extended_test_min = match words.byte(373)? {
            0xFF => words.u16_at(375)?,
            minutes => u16::from(minutes),
        };
        Ok(SmartData {
            attributes,
            self_test_outcome: test >> 4,
            self_test_remaining_tenths: test & 0xF,
            offline_s: words.u16_at(364)?,
            short_test_min: words.byte(372)?,
            extended_test_min,
            checksum_right: words.sum() == 0,
        })
    }

    /// An attribute by its number.
    #[must_use]
    pub fn attribute(&self, id: u8) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.id == id)
    }

    /// The temperature, degrees Celsius: the lowest byte of the raw value of 194, or of 190.
    #[must_use]
    pub fn temperature_c(&self) -> Option<u8> {
        let raw = TEMPERATURES.iter().find_map(|id| self.attribute(*id))?.raw;
        let [degrees, ..] = raw.to_le_bytes();
        (1..HOTTEST_C).contains(&degrees).then_some(degrees)
    }
}

fn attribute(words: &Words<'_>, at: usize) -> Result<Option<Attribute>, DecodeError> {
    let (id, flags) = (words.byte(at)?, words.u16_at(at + 1)?);
    if id == 0 {
        return Ok(None);
    }
    let [a, b, c, d, e, f]: [u8; 6] = words.array(at + 5)?;
    Ok(Some(Attribute {
        id,
        pre_failure: bit(flags, 0),
        flags,
        value: words.byte(at + 3)?,
        worst: words.byte(at + 4)?,
        raw: u64::from_le_bytes([a, b, c, d, e, f, 0, 0]),
        known: known(id),
    }))
}

/// SMART READ THRESHOLDS (command B0h, feature D1h; ATA-3, obsolete since and still answered).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SmartThresholds {
    /// Bytes 361:2: number and threshold of each attribute in use.
    pub thresholds: Vec<(u8, u8)>,
    /// Byte 511: whether the page's checksum is right.
    pub checksum_right: bool,
}

impl SmartThresholds {
    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = Words::of("SMART thresholds", bytes)?;
        let mut thresholds = Vec::new();
        for number in 0..ATTRIBUTE_COUNT {
            let at = ATTRIBUTES + number * ATTRIBUTE;
            let (id, threshold) = (words.byte(at)?, words.byte(at + 1)?);
            if id != 0 {
                thresholds.push((id, threshold));
            }
        }
        Ok(SmartThresholds { thresholds, checksum_right: words.sum() == 0 })
    }

    /// The threshold of an attribute; 0 never trips.
    #[must_use]
    pub fn of(&self, id: u8) -> Option<u8> {
        self.thresholds.iter().find(|(number, _)| *number == id).map(|(_, threshold)| *threshold)
    }

    /// The attributes that have fallen to their threshold.
    #[must_use]
    pub fn tripped<'a>(&self, data: &'a SmartData) -> Vec<&'a Attribute> {
        let tripped = |it: &&Attribute| self.of(it.id).is_some_and(|threshold| threshold != 0 && it.value <= threshold);
        data.attributes.iter().filter(tripped).collect()
    }
}
