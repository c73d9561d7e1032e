//! Several runs side by side.

pub mod arms;
pub mod side_by_side;
pub mod together;
