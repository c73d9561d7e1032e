//! What a report shows about a run as a whole, in addition to its tests.

pub(crate) mod account;
pub(crate) mod check;
pub(crate) mod how;
pub(crate) mod look;
pub(crate) mod scores;
pub(crate) mod sheet;
pub(crate) mod short;
pub(crate) mod telemetry;
