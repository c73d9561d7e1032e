//! From a step's load to what each thread does: checked against the target, resolved, and fixed from then on.

pub(crate) mod arenas;
pub(crate) mod checks;
pub(crate) mod fit;
pub(crate) mod job;
pub(crate) mod placed;
pub(crate) mod schedule;
pub(crate) mod sealing;
pub(crate) mod targets;
