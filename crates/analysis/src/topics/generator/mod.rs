//! What the engine's own account says of a step: its limits, its means, its clock.

mod checks;
mod words;

pub(crate) use checks::ACCOUNT;
