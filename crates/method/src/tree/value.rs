//! The checked tree: what a file states, with the place of each value, before the values are interpreted together.
//!
//! Owns the values and the part of a target as written. Must not know: which keys exist.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;

use drivelab_core::load::Locality;
use drivelab_core::units::{Bytes, Nanos};

use crate::tree::locality::locality_text;
use crate::tree::rate::{AskedRate, thousandths};

/// A value and its byte range in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) at: Range<usize>,
}

/// An amount of the target: bytes, or hundredths of a per cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amount {
    Bytes(Bytes),
    Hundredths(u32),
}

impl Amount {
    /// The amount in bytes for a target of this capacity.
    pub(crate) fn of(self, capacity: Bytes) -> u64 {
        match self {
            Amount::Bytes(bytes) => bytes.get(),
            Amount::Hundredths(share) => {
                let bytes = u128::from(capacity.get()) * u128::from(share) / 10_000;
                u64::try_from(bytes).unwrap_or(u64::MAX)
            }
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Bytes(bytes) => bytes.fmt(f),
            Amount::Hundredths(share) if share.is_multiple_of(100) => write!(f, "{} %", share / 100),
            Amount::Hundredths(share) => write!(f, "{}.{:02} %", share / 100, share % 100),
        }
    }
}

/// Part of a target as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) offset: Amount,
    pub(crate) length: Amount,
}

impl Extent {
    /// The whole target.
    pub(crate) const WHOLE: Extent =
        Extent { offset: Amount::Bytes(Bytes::new(0)), length: Amount::Hundredths(10_000) };
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Amount::Bytes(zero) if zero.get() == 0 => self.length.fmt(f),
            offset => write!(f, "{} at {offset}", self.length),
        }
    }
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Word(&'static str),
    Size(Bytes),
    Time(Nanos),
    Whole(u64),
    Flag(bool),
    /// A number with decimals, in thousandths.
    Decimal(u64),
    Rate(AskedRate),
    /// Bytes written as hexadecimal digits.
    Bytes(Vec<u8>),
    Locality(Locality),
    Extent(Extent),
    List(Vec<Located<Value>>),
    Table(Table),
    Tables(Vec<Table>),
}

impl fmt::Display for Value {
    /// As shown in charts and tables; lists and tables are never shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => text.fmt(f),
            Value::Word(word) => word.fmt(f),
            Value::Size(size) => size.fmt(f),
            Value::Time(time) => time.fmt(f),
            Value::Whole(whole) => whole.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
            Value::Decimal(value) => f.write_str(&thousandths(*value)),
            Value::Rate(rate) => rate.fmt(f),
            Value::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Value::Locality(locality) => f.write_str(&locality_text(locality)),
            Value::Extent(extent) => extent.fmt(f),
            Value::List(_) | Value::Table(_) | Value::Tables(_) => Ok(()),
        }
    }
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key_at: Range<usize>,
    pub(crate) value: Located<Value>,
}

/// A table with its place.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Table {
    pub(crate) at: Range<usize>,
    pub(crate) entries: BTreeMap<String, Entry>,
    /// Something that was written here was wrong and was left out; it has an error of its own.
    pub(crate) lacking: bool,
}

/// The forms that a file states.
pub(crate) const STATED_FORMS: [&str; 2] = ["faithful", "quick"];

impl Table {
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Located<Value>> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// The text or word of a key; empty if the table does not have the key.
    pub(crate) fn text(&self, key: &str) -> &str {
        match self.get(key).map(|value| &value.value) {
            Some(Value::Text(text)) => text,
            Some(Value::Word(word)) => word,
            _ => "",
        }
    }

    /// The flag of this name; false if the table does not have it.
    pub(crate) fn flag(&self, key: &str) -> bool {
        matches!(self.get(key).map(|value| &value.value), Some(Value::Flag(true)))
    }

    pub(crate) fn size(&self, key: &str) -> Option<Bytes> {
        match self.get(key)?.value {
            Value::Size(size) => Some(size),
            _ => None,
        }
    }

    pub(crate) fn time(&self, key: &str) -> Option<Nanos> {
        match self.get(key)?.value {
            Value::Time(time) => Some(time),
            _ => None,
        }
    }

    pub(crate) fn whole(&self, key: &str) -> Option<u64> {
        match self.get(key)?.value {
            Value::Whole(whole) => Some(whole),
            _ => None,
        }
    }

    pub(crate) fn decimal(&self, key: &str) -> Option<u64> {
        match self.get(key)?.value {
            Value::Decimal(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn table(&self, key: &str) -> Option<&Table> {
        match &self.get(key)?.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn tables(&self, key: &str) -> &[Table] {
        match self.get(key).map(|value| &value.value) {
            Some(Value::Tables(tables)) => tables,
            _ => &[],
        }
    }

    /// The tables of its `[forms]`, the faithful one first. A file cannot write the smoke form.
    pub(crate) fn form_tables(&self) -> impl Iterator<Item = &Table> {
        let forms = self.table("forms");
        STATED_FORMS.into_iter().filter_map(move |name| forms?.table(name))
    }

    /// The tree moved this many bytes further, as part of several texts.
    pub(crate) fn moved(mut self, by: usize) -> Table {
        if by == 0 {
            return self;
        }
        let further = |at: &mut Range<usize>| *at = at.start + by..at.end + by;
        further(&mut self.at);
        for entry in self.entries.values_mut() {
            further(&mut entry.key_at);
            further(&mut entry.value.at);
            let value = std::mem::replace(&mut entry.value.value, Value::Flag(false));
            entry.value.value = match value {
                Value::Table(table) => Value::Table(table.moved(by)),
                Value::Tables(tables) => Value::Tables(tables.into_iter().map(|table| table.moved(by)).collect()),
                Value::List(mut list) => {
                    list.iter_mut().for_each(|one| further(&mut one.at));
                    Value::List(list)
                }
                other => other,
            };
        }
        self
    }

    pub(crate) fn list(&self, key: &str) -> &[Located<Value>] {
        match self.get(key).map(|value| &value.value) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }
}

/// Where a test's name is: the place of errors about the test as a whole.
pub(crate) fn name_at(test: &Table) -> std::ops::Range<usize> {
    test.get("name").map_or_else(|| test.at.clone(), |name| name.at.clone())
}

/// The tables by name; the first one if several have the same name.
pub(crate) fn by_name(tables: &[Table]) -> HashMap<&str, &Table> {
    let mut all = HashMap::with_capacity(tables.len());
    for table in tables {
        all.entry(table.text("name")).or_insert(table);
    }
    all
}

/// A value as text, including tables and lists.
pub(crate) fn text_of(value: &Value) -> String {
    let of_table = |table: &Table| {
        let parts: Vec<String> =
            table.entries.iter().map(|(key, entry)| format!("{key} = {}", text_of(&entry.value.value))).collect();
        parts.join(", ")
    };
    match value {
        Value::List(list) => list.iter().map(|one| text_of(&one.value)).collect::<Vec<_>>().join(", "),
        Value::Table(table) => of_table(table),
        Value::Tables(tables) => tables.iter().map(of_table).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}
