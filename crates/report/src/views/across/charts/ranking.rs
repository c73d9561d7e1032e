//! Ranking bars: one figure of many drives, sorted by it.

use drivelab_core::metric::Better;

use super::drawing::{Drawing, Value};
use crate::figure::chart::{Axis, Chart, Panel, Point, Series};
use crate::figure::{Figure, cells};

/// A bar.
#[derive(Debug, Clone, Default, PartialEq)]
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
    /// Whether it has a colour of its own.
    pub(crate) mark: Mark,
    /// The drive, if it may have several bars, such as that of the empty and that of the full drive; they stand
    /// together.
    pub(crate) drive: String,
}

/// Sorts bars by value, the best first. Bars of the same drive are next to each other; the better one decides their
/// place.
fn sort(bars: Vec<Ranked>, better: Better) -> Vec<Ranked> {
    let mut left: Vec<Ranked> = bars.into_iter().filter(|bar| bar.value.is_some()).collect();
    left.sort_by(|one, other| {
        let order = one.value.unwrap_or_default().total_cmp(&other.value.unwrap_or_default());
        if better == Better::Lower { order } else { order.reverse() }
    });
    let mut sorted: Vec<Ranked> = Vec::new();
    while !left.is_empty() {
        let first = left.remove(0);
        let is_of = |bar: &Ranked| !bar.drive.is_empty() && bar.drive == first.drive;
        let (own, others): (Vec<Ranked>, Vec<Ranked>) = left.into_iter().partition(is_of);
        left = others;
        sorted.push(first);
        sorted.extend(own);
    }
    sorted
}

/// A bar that stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mark {
    /// One of the others.
    #[default]
    None,
    /// The base of the comparison.
    Base,
    /// The drive under review (`rank --mark`).
    Reviewed,
}

impl Mark {
    /// That of the base, and none for the others.
    pub(super) const fn of_base(is_base: bool) -> Mark {
        if is_base { Mark::Base } else { Mark::None }
    }

    /// What the legend calls such bars.
    const fn words(self) -> &'static str {
        match self {
            Mark::None => "",
            Mark::Base => "Base",
            Mark::Reviewed => "Under review",
        }
    }
}

/// Bars sorted by the value, the best at the top.
pub(crate) fn ranking(title: &str, unit: &str, better: Better, bars: Vec<Ranked>, id: &str) -> Option<Figure> {
    let bars = sort(bars, better);
    let series = |name: &str, colour: u8, hatched: bool, of: &dyn Fn(usize, &Ranked) -> bool| {
        let mut series = Series { hatched, ..Series::new(name, colour) };
        for (x, bar) in bars.iter().enumerate().filter(|(x, bar)| of(*x, bar)) {
            series.points.push(Point(x as f64, bar.value, bar.text.clone(), Some(bar.name.clone())));
            series.ranges.extend(bar.range.map(|(low, high)| (x as f64, low, high)));
        }
        series
    };
    let is_further = |x: usize| x > 0 && !bars[x].drive.is_empty() && bars[x].drive == bars[x - 1].drive;
    let mark = bars.iter().map(|bar| bar.mark).find(|mark| *mark != Mark::None).unwrap_or_default().words();
    let all = vec![
        series("Measured", 0, false, &|x, bar| !bar.published && bar.mark == Mark::None && !is_further(x)),
        series("Same drive, other state", 4, false, &|x, bar| {
            !bar.published && bar.mark == Mark::None && is_further(x)
        }),
        series(mark, 1, false, &|_, bar| !bar.published && bar.mark != Mark::None),
        series("Published", 0, true, &|_, bar| bar.published && bar.mark == Mark::None),
        series(&format!("{mark}, published"), 1, true, &|_, bar| bar.published && bar.mark != Mark::None),
    ];
    let pairs = if (0..bars.len()).any(is_further) {
        " Bars of the same drive are next to each other; the better one decides their place."
    } else {
        ""
    };
    let direction = match better {
        Better::Lower => "lower is better",
        Better::Higher => "higher is better",
        Better::Neutral => "the highest first",
    };
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{title}, {direction}: {} bars from zero, sorted.", bars.len()),
        x: Axis::named("", bars.iter().map(|bar| bar.name.clone()).collect()),
        panels: vec![Panel::ranking(title, unit, all)],
        stretches: Vec::new(),
    }
    .drawable()?;
    Some(Figure {
        title: String::new(),
        caption: format!("Bars start at zero; {direction}.{pairs}"),
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
            Ranked {
                name,
                value,
                text,
                range,
                mark: Mark::of_base(side == drawing.contrast.ratios.base),
                ..Ranked::default()
            }
        };
        let bars = figure.cells.iter().enumerate().map(bar).collect();
        ranking(figure.title, unit, figure.better, bars, &format!("{id}-{at}"))
    };
    scores.enumerate().filter_map(figure).collect()
}
