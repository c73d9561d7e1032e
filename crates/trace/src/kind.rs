//! Names of reads and writes that several formats share.

use drivelab_core::load::OpKind;

/// The kind for a letter or word for reading or writing.
pub(crate) fn read_or_write(word: &str) -> Option<OpKind> {
    match word {
        "R" | "r" | "Read" | "read" => Some(OpKind::Read),
        "W" | "w" | "Write" | "write" => Some(OpKind::Write),
        _ => None,
    }
}
