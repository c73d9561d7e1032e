//! What is set up around a run and undone after it.

pub mod around;
pub mod conditions;
pub mod files;
pub mod inhibit;
pub mod on_file;
pub mod series;
pub mod undone;
pub mod watching;
