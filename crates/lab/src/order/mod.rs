//! An order: what the user asks for, in plain types.

pub mod conditions;
pub mod measurement;
pub mod show;
pub mod telemetry;
