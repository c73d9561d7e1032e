//! Metrics: how each is defined, and how the table of them ([`table`]) becomes figures ([`combine`]).
//!
//! docs/metrics.md is printed from this table ([`metrics_markdown`]) and a test checks that the two are equal. Must not
//! know how a value is rounded, coloured or drawn.

mod combine;
mod entry;
mod lookup;
mod markdown;
mod meaning;
#[macro_use]
mod texts;
mod table;
mod times;

pub(crate) use combine::{all, round_value};
pub(crate) use entry::Compute;
pub use lookup::metric_def;
pub(crate) use lookup::{entries, of_score};
pub use markdown::metrics_markdown;
pub use table::METRICS;
pub(crate) use times::Times;

#[cfg(test)]
mod tests;
