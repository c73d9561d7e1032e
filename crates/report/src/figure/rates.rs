//! Rates as tables and charts show them: in the unit in which a test's source published them, as points of a series.

use drivelab_analysis::rate::{self, BUSY_RATE};
use drivelab_core::metric::Metric;
use drivelab_core::plan::{PublishedUnit, Step, TestPlan};

use crate::figure::chart::{Point, Series};
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::table::{Cell, Column};
use crate::figure::{cells, format, quantity};

/// The column of the rate in bytes of these steps: of replays that over busy time.
pub(crate) fn rate_column(op: Option<Op>, steps: &[&Step]) -> Column {
    if !steps.is_empty() && steps.iter().all(|step| rate::replays(step)) {
        return Column { metric: BUSY_RATE.to_owned(), ..Column::figures("Over busy time", "MB/s") };
    }
    quantity::column(op, quantity::THROUGHPUT)
}

/// The column of the rate in the unit in which a test's source published it; `None` where that is no other one.
pub(crate) fn published_column(test: &TestPlan) -> Option<Column> {
    other_unit(test).map(|unit| Column::figures("As published", unit.name))
}

/// The unit of bytes in which a test's source published rates, where that is not MB/s.
pub(crate) fn other_unit(test: &TestPlan) -> Option<OtherUnit> {
    let unit = test.published_unit.filter(|unit| *unit != PublishedUnit::MegabytesPerSecond)?;
    Some(OtherUnit { name: unit.name(), per_mb_s: unit.per_mb_s()? })
}

/// Whether a test's source published its rates in bytes.
pub(crate) fn is_published_in_bytes(test: &TestPlan) -> bool {
    test.published_unit.is_some_and(|unit| unit.per_mb_s().is_some())
}

/// In what a chart shows rates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) title: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) unit: &'static str,
    /// The unit that figures in MB/s become.
    pub(crate) published: Option<OtherUnit>,
}

impl Rate {
    /// Bytes, in MB/s.
    pub(crate) const BYTES: Rate =
        Rate { title: "Throughput", quantity: quantity::THROUGHPUT, unit: "MB/s", published: None };
    /// Operations.
    pub(crate) const OPERATIONS: Rate =
        Rate { title: "Operations per second", quantity: quantity::IOPS, unit: "IOPS", published: None };

    /// In the unit in which a test's source published its rates; `None` where it says none.
    pub(crate) fn of_source(test: &TestPlan) -> Option<Rate> {
        let published = other_unit(test);
        test.published_unit?;
        Some(match published {
            _ if !is_published_in_bytes(test) => Rate::OPERATIONS,
            Some(unit) => Rate { unit: unit.name, published, ..Rate::BYTES },
            None => Rate::BYTES,
        })
    }

    /// Adds the point of a step's rate.
    pub(crate) fn push(
        self,
        series: &mut Series,
        input: &ReportInput<'_>,
        place: (f64, &str),
        (step, op): (&Step, Op),
    ) {
        match self.published {
            Some(unit) => push_rate(series, input, place, step, (op, unit)),
            None => push_point(series, input, place, step, (op, self.quantity)),
        }
    }
}

/// A unit of rates in bytes beside MB/s.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherUnit {
    pub(crate) name: &'static str,
    /// What 1 MB/s is in it.
    per_mb_s: f64,
}

/// The cell of that column: the throughput of an operation in the other unit.
pub(crate) fn published_cell(input: &ReportInput<'_>, test: &TestPlan, step: &Step, op: Op) -> Option<Cell> {
    let unit = other_unit(test)?;
    let metric = cells::metric(input, step, op, quantity::THROUGHPUT);
    Some(metric.and_then(|metric| rate_cell(metric, unit)).unwrap_or_default())
}

/// The cell of a rate in MB/s in another unit; none where it has no value.
fn rate_cell(metric: &Metric, unit: OtherUnit) -> Option<Cell> {
    let text = format::value(metric.value? * unit.per_mb_s, unit.name);
    let cell = if metric.lower_bound { Cell::at_least(text) } else { Cell::text(text) };
    Some(cell.wrong(metric.wrong))
}

/// Adds the point of a metric at x: its value and text as in the tables, and its rounds as a range.
pub(crate) fn push_point(
    series: &mut Series,
    input: &ReportInput<'_>,
    (x, label): (f64, &str),
    step: &Step,
    (op, quantity): (Op, &str),
) {
    let Some(metric) = cells::metric(input, step, op, quantity) else { return };
    push(
        series,
        (x, label),
        metric,
        (cells::metric_cell(input, metric), cells::unit_text(&metric.unit), &|value| value),
    );
}

/// The same of a rate in bytes, in another unit than MB/s.
pub(crate) fn push_rate(
    series: &mut Series,
    input: &ReportInput<'_>,
    (x, label): (f64, &str),
    step: &Step,
    (op, unit): (Op, OtherUnit),
) {
    let Some(metric) = cells::metric(input, step, op, quantity::THROUGHPUT) else { return };
    let cell = rate_cell(metric, unit).unwrap_or_else(|| cells::metric_cell(input, metric));
    push(series, (x, label), metric, (cell, unit.name, &|value| value * unit.per_mb_s));
}

/// A metric with its cell, the unit of that, and what a value becomes in it.
fn push(
    series: &mut Series,
    (x, label): (f64, &str),
    metric: &Metric,
    (cell, unit, scaled): (Cell, &str, &dyn Fn(f64) -> f64),
) {
    let is_figure = !cell.is_void() && !cell.text.is_empty();
    let text = if is_figure { format!("{} {unit}", cell.plain()) } else { cell.text };
    series.points.push(Point(x, metric.value.map(scaled), text, Some(label.to_owned())));
    if let (Some(_), Some(spread)) = (metric.value, metric.spread) {
        series.ranges.push((x, scaled(spread.min), scaled(spread.max)));
    }
}
