//! The content hash of a checked tree: it decides whether two methodologies are the same.
//!
//! Owns which bytes represent a value; a change here gives every methodology another hash.

use crate::tree::locality::locality_text;
use crate::tree::rate::AskedRate;
use crate::tree::value::{Amount, Table, Value};

/// BLAKE3 of the content as 64 hexadecimal digits. Layout, comments, the order of keys and the way a quantity is
/// written ("4k", "4 KiB") do not count; every value does.
pub(crate) fn content_hash(table: &Table) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"drivelab methodology 1\n");
    hash_table(&mut hasher, table);
    hasher.finalize().to_hex().to_string()
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

fn hash_table(hasher: &mut blake3::Hasher, table: &Table) {
    hash_count(hasher, b'{', table.entries.len());
    for (key, entry) in &table.entries {
        hash_bytes(hasher, b'k', key.as_bytes());
        hash_value(hasher, &entry.value.value);
    }
}

fn hash_value(hasher: &mut blake3::Hasher, value: &Value) {
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
            list.iter().for_each(|one| hash_value(hasher, &one.value));
        }
        Value::Table(table) => hash_table(hasher, table),
        Value::Tables(tables) => {
            hash_count(hasher, b'[', tables.len());
            tables.iter().for_each(|one| hash_table(hasher, one));
        }
    }
}
