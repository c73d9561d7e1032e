//! `[[prepare]]`: from its tables to tests of a plan.

pub(crate) mod block;
pub(crate) mod check;
pub(crate) mod flat;
pub(crate) mod form;
