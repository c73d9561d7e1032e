//! Which figures of a load are disturbed or void, by the metrics of its step.

use std::collections::BTreeSet;

use drivelab_analysis::{metric_def, rate};
use drivelab_core::metric::{Class, Metric, Wrong};
use drivelab_core::plan::Step;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figure::input::ReportInput;

/// In which direction figures are wrong because something outside the test disturbed them; null if nothing did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WrongDoc {
    /// Rates. A load that kept its schedule has the requested rates, whatever other programs did.
    pub(crate) rates: Option<Wrong>,
    /// Latencies and response times.
    pub(crate) times: Option<Wrong>,
}

/// Which figures are void.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct VoidDoc {
    /// Rates.
    pub(crate) rates: bool,
    /// Latencies and response times.
    pub(crate) times: bool,
}

/// The figures of the step.
fn metrics<'a>(run: &ReportInput<'a>, step: &'a Step) -> impl Iterator<Item = &'a Metric> {
    run.analysis.metrics.iter().filter(|metric| metric.step.as_ref() == Some(&step.id))
}

/// Codes of the findings that disturb any figure of the step.
pub(super) fn spoiled_by(run: &ReportInput<'_>, step: &Step) -> Vec<String> {
    let codes: BTreeSet<&String> = metrics(run, step).flat_map(|metric| &metric.spoiled_by).collect();
    codes.into_iter().cloned().collect()
}

/// Codes of the findings that make any rate or time of the step void.
pub(super) fn voided_by(run: &ReportInput<'_>, step: &Step) -> Vec<String> {
    let shown = metrics(run, step).filter(|metric| is_rate(step, &metric.id) || is_time(&metric.id));
    let codes: BTreeSet<&String> = shown.flat_map(|metric| &metric.voided_by).collect();
    codes.into_iter().cloned().collect()
}

/// Whether rates and times of the step are void.
pub(super) fn void(run: &ReportInput<'_>, step: &Step) -> VoidDoc {
    let any =
        |of: &dyn Fn(&str) -> bool| metrics(run, step).any(|metric| of(&metric.id) && !metric.voided_by.is_empty());
    VoidDoc { rates: any(&|id| is_rate(step, id)), times: any(&is_time) }
}

/// Whether a metric is the step's rate: for a replayed trace, the rate over its busy time.
fn is_rate(step: &Step, id: &str) -> bool {
    let counts = || metric_def(id).is_some_and(|def| def.meaning.class == Class::Rate && def.unit == "IOPS");
    if rate::replays(step) { id == rate::BUSY_RATE } else { counts() }
}

fn is_time(id: &str) -> bool {
    metric_def(id).is_some_and(|def| def.meaning.class == Class::MeanLatency)
}

/// In which direction rates and times of the step are wrong.
pub(super) fn wrong(run: &ReportInput<'_>, step: &Step) -> WrongDoc {
    let first =
        |of: &dyn Fn(&str) -> bool| metrics(run, step).filter(|metric| of(&metric.id)).find_map(|metric| metric.wrong);
    WrongDoc { rates: first(&|id| is_rate(step, id)), times: first(&is_time) }
}
