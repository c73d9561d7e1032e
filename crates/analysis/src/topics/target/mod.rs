//! Faults of the target.

mod checks;
mod words;

pub(crate) use checks::TARGET;
