//! What the engine's own account shows about a step: its limits, its resources, its clock.

mod checks;
mod words;

pub(crate) use checks::ACCOUNT;
