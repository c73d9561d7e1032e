//! Tests of the crate: kills, truncation, changed bytes, locks and the catalog, on real files.

mod catalog;
pub(crate) mod crash;
mod damage;
mod kill;
mod round_trip;
mod sample;
