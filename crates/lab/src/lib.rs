//! From an order to a finished, recorded and analysed run.
//!
//! Owns the wiring: it inspects and opens the target, makes the plan, sets up the conditions, connects recorder,
//! engine and session, and stores the drive's state. A front end that asks for a measurement implements
//! [`front::Front`]: it shows progress, asks questions, and is told how a run ended. Must not know: arguments,
//! terminals, screens, signals.
#![forbid(unsafe_code)]

pub mod digests;
pub mod failure;
pub mod front;
pub mod lab;
pub mod order;
pub mod output;
pub mod plan;
pub mod run;
pub mod set_up;
pub mod target;
pub mod voice;

pub use failure::{Failure, Result};
pub use front::{Front, View};
pub use lab::{Defaults, Lab};
pub use order::conditions::AskedConditions;
pub use order::measurement::{Order, Words};
pub use order::show::Show;
pub use order::telemetry::{Telemetry, TelemetryChoice};
pub use voice::{Loudness, Voice};
