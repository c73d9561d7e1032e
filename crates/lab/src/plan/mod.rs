//! What would be done: the plan, what it needs, what it wears, and what keeps it from being done.

pub(crate) mod check;
pub mod data_sheet;
pub mod drives;
pub mod dry_run;
pub mod endurance;
pub mod expand;
pub(crate) mod suite;
pub mod traces;
