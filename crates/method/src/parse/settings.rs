//! Parameters set on the command line: `KEY=VALUE` for every test, `TEST.KEY=VALUE` for one.
//!
//! Owns how such a value is written: as in TOML, or bare, as a list (`1,2,8`) or as doublings (`1..64`). These values
//! override all others. Must not know: flags.

use drivelab_core::units::Bytes;
use drivelab_core::workload::DataPattern;
use toml::de::DeTable;

use crate::expand::prepare::block::writes;
use crate::layers::{OF_ALL, OF_TESTS, SET};
use crate::methodology::Methodology;
use crate::parse::meaning;
use crate::sources::merge::parameters;
use crate::sources::recorded::SET_FLAG;
use crate::tree::check;
use crate::tree::diagnose::Diagnostics;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::near::nearest;
use crate::tree::texts::Texts;
use crate::tree::value::{Entry, Located, Table, Value};
use crate::vocabulary::file::SETTING;

/// The mark of such a value: the source does not state it.
const REASON: &str = "set on the command line";

/// A setting as checked tables.
struct Setting {
    /// The test that it applies to; `None` for all tests.
    test: Option<String>,
    table: Table,
    /// As it was written.
    text: String,
}

impl Methodology {
    /// The methodology with parameters set; later settings override earlier ones. Hash and version show that it is a
    /// different methodology.
    ///
    /// # Errors
    /// [`Diagnostics`] that show the setting: no such test or parameter, a value of the wrong kind, or a value that
    /// does not fit the rest.
    pub fn with_settings(self, settings: &[String]) -> Result<Methodology, Diagnostics> {
        if settings.is_empty() {
            return Ok(self);
        }
        let mut texts = self.texts().clone();
        let mut errors = Errors::default();
        let tests = self.test_names();
        let mut read: Vec<Setting> = Vec::new();
        for setting in settings {
            read.extend(one(setting, &tests, &mut texts, &mut errors));
        }
        if !errors.is_empty() {
            return Err(Diagnostics::new(&texts.into(), errors));
        }
        let changed = self.set(texts, settings, &|root, prefix| {
            let mut put_here = Vec::new();
            for Setting { test, table, text } in &read {
                let own = test.as_ref().map(|test| test.strip_prefix(prefix));
                if own != Some(None) {
                    put(root, own.flatten(), table);
                    put_here.push(text.clone());
                }
            }
            put_here
        });
        changed.sound()
    }

    /// The names of its tests and of its suite's tests, as they will run.
    fn test_names(&self) -> Vec<String> {
        let names = |method: &Methodology, prefix: &str| -> Vec<String> {
            method.root().tables("tests").iter().map(|test| format!("{prefix}{}", test.text("name"))).collect()
        };
        let suite = self.entries().iter().flat_map(|entry| names(&entry.method, &format!("{}-", entry.prefix())));
        names(self, "").into_iter().chain(suite).collect()
    }
}

/// One setting, checked; `None` if it is wrong, which adds an error.
fn one(setting: &str, tests: &[String], texts: &mut Texts, errors: &mut Errors) -> Option<Setting> {
    let wrong = |texts: &mut Texts, title: String, label: &str| {
        let base = texts.add("--set", setting);
        Diagnostic::new(base..base + setting.len(), title, label)
    };
    let Some((key, value)) = setting.split_once('=') else {
        let title = format!("'{setting}' sets nothing");
        errors.push(wrong(texts, title, "expected KEY=VALUE or TEST.KEY=VALUE, such as queue_depth=1..64"));
        return None;
    };
    let (test, key) = match key.trim().rsplit_once('.') {
        Some((test, key)) => (Some(test.trim()), key.trim()),
        None => (None, key.trim()),
    };
    if let Some(test) = test.filter(|test| !tests.iter().any(|name| name == test)) {
        let error = wrong(texts, format!("there is no test '{test}'"), "expected TEST.KEY=VALUE");
        let near = nearest(test, tests.iter().map(String::as_str));
        errors.push(error.near(near).help(format!("the tests are: {}", tests.join(", "))));
        return None;
    }
    let value = match written(value.trim()) {
        Ok(value) => value,
        Err(title) => {
            errors.push(wrong(texts, title, "expected doublings such as 1..64, or a list such as 1,2,8"));
            return None;
        }
    };
    let line = format!("{key} = {value}");
    let base = texts.add(&format!("{SET_FLAG}{setting}"), &line);
    let (tree, syntax) = DeTable::parse_recoverable(&line);
    if !syntax.is_empty() {
        let title = format!("'{key}' is not the name of a parameter");
        errors.push(Diagnostic::new(base..base + line.len(), title, "expected KEY=VALUE or TEST.KEY=VALUE"));
        return None;
    }
    let mut found = Errors::default();
    let mut table = check::table(tree.get_ref(), tree.span(), &SETTING, &mut found).moved(base);
    meaning::parameters(&table, &[], &mut found);
    let failed = !found.is_empty();
    errors.join(found.moved(base));
    mark(&mut table);
    (!failed).then(|| Setting { test: test.map(str::to_owned), table, text: setting.to_owned() })
}

/// The value as TOML: unchanged if it is TOML, otherwise as doublings, as a list, or as text.
fn written(value: &str) -> Result<String, String> {
    let is_toml = |text: &str| format!("v = {text}").parse::<toml::Table>().is_ok();
    if is_toml(value) {
        return Ok(value.to_owned());
    }
    if let Some((first, last)) = value.split_once("..") {
        return doublings(first.trim(), last.trim()).ok_or_else(|| format!("'{value}' is not a row of doublings"));
    }
    let quoted = |text: &str| {
        if is_toml(text) { text.to_owned() } else { toml::Value::from(text).to_string() }
    };
    if value.contains(',') {
        let parts: Vec<String> = value.split(',').map(|part| quoted(part.trim())).collect();
        return Ok(format!("[{}]", parts.join(", ")));
    }
    Ok(quoted(value))
}

/// `1..64`, `4k..1M`: each value is twice the one before, both ends included.
fn doublings(first: &str, last: &str) -> Option<String> {
    let numbers = || Some((first.parse::<u64>().ok()?, last.parse::<u64>().ok()?));
    let sizes = || Some((first.parse::<Bytes>().ok()?.get(), last.parse::<Bytes>().ok()?.get()));
    let (plain, (from, to)) = numbers().map(|ends| (true, ends)).or_else(|| sizes().map(|ends| (false, ends)))?;
    let mut all = vec![from];
    while let Some(next) = all.last().and_then(|last| last.checked_mul(2)).filter(|next| *next <= to && from > 0) {
        all.push(next);
    }
    let whole = all.last() == Some(&to);
    let text = |value: &u64| if plain { value.to_string() } else { format!("\"{value}\"") };
    whole.then(|| format!("[{}]", all.iter().map(text).collect::<Vec<_>>().join(", ")))
}

/// Marks each value as set on the command line.
fn mark(table: &mut Table) {
    let at = table.at.clone();
    let marks = table.entries.iter().map(|(key, entry)| {
        let value = Located { value: Value::Text(REASON.to_owned()), at: entry.value.at.clone() };
        (key.clone(), Entry { key_at: entry.key_at.clone(), value })
    });
    let marks = Table { at: at.clone(), entries: marks.collect(), lacking: false };
    let value = Located { value: Value::Table(marks), at: at.clone() };
    table.entries.insert("approximation".to_owned(), Entry { key_at: at, value });
}

/// Puts a setting into a tree.
fn put(root: &mut Table, test: Option<&str>, table: &Table) {
    let set = inner(root, SET, table);
    let slot = match test {
        None => set.and_then(|set| inner(set, OF_ALL, table)),
        Some(test) => set.and_then(|set| inner(inner(set, OF_TESTS, table)?, test, table)),
    };
    slot.into_iter().for_each(|slot| parameters(slot, table.clone()));
    if test.is_none() {
        prepared(root, table);
    }
}

/// Reads return what the preparation wrote. A preparation step that writes the same data as the tests therefore takes
/// the new data too.
fn prepared(root: &mut Table, set: &Table) {
    if !matches!(set.get("data").map(|found| &found.value), Some(Value::Word(_))) {
        return;
    }
    let mut data = set.clone();
    data.entries.retain(|name, _| name.starts_with("data") || name == "approximation");
    let stated = |table: &Table| table.get("data").map(|found| found.value.to_string());
    let data_of =
        |table: Option<&Table>| table.and_then(stated).unwrap_or_else(|| DataPattern::Incompressible.name().to_owned());
    let before = data_of(root.table("defaults"));
    let Some(Value::Tables(steps)) = root.entries.get_mut("prepare").map(|entry| &mut entry.value.value) else {
        return;
    };
    for step in steps.iter_mut().filter(|step| writes(step) && data_of(Some(step)) == before) {
        parameters(step, data.clone());
    }
}

/// The table under a key; it is created if it is missing.
fn inner<'t>(root: &'t mut Table, key: &str, like: &Table) -> Option<&'t mut Table> {
    let at = like.at.clone();
    let empty = Value::Table(Table { at: at.clone(), ..Table::default() });
    let new = || Entry { key_at: at.clone(), value: Located { value: empty, at: at.clone() } };
    match &mut root.entries.entry(key.to_owned()).or_insert_with(new).value.value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}
