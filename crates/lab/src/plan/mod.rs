//! What would be done: the plan, its requirements, its wear, and the reasons to refuse it.

pub(crate) mod check;
pub mod data_sheet;
pub mod drives;
pub mod dry_run;
pub mod endurance;
pub mod expand;
pub(crate) mod suite;
pub mod traces;
