//! Time: one clock for all threads of a step, and waiting until a time.

pub(crate) mod time;
pub(crate) mod tsc;
pub(crate) mod wait;
