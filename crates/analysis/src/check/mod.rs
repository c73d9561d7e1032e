//! Checks of single executions: what they examine, what they report, and the findings made of it.

mod seen;
mod subjects;
mod table;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use seen::{Seen, Spoils, Subject, Voids, told};
pub(crate) use subjects::subjects;
pub(crate) use table::{Check, Verdict, run};
