//! The rounds of a step: which ones count, and whether they agree.

mod spread;
mod used;
mod words;

pub(crate) use spread::findings;
pub(crate) use used::used_rounds;
