//! The known state of a drive (or of a file on it): what was written since it was last empty, which load wrote last,
//! and signs that another program wrote to it.
//! Owns the type and its arithmetic: how a load changes the state, whether a preparation is still valid, whether
//! counters moved more than drivelab wrote. Must not know: where counters are read, files, sessions.

mod needs;
mod state;

pub use needs::{StateNeeds, StateWish};
pub use state::{DriveState, HostCounters, KeptState, LastLoad, Piece, Reused, StateSeen, is_whole, own_changes};
