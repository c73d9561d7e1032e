//! A run: begun or resumed, supervised, brought to its end.

pub mod begin;
pub(crate) mod care;
pub(crate) mod company;
pub mod conditions;
pub mod drive_state;
pub mod ended;
pub(crate) mod execute;
pub mod headers;
pub(crate) mod memory;
pub(crate) mod notes;
pub(crate) mod reopen;
pub mod resume;
pub mod sample;
pub mod together;
pub(crate) mod trace_file;
pub mod wiring;
