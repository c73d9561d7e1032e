//! What the undoing of one deed comes to.

use crate::error::ConditionsError;

/// What the undoing of one deed came to.
#[derive(Debug)]
pub(crate) enum Undoing {
    /// It is undone now: a sentence.
    Undone(String),
    /// There is nothing of it, which was seen on the very drive, and nobody is still writing to that.
    NotThere,
    /// What is there is somebody's own and was left alone: a sentence.
    Somebodys(String),
    /// It could not be undone, or it cannot be told whether there is anything: the deed stays on the ledger.
    Unknown(ConditionsError),
}

impl From<Result<Undoing, ConditionsError>> for Undoing {
    fn from(tried: Result<Undoing, ConditionsError>) -> Undoing {
        tried.unwrap_or_else(Undoing::Unknown)
    }
}
