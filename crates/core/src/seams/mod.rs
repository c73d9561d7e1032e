//! Where rooms meet without knowing each other.

pub mod backend;
pub mod listener;
pub mod target;
