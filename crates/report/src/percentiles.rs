//! The latency distribution of a test's steps as percentile curves.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::plan::{Step, TestPlan};
use drivelab_core::workload::Pattern;

use crate::ReportInput;
use crate::chart::{Axis, Chart, Panel, PanelKind, Point, Scale, Series};
use crate::figures::{self, Op, quantity};
use crate::format;
use crate::table::{Cell, Column, Table};
use crate::tests_view::{Figure, measured};

/// Percentiles of the curves.
const CURVE: [(f64, &str); 6] =
    [(50.0, "p50"), (90.0, "p90"), (95.0, "p95"), (99.0, "p99"), (99.9, "p99.9"), (99.99, "p99.99")];
/// The table has the exact maximum as well.
const MAXIMUM: (f64, &str) = (100.0, "max");
/// Fewer operations than this behind a percentile's tail say nothing about it.
const LEAST_BEYOND: f64 = 5.0;
/// More curves than colours cannot be told apart.
const MOST_CURVES: usize = 16;

/// A step's latencies of one kind of operation.
type Curve<'a> = (&'a Step, Op, SparseHistogram);

/// The figure of a test; none where no step has a distribution, or there are more steps than colours.
pub(crate) fn of_test(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Option<Figure> {
    let steps: Vec<&Step> = measured(test).collect();
    let curves: Vec<Curve<'_>> = steps.iter().flat_map(|step| distributions(input, step)).collect();
    if curves.is_empty() || curves.len() > MOST_CURVES {
        return None;
    }
    let chart = Chart {
        id: format!("{id}-percentiles"),
        description: format!("{}: latency percentiles of each step.", test.title),
        x: Axis {
            title: "Share of operations that are at least as fast".to_owned(),
            scale: Scale::Category,
            labels: CURVE.iter().map(|(_, title)| (*title).to_owned()).collect(),
            ticks: Vec::new(),
            end: 0.0,
        },
        panels: panels(&curves),
        stretches: Vec::new(),
    };
    let mut columns = vec![Column::words("Step"), Column::figures("Operations", "")];
    let shown = || CURVE.into_iter().chain([MAXIMUM]);
    columns.extend(shown().map(|(_, title)| Column::figures(title, "µs")));
    let rows = curves.iter().map(|(step, op, histogram)| {
        let mut row = vec![figures::step_cell(step, name(step, *op)), Cell::text(format::iops(count(histogram)))];
        row.extend(shown().map(|(per_cent, _)| {
            percentile_us(histogram, per_cent).map_or_else(Cell::default, |value| Cell::text(format::latency_us(value)))
        }));
        row
    });
    let table = Table { caption: format!("{}: latency distribution", test.title), columns, rows: rows.collect() };
    Some(Figure {
        title: "How latency is distributed".to_owned(),
        caption: "Read off the histograms of all rounds together (buckets at most 0.8 % wide; the maximum is exact). \
                  A percentile with fewer than 5 operations beyond it is left out."
            .to_owned(),
        chart: chart.drawable(),
        table: table.without_empty_columns(),
        long: false,
    })
}

fn name(step: &Step, op: Op) -> String {
    match Op::of(step) {
        Op::Total => format!("{}: {}s", step.label, op.prefix()),
        _ => step.label.clone(),
    }
}

/// One panel for each order and block size, so that large blocks do not press the curves of small ones flat.
fn panels(curves: &[Curve<'_>]) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    for (index, (step, op, histogram)) in curves.iter().enumerate() {
        let Some(workload) = step.workload() else { continue };
        let order = if workload.pattern == Pattern::Random { "random" } else { "sequential" };
        let title = format!("Latency, {} {order}", workload.block_size);
        let colour = u8::try_from(index % 8).unwrap_or_default();
        let points = CURVE.iter().enumerate().map(|(place, (per_cent, title))| {
            let value = percentile_us(histogram, *per_cent);
            let text = value.map_or_else(String::new, |value| format!("{} µs", format::latency_us(value)));
            Point(place as f64, value, text, Some((*title).to_owned()))
        });
        let curve = Series { dashed: index >= 8, points: points.collect(), ..Series::new(&name(step, *op), colour) };
        match panels.iter_mut().find(|panel| panel.title == title) {
            Some(panel) => panel.series.push(curve),
            None => panels.push(Panel { title, unit: "µs".to_owned(), kind: PanelKind::Line, series: vec![curve] }),
        }
    }
    panels
}

/// The merged histograms of a step's rounds, for each kind of operation whose figures are not void.
fn distributions<'a>(input: &ReportInput<'_>, step: &'a Step) -> Vec<Curve<'a>> {
    let valid = |op: &Op| figures::value(input, step, *op, quantity::P50).is_some();
    let merged = |op: Op| {
        let mut all = SparseHistogram::default();
        for record in input.records.steps.iter().filter(|record| record.key.step == step.id) {
            all.merge(if op == Op::Read { &record.read.histogram } else { &record.write.histogram });
        }
        (step, op, all)
    };
    [Op::Read, Op::Write].into_iter().filter(valid).map(merged).filter(|(_, _, all)| all.count > 0).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn count(histogram: &SparseHistogram) -> f64 {
    histogram.count as f64
}

#[expect(clippy::cast_precision_loss, reason = "latencies stay below 2^53 ns")]
fn percentile_us(histogram: &SparseHistogram, per_cent: f64) -> Option<f64> {
    let beyond = count(histogram) * (100.0 - per_cent) / 100.0;
    let enough = per_cent >= 100.0 || beyond >= LEAST_BEYOND;
    histogram.percentile(per_cent).filter(|_| enough).map(|value| value.get() as f64 / 1e3)
}
