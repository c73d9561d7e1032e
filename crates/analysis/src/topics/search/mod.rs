//! The search for the highest rate that keeps a bound.

mod rates;
mod words;

pub(crate) use rates::is_probe;
pub use rates::{Found, Outcome, RESOLUTION, Try, found, next_rate, rate_of_round};
pub(crate) use words::{RATE_FOUND, findings};
