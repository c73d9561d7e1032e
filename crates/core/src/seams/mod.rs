//! Traits and types that connect crates without a dependency between them.

pub mod backend;
pub mod listener;
pub mod target;
