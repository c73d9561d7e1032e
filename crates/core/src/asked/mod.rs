//! The work that a run is asked to do.

pub mod acceptance;
pub mod condition;
pub mod files;
pub mod group;
pub mod label;
pub mod load;
pub mod places;
pub mod plan;
pub mod relative;
pub mod replay;
pub mod score;
pub(crate) mod span;
pub mod workload;
