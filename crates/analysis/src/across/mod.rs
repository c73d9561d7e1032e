//! Several runs side by side.

pub mod arms;
pub mod bridge;
pub mod families;
pub mod price;
pub mod rank;
pub mod ratios;
pub mod side_by_side;
pub mod together;
