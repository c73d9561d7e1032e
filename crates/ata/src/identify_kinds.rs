//! Values of IDENTIFY DEVICE with a few known cases; unknown values are kept.

use std::fmt;

use serde::Serialize;

/// NOMINAL MEDIA ROTATION RATE (word 217).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// 0000h: not reported.
    NotReported,
    /// 0001h: no moving parts.
    SolidState,
    /// 0401h to FFFEh: rotations per minute.
    PerMinute(u16),
    /// A value that the standard reserves.
    Reserved(u16),
}

impl Rotation {
    pub(crate) fn of(word: u16) -> Self {
        match word {
            0 => Rotation::NotReported,
            1 => Rotation::SolidState,
            0x0401..=0xFFFE => Rotation::PerMinute(word),
            other => Rotation::Reserved(other),
        }
    }
}

/// NOMINAL FORM FACTOR (word 168 bits 3:0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FormFactor {
    /// 0h: not reported.
    NotReported,
    /// 1h.
    Inch525,
    /// 2h.
    Inch35,
    /// 3h.
    Inch25,
    /// 4h.
    Inch18,
    /// 5h: less than 1.8 inch.
    Smaller,
    /// 6h.
    MSata,
    /// 7h.
    M2,
    /// 8h.
    MicroSsd,
    /// 9h.
    CFast,
    /// A value that the standard reserves.
    Reserved(u8),
}

impl FormFactor {
    pub(crate) fn of(word: u16) -> Self {
        match word.to_le_bytes()[0] & 0xF {
            0 => FormFactor::NotReported,
            1 => FormFactor::Inch525,
            2 => FormFactor::Inch35,
            3 => FormFactor::Inch25,
            4 => FormFactor::Inch18,
            5 => FormFactor::Smaller,
            6 => FormFactor::MSata,
            7 => FormFactor::M2,
            8 => FormFactor::MicroSsd,
            9 => FormFactor::CFast,
            other => FormFactor::Reserved(other),
        }
    }
}

impl fmt::Display for FormFactor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormFactor::NotReported => out.write_str("not reported"),
            FormFactor::Inch525 => out.write_str("5.25 inch"),
            FormFactor::Inch35 => out.write_str("3.5 inch"),
            FormFactor::Inch25 => out.write_str("2.5 inch"),
            FormFactor::Inch18 => out.write_str("1.8 inch"),
            FormFactor::Smaller => out.write_str("less than 1.8 inch"),
            FormFactor::MSata => out.write_str("mSATA"),
            FormFactor::M2 => out.write_str("M.2"),
            FormFactor::MicroSsd => out.write_str("MicroSSD"),
            FormFactor::CFast => out.write_str("CFast"),
            FormFactor::Reserved(value) => write!(out, "reserved value {value}"),
        }
    }
}

/// Signaling speed of Serial ATA (words 76 and 77).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkSpeed {
    /// Generation 1, 1.5 Gb/s.
    Gen1,
    /// Generation 2, 3.0 Gb/s.
    Gen2,
    /// Generation 3, 6.0 Gb/s.
    Gen3,
    /// A generation that the standard does not have yet.
    Later(u8),
}

impl LinkSpeed {
    /// CURRENT NEGOTIATED SERIAL ATA SIGNAL SPEED (word 77 bits 3:1); `None` if not reported.
    pub(crate) fn negotiated(word: u16) -> Option<Self> {
        match word.to_le_bytes()[0] >> 1 & 0b111 {
            0 => None,
            1 => Some(LinkSpeed::Gen1),
            2 => Some(LinkSpeed::Gen2),
            3 => Some(LinkSpeed::Gen3),
            later => Some(LinkSpeed::Later(later)),
        }
    }

    /// The fastest of word 76 bits 3:1; `None` if the word says that the drive is not Serial ATA.
    pub(crate) fn possible(word: u16) -> Option<Self> {
        let speeds = [(3, LinkSpeed::Gen3), (2, LinkSpeed::Gen2), (1, LinkSpeed::Gen1)];
        speeds.into_iter().find(|(bit, _)| crate::words::has(word, *bit)).map(|(_, speed)| speed)
    }
}

impl fmt::Display for LinkSpeed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkSpeed::Gen1 => out.write_str("1.5 Gb/s"),
            LinkSpeed::Gen2 => out.write_str("3.0 Gb/s"),
            LinkSpeed::Gen3 => out.write_str("6.0 Gb/s"),
            LinkSpeed::Later(generation) => write!(out, "generation {generation}, faster than 6.0 Gb/s"),
        }
    }
}

/// What a trimmed block reads as (word 69 bits 14 and 5; ACS-4, DATA SET MANAGEMENT).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterTrim {
    /// The drive has no TRIM.
    NoTrim,
    /// Any data, which may differ from read to read.
    Undefined,
    /// The same data at each read (DRAT), but which data is not stated.
    Deterministic,
    /// Zeros (DRAT and RZAT).
    Zeros,
}

impl fmt::Display for AfterTrim {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            AfterTrim::NoTrim => "no TRIM",
            AfterTrim::Undefined => "not defined: may change from read to read",
            AfterTrim::Deterministic => "the same data at each read, content not defined",
            AfterTrim::Zeros => "zeros",
        })
    }
}

/// ZONED CAPABILITIES (word 69 bits 1:0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Zones {
    /// 00b: not reported.
    NotReported,
    /// 01b: host aware zones.
    HostAware,
    /// 10b: zones that the drive manages, as with shingled platters.
    DeviceManaged,
    /// 11b.
    Reserved,
}

impl Zones {
    pub(crate) fn of(word: u16) -> Self {
        match word & 0b11 {
            0 => Zones::NotReported,
            1 => Zones::HostAware,
            2 => Zones::DeviceManaged,
            _ => Zones::Reserved,
        }
    }
}

/// Whether a page's checksum holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checksum {
    /// It has none.
    Absent,
    /// It is right.
    Right,
    /// It is wrong: the page was changed in transit, or the drive computed it wrongly.
    Wrong,
}
