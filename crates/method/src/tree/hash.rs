//! The hashes of a checked tree: of all of it, and of the part that decides what is measured.
//!
//! Owns which bytes represent a value; a change here gives every methodology another hash. Which keys decide what is
//! measured stands in their rows of the vocabulary.

use crate::sources::profile::CHOSEN;
use crate::tree::locality::locality_text;
use crate::tree::rate::AskedRate;
use crate::tree::value::{Amount, Table, Value};
use crate::vocabulary::file::{FILE, PROFILE};
use crate::vocabulary::shape::{Kind, Shape};

/// BLAKE3 of the content as 64 hexadecimal digits. Layout, comments, the order of keys and the way a quantity is
/// written ("4k", "4 KiB") do not count; every value does.
pub(crate) fn content_hash(table: &Table) -> String {
    hash_of(b"drivelab methodology 1\n", table, Counted::All)
}

/// Likewise, of the values that decide what is measured: two trees with the same hash ask for the same loads, in the
/// same order, after the same preparation, and evaluate them alike.
pub(crate) fn compared_hash(table: &Table) -> String {
    hash_of(b"drivelab measurement 1\n", table, Counted::Compared(&FILE))
}

fn hash_of(kind: &[u8], table: &Table, counted: Counted) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind);
    hash_table(&mut hasher, table, counted);
    hasher.finalize().to_hex().to_string()
}

/// Which keys of a table count.
#[derive(Clone, Copy)]
enum Counted {
    All,
    /// Those that decide what is measured, of a table of this shape.
    Compared(&'static Shape),
}

impl Counted {
    /// What counts in the value of a key; `None` if the key does not count.
    fn within(self, key: &str) -> Option<Counted> {
        let Counted::Compared(shape) = self else { return Some(Counted::All) };
        match shape.all().find(|known| known.name == key) {
            Some(known) if !known.compared => None,
            Some(known) => match known.kind {
                Kind::Table(inner) | Kind::Tables(inner) => Some(Counted::Compared(inner)),
                _ => Some(Counted::All),
            },
            None if key == CHOSEN => Some(Counted::Compared(&PROFILE)),
            // What was set on the command line.
            None => Some(Counted::All),
        }
    }
}

/// A tag and a length before each content prevent two different trees from giving the same bytes.
fn hash_bytes(hasher: &mut blake3::Hasher, tag: u8, content: &[u8]) {
    hasher.update(&[tag]);
    hasher.update(&(content.len() as u64).to_le_bytes());
    hasher.update(content);
}

fn hash_count(hasher: &mut blake3::Hasher, tag: u8, count: usize) {
    hash_bytes(hasher, tag, &(count as u64).to_le_bytes());
}

fn hash_table(hasher: &mut blake3::Hasher, table: &Table, counted: Counted) {
    let entries = || table.entries.iter().filter_map(|(key, entry)| Some((key, entry, counted.within(key)?)));
    hash_count(hasher, b'{', entries().count());
    for (key, entry, inside) in entries() {
        hash_bytes(hasher, b'k', key.as_bytes());
        hash_value(hasher, &entry.value.value, inside);
    }
}

fn hash_value(hasher: &mut blake3::Hasher, value: &Value, counted: Counted) {
    match value {
        Value::Text(text) => hash_bytes(hasher, b't', text.as_bytes()),
        Value::Word(word) => hash_bytes(hasher, b't', word.as_bytes()),
        Value::Size(size) => hash_bytes(hasher, b's', &size.get().to_le_bytes()),
        Value::Time(time) => hash_bytes(hasher, b'd', &time.get().to_le_bytes()),
        Value::Whole(whole) => hash_bytes(hasher, b'i', &whole.to_le_bytes()),
        Value::Flag(flag) => hash_bytes(hasher, b'b', &[u8::from(*flag)]),
        Value::Decimal(value) => hash_bytes(hasher, b'm', &value.to_le_bytes()),
        Value::Rate(AskedRate::Operations(asked)) => hash_bytes(hasher, b'o', &asked.to_le_bytes()),
        Value::Rate(AskedRate::Bytes(rate)) => hash_bytes(hasher, b'r', &rate.get().to_bits().to_le_bytes()),
        Value::Bytes(bytes) => hash_bytes(hasher, b'x', bytes),
        Value::Locality(locality) => hash_bytes(hasher, b'l', locality_text(locality).as_bytes()),
        Value::Extent(extent) => {
            for amount in [extent.offset, extent.length] {
                match amount {
                    Amount::Bytes(bytes) => hash_bytes(hasher, b's', &bytes.get().to_le_bytes()),
                    Amount::Hundredths(share) => hash_bytes(hasher, b'p', &share.to_le_bytes()),
                }
            }
        }
        Value::List(list) => {
            hash_count(hasher, b'[', list.len());
            list.iter().for_each(|one| hash_value(hasher, &one.value, counted));
        }
        Value::Table(table) => hash_table(hasher, table, counted),
        Value::Tables(tables) => {
            hash_count(hasher, b'[', tables.len());
            tables.iter().for_each(|one| hash_table(hasher, one, counted));
        }
    }
}
