//! The result of undoing one change.

use crate::error::ConditionsError;

/// The result of undoing one change.
#[derive(Debug)]
pub(crate) enum Undoing {
    /// It is undone now: a sentence.
    Undone(String),
    /// There is nothing to undo. This was seen on the drive itself, and no program is still writing to it.
    NotThere,
    /// What is there belongs to somebody else and was left alone: a sentence.
    Somebodys(String),
    /// It could not be undone, or it is unknown whether there is anything: the entry stays in the undo log.
    Unknown(ConditionsError),
}

impl From<Result<Undoing, ConditionsError>> for Undoing {
    fn from(tried: Result<Undoing, ConditionsError>) -> Undoing {
        tried.unwrap_or_else(Undoing::Unknown)
    }
}
