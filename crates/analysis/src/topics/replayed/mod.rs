//! How a trace was replayed.

mod checks;
mod words;

pub(crate) use checks::REPLAYED;
