//! Readings of a drive over time that cannot be true.

mod lies;
mod words;

pub(crate) use lies::of_series;
