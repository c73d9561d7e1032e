//! What the target did wrong.

mod checks;
mod words;

pub(crate) use checks::TARGET;
