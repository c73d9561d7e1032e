//! What must hold for every record: a violation voids the figures that rest on it.

mod checks;
mod draws;
mod kinds;
mod schedule;
mod sums;
mod words;

pub(crate) use checks::INVARIANTS;
