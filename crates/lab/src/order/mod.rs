//! What is asked for, in plain types.

pub mod conditions;
pub mod measurement;
pub mod show;
pub mod telemetry;
