//! From TOML to the checked tree: every key known, every value of its kind, every error kept with its place.
//!
//! Owns the parallel walk over the spanned TOML tree and the vocabulary. Must not know: what values mean together,
//! targets, plans.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::tree::composite::{extent_table, locality};
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::near::{called_elsewhere, nearest};
use crate::tree::scalar::{describe, example, scalar, short};
use crate::tree::value::{Entry, Located, Table, Value};
use crate::vocabulary::load::LOCALITY;
use crate::vocabulary::parameters::{RULES, parameters};
use crate::vocabulary::shape::{Key, Kind, Shape};

/// Up to this many mistakes each get their own advice. Only the first 50 are shown, and finding the nearest key is
/// slow.
const MOST_ADVISED: usize = 1_000;

/// Checks a table; adds errors to `errors`, and the returned table keeps what is right.
pub(crate) fn table(found: &DeTable<'_>, at: Range<usize>, shape: &Shape, errors: &mut Errors) -> Table {
    let mut table = Table { at: at.clone(), entries: BTreeMap::new(), lacking: false };
    let mut unknown = Vec::new();
    for (name, value) in found {
        let Some(key) = shape.all().find(|key| key.name == name.get_ref()) else {
            unknown.push(name);
            continue;
        };
        if let Kind::Elsewhere(why) = key.kind {
            errors.add(&name.span(), || {
                let title = format!("`{}` does not belong in {}", key.name, shape.name);
                Diagnostic::new(name.span(), title, why)
            });
            continue;
        }
        // If there is no value, its error is in the list already.
        if let Some(checked) = of_kind(value, key, &key.kind, shape, errors) {
            let value = Located { value: checked, at: value.span() };
            table.entries.insert(key.name.to_owned(), Entry { key_at: name.span(), value });
        }
    }
    table.lacking = table.entries.len() < found.len();
    // The table is sorted by name, but errors are shown in the order of the file.
    unknown.sort_by_key(|name| name.span().start);
    missing(found, &unknown, at, shape, errors);
    for name in unknown {
        let advises = errors.len() < MOST_ADVISED;
        errors.add(&name.span(), || {
            let error = unknown_key(name, shape);
            if advises { advised(error, name.get_ref(), shape) } else { error }
        });
    }
    table
}

/// Missing required keys, in one error. A misspelt key already has its own error.
fn missing(found: &DeTable<'_>, unknown: &[&Name<'_>], at: Range<usize>, shape: &Shape, errors: &mut Errors) {
    let is_there = |wanted: &str| found.contains_key(wanted);
    if errors.may_lack() || is_whole(shape, is_there) {
        return;
    }
    // An error that is only counted is not worth the search for the key that was meant.
    let advised = if errors.only_counts(&at) { 0 } else { MOST_ADVISED };
    let near = |name: &&Name<'_>| nearest(name.get_ref(), shape.all().map(|key| key.name));
    let meant: Vec<&str> = unknown.iter().take(advised).filter_map(near).collect();
    let has = |wanted: &str| is_there(wanted) || meant.contains(&wanted);
    if !is_whole(shape, has) {
        errors.add(&at, || lacking(at.clone(), shape, has));
    }
}

/// Whether a table has all required keys.
fn is_whole(shape: &Shape, has: impl Fn(&str) -> bool) -> bool {
    shape.all().all(|key| !key.required || has(key.name) || key.or.is_some_and(&has))
}

/// The error about a table's missing required keys.
fn lacking(at: Range<usize>, shape: &Shape, has: impl Fn(&str) -> bool) -> Diagnostic {
    let there = |key: &&Key| has(key.name) || key.or.is_some_and(&has);
    let keys: Vec<&Key> = shape.all().filter(|key| key.required && !there(key)).collect();
    let names: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name)).collect();
    let verb = if keys.len() == 1 { "is" } else { "are" };
    let title = format!("{} {verb} missing in {}", names.join(", "), shape.name);
    let lines = keys.iter().map(|key| match key.kind {
        Kind::Table(_) => format!("[{}]: {}", key.name, key.meaning),
        Kind::Tables(_) => format!("[[{}]]: {}", key.name, key.meaning),
        _ => format!("{} = {}: {}", key.name, example(&key.kind), key.meaning),
    });
    lines.fold(Diagnostic::new(at, title, format!("{} needs more", shape.name)), Diagnostic::help)
}

/// The same check for a tree that was made from several files.
pub(crate) fn complete(table: &Table, shape: &Shape, errors: &mut Errors) {
    let has = |name: &str| table.has(name);
    if !table.lacking && !is_whole(shape, has) {
        errors.add(&table.at, || lacking(table.at.clone(), shape, has));
    }
    for key in shape.all() {
        match (&key.kind, table.get(key.name).map(|found| &found.value)) {
            (Kind::Table(inner), Some(Value::Table(found))) => complete(found, inner, errors),
            (Kind::Tables(inner), Some(Value::Tables(all))) => {
                all.iter().for_each(|found| complete(found, inner, errors));
            }
            _ => {}
        }
    }
}

/// An unknown key of a table, with its place.
type Name<'a> = Spanned<toml::de::DeString<'a>>;

fn unknown_key(name: &Name<'_>, shape: &Shape) -> Diagnostic {
    let title = format!("unknown key `{}` in {}", short(name.get_ref()), shape.name);
    Diagnostic::new(name.span(), title, format!("not a key of {}", shape.name))
}

/// Adds the key that was probably meant, or all keys.
fn advised(error: Diagnostic, name: &str, shape: &Shape) -> Diagnostic {
    let elsewhere = called_elsewhere(name).filter(|own| shape.all().any(|key| key.name == *own));
    let near = elsewhere.or_else(|| nearest(name, shape.all().map(|key| key.name)));
    match near {
        Some(_) => error.near(near),
        None => {
            let all: Vec<&str> = shape.all().filter(|key| key.is_offered()).map(|key| key.name).collect();
            error.help(format!("the keys of {} are: {}", shape.name, all.join(", ")))
        }
    }
}

/// The checked value, or `None` and an added error.
fn of_kind(found: &Spanned<DeValue<'_>>, key: &Key, kind: &Kind, shape: &Shape, errors: &mut Errors) -> Option<Value> {
    match (kind, found.get_ref()) {
        (Kind::Axis(one), DeValue::Array(_)) if shape.lists => list(found, key, one, shape, errors),
        (Kind::Axis(_), DeValue::Array(_)) => {
            let title = format!("`{}` is a list in {}", key.name, shape.name);
            let error = Diagnostic::new(found.span(), title, "expected one value");
            errors.push(error.help("lists make axes; they belong in a test, in [defaults] or in a form"));
            None
        }
        (Kind::Axis(one), _) => of_kind(found, key, one, shape, errors),
        (Kind::ListOf(one) | Kind::RowOf(one), DeValue::Array(_)) => list(found, key, one, shape, errors),
        (Kind::Table(inner), DeValue::Table(entries)) => {
            Some(Value::Table(table(entries, found.span(), inner, errors)))
        }
        (Kind::Tables(inner), DeValue::Array(_)) => tables(found, key, inner, errors),
        (Kind::Marks, DeValue::Table(entries)) => {
            // A preparation step's action stands for what a source does, so it can be marked too.
            let action = shape.all().map(|key| key.name).filter(|name| *name == "action");
            let known: Vec<&str> = parameters().map(|key| key.name).chain(RULES).chain(action).collect();
            Some(Value::Table(marks(entries, found.span(), (key, "parameters of a test", &known), errors)))
        }
        (Kind::MarksHere, DeValue::Table(entries)) => {
            let own = shape.all().filter(|key| !matches!(key.kind, Kind::MarksHere));
            let known: Vec<&str> = own.map(|key| key.name).collect();
            Some(Value::Table(marks(entries, found.span(), (key, shape.name, &known), errors)))
        }
        (Kind::Locality, DeValue::Table(entries)) => {
            let table = table(entries, found.span(), &LOCALITY, errors);
            locality(&table, errors).map(Value::Locality)
        }
        (Kind::Extent, DeValue::Table(entries)) => extent_table(entries, found.span(), errors).map(Value::Extent),
        _ => match scalar(found, kind) {
            Ok(value) => Some(value),
            Err(Some(error)) => {
                errors.push(error);
                None
            }
            Err(None) => {
                errors.add(&found.span(), || expected(found, key, kind));
                None
            }
        },
    }
}

/// A list without duplicates.
fn list(found: &Spanned<DeValue<'_>>, key: &Key, one: &Kind, shape: &Shape, errors: &mut Errors) -> Option<Value> {
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
    // Values that read alike may still differ, so only these are compared.
    let mut alike: HashMap<String, Vec<usize>> = HashMap::new();
    for element in elements {
        let Some(value) = of_kind(element, key, one, shape, errors) else { continue };
        let before = alike.entry(value.to_string()).or_default();
        let twice = before.iter().any(|at| kept[*at].value == value);
        if before.len() < 8 {
            before.push(kept.len());
        }
        if !matches!(key.kind, Kind::RowOf(_)) && twice {
            errors.add(&element.span(), || {
                let title = format!("{value} appears twice in `{}`", key.name);
                Diagnostic::new(element.span(), title, "the same value again")
            });
        }
        kept.push(Located { value, at: element.span() });
    }
    (errors.len() == before).then_some(Value::List(kept))
}

fn tables(found: &Spanned<DeValue<'_>>, key: &Key, shape: &Shape, errors: &mut Errors) -> Option<Value> {
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
            _ => errors.add(&element.span(), || expected(element, key, &key.kind)),
        }
    }
    Some(Value::Tables(kept))
}

/// `parameter = "text"` for each mark: what may be marked, and what messages call it.
fn marks(
    found: &DeTable<'_>,
    at: Range<usize>,
    (key, about, known): (&Key, &str, &[&str]),
    errors: &mut Errors,
) -> Table {
    let mut table = Table { at, entries: BTreeMap::new(), lacking: false };
    for (name, value) in found {
        if !known.contains(&&**name.get_ref()) {
            let advises = errors.len() < MOST_ADVISED;
            errors.add(&name.span(), || {
                let title = format!("`{}` is not a parameter", short(name.get_ref()));
                let label = format!("`{}` is about {about}", key.name);
                let near = if advises { nearest(name.get_ref(), known.iter().copied()) } else { None };
                Diagnostic::new(name.span(), title, label).near(near)
            });
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

/// The error for a value of a TOML type other than the one that the key needs.
fn expected(found: &Spanned<DeValue<'_>>, key: &Key, kind: &Kind) -> Diagnostic {
    let what = match found.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    let title = format!("`{}` is {what}", key.name);
    let label = format!("expected {}, such as {}", describe(kind), example(kind));
    Diagnostic::new(found.span(), title, label).help(format!("{}: {}", key.name, key.meaning))
}
