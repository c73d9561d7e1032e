//! Rates for tables and charts: in the unit that a test's source published, and as points of a series.

use drivelab_analysis::rate::{self, BUSY_RATE};
use drivelab_core::metric::Metric;
use drivelab_core::plan::{PublishedUnit, Step, TestPlan};

use crate::figure::chart::{Point, Series};
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::table::{Cell, Column};
use crate::figure::{cells, format, quantity};

/// The column of the byte rate of these steps; for replays, of the rate over busy time.
pub(crate) fn rate_column(op: Option<Op>, steps: &[&Step]) -> Column {
    if !steps.is_empty() && steps.iter().all(|step| rate::replays(step)) {
        return Column { metric: BUSY_RATE.to_owned(), ..Column::figures("Over busy time", "MB/s") };
    }
    quantity::column(op, quantity::THROUGHPUT)
}

/// The column of the rate in the unit that a test's source published; `None` if that unit has a column already.
pub(crate) fn published_column(test: &TestPlan) -> Option<Column> {
    other_unit(test).map(|unit| Column::figures("As published", unit.name))
}

/// The unit of byte rates that a test's source published, if that is not MB/s.
pub(crate) fn other_unit(test: &TestPlan) -> Option<OtherUnit> {
    let unit = test.published_unit.filter(|unit| *unit != PublishedUnit::MegabytesPerSecond)?;
    Some(OtherUnit { name: unit.name(), per_mb_s: unit.per_mb_s()? })
}

/// Whether a test's source published byte rates.
pub(crate) fn is_published_in_bytes(test: &TestPlan) -> bool {
    test.published_unit.is_some_and(|unit| unit.per_mb_s().is_some())
}

/// The unit in which a chart shows rates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) title: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) unit: &'static str,
    /// The unit to which figures in MB/s are converted.
    pub(crate) published: Option<OtherUnit>,
}

impl Rate {
    /// Bytes, in MB/s.
    pub(crate) const BYTES: Rate =
        Rate { title: "Throughput", quantity: quantity::THROUGHPUT, unit: "MB/s", published: None };
    /// Operations.
    pub(crate) const OPERATIONS: Rate =
        Rate { title: "Operations per second", quantity: quantity::IOPS, unit: "IOPS", published: None };

    /// The unit in which a test's source published its rates; `None` if the source has none.
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

/// A unit of byte rates other than MB/s.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherUnit {
    pub(crate) name: &'static str,
    /// The value of 1 MB/s in this unit.
    per_mb_s: f64,
}

/// The cell of the published column: throughput in the other unit.
pub(crate) fn published_cell(input: &ReportInput<'_>, test: &TestPlan, step: &Step, op: Op) -> Option<Cell> {
    let unit = other_unit(test)?;
    let metric = cells::metric(input, step, op, quantity::THROUGHPUT);
    Some(metric.and_then(|metric| rate_cell(metric, unit)).unwrap_or_default())
}

/// The cell of a rate in MB/s, converted to another unit; `None` if it has no value.
fn rate_cell(metric: &Metric, unit: OtherUnit) -> Option<Cell> {
    let text = format::value(metric.value? * unit.per_mb_s, unit.name);
    let cell = if metric.lower_bound { Cell::at_least(text) } else { Cell::text(text) };
    Some(cell.wrong(metric.wrong))
}

/// Adds the point of a metric at x: value and text as in the tables, and its rounds as a range.
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

/// Adds the point of a byte rate in a unit other than MB/s.
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

/// Adds a point from a metric, its cell, the unit of the cell, and the conversion of a value to that unit.
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
