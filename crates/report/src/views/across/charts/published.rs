//! Charts of published figures alone: sweeps over the block size, bars by capacity, and ranking bars of the rest.

use std::collections::BTreeSet;

use drivelab_analysis::families::{Family, SizedDrive, families};
use drivelab_core::units::Bytes;

use super::drawing::{MOST_SERIES, Value, published_series};
use super::ranking::{Ranked, ranking};
use super::scaling;
use crate::figure::chart::{Chart, Panel, Series};
use crate::figure::{Figure, TestView, axes, cells};
use crate::views::across::published::alone::{Alone, Row};

/// Fewest block sizes of a sweep.
const LEAST_POSITIONS: usize = 3;
/// Most ranking charts; the table has all figures.
const MOST_RANKINGS: usize = 40;

/// The charts, those of one kind together.
pub(crate) fn views(alone: &Alone<'_>) -> Vec<TestView> {
    let (sweeps, swept) = sweeps(alone);
    let (capacities, sized) = capacities(alone);
    let left = (0..alone.rows.len()).filter(|row| !swept.contains(row) && !sized.contains(row));
    let rankings = left.filter_map(|row| rank(alone, row)).take(MOST_RANKINGS).collect();
    let view = |(id, title, figures): (&str, &str, Vec<Figure>)| TestView {
        id: format!("published-{id}"),
        title: title.to_owned(),
        purpose: String::new(),
        figures,
    };
    let all = [
        ("sweeps", "Over the block size", sweeps),
        ("capacity", "Capacity", capacities),
        ("ranks", "Test by test", rankings),
    ];
    all.into_iter().map(view).filter(|view| !view.figures.is_empty()).collect()
}

/// What the lines of one chart have in common: metric, pattern, queue depth, and which of several figures.
type Shared<'p> = (&'p str, Option<&'p str>, Option<u32>, Option<&'p str>);

/// A chart for the rows that differ only in block size and threads, and the rows that are drawn.
fn sweeps(alone: &Alone<'_>) -> (Vec<Figure>, BTreeSet<usize>) {
    let mut charts: Vec<(Shared<'_>, Vec<usize>)> = Vec::new();
    for (at, row) in alone.rows.iter().enumerate() {
        let Some(figure) = row.any().filter(|figure| figure.block_size.is_some()) else { continue };
        let shared = (row.metric, figure.pattern.as_deref(), figure.queue_depth, row.which);
        match charts.iter_mut().find(|(known, _)| *known == shared) {
            Some((_, rows)) => rows.push(at),
            None => charts.push((shared, vec![at])),
        }
    }
    let mut drawn = BTreeSet::new();
    let mut figures = Vec::new();
    for (at, (_, rows)) in charts.iter().enumerate() {
        if let Some((figure, own)) = sweep(alone, rows, &format!("published-sweep-{at}")) {
            figures.push(figure);
            drawn.extend(own);
        }
    }
    (figures, drawn)
}

/// Block size, threads and place of a row.
struct Point<'p> {
    bytes: f64,
    label: &'p str,
    threads: Option<u32>,
    row: usize,
}

/// One chart, a line for each side and number of threads; `None` for too few block sizes.
fn sweep(alone: &Alone<'_>, rows: &[usize], id: &str) -> Option<(Figure, Vec<usize>)> {
    let point = |row: &usize| {
        let figure = alone.rows[*row].any()?;
        let label = figure.block_size.as_deref()?;
        Some(Point { bytes: label.parse::<Bytes>().ok()?.as_f64(), label, threads: figure.threads, row: *row })
    };
    let mut points: Vec<Point<'_>> = rows.iter().filter_map(point).collect();
    points.sort_by(|one, other| one.bytes.total_cmp(&other.bytes));
    let lines: BTreeSet<Option<u32>> = points.iter().map(|point| point.threads).collect();
    // A line of one or two points is no sweep; its figures are ranked.
    let positions = |line: Option<u32>| {
        let own = points.iter().filter(|point| point.threads == line);
        own.map(|point| point.label).collect::<BTreeSet<_>>().len()
    };
    let lines: Vec<Option<u32>> = lines.into_iter().filter(|line| positions(*line) >= LEAST_POSITIONS).collect();
    points.retain(|point| lines.contains(&point.threads));
    let first = &alone.rows[points.first()?.row];
    let x = axes::over("block_size", &points.iter().map(|point| (point.bytes, point.label)).collect::<Vec<_>>());
    let unit = cells::unit_text(first.unit);
    let series = |(kind, line): (usize, &Option<u32>)| -> Vec<Series> {
        let of_side = |side: usize| {
            let mut series = published_series(&alone.sides[side], side);
            if let Some(threads) = line.filter(|_| lines.len() > 1) {
                let words = axes::value_text("threads", &threads.to_string());
                (series.name, series.short) =
                    (format!("{}, {words}", series.name), format!("{}, {words}", series.short));
            }
            series.dashed = kind > 0;
            for point in points.iter().filter(|point| point.threads == *line) {
                if let Some(readings) = &alone.rows[point.row].cells[side] {
                    series.push(
                        x.place(point.bytes),
                        Value::published(readings, unit),
                        format!("{}: {}", x.title, point.label),
                    );
                }
            }
            series
        };
        (0..alone.sides.len()).map(of_side).collect()
    };
    let mut all: Vec<Series> = lines.iter().enumerate().flat_map(series).filter(Series::has_figures).collect();
    for (at, one) in all.iter_mut().enumerate() {
        one.hidden = at >= MOST_SERIES;
    }
    let title = match first.which {
        Some(which) => format!("{}, {which}", first.title),
        None => first.title.to_owned(),
    };
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{title} over the block size: a line for each published drive."),
        x: x.clone(),
        panels: vec![Panel::lines(first.title, unit, all)],
        stretches: Vec::new(),
    }
    .drawable()?;
    let figure = Figure {
        title,
        caption: "Published figures. More than eight lines are drawn on demand.".to_owned(),
        table: chart.table(format!("{} over the block size", first.title), &x.title),
        chart: Some(chart),
        long: false,
    };
    Some((figure, points.iter().map(|point| point.row).collect()))
}

/// Bars of the drives that differ in their capacity, a group for each family, and the rows that are drawn.
fn capacities(alone: &Alone<'_>) -> (Vec<Figure>, BTreeSet<usize>) {
    let sized = |side: usize| {
        let figure = alone.sides[side].figures.first()?;
        let capacity = figure.capacity.as_deref()?.parse::<Bytes>().ok()?.get();
        Some((
            side,
            SizedDrive { name: figure.drive.clone(), apart: figure.condition.clone().unwrap_or_default(), capacity },
        ))
    };
    let (sides, drives): (Vec<usize>, Vec<SizedDrive>) = (0..alone.sides.len()).filter_map(sized).unzip();
    let mut families = families(&drives);
    for (side, _) in families.iter_mut().flat_map(|family| &mut family.sides) {
        *side = sides[*side];
    }
    let (mut figures, mut drawn) = (Vec::new(), BTreeSet::new());
    for (at, row) in alone.rows.iter().enumerate() {
        let has = |family: &&Family| family.sides.iter().filter(|(side, _)| row.cells[*side].is_some()).count() > 1;
        let own: Vec<Family> = families.iter().filter(has).cloned().collect();
        let is_alone = row
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.is_some())
            .all(|(side, _)| own.iter().flat_map(|family| &family.sides).any(|(one, _)| *one == side));
        if own.is_empty() || !is_alone {
            continue;
        }
        let value = |side: usize| row.cells[side].as_ref().map(|one| Value::published(one, cells::unit_text(row.unit)));
        let (title, id) = (alone.label(row), format!("published-capacity-{at}"));
        if let Some(figure) = scaling::bars(&own, (&title, cells::unit_text(row.unit)), &id, &value, true) {
            figures.push(figure);
            drawn.insert(at);
        }
    }
    (figures, drawn)
}

/// Ranking bars of a row that several drives have.
fn rank(alone: &Alone<'_>, at: usize) -> Option<Figure> {
    let row: &Row<'_> = &alone.rows[at];
    let unit = cells::unit_text(row.unit);
    let bar = |(side, cell): (usize, &Option<_>)| {
        let value = cell.as_ref().map(|one| Value::published(one, unit))?;
        Some(Ranked {
            name: alone.sides[side].name(),
            value: value.value,
            text: value.text,
            range: value.range,
            published: true,
            marked: alone.base == Some(side),
            drive: String::new(),
        })
    };
    let bars: Vec<Ranked> = row.cells.iter().enumerate().filter_map(bar).collect();
    if bars.len() < 2 {
        return None;
    }
    ranking(&alone.label(row), unit, row.better, bars, &format!("published-rank-{at}"))
}
