//! Words about a load, a run, a target and the cost of watching it, for every format.

pub(crate) mod facts;
mod files;
pub(crate) mod load;
pub(crate) mod load_parts;
pub(crate) mod probe;
pub(crate) mod rounds;
pub(crate) mod run_facts;
pub(crate) mod watching_cost;
