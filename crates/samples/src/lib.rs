//! Made-up runs for tests of `analysis` and of the crates that show its results (`report`, `session`, `cli`).
//!
//! Everything follows from fixed arithmetic: the same call always gives the same events, and they obey every
//! invariant that `analysis` checks. Must not be used by the program itself, only by tests and examples.

#![forbid(unsafe_code)]

mod arms;
mod drives;
mod environment;
mod load;
mod loads;
mod ops;
mod others;
mod plan;
mod probe;
mod replay;
mod sample;
mod slowed;
mod telemetry;

pub use arms::{sample_arms, under_arm, with_host_cpu};
pub use drives::{SLOWED, sample_group};
pub use environment::sample_environment;
pub use load::{Pace, step_events};
pub use loads::{
    loads_plan, on_files, sample_limited_run, sample_loads_run, sample_mixed_run, sample_open_loop_run,
    sample_overloaded_run, sample_verified_run,
};
pub use others::{beside_others, events_beside_others};
pub use plan::{sample_plan, steady_plan};
pub use probe::{quiet_nvme, quiet_probe};
pub use replay::{BUSY_ONE_IN, replay_record, replayed};
pub use sample::{
    fold, sample_events, sample_id, sample_resumed_run, sample_run, sample_steady_run, sample_tool,
    sample_unfinished_run,
};
pub use slowed::slowed;
pub use telemetry::{recorded, sample_watched_run, series, source};

#[cfg(test)]
mod tests;
