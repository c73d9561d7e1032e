//! A table of fields: certain bytes at an offset give that field a certain value, and change no other field.

use serde_json::Value;

/// Decodes bytes into JSON.
pub(crate) type Decode = dyn Fn(&[u8]) -> Result<Value, String>;

/// Bytes at an offset, and their meaning.
pub(crate) struct Row {
    /// Where the field begins.
    pub(crate) at: usize,
    /// What is written there.
    pub(crate) bytes: Vec<u8>,
    /// The field, as a JSON pointer.
    pub(crate) field: &'static str,
    /// Its expected value.
    pub(crate) says: Value,
}

/// A row.
pub(crate) fn row(at: usize, bytes: &[u8], field: &'static str, says: impl Into<Value>) -> Row {
    Row { at, bytes: bytes.to_vec(), field, says: says.into() }
}

/// The name of the top-level field.
fn top(field: &str) -> &str {
    field.trim_start_matches('/').split('/').next().unwrap_or_default()
}

/// Tests a structure of `size` bytes against its rows. `base` is a page that decodes; each row is written into a
/// copy.
pub(crate) fn hold(decode: &Decode, size: usize, base: &[u8], rows: &[Row]) {
    let before = decode(base).expect("the base page decodes");
    for row in rows {
        let mut page = base.to_vec();
        page[row.at..row.at + row.bytes.len()].copy_from_slice(&row.bytes);
        let after = decode(&page).unwrap_or_else(|error| panic!("{} at {}: {error}", row.field, row.at));
        let says = after.pointer(row.field);
        assert_eq!(says, Some(&row.says), "{} at byte {}: {:02X?}", row.field, row.at, row.bytes);
        // Fields that share these bytes may change with it; no other field may.
        let end = row.at + row.bytes.len();
        let shares = |other: &&Row| other.at < end && row.at < other.at + other.bytes.len();
        let may: Vec<&str> = rows.iter().filter(shares).map(|other| top(other.field)).collect();
        for (key, value) in after.as_object().expect("a structure is an object") {
            let changed = before.get(key) != Some(value);
            assert!(!changed || may.contains(&key.as_str()), "{} at byte {} also changes {key}", row.field, row.at);
        }
    }
    for key in before.as_object().expect("a structure is an object").keys() {
        assert!(rows.iter().any(|row| top(row.field) == key), "the field {key} has no row");
    }
    let mut long = base[..size].to_vec();
    assert!(decode(&long).is_ok(), "{size} bytes are enough");
    long.pop();
    let error = decode(&long).expect_err("one byte less is not");
    assert!(error.contains(&format!("{size} bytes are needed, but it has {}", size - 1)), "{error}");
}
