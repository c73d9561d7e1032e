//! What is set up around a run and undone after it.

pub mod around;
pub(crate) mod files;
pub(crate) mod inhibit;
pub mod watching;
