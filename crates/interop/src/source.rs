//! Where a line of a methodology comes from.

/// A place in the file that was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file, if it is an included one.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: usize,
}
