//! The kinds of values in a drive facts file: a text with a unit becomes a number in a base unit.
//!
//! Owns the units of each kind. A value keeps the text as written, so that a page shows 13700 MB/s as the data sheet
//! does, and the number, so that it can be compared.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::units::{Bytes, Nanos};

/// Longest text of one value, in characters.
const LONGEST: usize = 200;

/// A kind of value.
pub trait Value: Clone + PartialEq + fmt::Debug {
    /// Name in the schema.
    const NAME: &'static str;
    /// The base unit of [`Self::number`]; empty if there is none.
    const UNIT: &'static str;
    /// What is expected, for messages: "a speed such as 13700 MB/s".
    const EXPECTED: &'static str;
    /// Regular expression of the accepted texts, for editors.
    const PATTERN: &'static str;
    /// Reads a text; none if it is not of this kind.
    fn read(text: &str) -> Option<Self>;
    /// The value in its base unit, if it is one number.
    fn number(&self) -> Option<f64>;
}

/// A value with the text that it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Written<T> {
    /// As written, without spaces around it.
    pub text: String,
    /// The value.
    pub value: T,
}

impl<'de, T: Value> Deserialize<'de> for Written<T> {
    /// Reads the text, as a user writes it in a file, or the object of text, number and unit in a document.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReadWritten(PhantomData))
    }
}

struct ReadWritten<T>(PhantomData<T>);

impl<'de, T: Value> de::Visitor<'de> for ReadWritten<T> {
    type Value = Written<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Written<T>, E> {
        let text = text.trim();
        match T::read(text) {
            Some(value) if text.chars().count() <= LONGEST => Ok(Written { text: text.to_owned(), value }),
            _ => Err(E::custom(format!("this is not {}", T::EXPECTED))),
        }
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Written<T>, A::Error> {
        /// Number and unit follow from the text.
        #[derive(Deserialize)]
        struct Document {
            text: String,
        }
        let document = Document::deserialize(de::value::MapAccessDeserializer::new(map))?;
        self.visit_str(&document.text)
    }
}

/// In a document: the text and, if the value is one number, the number with its unit.
#[derive(Serialize)]
struct Shown<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<f64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    unit: &'a str,
}

impl<T: Value> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Shown { text: &self.text, number: self.value.number(), unit: T::UNIT }.serialize(serializer)
    }
}

impl<T: Value> JsonSchema for Written<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": T::EXPECTED, "pattern": T::PATTERN, "maxLength": LONGEST })
    }
}

/// A positive number followed by one of these units, in the base unit.
fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let end = text.find(|sign: char| !(sign.is_ascii_digit() || sign == '.' || sign == '_')).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim())?;
    let number = plain(digits)? * factor;
    (number > 0.0 && number.is_finite()).then_some(number)
}

/// A number of digits, with optional underscores between them and at most one decimal point.
fn plain(digits: &str) -> Option<f64> {
    let sound = digits.starts_with(|sign: char| sign.is_ascii_digit()) && !digits.ends_with(['_', '.']);
    sound.then(|| digits.replace('_', "").parse().ok()).flatten()
}

/// Kinds that are one number with a unit.
macro_rules! quantities {
    ($($(#[$doc:meta])* $type:ident, $base:literal, $expected:literal,
        [$first:literal = $first_factor:literal $(, $unit:literal = $factor:literal)*];)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        pub struct $type(f64);

        impl $type {
            #[doc = concat!("In ", $base, ".")]
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl Value for $type {
            const NAME: &'static str = stringify!($type);
            const UNIT: &'static str = $base;
            const EXPECTED: &'static str = $expected;
            const PATTERN: &'static str = concat!(r"^\s*\d[\d_]*(\.\d+)?\s*(", $first, $("|", $unit,)* r")\s*$");
            fn read(text: &str) -> Option<Self> {
                scaled(text, &[($first, $first_factor) $(, ($unit, $factor))*]).map($type)
            }
            fn number(&self) -> Option<f64> {
                Some(self.0)
            }
        }
    )+};
}

quantities! {
    /// Bytes per second.
    Speed, "B/s", "a speed such as 13700 MB/s or 13.7 GB/s (units: GB/s, MB/s, kB/s, GiB/s, MiB/s)",
        ["GB/s" = 1e9, "MB/s" = 1e6, "kB/s" = 1e3, "GiB/s" = 1_073_741_824.0, "MiB/s" = 1_048_576.0];
    /// Operations per second.
    Iops, "IOPS", "a rate such as 2100k IOPS or 3.3M IOPS",
        ["IOPS" = 1.0, "k IOPS" = 1e3, "M IOPS" = 1e6, "kIOPS" = 1e3, "MIOPS" = 1e6];
    /// Watts.
    Watts, "W", "a power such as 5.7 W or 30 mW", ["W" = 1.0, "mW" = 0.001];
    /// Drive writes per day, over the years of the warranty.
    DriveWrites, "DWPD", "drive writes per day such as 3 DWPD", ["DWPD" = 1.0];
    /// Years.
    Years, "years", "a number of years such as 5 years", ["years" = 1.0, "year" = 1.0];
    /// Hours.
    Hours, "h", "a number of hours such as 2.5M hours or 1_500_000 hours",
        ["hours" = 1.0, "h" = 1.0, "k hours" = 1e3, "M hours" = 1e6];
}

impl Value for Bytes {
    const NAME: &'static str = "Bytes";
    const UNIT: &'static str = "B";
    const EXPECTED: &'static str = "a size such as 7.68 TB or 256_060_514_304 B (units: PB, TB, GB, TiB, GiB, MiB, B)";
    const PATTERN: &'static str = r"^\s*\d[\d_]*(\.\d+)?\s*(PB|TB|GB|MB|TiB|GiB|MiB|B)\s*$";

    fn read(text: &str) -> Option<Self> {
        let units = [
            ("PB", 1e15),
            ("TB", 1e12),
            ("GB", 1e9),
            ("MB", 1e6),
            ("TiB", 1_099_511_627_776.0),
            ("GiB", 1_073_741_824.0),
            ("MiB", 1_048_576.0),
            ("B", 1.0),
        ];
        let bytes = scaled(text, &units)?.round();
        ((1.0..9e18).contains(&bytes)).then(|| Bytes::new(bytes as u64))
    }

    fn number(&self) -> Option<f64> {
        Some(self.as_f64())
    }
}

impl Value for Nanos {
    const NAME: &'static str = "Latency";
    const UNIT: &'static str = "ns";
    const EXPECTED: &'static str = "a time such as 65 us or 0.1 ms (units: ns, us, µs, ms)";
    const PATTERN: &'static str = r"^\s*\d[\d_]*(\.\d+)?\s*(ns|us|µs|ms)\s*$";

    fn read(text: &str) -> Option<Self> {
        let nanoseconds = scaled(text, &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6)])?.round();
        ((1.0..1e18).contains(&nanoseconds)).then(|| Nanos::new(nanoseconds as u64))
    }

    fn number(&self) -> Option<f64> {
        Some(self.get() as f64)
    }
}

/// A share of a whole.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Value for Share {
    const NAME: &'static str = "Share";
    const UNIT: &'static str = "%";
    const EXPECTED: &'static str = "a share such as 0.35 %, at most 100 %";
    const PATTERN: &'static str = r"^\s*\d[\d_]*(\.\d+)?\s*%\s*$";

    fn read(text: &str) -> Option<Self> {
        scaled(text, &[("%", 1.0)]).filter(|share| *share <= 100.0).map(Share)
    }

    fn number(&self) -> Option<f64> {
        Some(self.0)
    }
}

/// Unrecoverable bit error rate: `1 in 10^17`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitErrors(u8);

impl Value for BitErrors {
    const NAME: &'static str = "BitErrors";
    const UNIT: &'static str = "errors per bit read";
    const EXPECTED: &'static str = "a rate of errors such as 1 in 10^17";
    const PATTERN: &'static str = r"^\s*1 in 10\^\d{1,2}\s*$";

    fn read(text: &str) -> Option<Self> {
        let power: u8 = text.strip_prefix("1 in 10^")?.parse().ok()?;
        (1..=30).contains(&power).then_some(BitErrors(power))
    }

    fn number(&self) -> Option<f64> {
        Some(10f64.powi(-i32::from(self.0)))
    }
}

/// A temperature range, °C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CelsiusRange {
    /// Lowest temperature, °C.
    pub low: f64,
    /// Highest temperature, °C.
    pub high: f64,
}

impl Value for CelsiusRange {
    const NAME: &'static str = "CelsiusRange";
    const UNIT: &'static str = "";
    const EXPECTED: &'static str = "a range of temperatures such as -40 to 85 °C, the lower one first";
    const PATTERN: &'static str = r"^\s*-?\d+(\.\d+)? to -?\d+(\.\d+)? ?°C\s*$";

    fn read(text: &str) -> Option<Self> {
        let (low, high) = text.strip_suffix("°C")?.split_once(" to ")?;
        let signed = |text: &str| match text.trim().strip_prefix('-') {
            Some(digits) => plain(digits).map(|number| -number),
            None => plain(text.trim()),
        };
        let (low, high) = (signed(low)?, signed(high)?);
        (-273.15 <= low && low < high && high <= 1000.0).then_some(CelsiusRange { low, high })
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

/// Width, length and height, mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dimensions {
    /// Width, mm.
    pub width: f64,
    /// Length, mm.
    pub length: f64,
    /// Height, mm.
    pub height: f64,
}

impl Value for Dimensions {
    const NAME: &'static str = "Dimensions";
    const UNIT: &'static str = "";
    const EXPECTED: &'static str = "width, length and height such as 69.85 x 100.45 x 15 mm";
    const PATTERN: &'static str = r"^\s*\d+(\.\d+)? x \d+(\.\d+)? x \d+(\.\d+)? mm\s*$";

    fn read(text: &str) -> Option<Self> {
        let sides: Option<Vec<f64>> = text.strip_suffix("mm")?.split('x').map(|side| plain(side.trim())).collect();
        match sides?.as_slice() {
            [width, length, height] if [width, length, height].iter().all(|side| (0.1..1000.0).contains(*side)) => {
                Some(Dimensions { width: *width, length: *length, height: *height })
            }
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

/// A price that was paid or asked, and its date.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// In whole units of the currency.
    pub amount: f64,
    /// ISO 4217, three letters.
    pub currency: String,
    /// `YYYY-MM-DD`.
    pub date: String,
}

impl Value for Price {
    const NAME: &'static str = "Price";
    const UNIT: &'static str = "";
    const EXPECTED: &'static str = "a price with its currency (ISO 4217) and day, such as 129.99 EUR on 2026-11-20";
    const PATTERN: &'static str = r"^\s*\d[\d_]*(\.\d+)? [A-Z]{3} on \d{4}-\d{2}-\d{2}\s*$";

    fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let (amount, currency, on, date) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let amount = plain(amount).filter(|amount| amount.is_finite())?;
        let three = currency.len() == 3 && currency.bytes().all(|letter| letter.is_ascii_uppercase());
        let sound = words.next().is_none() && on == "on" && three && is_day(date);
        sound.then(|| Price { amount, currency: currency.to_owned(), date: date.to_owned() })
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

/// Whether a text is a valid date, `YYYY-MM-DD`.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |text: &str, digits: usize| {
        (text.len() == digits && text.bytes().all(|sign| sign.is_ascii_digit())).then(|| text.parse::<u32>().ok())
    };
    let (Some(Some(year)), Some(Some(month)), Some(Some(day))) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Free text, for values without a stricter format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words(pub String);

impl Value for Words {
    const NAME: &'static str = "Words";
    const UNIT: &'static str = "";
    const EXPECTED: &'static str = "a few words (at most 200 characters)";
    const PATTERN: &'static str = r"\S";

    fn read(text: &str) -> Option<Self> {
        (!text.is_empty() && !text.contains(char::is_control)).then(|| Words(text.to_owned()))
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

/// Kinds that are one of a few words.
macro_rules! one_of {
    ($($(#[$doc:meta])* $type:ident, $expected:literal,
        [$(#[$first_doc:meta])* $first:ident = $first_text:literal
            $(, $(#[$word_doc:meta])* $word:ident = $text:literal)*];)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type {
            $(#[$first_doc])*
            $first,
            $($(#[$word_doc])* $word,)*
        }

        impl Value for $type {
            const NAME: &'static str = stringify!($type);
            const UNIT: &'static str = "";
            const EXPECTED: &'static str = $expected;
            const PATTERN: &'static str = concat!(r"^\s*(", $first_text, $("|", $text,)* r")\s*$");
            fn read(text: &str) -> Option<Self> {
                match text {
                    $first_text => Some($type::$first),
                    $($text => Some($type::$word),)*
                    _ => None,
                }
            }
            fn number(&self) -> Option<f64> {
                None
            }
        }
    )+};
}

one_of! {
    /// Whether the drive has a feature.
    YesNo, "yes or no", [
        /// It has the feature.
        Yes = "yes",
        /// It does not have the feature.
        No = "no"
    ];
    /// Bits per cell of the flash.
    Cell, "a type of cell: SLC, MLC, TLC, QLC, PLC or 3D XPoint", [
        /// One bit.
        Slc = "SLC",
        /// Two bits.
        Mlc = "MLC",
        /// Three bits.
        Tlc = "TLC",
        /// Four bits.
        Qlc = "QLC",
        /// Five bits.
        Plc = "PLC",
        /// Not flash: phase-change memory.
        CrossPoint = "3D XPoint"
    ];
}
