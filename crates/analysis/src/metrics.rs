//! Metrics: what each is made of, and how the table of them ([`table`]) becomes figures ([`combine`]).
//!
//! docs/metrics.md is printed from this table ([`metrics_markdown`]) and a test holds the two equal. Must not know how
//! a value is rounded, coloured or drawn.

mod combine;
mod markdown;
mod meaning;
#[macro_use]
mod texts;
mod table;
mod times;

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::load::OpKind;
use drivelab_core::metric::MetricDef;
use drivelab_core::run::RunRecords;

use crate::values::Execution;
use meaning::Applies;

pub(crate) use combine::{all, round_value, used_rounds};
pub use markdown::metrics_markdown;
pub use table::METRICS;
pub(crate) use times::Times;

/// How a metric is computed and how its rounds are put together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Compute {
    /// From one execution; rounds are put together as the test says.
    Step(fn(Execution<'_>) -> Option<f64>),
    /// From one execution; rounds are added up, whatever the test says.
    Sum(fn(Execution<'_>) -> Option<f64>),
    /// From the times of an execution's operations of one kind; rounds are put together as the test says.
    Mean(OpKind, Times, fn(&SparseHistogram) -> Option<f64>),
    /// A percentile of the same; where the test says mean, it is taken from the merged histogram of all rounds, because
    /// a mean of percentiles is not a percentile of anything.
    Tail(OpKind, Times, fn(&SparseHistogram) -> Option<f64>),
    /// A percentile of the times of reads and writes in one distribution, put together in the same way.
    TailOfBoth(Times, fn(&SparseHistogram) -> Option<f64>),
    /// From the whole run.
    Run(fn(&RunRecords) -> Option<f64>),
    /// From figures of several steps: weights and values; only where the methodology asks for it.
    Score(fn(&[(f64, f64)]) -> Option<f64>),
}

/// A metric's definition and its function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub def: &'static MetricDef,
    pub compute: Compute,
    /// Which steps have it.
    pub applies: Applies,
}

/// The whole table, in the order in which metrics are listed.
pub(crate) fn entries() -> impl Iterator<Item = Entry> {
    let rows = METRICS.iter().zip(table::COMPUTE).zip(table::APPLIES);
    rows.map(|((def, compute), applies)| Entry { def, compute: *compute, applies: *applies })
}

/// A score from its terms, each a weight and a value.
pub(crate) type ScoreFunction = fn(&[(f64, f64)]) -> Option<f64>;

/// The function of a score, by the name of its metric.
pub(crate) fn of_score(id: &str) -> Option<ScoreFunction> {
    entries().find_map(|entry| match entry.compute {
        Compute::Score(function) if entry.def.id == id => Some(function),
        _ => None,
    })
}

/// The definition of a metric: `metric_def("read.iops")`.
#[must_use]
pub fn metric_def(id: &str) -> Option<&'static MetricDef> {
    METRICS.iter().find(|def| def.id == id)
}

#[cfg(test)]
mod tests;
