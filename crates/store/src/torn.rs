//! The unreadable end of a segment.

use std::path::PathBuf;

/// The unreadable end of a segment, as a kill or a power cut leaves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// The segment.
    pub file: PathBuf,
    /// Where it begins.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
    /// What is wrong there.
    pub why: String,
}
