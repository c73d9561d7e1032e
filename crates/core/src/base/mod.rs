//! Basic types of all other modules: units, ids, the run clock, texts.

pub mod clock;
pub mod excerpt;
pub mod exit;
pub mod ids;
pub mod input;
pub(crate) mod redact;
pub mod units;
pub mod wall;
pub mod words;
