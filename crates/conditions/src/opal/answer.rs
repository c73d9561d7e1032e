//! Whether something is there, or why not.

/// What is known of one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It can.
    Yes,
    /// It cannot, or it cannot be told: why, a part of a sentence.
    No(String),
}
