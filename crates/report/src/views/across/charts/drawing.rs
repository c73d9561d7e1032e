//! What the charts of a comparison share: the series of the sides, their colours, figures with text and range.

use drivelab_analysis::ratios::{FigureRatios, SideFigure, StepRatios};

use crate::figure::cells;
use crate::figure::chart::{Point, Series};
use crate::views::across::against::value_cell;
use crate::views::across::contrast::Contrast;
use crate::views::across::published::{PublishedSide, Readings};

/// Most series that a reader can distinguish; the others are drawn on demand.
pub(super) const MOST_SERIES: usize = 8;
/// Colours of the sides.
const COLOURS: [u8; MOST_SERIES] = [0, 1, 3, 5, 2, 4, 7, 6];

/// What the line at a point or a bar is.
pub(super) const WHISKERS: &str = "Whiskers show the lowest and the highest round or run.";

/// The colour of a series, by its place.
pub(super) const fn colour(at: usize) -> u8 {
    COLOURS[at % MOST_SERIES]
}

/// The series of a published side, without points; `place` is its place among all series.
pub(super) fn published_series(side: &PublishedSide, place: usize) -> Series {
    let (short, hidden) = (side.letter.clone(), place >= MOST_SERIES);
    Series { short, hatched: true, hidden, ..Series::new(&side.name(), colour(place)) }
}

/// What is drawn.
#[derive(Clone, Copy)]
pub(super) struct Drawing<'c, 'd> {
    pub(super) contrast: &'c Contrast<'d>,
    pub(super) published: &'c [PublishedSide],
}

/// A figure of a side with its text and range, to be placed.
pub(super) struct Value {
    pub(super) value: Option<f64>,
    pub(super) text: String,
    /// Lowest and highest of its runs, or of the rounds of its only run.
    pub(super) range: Option<(f64, f64)>,
}

impl Value {
    /// A gap.
    const fn none() -> Value {
        Value { value: None, text: String::new(), range: None }
    }

    pub(super) fn published(readings: &Readings<'_>, unit: &str) -> Value {
        let text = format!("{} {unit}", readings.cell().plain());
        Value { value: Some(readings.drawn()), text, range: readings.ends() }
    }

    pub(super) fn of(side: &SideFigure<'_>, unit: &str) -> Value {
        let text = value_cell(side).plain();
        let text = if side.value.is_some() { format!("{text} {unit}") } else { text };
        Value { value: side.value, text, range: range(side) }
    }
}

/// Lowest and highest of several runs, or of the rounds of one.
pub(crate) fn range(side: &SideFigure<'_>) -> Option<(f64, f64)> {
    let values: Vec<f64> = match side.metrics.as_slice() {
        [Some(only)] => if only.sets.is_empty() { &only.rounds } else { &only.sets }.clone(),
        several => several.iter().flatten().filter_map(|metric| metric.value).collect(),
    };
    let (low, high) = (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
    (values.len() > 1).then_some((low, high))
}

impl<'d> Drawing<'_, 'd> {
    pub(super) fn count(&self) -> usize {
        self.contrast.names.len()
    }

    /// How many series are drawn at first.
    pub(super) fn drawn(&self) -> usize {
        (self.count() + self.published.len()).min(MOST_SERIES)
    }

    /// The series of a side, without points.
    pub(super) fn series(&self, side: usize) -> Series {
        let (name, short) = (&self.contrast.names[side], self.contrast.letters[side].clone());
        Series { short, hidden: side >= MOST_SERIES, ..Series::new(name, colour(side)) }
    }

    /// The series of a published side, without points.
    pub(super) fn published_series(&self, at: usize) -> Series {
        let series = published_series(&self.published[at], self.count() + at);
        Series { name: format!("{}, published", series.name), ..series }
    }

    /// The series of every side and every published side over these places.
    pub(super) fn over(&self, places: &[Place<'_, 'd>]) -> Vec<Series> {
        let of_side = |side: usize| {
            let mut series = self.series(side);
            for Place { x, heading, figure } in places {
                let value = figure.map_or_else(Value::none, |figure| {
                    Value::of(&figure.cells[side], cells::unit_text(&figure.metric.unit))
                });
                series.push(*x, value, heading.clone());
            }
            series
        };
        let of_published = |at: usize| {
            let mut series = self.published_series(at);
            for Place { x, heading, figure } in places {
                let value = figure.map_or_else(Value::none, |figure| self.published_value(at, figure));
                series.push(*x, value, heading.clone());
            }
            series
        };
        (0..self.count()).map(of_side).chain((0..self.published.len()).map(of_published)).collect()
    }

    /// What was published of a figure.
    fn published_value(&self, at: usize, figure: &FigureRatios<'d>) -> Value {
        let unit = cells::unit_text(&figure.metric.unit);
        self.published[at]
            .readings(figure.metric)
            .map_or_else(Value::none, |readings| Value::published(&readings, unit))
    }
}

/// Where a figure of all sides is drawn.
pub(super) struct Place<'f, 'd> {
    pub(super) x: f64,
    /// Heading of the tooltip and of the row in the table.
    pub(super) heading: String,
    /// The figure; a gap if the step has none.
    pub(super) figure: Option<&'f FigureRatios<'d>>,
}

/// The figure of a step with this metric.
pub(super) fn figure_of<'f, 'd>(step: &'f StepRatios<'d>, metric: &str) -> Option<&'f FigureRatios<'d>> {
    step.figures.iter().find(|figure| figure.metric.id == metric)
}

impl Series {
    pub(super) fn push(&mut self, x: f64, value: Value, heading: String) {
        self.ranges.extend(value.range.filter(|_| value.value.is_some()).map(|(low, high)| (x, low, high)));
        self.points.push(Point(x, value.value, value.text, Some(heading)));
    }
}
