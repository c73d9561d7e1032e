//! A step from its request to its record, on the session's thread.

pub(crate) mod collect;
pub(crate) mod crew;
pub(crate) mod engine;
pub(crate) mod manner;
pub(crate) mod outlets;
pub(crate) mod record;
pub(crate) mod replayed;
pub(crate) mod run;
pub(crate) mod totals;
