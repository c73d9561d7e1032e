//! Values that are neither lists nor tables: text, numbers and words of each kind, and what is wrong with them.
//!
//! Must not know: which keys there are.

use std::ops::Range;

use drivelab_core::load::Locality;
use drivelab_core::units::{Bytes, Nanos};
use toml::Spanned;
use toml::de::{DeInteger, DeValue};

use crate::tree::diagnostic::Diagnostic;
use crate::tree::near::nearest;
use crate::tree::rate::{AskedRate, RATE_EXPECTED, thousandths};
use crate::tree::value::{Amount, Extent, Value};
use crate::vocabulary::load::axis_names;
use crate::vocabulary::shape::{FORMAT, Kind, Word};

/// A value that is neither a list nor a table; `Err(None)` if it has another TOML type.
pub(crate) fn scalar(found: &Spanned<DeValue<'_>>, kind: &Kind) -> Result<Value, Option<Diagnostic>> {
    let at = || found.span();
    let wrong = |title: String, label: &str| Err(Some(Diagnostic::new(at(), title, label)));
    match (kind, found.get_ref()) {
        (Kind::Flag, DeValue::Boolean(flag)) => Ok(Value::Flag(*flag)),
        (Kind::Whole(least, most), DeValue::Integer(number)) => match whole(number) {
            Some(value) if (*least..=*most).contains(&value) => Ok(Value::Whole(value)),
            _ => wrong(format!("{number} is out of range"), &format!("expected a whole number from {least} to {most}")),
        },
        (Kind::Format, DeValue::Integer(number)) => match whole(number) {
            Some(FORMAT) => Ok(Value::Whole(FORMAT)),
            _ => Err(Some(
                Diagnostic::new(at(), format!("this drivelab does not know format {number}"), "expected 1")
                    .help("a file in a newer format needs a newer drivelab"),
            )),
        },
        (Kind::Text, DeValue::String(text)) if text.trim().is_empty() => {
            wrong("the text is empty".to_owned(), "expected at least a word")
        }
        (Kind::Text, DeValue::String(text)) => Ok(Value::Text(text.to_string())),
        (Kind::Name, DeValue::String(text)) if is_name(text) => Ok(Value::Text(text.to_string())),
        (Kind::Name, DeValue::String(text)) => wrong(
            format!("'{}' is not a short name", short(text)),
            "expected lower-case letters, digits and hyphens, at most 40",
        ),
        (Kind::Version, DeValue::String(text)) if is_version(text) => Ok(Value::Text(text.to_string())),
        (Kind::Version, DeValue::String(text)) => {
            wrong(format!("'{}' is not a version", short(text)), "expected major.minor.patch, such as \"1.0.0\"")
        }
        (_, DeValue::String(text)) => quantity(text, kind, at()),
        (Kind::Decimal(..), DeValue::Integer(number)) => decimal(number.as_str(), kind, at()),
        (Kind::Decimal(..), DeValue::Float(number)) => decimal(number.as_str(), kind, at()),
        _ => Err(None),
    }
}

fn whole(number: &DeInteger<'_>) -> Option<u64> {
    let digits: String = number.as_str().chars().filter(|c| *c != '_' && *c != '+').collect();
    u64::from_str_radix(&digits, number.radix()).ok().filter(|value| i64::try_from(*value).is_ok())
}

/// A text that is a quantity, a word or a name of a certain kind.
fn quantity(text: &str, kind: &Kind, at: Range<usize>) -> Result<Value, Option<Diagnostic>> {
    let wrong = |title: String, label: &str| Err(Some(Diagnostic::new(at.clone(), title, label)));
    let unit = |error: drivelab_core::units::UnitError, label: &str| wrong(error.to_string(), label);
    match kind {
        Kind::Size => match text.parse::<Bytes>() {
            Ok(size) if size.get() > 0 => Ok(Value::Size(size)),
            Ok(_) => wrong("the size is zero".to_owned(), "expected at least one byte"),
            Err(error) => unit(error, "not a size"),
        },
        Kind::SizeOrShare => match amount(text) {
            Ok(Amount::Bytes(size)) if size.get() > 0 => Ok(Value::Size(size)),
            Ok(length @ Amount::Hundredths(1..)) => Ok(Value::Extent(Extent { length, ..Extent::WHOLE })),
            Ok(_) => wrong("the size is zero".to_owned(), "expected at least one byte"),
            Err(error) => wrong(error, "not a size"),
        },
        Kind::Duration => {
            let seconds = if text.trim() == "0" { Ok(Nanos::new(0)) } else { text.parse::<Nanos>() };
            seconds.map(Value::Time).or_else(|error| unit(error, "not a duration"))
        }
        Kind::OneOf(words) => one_of(text, words, at.clone()).map_err(Some),
        Kind::Extent => match amount(text) {
            Ok(length) if length.of(Bytes::new(1 << 40)) > 0 => Ok(Value::Extent(Extent { length, ..Extent::WHOLE })),
            Ok(_) => wrong("the span is empty".to_owned(), "expected a length above zero"),
            Err(error) => wrong(error, "not a part of a target"),
        },
        Kind::Share => match amount(text) {
            Ok(Amount::Hundredths(share)) if share >= 100 && share.is_multiple_of(100) => {
                Ok(Value::Whole(u64::from(share / 100)))
            }
            _ => wrong(format!("'{}' is not a whole share", short(text)), "expected \"1 %\" to \"100 %\""),
        },
        Kind::AxisName => axis_name(text, at.clone()).map_err(Some),
        Kind::Locality if text == "uniform" => Ok(Value::Locality(Locality::Uniform)),
        Kind::Locality => wrong(
            format!("'{}' is not a distribution", short(text)),
            "expected \"uniform\" or a table such as { zipf = 1.1 }",
        ),
        Kind::Rate => match text.parse::<AskedRate>() {
            Ok(rate) => Ok(Value::Rate(rate)),
            Err(error) => wrong(error, &format!("expected {RATE_EXPECTED}")),
        },
        Kind::Hex => match hexadecimal(text) {
            Some(bytes) => Ok(Value::Bytes(bytes)),
            None => wrong(
                format!("'{}' is not a row of bytes", short(text)),
                "expected pairs of hexadecimal digits, such as \"deadbeef\"; at most 4096 bytes",
            ),
        },
        Kind::Read(reading) => match (reading.read)(text) {
            Ok(text) => Ok(Value::Text(text)),
            Err(error) => wrong(error, &format!("expected {}, such as \"{}\"", reading.what, reading.example)),
        },
        Kind::Path if text.trim().is_empty() => wrong("the path is empty".to_owned(), "expected the path of a file"),
        Kind::Path => Ok(Value::Text(text.to_owned())),
        Kind::Temperature => match celsius(text) {
            Some(degrees) => Ok(Value::Whole(degrees)),
            None => {
                wrong(format!("'{}' is not a temperature", short(text)), "expected degrees Celsius, such as \"45 C\"")
            }
        },
        _ => Err(None),
    }
}

/// A number with at most three decimals, in thousandths.
fn decimal(text: &str, kind: &Kind, at: Range<usize>) -> Result<Value, Option<Diagnostic>> {
    let Kind::Decimal(least, most) = kind else { return Err(None) };
    let plain = text.replace('_', "");
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let fits = !whole.is_empty() && whole.len() <= 9 && fraction.len() <= 3 && digits(whole) && digits(fraction);
    let value = if fits { format!("{whole}{fraction:0<3}").parse().ok() } else { None };
    match value {
        Some(value) if (*least..=*most).contains(&value) => Ok(Value::Decimal(value)),
        _ => {
            let (least, most) = (thousandths(*least), thousandths(*most));
            let label = format!("expected a number from {least} to {most} with at most three decimals");
            Err(Some(Diagnostic::new(at, format!("{} is out of range", short(text)), label)))
        }
    }
}

/// Longest `data_pattern`.
const MOST_HEX: usize = 4096;

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.trim().bytes().filter(|byte| *byte != b'_' && *byte != b' ').collect();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let fits = !digits.is_empty() && digits.len().is_multiple_of(2) && digits.len() / 2 <= MOST_HEX;
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(|two| Some(digit(two[0])? * 16 + digit(*two.get(1)?)?)).collect();
    bytes.filter(|_| fits)
}

pub(crate) fn is_name(text: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.len() <= 40 && text.split('-').all(part)
}

fn is_version(text: &str) -> bool {
    let number = |part: &str| {
        let plain = part == "0" || !part.starts_with('0');
        plain && !part.is_empty() && part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit())
    };
    text.split('.').count() == 3 && text.split('.').all(number)
}

fn celsius(text: &str) -> Option<u64> {
    let number = text.trim().trim_end_matches('C').trim_end().trim_end_matches('°').trim_end();
    number.parse::<u64>().ok().filter(|degrees| text.trim().ends_with('C') && *degrees <= 150)
}

/// "25 %", "12.5 %" or a size.
pub(crate) fn amount(text: &str) -> Result<Amount, String> {
    let Some(number) = text.trim().strip_suffix('%') else {
        return text.parse::<Bytes>().map(Amount::Bytes).map_err(|error| format!("{error}, or a share such as 25 %"));
    };
    let wrong = || format!("'{}' is not a share from 0 % to 100 % with at most two decimals", short(text));
    let (whole, decimals) = number.trim().split_once('.').unwrap_or((number.trim(), "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || whole.len() > 3 || decimals.len() > 2 {
        return Err(wrong());
    }
    let hundredths: u32 = format!("{whole}{decimals:0<2}").parse().map_err(|_| wrong())?;
    if hundredths > 10_000 { Err(wrong()) } else { Ok(Amount::Hundredths(hundredths)) }
}

fn one_of(text: &str, words: &'static [Word], at: Range<usize>) -> Result<Value, Diagnostic> {
    match words.iter().find(|word| word.name == text) {
        Some(Word { name, meaning, not_yet: Some(why) }) => Err(not_yet(at, &format!("`{name}`"), why, meaning)),
        Some(word) => Ok(Value::Word(word.name)),
        None => {
            let names: Vec<&str> = words.iter().filter(|word| word.not_yet.is_none()).map(|word| word.name).collect();
            let near = nearest(text, words.iter().map(|word| word.name));
            let label = format!("expected one of: {}", names.join(", "));
            Err(Diagnostic::new(at, format!("'{}' is not known here", short(text)), label).near(near))
        }
    }
}

/// The name of an axis.
fn axis_name(text: &str, at: Range<usize>) -> Result<Value, Diagnostic> {
    if let Some(name) = axis_names().find(|name| *name == text) {
        return Ok(Value::Word(name));
    }
    let label = format!("expected one of: {}", axis_names().collect::<Vec<_>>().join(", "));
    let title = format!("'{}' cannot be an axis", short(text));
    Err(Diagnostic::new(at, title, label).near(nearest(text, axis_names())))
}

/// The sentence for what the language defines and this version does not support.
pub(crate) fn not_yet(at: Range<usize>, what: &str, why: &str, meaning: &str) -> Diagnostic {
    Diagnostic::new(at, format!("{what} is not supported yet"), why).help(format!(
        "its meaning is defined ({meaning}) and a later version will support it; remove it to run without it"
    ))
}

/// Text from the file, short enough for a message.
pub(crate) fn short(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_owned() } else { text.chars().take(37).collect::<String>() + "..." }
}

pub(crate) fn describe(kind: &Kind) -> &'static str {
    match kind {
        Kind::Format | Kind::Whole(..) => "a whole number",
        Kind::Text | Kind::Name | Kind::Version | Kind::OneOf(_) => "a text",
        Kind::Size | Kind::SizeOrShare => "a size as text with its unit",
        Kind::Duration => "a duration as text with its unit",
        Kind::Flag => "true or false",
        Kind::Share => "a share as text",
        Kind::AxisName | Kind::Path => "a text",
        Kind::Rate => "a rate as text with its unit",
        Kind::Decimal(..) => "a number",
        Kind::Hex => "hexadecimal digits as text",
        Kind::Locality => "\"uniform\" or a table",
        Kind::Extent => "a part of the target as text with its unit",
        Kind::Temperature => "a temperature as text with its unit",
        Kind::Read(reading) => reading.what,
        Kind::ListOf(_) | Kind::RowOf(_) => "a list",
        Kind::Axis(one) => describe(one),
        Kind::Table(_) | Kind::Marks | Kind::MarksHere | Kind::Elsewhere(_) => "a table",
        Kind::Tables(_) => "an array of tables",
    }
}

pub(crate) fn example(kind: &Kind) -> String {
    match kind {
        Kind::Format => FORMAT.to_string(),
        Kind::Text => "\"some words\"".to_owned(),
        Kind::Name => "\"short-name\"".to_owned(),
        Kind::Version => "\"1.0.0\"".to_owned(),
        Kind::Size | Kind::SizeOrShare => "\"4 KiB\"".to_owned(),
        Kind::Duration => "\"5 s\"".to_owned(),
        Kind::Whole(least, _) => (*least).max(1).to_string(),
        Kind::Flag => "true".to_owned(),
        Kind::Share => "\"50 %\"".to_owned(),
        Kind::AxisName => "\"queue_depth\"".to_owned(),
        Kind::Rate => "\"10k IOPS\"".to_owned(),
        Kind::Decimal(least, most) => thousandths((*least).midpoint(*most)),
        Kind::Hex => "\"deadbeef\"".to_owned(),
        Kind::Path => "\"data.bin\"".to_owned(),
        Kind::Locality => "{ zipf = 1.1 }".to_owned(),
        Kind::OneOf(words) => words.first().map_or(String::new(), |word| format!("\"{}\"", word.name)),
        Kind::Extent => "\"25 %\"".to_owned(),
        Kind::Temperature => "\"45 C\"".to_owned(),
        Kind::Read(reading) => format!("\"{}\"", reading.example),
        Kind::ListOf(one) | Kind::RowOf(one) => format!("[{}]", example(one)),
        Kind::Axis(one) => example(one),
        Kind::Table(_) | Kind::Elsewhere(_) => "{ … }".to_owned(),
        Kind::Tables(_) => "[{ … }]".to_owned(),
        Kind::Marks | Kind::MarksHere => "{ time = \"why\" }".to_owned(),
    }
}
