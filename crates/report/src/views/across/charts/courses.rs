//! Fills over position and time, and long loads over time with their temperatures: one line a side.

use drivelab_analysis::digest::Course;
use drivelab_analysis::ratios::{StepRatios, TestRatios};
use drivelab_core::ids::StepId;

use super::drawing::{Drawing, Value};
use crate::figure::chart::{Axis, Chart, Panel, Series};
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, cells, format};
use crate::views::across::against::value_cell;
use crate::views::time_line::LEAST_POINTS;

/// The figures of fills and of long loads in the table beside a course.
const SHOWN: [&str; 2] = ["fill.", "heat."];

/// x, y and heading of a point.
type Place = (f64, f64, String);

/// The courses of a test's steps that several sides have.
pub(super) fn figures(drawing: Drawing<'_, '_>, test: &TestRatios<'_>, id: &str) -> Vec<Figure> {
    let of_step = |(at, step): (usize, &StepRatios<'_>)| of_step(drawing, step, &format!("{id}-course-{at}"));
    test.steps.iter().enumerate().flat_map(of_step).collect()
}

fn of_step(drawing: Drawing<'_, '_>, step: &StepRatios<'_>, id: &str) -> Vec<Figure> {
    let courses: Vec<Option<&Course>> =
        (0..drawing.count()).map(|side| course(drawing, side, &step.facts.id)).collect();
    if courses.iter().flatten().filter(|course| course.rates.len() >= LEAST_POINTS).count() < 2 {
        return Vec::new();
    }
    let has = |prefix: &str| step.figures.iter().any(|figure| figure.metric.id.starts_with(prefix));
    let lines = |of: fn(&Course) -> Vec<Place>, unit: &str| -> Vec<Series> {
        let line = |(side, course): (usize, &Option<&Course>)| {
            let mut series = drawing.series(side);
            for (x, y, heading) in course.map(of).unwrap_or_default() {
                let value = Value { value: Some(y), text: format!("{} {unit}", format::value(y, unit)), range: None };
                series.push(x, value, heading);
            }
            series
        };
        courses.iter().enumerate().map(line).collect()
    };
    let over_time = Chart {
        id: format!("{id}-time"),
        description: format!("{}: rate and temperature of each side over time.", step.facts.label),
        x: Axis::linear("Seconds since the step began", 0.0),
        panels: vec![
            Panel::lines("Throughput", "MB/s", lines(rates_over_time, "MB/s")),
            Panel::lines("Temperature", "°C", lines(celsius, "°C")),
        ],
        stretches: Vec::new(),
    };
    let over_position = Chart {
        id: format!("{id}-position"),
        description: format!("{}: rate of each side over what it had written.", step.facts.label),
        x: Axis::linear("Written (GB)", 0.0),
        panels: vec![Panel::lines("Throughput", "MB/s", lines(rates_over_position, "MB/s"))],
        stretches: Vec::new(),
    };
    let fill = has("fill.");
    let mut figures: Vec<Figure> = Vec::new();
    for (chart, what) in [(fill.then_some(over_position), "over position"), (Some(over_time), "over time")] {
        let Some(chart) = chart.and_then(Chart::drawable) else { continue };
        let mut table = table(drawing, step);
        if table.rows.is_empty() {
            table = chart.table(step.facts.label.clone(), "Stretch");
        }
        figures.push(Figure {
            title: format!("{}, {what}", step.facts.label),
            caption: "Each point is the mean over a stretch of the step; of several runs the first is drawn."
                .to_owned(),
            chart: Some(chart),
            table,
            long: false,
        });
    }
    figures
}

fn course<'d>(drawing: Drawing<'_, 'd>, side: usize, step: &StepId) -> Option<&'d Course> {
    drawing.contrast.first[side].courses.iter().find(|course| course.key.step == *step)
}

/// Mean rates of the stretches, MB/s, by what `x` makes of a stretch's end.
fn rates(course: &Course, x: impl Fn(f64, f64) -> (f64, String)) -> Vec<Place> {
    let before = std::iter::once((0.0, 0)).chain(course.rates.iter().map(|point| (point.to_s, point.moved)));
    let stretch = |((from_s, from), point): ((f64, u64), &drivelab_analysis::digest::RatePoint)| {
        let seconds = point.to_s - from_s;
        let moved = point.moved.saturating_sub(from) as f64;
        let (x, heading) = x(point.to_s, point.moved as f64);
        (seconds > 0.0).then(|| (x, moved / 1e6 / seconds, heading))
    };
    before.zip(&course.rates).filter_map(stretch).collect()
}

fn rates_over_time(course: &Course) -> Vec<Place> {
    rates(course, |seconds, _| (seconds, format!("to {} s", format::at_second(seconds))))
}

fn rates_over_position(course: &Course) -> Vec<Place> {
    rates(course, |_, moved| (moved / 1e9, format!("to {} GB", format::value(moved / 1e9, "GB"))))
}

fn celsius(course: &Course) -> Vec<Place> {
    let point = |one: &drivelab_analysis::digest::TemperaturePoint| {
        (one.to_s, one.mean, format!("to {} s", format::at_second(one.to_s)))
    };
    course.celsius.iter().map(point).collect()
}

/// The figures of the fill or of the long load, a row each.
fn table(drawing: Drawing<'_, '_>, step: &StepRatios<'_>) -> Table {
    let mut columns = vec![Column::words("Figure"), Column::units()];
    columns.extend(drawing.contrast.names.iter().map(|name| Column::figures(name, "")));
    let shown = step.figures.iter().filter(|figure| SHOWN.iter().any(|prefix| figure.metric.id.starts_with(prefix)));
    let row = |figure: &drivelab_analysis::ratios::FigureRatios<'_>| {
        let first = [Cell::text(figure.title), Cell::text(cells::unit_text(&figure.metric.unit))];
        first.into_iter().chain(figure.cells.iter().map(value_cell)).collect()
    };
    Table { caption: step.facts.label.clone(), columns, rows: shown.map(row).collect() }.without_empty_columns()
}
