//! The sync backend.

pub(crate) mod discard;
pub(crate) mod worker;
