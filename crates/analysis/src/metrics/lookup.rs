//! The rows of the table, and one row by its name.

use drivelab_core::metric::MetricDef;

use super::entry::{Compute, Entry, ScoreFunction};
use super::table::{APPLIES, COMPUTE, METRICS};

/// The whole table, in the order in which metrics are listed.
pub(crate) fn entries() -> impl Iterator<Item = Entry> {
    let rows = METRICS.iter().zip(COMPUTE).zip(APPLIES);
    rows.map(|((def, compute), applies)| Entry { def, compute: *compute, applies: *applies })
}

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
