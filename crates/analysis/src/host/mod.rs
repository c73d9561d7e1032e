//! Findings about target and testbed: before a run, and for commands that only look.

pub mod conditions;
mod devices;
mod doctor;
pub mod probe;
mod series;
mod words;

pub use doctor::host_findings;
pub use words::{bundle_on_target_device, scratch_file_smaller, target_smaller};

#[cfg(test)]
mod tests;
