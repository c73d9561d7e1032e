//! One folder for each question about a run: its checks, findings, metrics and tests.

pub(crate) mod capacity;
pub(crate) mod conduct;
pub mod curve;
pub mod data_sheet;
pub mod fill;
pub(crate) mod generator;
pub(crate) mod heat;
pub(crate) mod invariants;
pub(crate) mod limits;
pub(crate) mod others;
pub(crate) mod replayed;
pub(crate) mod rounds;
pub mod scores;
pub mod search;
pub(crate) mod sensors;
pub(crate) mod state;
pub(crate) mod target;
pub(crate) mod telemetry;
pub(crate) mod transfers;
