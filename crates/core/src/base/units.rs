//! Units with parsing and printing: bytes, rates, durations, per cent, queue depth, threads.
//!
//! Owns the only conversion of text such as "128 KiB", "4k" or "1.5 GB/s" to a number and back. MB is 10^6 and MiB is
//! 2^20, and the two are never mixed silently. A bare letter (`4k`, `1M`) is binary, as in fio; the guide states
//! this. Printing is lossless: parsing the printed text gives the same value, for rates from 10^-9 B/s to 2^63 B/s.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Greatest common divisor (Euclid); if one number is 0, the other number.
#[must_use]
pub const fn common_divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// Why a text is not a valid value of the unit. The message is a fragment that names the text and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// There are no digits where the number should start.
    #[error("'{text}' does not start with a number; expected {expected}")]
    NoNumber {
        /// What was written.
        text: String,
        /// The accepted texts.
        expected: &'static str,
    },
    /// The suffix is not a known unit.
    #[error("{}; expected {expected}", unknown_unit(unit, text))]
    UnknownUnit {
        /// What was written.
        text: String,
        /// The part that is not a unit.
        unit: String,
        /// The accepted texts.
        expected: &'static str,
    },
    /// The value is not a whole number of the base unit, or too large for it.
    #[error("'{text}' is not a whole number of {base} below 2^63")]
    NotWhole {
        /// What was written.
        text: String,
        /// The base unit (bytes, nanoseconds).
        base: &'static str,
    },
    /// The value is outside the range of its type.
    #[error("{value} is out of range; expected {expected}")]
    OutOfRange {
        /// The value that was given.
        value: u64,
        /// The permitted range.
        expected: &'static str,
    },
}

fn unknown_unit(unit: &str, text: &str) -> String {
    if unit.is_empty() { format!("'{text}' has no unit") } else { format!("unknown unit '{unit}' in '{text}'") }
}

const BYTES_EXPECTED: &str =
    "a size such as 4k, 128 KiB, 1 MiB or 1.5 GB (k, M, G alone are binary; kB, MB, GB decimal)";
const TIME_EXPECTED: &str = "a duration such as 500 ms, 5 s, 2 min or 1 h";
const RATE_EXPECTED: &str = "a rate such as 50 MiB/s or 1.5 GB/s";

/// Splits "1.5 GB" into (15, 1, "GB"): digits without the point, number of decimals, unit text.
fn split_number<'t>(text: &'t str, expected: &'static str) -> Result<(u128, u32, &'t str), UnitError> {
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    let no_number = || UnitError::NoNumber { text: text.to_owned(), expected };
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() || fraction.contains('.') || number.ends_with('.') || number.len() > 30 {
        return Err(no_number());
    }
    let digits: u128 = format!("{whole}{fraction}").parse().map_err(|_| no_number())?;
    let decimals = u32::try_from(fraction.len()).map_err(|_| no_number())?;
    Ok((digits, decimals, unit.trim()))
}

/// `digits / 10^decimals * multiplier`, exactly, or an error.
fn scaled(text: &str, digits: u128, decimals: u32, multiplier: u64, base: &'static str) -> Result<u64, UnitError> {
    let not_whole = || UnitError::NotWhole { text: text.to_owned(), base };
    let numerator = digits.checked_mul(u128::from(multiplier)).ok_or_else(not_whole)?;
    let divisor = 10u128.checked_pow(decimals).ok_or_else(not_whole)?;
    if numerator % divisor != 0 || numerator / divisor > i64::MAX as u128 {
        return Err(not_whole());
    }
    u64::try_from(numerator / divisor).map_err(|_| not_whole())
}

/// Bytes in one unit of this suffix, or `None` if it is not a byte suffix. Case matters after the letter, because
/// `Kib` or `mb` mean bits elsewhere, so they are not guessed.
fn byte_multiplier(unit: &str) -> Option<u64> {
    const LETTERS: [(&[char; 2], u32); 5] =
        [(&['k', 'K'], 1), (&['m', 'M'], 2), (&['g', 'G'], 3), (&['t', 'T'], 4), (&['p', 'P'], 5)];
    if matches!(unit, "" | "B" | "bytes") {
        return Some(1);
    }
    let (_, power) = LETTERS.iter().find(|(letters, _)| unit.starts_with(letters.as_slice()))?;
    match &unit[1..] {
        "" | "i" | "iB" => Some(1024u64.pow(*power)),
        "B" => Some(1000u64.pow(*power)),
        _ => None,
    }
}

/// A number of bytes.
///
/// ```
/// use drivelab_core::units::Bytes;
/// assert_eq!("128 KiB".parse(), Ok(Bytes::new(131_072)));
/// assert_eq!("4k".parse(), Ok(Bytes::new(4096)));
/// assert_eq!("1.5 GB".parse(), Ok(Bytes::new(1_500_000_000)));
/// assert_eq!(Bytes::new(1 << 20).to_string(), "1 MiB");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// One mebibyte, 2^20 bytes.
    pub const MIB: Bytes = Bytes(1 << 20);
    /// One gibibyte, 2^30 bytes.
    pub const GIB: Bytes = Bytes(1 << 30);

    /// This number of bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// The plain number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// As a float, for rates and shares.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "sizes stay far below 2^53 bytes")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// For sentences: three digits and a binary unit, `23.5 GiB`. Not for parsing; `Display` is exact.
    #[must_use]
    pub fn about(self) -> String {
        const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
        let (mut value, mut unit) = (self.as_f64(), 0);
        while value >= 1000.0 && unit + 1 < UNITS.len() {
            (value, unit) = (value / 1024.0, unit + 1);
        }
        let decimals = if unit == 0 || value >= 100.0 || value.fract() == 0.0 { 0 } else { 1 };
        format!("{value:.decimals$} {}", UNITS[unit])
    }

    /// The largest multiple of `unit` that is at most this; a `unit` of zero gives `self`.
    #[must_use]
    pub const fn align_down(self, unit: Bytes) -> Bytes {
        if unit.0 == 0 { self } else { Bytes(self.0 - self.0 % unit.0) }
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (digits, decimals, unit) = split_number(text, BYTES_EXPECTED)?;
        let multiplier = byte_multiplier(unit).ok_or_else(|| UnitError::UnknownUnit {
            text: text.to_owned(),
            unit: unit.to_owned(),
            expected: BYTES_EXPECTED,
        })?;
        scaled(text, digits, decimals, multiplier, "bytes").map(Bytes)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 8] = [
            (1 << 40, "TiB"),
            (1 << 30, "GiB"),
            (1 << 20, "MiB"),
            (1_000_000_000_000, "TB"),
            (1_000_000_000, "GB"),
            (1_000_000, "MB"),
            (1 << 10, "KiB"),
            (1000, "kB"),
        ];
        let unit = UNITS.iter().find(|(size, _)| self.0 != 0 && self.0.is_multiple_of(*size));
        match unit {
            Some((size, name)) => write!(f, "{} {name}", self.0 / size),
            None => write!(f, "{} B", self.0),
        }
    }
}

/// A length of time in nanoseconds.
///
/// ```
/// use drivelab_core::units::Nanos;
/// assert_eq!("1.5 s".parse(), Ok(Nanos::new(1_500_000_000)));
/// assert_eq!(Nanos::new(90_000_000_000).to_string(), "90 s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Nanos(u64);

impl Nanos {
    /// This number of nanoseconds.
    #[must_use]
    pub const fn new(nanoseconds: u64) -> Self {
        Nanos(nanoseconds)
    }

    /// This number of milliseconds.
    #[must_use]
    pub const fn from_millis(milliseconds: u64) -> Self {
        Nanos(milliseconds * 1_000_000)
    }

    /// This number of seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Nanos(seconds * 1_000_000_000)
    }

    /// Whether it is zero.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }

    /// The plain number of nanoseconds.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// In seconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "runs last less than 2^53 ns (104 days); rounding is below 1 ns")]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl From<std::time::Duration> for Nanos {
    fn from(duration: std::time::Duration) -> Self {
        Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for std::time::Duration {
    fn from(nanos: Nanos) -> Self {
        std::time::Duration::from_nanos(nanos.0)
    }
}

impl FromStr for Nanos {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (digits, decimals, unit) = split_number(text, TIME_EXPECTED)?;
        let multiplier = match unit {
            "ns" => 1,
            "us" | "µs" => 1_000,
            "ms" => 1_000_000,
            "s" | "sec" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => {
                return Err(UnitError::UnknownUnit {
                    text: text.to_owned(),
                    unit: unit.to_owned(),
                    expected: TIME_EXPECTED,
                });
            }
        };
        scaled(text, digits, decimals, multiplier, "nanoseconds").map(Nanos)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 5] =
            [(3_600_000_000_000, "h"), (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")];
        let unit = UNITS.iter().find(|(size, _)| self.0.is_multiple_of(*size) && self.0 != 0);
        match unit {
            Some((size, name)) => write!(f, "{} {name}", self.0 / size),
            None => write!(f, "0 s"),
        }
    }
}

/// A data rate in bytes per second (not necessarily whole).
///
/// ```
/// use drivelab_core::units::BytesPerSecond;
/// assert_eq!("1.5 GB/s".parse(), Ok(BytesPerSecond::new(1.5e9)));
/// assert_eq!("1234.5 B/s".parse(), Ok(BytesPerSecond::new(1234.5)));
/// assert_eq!(BytesPerSecond::new(1234.5).to_string(), "1.2345 kB/s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BytesPerSecond(f64);

impl BytesPerSecond {
    /// This number of bytes per second.
    #[must_use]
    pub const fn new(bytes_per_second: f64) -> Self {
        BytesPerSecond(bytes_per_second)
    }

    /// The plain number of bytes per second.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// In MB/s, 10^6 bytes per second.
    #[must_use]
    pub fn as_mb_s(self) -> f64 {
        self.0 / 1e6
    }
}

impl FromStr for BytesPerSecond {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (digits, decimals, unit) = split_number(text, RATE_EXPECTED)?;
        let multiplier = unit.strip_suffix("/s").and_then(byte_multiplier).ok_or_else(|| UnitError::UnknownUnit {
            text: text.to_owned(),
            unit: unit.to_owned(),
            expected: RATE_EXPECTED,
        })?;
        // The exact value as decimal digits; the standard library finds the nearest float.
        let exact = digits.checked_mul(u128::from(multiplier)).map(|digits| format!("{digits}e-{decimals}"));
        let rate = exact.and_then(|exact| exact.parse().ok());
        let too_large = || UnitError::NotWhole { text: text.to_owned(), base: "bytes per second" };
        rate.map(BytesPerSecond).ok_or_else(too_large)
    }
}

impl fmt::Display for BytesPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (size, name) in [(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")] {
            if self.0 >= size {
                // Division rounds; a larger unit is used only if nothing is lost.
                let text = format!("{} {name}", self.0 / size);
                if text.parse() == Ok(*self) {
                    return f.write_str(&text);
                }
            }
        }
        write!(f, "{} B/s", self.0)
    }
}

/// A whole per cent from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Percent(u8);

impl Percent {
    /// Zero.
    pub const ZERO: Percent = Percent(0);

    /// Whether it is zero.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl QueueDepth {
    /// One operation at a time.
    pub const ONE: QueueDepth = QueueDepth(1);
}

impl Threads {
    /// One thread.
    pub const ONE: Threads = Threads(1);
}

/// Operations that one thread keeps in flight, 1 to 65,535 (an NVMe queue has at most 65,536 entries, and one of them
/// is always free: NVMe Base Specification 2.0, section 3.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct QueueDepth(u32);

/// Threads that issue I/O, 1 to 1,024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Threads(u32);

/// A bounded whole number: its constructor is the only range check, also when it is read from JSON.
macro_rules! bounded {
    ($name:ident, $inner:ty, $range:expr, $expected:literal) => {
        impl $name {
            /// Checks the range; the only constructor.
            ///
            /// # Errors
            /// [`UnitError::OutOfRange`] names the range.
            pub fn new(value: u64) -> Result<Self, UnitError> {
                match <$inner>::try_from(value) {
                    Ok(inner) if $range.contains(&inner) => Ok($name(inner)),
                    _ => Err(UnitError::OutOfRange { value, expected: $expected }),
                }
            }

            /// The plain number.
            #[must_use]
            pub const fn get(self) -> $inner {
                self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                u64::deserialize(deserializer).and_then(|value| $name::new(value).map_err(serde::de::Error::custom))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

bounded!(Percent, u8, (0..=100), "0 to 100 per cent");
bounded!(QueueDepth, u32, (1..=65_535), "a queue depth of 1 to 65535");
bounded!(Threads, u32, (1..=1024), "1 to 1024 threads");

#[cfg(test)]
mod tests;
