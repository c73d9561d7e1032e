//! A run: begun or gone on with, watched over, brought to its end.

pub mod begin;
pub mod care;
pub mod company;
pub mod drive_state;
pub mod ended;
pub mod execute;
pub mod headers;
pub mod memory;
pub mod notes;
pub mod reopen;
pub mod resume;
pub mod sample;
pub mod together;
pub mod trace_file;
pub mod wiring;
