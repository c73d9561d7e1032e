//! Ranking bars: one figure of many drives, sorted by it.

use drivelab_core::metric::Better;

use super::drawing::{Drawing, Value};
use crate::figure::chart::{Axis, Chart, Panel, Point, Series};
use crate::figure::{Figure, cells};

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranked {
    /// Whose it is.
    pub(crate) name: String,
    /// Its value; those without one are not drawn.
    pub(crate) value: Option<f64>,
    /// The value as text, with its unit.
    pub(crate) text: String,
    /// Lowest and highest run or round.
    pub(crate) range: Option<(f64, f64)>,
    /// Others published it.
    pub(crate) published: bool,
    /// It is the base, which has a colour of its own.
    pub(crate) base: bool,
}

/// Bars sorted by the value, the best at the top.
pub(crate) fn ranking(title: &str, unit: &str, better: Better, mut bars: Vec<Ranked>, id: &str) -> Option<Figure> {
    bars.retain(|bar| bar.value.is_some());
    bars.sort_by(|one, other| {
        let order = one.value.unwrap_or_default().total_cmp(&other.value.unwrap_or_default());
        if better == Better::Lower { order } else { order.reverse() }
    });
    let series = |name: &str, colour: u8, hatched: bool, of: &dyn Fn(&Ranked) -> bool| {
        let mut series = Series { hatched, ..Series::new(name, colour) };
        for (x, bar) in bars.iter().enumerate().filter(|(_, bar)| of(bar)) {
            series.points.push(Point(x as f64, bar.value, bar.text.clone(), Some(bar.name.clone())));
            series.ranges.extend(bar.range.map(|(low, high)| (x as f64, low, high)));
        }
        series
    };
    let all = vec![
        series("Measured", 0, false, &|bar| !bar.published && !bar.base),
        series("Base", 1, false, &|bar| !bar.published && bar.base),
        series("Published", 0, true, &|bar| bar.published),
    ];
    let direction = if better == Better::Lower { "lower is better" } else { "higher is better" };
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{title}, {direction}: {} bars from zero, the best first.", bars.len()),
        x: Axis::named("", bars.iter().map(|bar| bar.name.clone()).collect()),
        panels: vec![Panel::ranking(title, unit, all)],
        stretches: Vec::new(),
    }
    .drawable()?;
    Some(Figure {
        title: String::new(),
        caption: format!("Bars start at zero; {direction}."),
        table: chart.table(title.to_owned(), "Drive"),
        chart: Some(chart),
        long: false,
    })
}

/// A ranking for each score.
pub(super) fn scores(drawing: Drawing<'_, '_>, id: &str) -> Vec<Figure> {
    let scores = drawing.contrast.ratios.run.iter().filter(|figure| figure.judged);
    let figure = |(at, figure): (usize, &drivelab_analysis::ratios::FigureRatios<'_>)| {
        let unit = cells::unit_text(&figure.metric.unit);
        let bar = |(side, cell): (usize, &drivelab_analysis::ratios::SideFigure<'_>)| {
            let Value { value, text, range } = Value::of(cell, unit);
            let name = drawing.contrast.names[side].clone();
            Ranked { name, value, text, range, published: false, base: side == drawing.contrast.ratios.base }
        };
        let bars = figure.cells.iter().enumerate().map(bar).collect();
        ranking(figure.title, unit, figure.better, bars, &format!("{id}-{at}"))
    };
    scores.enumerate().filter_map(figure).collect()
}
