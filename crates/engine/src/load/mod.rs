//! From a step's load to what each thread does: checked against the target, resolved, none of it changed afterwards.

pub(crate) mod arenas;
pub(crate) mod checks;
pub(crate) mod fit;
pub(crate) mod job;
pub(crate) mod placed;
pub(crate) mod schedule;
pub(crate) mod sealing;
pub(crate) mod targets;
