//! One job's load: kinds of operations, sizes, order, depth, pace, data.
//!
//! Owns which parameter each option of a job becomes. Must not know: other jobs, when a job ends, verification.

mod data;
mod loads;
mod mix;
mod order;
mod pace;
mod shape;
mod sizes;
mod types;

pub(super) use loads::{loads, no_load};
pub(super) use types::Load;
