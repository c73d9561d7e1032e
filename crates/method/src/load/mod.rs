//! Loads: from the values of a file to a workload that is fitted to a target.

pub(crate) mod bursts;
pub(crate) mod content;
pub(crate) mod curve;
pub(crate) mod file_sets;
pub(crate) mod fit;
pub(crate) mod groups;
pub(crate) mod placement;
pub(crate) mod search;
pub(crate) mod seed;
pub(crate) mod sizes;
pub(crate) mod trace;
pub(crate) mod workload;
