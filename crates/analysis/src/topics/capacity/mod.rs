//! Whether a drive has the capacity that it claims, and how fast it is by position.

mod account;
pub mod map;
mod values;
mod verdict;
mod words;

pub(crate) use values::{verified_bad_blocks, verified_blocks, verified_capacity, verified_share_found};
pub(crate) use verdict::findings;
