//! How a row of the table becomes a figure.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::load::OpKind;
use drivelab_core::metric::MetricDef;
use drivelab_core::run::RunRecords;

use super::meaning::Applies;
use super::times::Times;
use crate::values::Execution;

/// How a metric is computed and how its rounds are combined.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Compute {
    /// From one execution; rounds are combined as the test says.
    Step(fn(Execution<'_>) -> Option<f64>),
    /// From one execution; rounds are added up, whatever the test says.
    Sum(fn(Execution<'_>) -> Option<f64>),
    /// From the times of an execution's operations of one kind; rounds are combined as the test says.
    Mean(OpKind, Times, fn(&SparseHistogram) -> Option<f64>),
    /// A percentile of these times. If the test says mean, it comes from the merged histogram of all rounds, because a
    /// mean of percentiles is not a percentile of anything.
    Tail(OpKind, Times, fn(&SparseHistogram) -> Option<f64>),
    /// A percentile of the times of reads and writes in one distribution, combined like [`Compute::Tail`].
    TailOfBoth(Times, fn(&SparseHistogram) -> Option<f64>),
    /// From the whole run.
    Run(fn(&RunRecords) -> Option<f64>),
    /// From figures of several steps: weights and values; only if the methodology requests it.
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

/// A score from its terms, each a weight and a value.
pub(crate) type ScoreFunction = fn(&[(f64, f64)]) -> Option<f64>;
