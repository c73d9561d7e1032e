//! Undoing, the last change first: after a run, after a failure while setting up, and by a later process after a
//! kill.
//!
//! Undoing is safe to repeat and does nothing if the change was not made. Everything is checked before it is wiped: a
//! table, header or file system with another UUID belongs to somebody else by now and is left alone. The absence of
//! something has to be seen on the drive itself; if it is unknown, the entry stays in the undo log.

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
