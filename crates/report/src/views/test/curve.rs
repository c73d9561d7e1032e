//! Curves of throughput against latency, as charts and tables: a load at full speed and at shares of it.
//!
//! Every value is a metric of the point's step; the knee is computed in `analysis`. Latency (from submission) and
//! response time (from the intended start) are side by side, never in one column.

use drivelab_analysis::curve::{Curve, CurvePoint, curves};
use drivelab_core::plan::{Step, TestPlan};

use crate::figure::chart::{Axis, Chart, Panel, Point, Series, colour};
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, cells, format, rates};

/// The rate that is also shown in the unit of the source.
const RATE: &str = "total.throughput";
/// Columns of the table: metric and heading.
const SHOWN: [(&str, &str); 9] = [
    ("open_loop.asked_iops", "Requested"),
    ("total.iops", "Achieved"),
    ("total.throughput", "Throughput"),
    ("total.latency_mean", "Latency mean"),
    ("total.latency_p99", "Latency p99"),
    ("total.response_mean", "Response mean"),
    ("total.response_p99", "Response p99"),
    ("open_loop.backlog_growth", "Backlog growth"),
    ("open_loop.backlog_max", "Largest backlog"),
];

/// Whether a test has curves: steps at shares of another step's full speed.
pub(crate) fn is_one(test: &TestPlan) -> bool {
    test.steps.iter().any(|step| step.relative.is_some())
}

/// Every curve of a test.
pub(crate) fn of_test(input: &ReportInput<'_>, test: &TestPlan) -> Vec<Curve> {
    curves(input.records, &input.analysis.metrics, test)
}

/// One figure for each curve.
pub(crate) fn figures(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Vec<Figure> {
    let figure = |(at, curve): (usize, &Curve)| Figure {
        title: curve.label.clone(),
        caption: caption(curve),
        chart: chart(input, curve, &format!("{id}-curve-{at}")).drawable(),
        table: table(input, test, curve),
        long: false,
    };
    of_test(input, test).iter().enumerate().map(figure).collect()
}

/// Fewest shares of full speed that can show a knee, as docs/metrics.md defines it.
const KNEE_POINTS: usize = 4;

/// Position of the knee, or why there is none.
pub(crate) fn knee_sentence(curve: &Curve) -> String {
    if let Some(knee) = &curve.knee {
        let point = curve.points.iter().find(|point| point.step == knee.step);
        let void = point.is_some_and(|point| point.response_mean_us.is_none());
        return format!(
            "The knee is at {} % of full speed: {} operations per second with a mean latency of {} µs.{}",
            knee.percent,
            format::iops(knee.iops),
            format::latency_us(knee.latency_us),
            if void { " This point has no response time: operations arrived faster than they completed." } else { "" }
        );
    }
    let places = curve
        .points
        .iter()
        .filter(|point| point.percent.is_some() && point.done_iops.is_some() && point.latency_mean_us.is_some());
    if places.count() < KNEE_POINTS {
        return format!("There are too few points for a knee: it needs {KNEE_POINTS} shares of full speed.");
    }
    "The curve has no knee: latency does not grow, or grows evenly.".to_owned()
}

/// The shares that were not run: a sentence each, after a space.
pub(crate) fn left_out(curve: &Curve) -> String {
    curve.left_out.iter().map(|out| format!(" {} % was not run: {}.", out.percent, out.why)).collect()
}

fn caption(curve: &Curve) -> String {
    format!(
        "Full speed is a closed loop; the other points are open loops at shares of that rate. Latency counts from \
         submission, response time from the intended start. If more operations arrive than are completed, response \
         times grow with the length of the step, and the result is the growth of the backlog. {}{}",
        knee_sentence(curve),
        left_out(curve)
    )
}

/// Times over the achieved operations per second. Full speed is a closed loop and has no point on the lines.
fn chart(input: &ReportInput<'_>, curve: &Curve, id: &str) -> Chart {
    let panel = |title: &str, mean: &str, p99: &str| {
        let tail = Series { dashed: true, ..series(input, curve, p99, "p99", colour::READ_TAIL) };
        Panel::log_lines(title, "µs", vec![series(input, curve, mean, "mean", colour::TOTAL), tail])
    };
    Chart {
        id: id.to_owned(),
        description: format!("{}: latency and response time over operations per second.", curve.label),
        x: Axis::linear("Achieved operations per second", 0.0),
        panels: vec![
            panel("Latency", "total.latency_mean", "total.latency_p99"),
            panel("Response time", "total.response_mean", "total.response_p99"),
        ],
        stretches: Vec::new(),
    }
}

fn series(input: &ReportInput<'_>, curve: &Curve, metric: &str, name: &str, colour: u8) -> Series {
    let mut points: Vec<(f64, &CurvePoint)> =
        curve.points.iter().filter(|point| point.percent.is_some()).filter_map(|p| Some((p.done_iops?, p))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut series = Series::new(name, colour);
    for (x, point) in points {
        let Some(metric) = input.analysis.step_metric(&point.step, metric) else { continue };
        let text = cells::metric_cell(input, metric).plain();
        let text = if metric.value.is_some() { format!("{text} µs") } else { text };
        series.points.push(Point(x, metric.value, text, Some(place(point))));
    }
    series
}

fn place(point: &CurvePoint) -> String {
    point.percent.map_or_else(|| "full speed".to_owned(), |percent| format!("{percent} %"))
}

/// One row for each point.
pub(crate) fn table(input: &ReportInput<'_>, test: &TestPlan, curve: &Curve) -> Table {
    let mut columns = vec![Column::words("Load")];
    columns.extend(SHOWN.map(|(id, title)| {
        let unit = drivelab_analysis::metric_def(id).map_or("", |def| cells::unit_text(def.unit));
        Column { metric: id.to_owned(), ..Column::figures(title, unit) }
    }));
    let behind_rate = 1 + SHOWN.iter().position(|(id, _)| *id == RATE).map_or(SHOWN.len(), |at| at + 1);
    if let Some(published) = rates::published_column(test) {
        columns.insert(behind_rate, published);
    }
    let row = |point: &CurvePoint| {
        let step: Option<&Step> = test.steps.iter().find(|step| step.id == point.step);
        let knee = curve.knee.as_ref().is_some_and(|knee| knee.step == point.step);
        let name = if knee { format!("{} (knee)", place(point)) } else { place(point) };
        let mut row = vec![step.map_or_else(|| Cell::text(name.clone()), |step| cells::step_cell(step, name.clone()))];
        let cell = |id| step.map_or_else(Cell::default, |step| cells::cell_of(input, step, id));
        row.extend(SHOWN.map(|(id, _)| cell(id)));
        let published = |step: &Step| rates::published_cell(input, test, step, Op::Total);
        if let Some(cell) = step.and_then(published).or_else(|| rates::other_unit(test).map(|_| Cell::default())) {
            row.insert(behind_rate, cell);
        }
        row
    };
    let caption = format!("{}: {}", test.title, curve.label);
    Table { caption, columns, rows: curve.points.iter().map(row).collect() }.without_empty_columns()
}

/// The columns of a short table of a curve.
const IN_SHORT: [&str; 6] = ["Load", "Requested", "Achieved", "Latency mean", "Response mean", "Response p99"];

/// A short table of a curve: requested rate, achieved rate and times, in at most `most` rows. Full speed, the knee and
/// the last point are always included.
pub(crate) fn short_table(input: &ReportInput<'_>, test: &TestPlan, curve: &Curve, most: usize) -> Table {
    let Table { caption, columns, rows } = table(input, test, curve);
    let shown: Vec<usize> =
        (0..columns.len()).filter(|at| columns.get(*at).is_some_and(|one| IN_SHORT.contains(&&*one.title))).collect();
    // The rows that are always included need room too.
    let each = rows.len().saturating_sub(1).div_ceil(most.saturating_sub(3).max(1)).max(1);
    let each = if rows.len() <= most { 1 } else { each };
    let knee = curve.knee.as_ref().and_then(|knee| curve.points.iter().position(|point| point.step == knee.step));
    let last = rows.len().saturating_sub(1);
    let kept = |at: usize| at.saturating_sub(1).is_multiple_of(each) || at == last || Some(at) == knee;
    let pick = |row: &Vec<Cell>| shown.iter().filter_map(|at| row.get(*at).cloned()).collect();
    let rows = rows.iter().enumerate().filter(|(at, _)| kept(*at)).map(|(_, row)| pick(row)).collect();
    Table { caption, columns: shown.iter().filter_map(|at| columns.get(*at).cloned()).collect(), rows }
}

#[cfg(test)]
mod tests;
