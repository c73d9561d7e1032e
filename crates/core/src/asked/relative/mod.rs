//! Rates that are a share of the rate of another step at full speed. They are known as soon as that step is recorded.
//!
//! The stored plan states the share. Folding the records ([`crate::run::RunRecords`]) puts the resulting rate into
//! the plan, so that session, analysis and report all read the same number, also after a run is resumed in another
//! process.

mod rate;
mod resolve;
mod skip;

pub use rate::{RelativeRate, Rounding, Skip};
pub use resolve::{is_resolved, mean_latency, resolve};
pub use skip::skipped;
