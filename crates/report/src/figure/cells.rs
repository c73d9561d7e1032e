//! Looks up figures: from a step and a metric's id to the cell that shows it.
//!
//! Computes nothing: values, spreads and reasons of voids come from `analysis`.

use drivelab_analysis::digest::{Digest, StepDigest, StepFacts};
use drivelab_analysis::rate;
use drivelab_core::finding::Finding;
use drivelab_core::metric::Metric;
use drivelab_core::plan::{Approximation, Combine, Step};
use drivelab_core::record::{StepRecord, StopReason};

use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::table::Cell;
use crate::figure::{format, prose, quantity};

/// The metric of a step.
pub(crate) fn metric<'a>(input: &ReportInput<'a>, step: &Step, op: Op, quantity: &str) -> Option<&'a Metric> {
    // The rate of a replayed trace is over its busy time: the pauses of the trace say nothing about the drive.
    let of_replay = quantity == quantity::THROUGHPUT && rate::replays(step) && (op == Op::Total || op == Op::of(step));
    let id = rate::rate_metric(step).filter(|_| of_replay).map_or_else(|| quantity::id(op, quantity), str::to_owned);
    input.analysis.step_metric(&step.id, &id)
}

/// A metric of a step by its whole id, as a cell; empty if the step has none.
pub(crate) fn cell_of(input: &ReportInput<'_>, step: &Step, id: &str) -> Cell {
    let metric = input.analysis.step_metric(&step.id, id);
    metric.map_or_else(Cell::default, |metric| metric_cell(input, metric))
}

/// The metric's value; `None` if it is void or absent.
pub(crate) fn value(input: &ReportInput<'_>, step: &Step, op: Op, quantity: &str) -> Option<f64> {
    metric(input, step, op, quantity)?.value
}

/// Value as text, "void" with its reason, or an empty cell if there is no such figure.
pub(crate) fn cell(input: &ReportInput<'_>, step: &Step, op: Op, quantity: &str) -> Cell {
    metric(input, step, op, quantity).map_or_else(Cell::default, |metric| metric_cell(input, metric))
}

/// Whether the rate of these operations is over the busy time of a replayed trace: if they are all its operations, or
/// the only kind that it has.
pub(crate) fn is_over_busy_time(step: &StepFacts, op: Op, quantity: &str) -> bool {
    let all: Vec<Op> = step.ops.iter().copied().map(Op::from_kind).collect();
    quantity == quantity::THROUGHPUT && step.trace.is_some() && (op == Op::Total || op == Op::among(&all))
}

/// A figure of a step in a digest.
pub(crate) fn digest_cell(digest: &Digest, step: &StepDigest, op: Op, quantity: &str) -> Cell {
    let rate = step.facts.rate.clone().filter(|_| is_over_busy_time(&step.facts, op, quantity));
    let metric = step.metric(&rate.unwrap_or_else(|| quantity::id(op, quantity)));
    metric.map_or_else(Cell::default, |metric| cell_with(&digest.findings, metric))
}

/// The cell of a metric.
pub(crate) fn metric_cell(input: &ReportInput<'_>, metric: &Metric) -> Cell {
    cell_with(&input.analysis.findings, metric)
}

/// The cell of a metric; the findings of the run say why a void one is void.
fn cell_with(findings: &[Finding], metric: &Metric) -> Cell {
    match metric.value {
        Some(value) if metric.lower_bound => Cell::at_least(format::value(value, &metric.unit)).wrong(metric.wrong),
        Some(value) => Cell::text(format::value(value, &metric.unit)).wrong(metric.wrong),
        None if metric.voided_by.is_empty() => Cell::default(),
        // A curve includes loads at and above full speed on purpose: their times grow with the length of the step.
        None if metric.voided_by == ["curve_overloaded"] => {
            Cell { text: "grows".to_owned(), ..Cell::void(void_reason(findings, metric)) }
        }
        None => Cell::void(void_reason(findings, metric)),
    }
}

/// The statements that void a metric.
fn void_reason(findings: &[Finding], metric: &Metric) -> String {
    let about = |finding: &&Finding| {
        let step = metric.step.as_ref();
        metric.voided_by.contains(&finding.code)
            && (finding.steps.is_empty() || finding.steps.iter().any(|key| Some(&key.step) == step))
    };
    let statements: Vec<&str> = findings.iter().filter(about).map(|finding| finding.statement.as_str()).collect();
    // Shown in a tooltip, where nothing can be marked as code.
    if statements.is_empty() { metric.voided_by.join(", ") } else { prose::plain(&statements.join(" ")) }
}

/// Smallest to largest round, and the 95 % interval of the mean; empty cells for a single round.
pub(crate) fn spread_cells(input: &ReportInput<'_>, step: &Step, op: Op, quantity: &str) -> [Cell; 2] {
    let metric = metric(input, step, op, quantity).filter(|metric| metric.value.is_some());
    let Some((metric, spread)) = metric.and_then(|metric| Some((metric, metric.spread?))) else {
        return [Cell::default(), Cell::default()];
    };
    let range = |low, high| format!("{} – {}", format::value(low, &metric.unit), format::value(high, &metric.unit));
    let interval = spread.confidence.map_or_else(Cell::default, |ends| Cell::text(range(ends.low, ends.high)));
    [Cell::text(range(spread.min, spread.max)).wrong(metric.wrong), interval.wrong(metric.wrong)]
}

/// The median of the rounds (or sets), if the figure is the best of them: the figure without that choice.
pub(crate) fn median_cell(input: &ReportInput<'_>, step: &Step, op: Op, quantity: &str) -> Cell {
    let best = input.records.plan.test_of(&step.id).is_some_and(|test| test.combine == Combine::Best);
    let metric = metric(input, step, op, quantity).filter(|metric| best && metric.value.is_some());
    let cell = |metric: &Metric| {
        let text = format::value(metric.spread?.median, &metric.unit);
        Some(Cell::text(text).wrong(metric.wrong))
    };
    metric.and_then(cell).unwrap_or_default()
}

/// Unit to show: `µs` for `us`.
pub(crate) fn unit_text(unit: &str) -> &str {
    if unit == "us" { "µs" } else { unit }
}

/// Why parameters are approximations; empty if none is.
pub(crate) fn approximation(all: &[Approximation]) -> String {
    let reasons = all.iter().map(|one| format!("{}: {}", one.parameter, one.reason));
    reasons.collect::<Vec<_>>().join("; ")
}

/// The heading cell of a step's row.
pub(crate) fn step_cell(step: &Step, text: impl Into<String>) -> Cell {
    Cell { approximation: approximation(&step.approximations), ..Cell::text(text) }
}

/// Whether several groups of threads run a step at the same time: its figures are their sums.
pub(crate) fn has_groups(step: &Step) -> bool {
    step.workload().is_some_and(|workload| !workload.beside.is_empty())
}

/// The heading cell of a row that holds a step's figures; it also says if a round of the step was stopped early.
pub(crate) fn measured_cell(input: &ReportInput<'_>, step: &Step) -> Cell {
    let stopped = |record: &StepRecord| record.key.step == step.id && record.stop_reason == StopReason::Stopped;
    let detail = if input.records.steps.iter().any(stopped) { "stopped early" } else { "" };
    Cell { detail: detail.to_owned(), ..step_cell(step, step.label.clone()) }
}
