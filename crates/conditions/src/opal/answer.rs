//! Whether something is available, or why it is not.

/// The answer of one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Available.
    Yes,
    /// Not available, or unknown: the reason, as a sentence fragment.
    No(String),
}
