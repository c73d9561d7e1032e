//! What nobody knows of a stream: which of its last operations reached the target, and cursors that are not its own.

/// Operations around the cursor of a stream of which nobody knows whether they reached the target.
#[derive(Debug, Clone, Copy)]
pub(in crate::verify) struct Doubt {
    pub(in crate::verify) before: u32,
    /// Only those that leave no trace: had a write behind the cursor reached the target, it would not be behind it.
    pub(in crate::verify) after: u32,
}

pub(super) fn not_of_this_stream(cursor: u64) -> String {
    format!("{cursor} is no position of what was written: check with the same parameters and the same seed")
}
