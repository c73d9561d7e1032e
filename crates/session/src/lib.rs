//! Runs a plan on a backend: what comes next, when to stop, what was interrupted, how a run goes on.
//!
//! Owns order and time. Must not know: SQL, files, HTML, terminals, or which backend it drives. Its only way out is
//! the stream of events ([`drivelab_core::event`]): the recorder hears them first and loses none, screens hear them
//! as well as they can ([`fanout`]).
#![forbid(unsafe_code)]

pub mod care;
pub mod fanout;
pub mod run;

mod emit;
mod ledger;
mod preparation;
mod rounds;
mod watch;

pub use care::TargetCare;
pub use fanout::{Fanout, Screen};
pub use preparation::check_of_what_was_written;
pub use rounds::left;
pub use run::{Outcome, Session, Start};
