//! Tests of the room: kills, cuts, flipped bytes, locks and the catalog, on real files.

mod catalog;
pub(crate) mod crash;
mod damage;
mod kill;
mod round_trip;
mod sample;
