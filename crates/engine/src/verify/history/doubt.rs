//! What is uncertain about a stream: which of its last operations reached the target, and cursors that are not its
//! own.

/// Operations around the cursor of a stream that may or may not have reached the target.
#[derive(Debug, Clone, Copy)]
pub(in crate::verify) struct Doubt {
    pub(in crate::verify) before: u32,
    /// Only those that leave no trace: had a write after the cursor reached the target, the cursor would be further
    /// on.
    pub(in crate::verify) after: u32,
}

pub(super) fn not_of_this_stream(cursor: u64) -> String {
    format!("{cursor} is not a position in what was written: check with the same parameters and the same seed")
}
