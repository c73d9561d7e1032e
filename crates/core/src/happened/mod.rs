//! What a run did, and what it means.

pub mod drive_state;
pub mod event;
pub mod finding;
pub mod histogram;
pub mod metric;
pub mod record;
pub mod run;
pub mod tails;
pub mod telemetry;
pub mod truth;
