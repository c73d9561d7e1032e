//! Load curves of several sides: latency over the achieved operations per second, full speed as the last point.

use drivelab_analysis::ratios::{StepRatios, TestRatios};
use drivelab_core::ids::StepId;

use super::drawing::{Drawing, Value, figure_of};
use crate::figure::chart::{Axis, Chart, Panel, Series};
use crate::figure::{Figure, cells, format};

/// One figure for each curve of a test.
pub(super) fn figures(drawing: Drawing<'_, '_>, test: &TestRatios<'_>, id: &str) -> Vec<Figure> {
    let mut bases: Vec<&StepId> = Vec::new();
    for of in test.steps.iter().filter_map(|step| step.facts.relative.as_ref()).map(|relative| &relative.of) {
        if !bases.contains(&of) {
            bases.push(of);
        }
    }
    let figure = |(at, base): (usize, &&StepId)| figure(drawing, test, base, &format!("{id}-curve-{at}"));
    bases.iter().enumerate().filter_map(figure).collect()
}

fn figure(drawing: Drawing<'_, '_>, test: &TestRatios<'_>, base: &StepId, id: &str) -> Option<Figure> {
    let full = test.steps.iter().find(|step| step.facts.id == *base);
    let shares = test.steps.iter().filter_map(|step| {
        let relative = step.facts.relative.as_ref().filter(|relative| relative.of == *base)?;
        Some((Some(relative.percent), step))
    });
    let points: Vec<(Option<u32>, &StepRatios<'_>)> = shares.chain(full.map(|step| (None, step))).collect();
    let lines = |metric: &str| -> Vec<Series> {
        let measured = (0..drawing.count()).map(|side| line(drawing, side, &points, metric));
        let published = (0..drawing.published.len()).map(|at| published_points(drawing, at, &points, metric));
        measured.chain(published).collect()
    };
    let label = full.map_or_else(|| test.title.to_owned(), |step| step.facts.label.replacen(", full speed", "", 1));
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{label}: latency of each side over its operations per second."),
        x: Axis::linear("Achieved operations per second", 0.0),
        panels: vec![
            Panel::log_lines("Latency mean", "µs", lines("total.latency_mean")),
            Panel::log_lines("Latency p99", "µs", lines("total.latency_p99")),
        ],
        stretches: Vec::new(),
    }
    .drawable()?;
    let table = chart.table(label.clone(), "Share of full speed");
    Some(Figure {
        title: label,
        caption: "Each point is a share of the side's own full speed, which is a closed loop and usually the \
                  last point of its line. Latency counts from submission."
            .to_owned(),
        chart: Some(chart),
        table,
        long: false,
    })
}

/// A point: operations per second, the latency there, and the share of full speed.
type Place = (f64, Value, String);

/// A line over its own rates. Full speed ends it, if it is the fastest point.
fn joined(mut series: Series, mut places: Vec<Place>) -> Series {
    places.sort_by(|one, other| one.0.total_cmp(&other.0));
    for (x, value, heading) in places {
        series.push(x, value, heading);
    }
    series
}

/// What a point is called.
fn heading(percent: Option<u32>) -> String {
    percent.map_or_else(|| "full speed".to_owned(), |percent| format!("{percent} %"))
}

/// A side over its own rates.
fn line(drawing: Drawing<'_, '_>, side: usize, points: &[(Option<u32>, &StepRatios<'_>)], metric: &str) -> Series {
    let place = |(percent, step): &(Option<u32>, &StepRatios<'_>)| {
        let iops = figure_of(step, "total.iops")?.cells[side].value?;
        let figure = figure_of(step, metric)?;
        let value = Value::of(&figure.cells[side], cells::unit_text(&figure.metric.unit));
        let text = format!("{} at {} IOPS", value.text, format::iops(iops));
        Some((iops, Value { text, ..value }, heading(*percent)))
    };
    joined(drawing.series(side), points.iter().filter_map(place).collect())
}

/// Where others published both the operations per second and the latency: the peak of a drive's curve, say.
fn published_points(
    drawing: Drawing<'_, '_>,
    at: usize,
    points: &[(Option<u32>, &StepRatios<'_>)],
    metric: &str,
) -> Series {
    let side = &drawing.published[at];
    let place = |(percent, step): &(Option<u32>, &StepRatios<'_>)| {
        let published = |kind: &str, metric: &str| {
            let figure = figure_of(step, &metric.replacen("total", kind, 1))?;
            Some((figure, side.readings(figure.metric)?))
        };
        let both = |kind: &str| Some((published(kind, "total.iops")?.1, published(kind, metric)?.0));
        // Of a load of one kind, reviews print the rate and the latency of that kind.
        let only = if let [only] = step.facts.ops.as_slice() { Some(only.name()) } else { None };
        let (iops, figure) = both("total").or_else(|| both(only?))?;
        let value = Value::published(&side.readings(figure.metric)?, cells::unit_text(&figure.metric.unit));
        let text = format!("{} at {} IOPS", value.text, iops.cell().plain());
        Some((iops.drawn(), Value { text, ..value }, heading(*percent)))
    };
    joined(drawing.published_series(at), points.iter().filter_map(place).collect())
}
