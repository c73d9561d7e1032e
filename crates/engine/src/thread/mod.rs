//! One issuing thread, for both backends: what it issues next, what it counts, what it shares with the others.

pub(crate) mod account;
pub(crate) mod bursts;
pub(crate) mod faults;
pub(crate) mod feed;
pub(crate) mod flight;
pub(crate) mod meter;
pub(crate) mod outcome;
pub(crate) mod place;
pub(crate) mod shared;
pub(crate) mod tally;
pub(crate) mod trace;
