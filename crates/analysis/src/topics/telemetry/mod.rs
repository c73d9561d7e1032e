//! Telemetry of a run: temperature, power, the host, counters of drive and kernel.

mod checks;
mod course;
pub mod smart;
pub(crate) mod spent;
pub(crate) mod values;
pub(crate) mod words;

pub(crate) use checks::{WATCHED, silent_meters};
pub(crate) use course::{around, rose, value_near};
