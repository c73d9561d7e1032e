//! From TOML to the checked tree: every key known, every value of its kind, every error kept with its place.
//!
//! Owns the walk over the spanned TOML tree beside the vocabulary ([`crate::keys`]). Must not know: what values mean
//! together, targets, plans.

use std::collections::BTreeMap;
use std::ops::Range;

use drivelab_core::units::{Bytes, Nanos};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use crate::diagnose::Diagnostic;
use crate::keys::{FORMAT, Key, Kind, Shape, Word, is_parameter};
use crate::near::nearest;
use crate::value::{Amount, Entry, Extent, Located, Table, Value};

/// Checks a table; errors are added to `errors` and the table keeps what is right.
pub(crate) fn table(found: &DeTable<'_>, at: Range<usize>, shape: &Shape, errors: &mut Vec<Diagnostic>) -> Table {
    let mut table = Table { at: at.clone(), entries: BTreeMap::new(), lacking: false };
    for (name, value) in found {
        let Some(key) = shape.all().find(|key| key.name == name.get_ref()) else {
            errors.push(unknown_key(name, shape));
            continue;
        };
        if let Some(why) = key.not_yet {
            errors.push(not_yet(name.span(), &format!("`{}`", key.name), why, key.meaning));
            continue;
        }
        // Where there is no value, its error is in the list already.
        if let Some(checked) = of_kind(value, key, &key.kind, shape, errors) {
            let value = Located { value: checked, at: value.span() };
            table.entries.insert(key.name.to_owned(), Entry { key_at: name.span(), value });
        }
    }
    table.lacking = table.entries.len() < found.len();
    errors.extend(missing(found, at, shape));
    table
}

/// Required keys that are not there, in one error. A key that was misspelt has its own error already.
fn missing(found: &DeTable<'_>, at: Range<usize>, shape: &Shape) -> Option<Diagnostic> {
    let unknown = found.keys().filter(|name| !shape.all().any(|key| key.name == name.get_ref()));
    let meant: Vec<&str> =
        unknown.filter_map(|name| nearest(name.get_ref(), shape.all().map(|key| key.name))).collect();
    let there = |key: &&Key| found.keys().any(|name| name.get_ref() == key.name) || meant.contains(&key.name);
    let keys: Vec<&Key> = shape.all().filter(|key| key.required && !there(key)).collect();
    let names: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name)).collect();
    let verb = if keys.len() == 1 { "is" } else { "are" };
    let title = format!("{} {verb} missing in {}", names.join(", "), shape.name);
    let lines = keys.iter().map(|key| match key.kind {
        Kind::Table(_) => format!("[{}]: {}", key.name, key.meaning),
        Kind::Tables(_) => format!("[[{}]]: {}", key.name, key.meaning),
        _ => format!("{} = {}: {}", key.name, example(&key.kind), key.meaning),
    });
    let error = lines.fold(Diagnostic::new(at, title, format!("{} needs more", shape.name)), Diagnostic::help);
    (!keys.is_empty()).then_some(error)
}

fn unknown_key(name: &Spanned<toml::de::DeString<'_>>, shape: &Shape) -> Diagnostic {
    let near = nearest(name.get_ref(), shape.all().map(|key| key.name));
    let title = format!("unknown key `{}` in {}", short(name.get_ref()), shape.name);
    let error = Diagnostic::new(name.span(), title, format!("not a key of {}", shape.name));
    match near {
        Some(_) => error.near(near),
        None => {
            let all: Vec<&str> = shape.all().filter(|key| key.not_yet.is_none()).map(|key| key.name).collect();
            error.help(format!("the keys of {} are: {}", shape.name, all.join(", ")))
        }
    }
}

/// The one sentence for what the language can say and this version cannot do.
fn not_yet(at: Range<usize>, what: &str, why: &str, meaning: &str) -> Diagnostic {
    Diagnostic::new(at, format!("{what} is not supported yet"), why)
        .help(format!("its meaning is settled ({meaning}) and a later version will do it; remove it to run without"))
}

/// Text from the file, short enough for a message.
fn short(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_owned() } else { text.chars().take(37).collect::<String>() + "..." }
}

/// The checked value, or `None` with the error added.
fn of_kind(
    found: &Spanned<DeValue<'_>>,
    key: &Key,
    kind: &Kind,
    shape: &Shape,
    errors: &mut Vec<Diagnostic>,
) -> Option<Value> {
    match (kind, found.get_ref()) {
        (Kind::Axis(one), DeValue::Array(_)) if shape.lists => list(found, key, one, shape, errors),
        (Kind::Axis(_), DeValue::Array(_)) => {
            let title = format!("`{}` is a list in {}", key.name, shape.name);
            let error = Diagnostic::new(found.span(), title, "expected one value");
            errors.push(error.help("lists make axes; they stand in a test, in [defaults] or in a form"));
            None
        }
        (Kind::Axis(one), _) => of_kind(found, key, one, shape, errors),
        (Kind::ListOf(one), DeValue::Array(_)) => list(found, key, one, shape, errors),
        (Kind::Table(inner), DeValue::Table(entries)) => {
            Some(Value::Table(table(entries, found.span(), inner, errors)))
        }
        (Kind::Tables(inner), DeValue::Array(_)) => tables(found, key, inner, errors),
        (Kind::Marks, DeValue::Table(entries)) => Some(Value::Table(marks(entries, found.span(), key, errors))),
        (Kind::Extent, DeValue::Table(entries)) => extent_table(entries, found.span(), errors).map(Value::Extent),
        _ => match scalar(found, kind) {
            Ok(value) => Some(value),
            Err(Some(error)) => {
                errors.push(error);
                None
            }
            Err(None) => {
                errors.push(expected(found, key, kind));
                None
            }
        },
    }
}

/// A value that is no list and no table; `Err(None)` where its TOML type is another.
fn scalar(found: &Spanned<DeValue<'_>>, kind: &Kind) -> Result<Value, Option<Diagnostic>> {
    let at = || found.span();
    let wrong = |title: String, label: &str| Err(Some(Diagnostic::new(at(), title, label)));
    let unit = |error: drivelab_core::units::UnitError, label: &str| wrong(error.to_string(), label);
    match (kind, found.get_ref()) {
        (Kind::Flag, DeValue::Boolean(flag)) => Ok(Value::Flag(*flag)),
        (Kind::Whole(least, most), DeValue::Integer(number)) => match whole(number) {
            Some(value) if (*least..=*most).contains(&value) => Ok(Value::Whole(value)),
            _ => wrong(format!("{number} is out of range"), &format!("expected a whole number from {least} to {most}")),
        },
        (Kind::Format, DeValue::Integer(number)) => match whole(number) {
            Some(FORMAT) => Ok(Value::Whole(FORMAT)),
            _ => Err(Some(
                Diagnostic::new(at(), format!("format {number} is unknown to this drivelab"), "expected 1")
                    .help("a file of a later format needs a later drivelab"),
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
        (Kind::Size, DeValue::String(text)) => match text.parse::<Bytes>() {
            Ok(size) if size.get() > 0 => Ok(Value::Size(size)),
            Ok(_) => wrong("the size is zero".to_owned(), "expected at least one byte"),
            Err(error) => unit(error, "not a size"),
        },
        (Kind::Duration, DeValue::String(text)) => {
            let seconds = if text.trim() == "0" { Ok(Nanos::new(0)) } else { text.parse::<Nanos>() };
            seconds.map(Value::Time).or_else(|error| unit(error, "not a duration"))
        }
        (Kind::OneOf(words), DeValue::String(text)) => one_of(text, words, at()).map_err(Some),
        (Kind::Extent, DeValue::String(text)) => match amount(text) {
            Ok(length) if length.of(Bytes::new(1 << 40)) > 0 => Ok(Value::Extent(Extent { length, ..Extent::WHOLE })),
            Ok(_) => wrong("the span is empty".to_owned(), "expected more than nothing"),
            Err(error) => wrong(error, "not a part of a target"),
        },
        (Kind::Temperature, DeValue::String(text)) => match celsius(text) {
            Some(degrees) => Ok(Value::Whole(degrees)),
            None => {
                wrong(format!("'{}' is not a temperature", short(text)), "expected degrees Celsius, such as \"45 C\"")
            }
        },
        _ => Err(None),
    }
}

fn whole(number: &DeInteger<'_>) -> Option<u64> {
    let digits: String = number.as_str().chars().filter(|c| *c != '_' && *c != '+').collect();
    u64::from_str_radix(&digits, number.radix()).ok().filter(|value| i64::try_from(*value).is_ok())
}

fn is_name(text: &str) -> bool {
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
fn amount(text: &str) -> Result<Amount, String> {
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

/// `{ offset = "10 %", length = "25 %" }`
fn extent_table(found: &DeTable<'_>, at: Range<usize>, errors: &mut Vec<Diagnostic>) -> Option<Extent> {
    let before = errors.len();
    let mut extent = Extent::WHOLE;
    let mut has_length = false;
    for (name, value) in found {
        let slot = match &**name.get_ref() {
            "offset" => &mut extent.offset,
            "length" => {
                has_length = true;
                &mut extent.length
            }
            other => {
                let title = format!("unknown key `{}` in a span", short(other));
                let error = Diagnostic::new(name.span(), title, "expected `offset` or `length`");
                errors.push(error.near(nearest(other, ["offset", "length"])));
                continue;
            }
        };
        match value.get_ref().as_str().map(amount) {
            Some(Ok(found)) => *slot = found,
            Some(Err(error)) => errors.push(Diagnostic::new(value.span(), error, "not a part of a target")),
            None => errors.push(Diagnostic::new(value.span(), "expected a text", "such as \"25 %\" or \"16 GiB\"")),
        }
    }
    if !has_length || extent.length.of(Bytes::new(1 << 40)) == 0 {
        let title = "the span has no length";
        errors.push(Diagnostic::new(at, title, "expected { offset = \"10 %\", length = \"25 %\" }"));
    }
    (errors.len() == before).then_some(extent)
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

/// A list without doubles.
fn list(
    found: &Spanned<DeValue<'_>>,
    key: &Key,
    one: &Kind,
    shape: &Shape,
    errors: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let elements = found.get_ref().as_array()?;
    if elements.is_empty() {
        errors.push(Diagnostic::new(
            found.span(),
            format!("`{}` is an empty list", key.name),
            "expected at least one value",
        ));
        return None;
    }
    let before = errors.len();
    let mut kept: Vec<Located<Value>> = Vec::new();
    for element in elements {
        let Some(value) = of_kind(element, key, one, shape, errors) else { continue };
        if kept.iter().any(|other| other.value == value) {
            let title = format!("{value} stands twice in `{}`", key.name);
            errors.push(Diagnostic::new(element.span(), title, "the same value once more"));
        }
        kept.push(Located { value, at: element.span() });
    }
    (errors.len() == before).then_some(Value::List(kept))
}

fn tables(found: &Spanned<DeValue<'_>>, key: &Key, shape: &Shape, errors: &mut Vec<Diagnostic>) -> Option<Value> {
    let elements = found.get_ref().as_array()?;
    if elements.is_empty() {
        errors.push(Diagnostic::new(
            found.span(),
            format!("`{}` is an empty list", key.name),
            "expected at least one table",
        ));
    }
    let mut kept = Vec::new();
    for element in elements {
        match element.get_ref() {
            DeValue::Table(entries) => kept.push(table(entries, element.span(), shape, errors)),
            _ => errors.push(expected(element, key, &key.kind)),
        }
    }
    Some(Value::Tables(kept))
}

/// `parameter = "text"` for each mark.
fn marks(found: &DeTable<'_>, at: Range<usize>, key: &Key, errors: &mut Vec<Diagnostic>) -> Table {
    let mut table = Table { at, entries: BTreeMap::new(), lacking: false };
    for (name, value) in found {
        if !is_parameter(name.get_ref()) {
            let known = crate::keys::STEP.iter().chain(crate::keys::REPEAT).map(|key| key.name);
            let title = format!("`{}` is not a parameter", short(name.get_ref()));
            let label = format!("`{}` is about parameters of a test", key.name);
            errors.push(Diagnostic::new(name.span(), title, label).near(nearest(name.get_ref(), known)));
            continue;
        }
        match scalar(value, &Kind::Text) {
            Ok(text) => {
                let value = Located { value: text, at: value.span() };
                table.entries.insert(name.get_ref().to_string(), Entry { key_at: name.span(), value });
            }
            Err(error) => errors.push(error.unwrap_or_else(|| expected(value, key, &Kind::Text))),
        }
    }
    table.lacking = table.entries.len() < found.len();
    table
}

/// The value has another TOML type than the key needs.
fn expected(found: &Spanned<DeValue<'_>>, key: &Key, kind: &Kind) -> Diagnostic {
    let what = match found.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    let title = format!("`{}` is {what}", key.name);
    let label = format!("expected {}, such as {}", describe(kind), example(kind));
    Diagnostic::new(found.span(), title, label).help(format!("{}: {}", key.name, key.meaning))
}

fn describe(kind: &Kind) -> &'static str {
    match kind {
        Kind::Format | Kind::Whole(..) => "a whole number",
        Kind::Text | Kind::Name | Kind::Version | Kind::OneOf(_) => "a text",
        Kind::Size => "a size as text with its unit",
        Kind::Duration => "a duration as text with its unit",
        Kind::Flag => "true or false",
        Kind::Extent => "a part of the target as text with its unit",
        Kind::Temperature => "a temperature as text with its unit",
        Kind::ListOf(_) => "a list",
        Kind::Axis(one) => describe(one),
        Kind::Table(_) | Kind::Marks | Kind::Anything => "a table",
        Kind::Tables(_) => "an array of tables",
    }
}

fn example(kind: &Kind) -> String {
    match kind {
        Kind::Format => FORMAT.to_string(),
        Kind::Text => "\"some words\"".to_owned(),
        Kind::Name => "\"short-name\"".to_owned(),
        Kind::Version => "\"1.0.0\"".to_owned(),
        Kind::Size => "\"4 KiB\"".to_owned(),
        Kind::Duration => "\"5 s\"".to_owned(),
        Kind::Whole(least, _) => (*least).max(1).to_string(),
        Kind::Flag => "true".to_owned(),
        Kind::OneOf(words) => words.first().map_or(String::new(), |word| format!("\"{}\"", word.name)),
        Kind::Extent => "\"25 %\"".to_owned(),
        Kind::Temperature => "\"45 C\"".to_owned(),
        Kind::ListOf(one) => format!("[{}]", example(one)),
        Kind::Axis(one) => example(one),
        Kind::Table(_) | Kind::Anything => "{ … }".to_owned(),
        Kind::Tables(_) => "[{ … }]".to_owned(),
        Kind::Marks => "{ time = \"why\" }".to_owned(),
    }
}
