//! The unreadable end of a segment.

use std::path::PathBuf;

/// The unreadable end of a segment, after a kill or a power cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// The segment.
    pub file: PathBuf,
    /// Its offset in the file.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Why it is unreadable.
    pub why: String,
}
