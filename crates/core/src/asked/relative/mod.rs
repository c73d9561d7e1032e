//! Rates that are a share of what another step did at full speed: known as soon as that step is on record.
//!
//! The plan as stored says the share; folding the records ([`crate::run::RunRecords`]) puts the rate that follows into
//! the plan, so that session, analysis and report all read the same number, also when a run goes on in another process.

mod rate;
mod resolve;
mod skip;

pub use rate::{RelativeRate, Rounding, Skip};
pub use resolve::{is_resolved, mean_latency, resolve};
pub use skip::skipped;
