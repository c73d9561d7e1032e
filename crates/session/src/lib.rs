//! Runs a plan on a backend: which step is next, when to stop, and how a run is interrupted and resumed.
//!
//! Owns order and time. Must not know: SQL, files, HTML, terminals, or which backend it uses. Its only output is the
//! stream of events ([`drivelab_core::event`]): the recorder receives them first and without loss, screens if they
//! keep up ([`fanout`]).
#![forbid(unsafe_code)]

pub mod care;
pub mod fanout;
pub mod run;

mod again;
mod emit;
mod ledger;
mod parts;
mod rounds;
mod state;
mod waits;
mod watch;

pub use again::left;
pub use again::{can_make_again, lives_on, state_changed};
pub use care::TargetCare;
pub use fanout::{Fanout, Screen};
pub use parts::Session;
pub use run::{Outcome, Start};
