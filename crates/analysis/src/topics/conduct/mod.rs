//! How steps and the run went.

mod checks;
mod words;

pub(crate) use checks::{CONDUCT, cool_downs, of_run};
pub(crate) use words::smoke_form;
