//! Undoing, the last deed first: after a run, after a failure on the way, and by a later process after a kill.
//!
//! Every undoing is safe to repeat and does nothing where the deed did not happen. What is wiped is first looked at: a
//! table, header or file system whose UUID is another one is somebody's own by now and is left alone. That something is
//! not there has to be seen on the very drive; where it cannot be told, the deed stays on the ledger.

mod access;
mod clean_up;
mod deeds;
mod others;
mod patience;
mod undo_all;
mod undoing;

pub(crate) use access::Access;
#[cfg(test)]
pub(crate) use clean_up::clean_up_with;
pub use clean_up::{CleanUp, Cleaned, Left, clean_up};
pub(crate) use patience::patiently;
pub(crate) use undo_all::undo_all;
pub(crate) use undoing::Undoing;
