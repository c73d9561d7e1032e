//! Runs a plan on a backend: what comes next, when to stop, what was interrupted, how a run goes on.
//!
//! Owns order and time. Must not know: SQL, files, HTML, terminals, or which backend it drives. Its only way out is
//! the stream of events ([`drivelab_core::event`]): the recorder hears them first and loses none, screens hear them
//! as well as they can ([`fanout`]).
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
