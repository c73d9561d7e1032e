//! A test over one axis, or over two, as lines: rate above, latency below, and the table of all steps.
//!
//! With two axes, one is x, and each value of the other has its own line. Rates are in the unit that the test's source
//! published; without one, random loads are in operations and all others in bytes.

use std::collections::BTreeSet;

use drivelab_analysis::series::{Sweep, SweepLine, sweeps};
use drivelab_core::plan::{Step, TestPlan};
use drivelab_core::workload::Pattern;

use crate::figure::chart::{Axis, Chart, Panel, Series, colour};
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::measured;
use crate::figure::rates::{self, OtherUnit, Rate};
use crate::figure::{Figure, axes, quantity};
use crate::views::test::steps::{caption, table_of};

/// Most lines that can be told apart.
const MOST_LINES: usize = 8;

/// The sweep of a test, if it has at least three numeric values. Values without an order are shown as bars, and so are
/// too many lines.
pub(crate) fn of_test(input: &ReportInput<'_>, test: &TestPlan) -> Option<Sweep> {
    let is_this = |sweep: &Sweep| {
        sweep.test == test.name
            && sweep.is_over_numbers()
            && sweep.lines.iter().any(|line| line.points.len() > 2)
            && (sweep.by.is_none() || colours(sweep, test) <= MOST_LINES)
    };
    sweeps(input.records, input.analysis).into_iter().find(is_this)
}

/// Lines over the axis: rate above, latency below.
pub(crate) fn figure(input: &ReportInput<'_>, test: &TestPlan, sweep: &Sweep, id: &str) -> Figure {
    let rate = rate_of(test, sweep);
    let axis = axis(sweep);
    let panels =
        if sweep.by.is_some() { by_value(input, test, sweep, rate) } else { by_kind(input, test, sweep, rate) };
    let chart = Chart {
        id: format!("{id}-sweep"),
        description: format!(
            "{}: {} and latency over {}{}.",
            test.title,
            rate.title.to_lowercase(),
            axis.title.to_lowercase(),
            sweep.by.as_ref().map_or_else(String::new, |by| {
                format!(", a line for each value of {}", axes::title(by).to_lowercase())
            })
        ),
        x: axis,
        panels,
        stretches: Vec::new(),
    };
    Figure {
        title: String::new(),
        caption: caption(input, test),
        chart: chart.drawable(),
        table: table_of(input, test, "Step"),
        long: false,
    }
}

/// The unit of the source; without one, bytes for sequential loads and for sweeps of the block size, otherwise
/// operations.
fn rate_of(test: &TestPlan, sweep: &Sweep) -> Rate {
    let sequential = measured(test).filter_map(Step::workload).all(|load| load.pattern == Pattern::Sequential);
    Rate::of_source(test).unwrap_or(if sequential || sweep.axis == "block_size" {
        Rate::BYTES
    } else {
        Rate::OPERATIONS
    })
}

fn is_mixed(test: &TestPlan) -> bool {
    measured(test).any(|step| Op::of(step) == Op::Total)
}

/// The kinds whose rates are drawn.
fn rated(test: &TestPlan) -> Vec<Op> {
    let mut ops = vec![Op::Total, Op::Read, Op::Write, Op::Trim, Op::WriteZeroes, Op::Flush];
    ops.retain(|op| *op != Op::Total || is_mixed(test));
    ops
}

/// One axis: a line for each kind of operation, with median and tail of the latencies.
fn by_kind(input: &ReportInput<'_>, test: &TestPlan, sweep: &Sweep, rate: Rate) -> Vec<Panel> {
    let every: Vec<&SweepLine> = sweep.lines.iter().collect();
    let ops = rated(test);
    let rates = ops.iter().map(|op| {
        let line = Line { name: op.title().to_owned(), colour: op.colour(), dashed: false };
        line.over(input, sweep, &every, (*op, rate.quantity), rate.published)
    });
    let kinds: Vec<Op> = ops.iter().copied().filter(|op| op.kind().is_some()).collect();
    let times = |quantities: [&str; 2]| -> Vec<Series> {
        let one = |op: &Op, quantity: &str, tail: bool| {
            let colour = match (op, tail) {
                (Op::Read, true) => colour::READ_TAIL,
                (Op::Write, true) => colour::WRITE_TAIL,
                (op, _) => op.colour(),
            };
            let name = format!("{} {}", op.title(), if tail { "p99" } else { "p50" });
            Line { name, colour, dashed: tail }.over(input, sweep, &every, (*op, quantity), None)
        };
        let [median, tail] = quantities;
        kinds.iter().flat_map(|op| [one(op, median, false), one(op, tail, true)]).collect()
    };
    vec![
        Panel::lines(rate.title, rate.unit, rates.collect()),
        Panel::log_lines("Latency", "µs", times([quantity::P50, quantity::P99])),
        Panel::log_lines("Response time", "µs", times([quantity::RESPONSE_P50, quantity::RESPONSE_P99])),
    ]
}

/// Two axes: a line for each value of the second. Only the tail of the latencies is shown; the table has the rest.
fn by_value(input: &ReportInput<'_>, test: &TestPlan, sweep: &Sweep, rate: Rate) -> Vec<Panel> {
    let values = values_of(sweep);
    let kinds = kinds_of(test);
    let total: &[Op] = if is_mixed(test) { &[Op::Total] } else { &kinds };
    let by = sweep.by.as_deref().unwrap_or_default();
    let lines = |ops: &[Op], quantity: &str, published: Option<OtherUnit>| -> Vec<Series> {
        let places = values.iter().flat_map(|value| ops.iter().map(move |op| (*value, *op)));
        let line = |(at, (value, op)): (usize, (&str, Op))| {
            let own: Vec<&SweepLine> = sweep.lines.iter().filter(|line| line.by.as_deref() == Some(value)).collect();
            let kind = if ops.len() > 1 { format!(", {}", op.plural()) } else { String::new() };
            let colour = u8::try_from(at % MOST_LINES).unwrap_or_default();
            let line =
                Line { name: format!("{}{kind}", axes::value_text(by, value)), colour, dashed: at >= MOST_LINES };
            line.over(input, sweep, &own, (op, quantity), published)
        };
        places.enumerate().map(line).collect()
    };
    vec![
        Panel::lines(rate.title, rate.unit, lines(total, rate.quantity, rate.published)),
        Panel::log_lines("Latency p99", "µs", lines(&kinds, quantity::P99, None)),
        Panel::log_lines("Response time p99", "µs", lines(&kinds, quantity::RESPONSE_P99, None)),
    ]
}

/// The kinds of operation that a test issues, in a fixed order.
fn kinds_of(test: &TestPlan) -> Vec<Op> {
    let issued: Vec<Op> = measured(test).flat_map(Op::all_of).collect();
    rated(test).into_iter().filter(|op| issued.contains(op)).collect()
}

/// The values of the second axis, in the order of the plan.
fn values_of(sweep: &Sweep) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    sweep.lines.iter().filter_map(|line| line.by.as_deref()).filter(|value| seen.insert(*value)).collect()
}

/// Colours that the rates of a sweep over two axes need.
fn colours(sweep: &Sweep, test: &TestPlan) -> usize {
    values_of(sweep).len() * if is_mixed(test) { 1 } else { kinds_of(test).len() }
}

/// The x axis of a sweep.
pub(crate) fn axis(sweep: &Sweep) -> Axis {
    let places = sweep.lines.iter().flat_map(|line| &line.points).map(|point| (point.x, point.label.as_str()));
    axes::over(&sweep.axis, &places.collect::<Vec<_>>())
}

/// Name and style of a line.
struct Line {
    name: String,
    colour: u8,
    dashed: bool,
}

impl Line {
    /// A line through the points of these lines of a sweep.
    fn over(
        self,
        input: &ReportInput<'_>,
        sweep: &Sweep,
        lines: &[&SweepLine],
        (op, quantity): (Op, &str),
        published: Option<OtherUnit>,
    ) -> Series {
        let axis = axis(sweep);
        let mut series = Series { dashed: self.dashed, ..Series::new(&self.name, self.colour) };
        for point in lines.iter().flat_map(|line| &line.points) {
            let Some(step) = input.records.plan.step(&point.step) else { continue };
            let x = axis.place(point.x);
            let heading = format!("{}: {}", axis.title, point.label);
            match published {
                Some(unit) => rates::push_rate(&mut series, input, (x, &heading), step, (op, unit)),
                None => rates::push_point(&mut series, input, (x, &heading), step, (op, quantity)),
            }
        }
        series
    }
}

#[cfg(test)]
mod tests;
