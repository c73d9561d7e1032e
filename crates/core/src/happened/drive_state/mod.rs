//! What is known of the state that a drive (or a file on it) is in: what was written since it was last empty, by which
//! load last, and what says that somebody else wrote to it.
//!
//! Owns the type and its arithmetic: what a load does to the state, whether a preparation is still valid, whether
//! counters moved more than we wrote. Must not know: where counters are read, files, sessions.

mod needs;
mod state;

pub use needs::{StateNeeds, StateWish};
pub use state::{DriveState, HostCounters, KeptState, LastLoad, Piece, Reused, StateSeen, is_whole, own_changes};
