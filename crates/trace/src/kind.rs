//! Words for reading and writing that the formats share.

use drivelab_core::load::OpKind;

/// The kind behind a letter or word of reading and writing.
pub(crate) fn read_or_write(word: &str) -> Option<OpKind> {
    match word {
        "R" | "r" | "Read" | "read" => Some(OpKind::Read),
        "W" | "w" | "Write" | "write" => Some(OpKind::Write),
        _ => None,
    }
}
