//! Several runs side by side.

pub mod arms;
pub mod together;
