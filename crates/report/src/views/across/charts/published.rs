//! Charts of published figures alone: sweeps over the block size, bars by capacity, and ranking bars of the rest.

use std::collections::BTreeSet;

use drivelab_analysis::families::{Family, SizedDrive, families};
use drivelab_analysis::together::{Scaling, SizedRate, per_doubling};
use drivelab_core::units::Bytes;

use super::drawing::{MOST_SERIES, Value, published_series};
use super::ranking::{Mark, Ranked, ranking};
use super::scaling;
use crate::figure::chart::{Chart, Panel, Series};
use crate::figure::{Figure, TestView, axes, cells};
use crate::views::across::asked;
use crate::views::across::published::unpaired::{Row, Unpaired};

/// Fewest block sizes of a sweep.
const LEAST_POSITIONS: usize = 3;
/// Fewest figures of a chart; of fewer the table says as much.
const LEAST_FIGURES: usize = 3;
/// Most ranking charts; the table has all figures.
const MOST_RANKINGS: usize = 40;

/// The charts, those of one kind together.
pub(crate) fn views(unpaired: &Unpaired<'_>) -> Vec<TestView> {
    let (sweeps, swept) = sweeps(unpaired);
    let (capacities, sized) = capacities(unpaired);
    let left = (0..unpaired.rows.len()).filter(|row| !swept.contains(row) && !sized.contains(row));
    let rankings = left.filter_map(|row| rank(unpaired, row)).take(MOST_RANKINGS).collect();
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

/// What the lines of one chart have in common: metric, operation, pattern, queue depth, and which of several figures.
type Shared<'p> = (&'p str, Option<&'p str>, Option<&'p str>, Option<u32>, Option<&'p str>);

/// Block size, threads and place of a row.
struct Point<'p> {
    bytes: f64,
    label: &'p str,
    threads: Option<u32>,
    row: usize,
}

/// A chart for the rows that differ only in block size and threads, and the rows that are drawn.
fn sweeps(unpaired: &Unpaired<'_>) -> (Vec<Figure>, BTreeSet<usize>) {
    let mut charts: Vec<(Shared<'_>, Vec<Point<'_>>)> = Vec::new();
    for (at, row) in unpaired.rows.iter().enumerate() {
        let figure = row.figure;
        let Some(label) = figure.block_size.as_deref() else { continue };
        let Ok(size) = label.parse::<Bytes>() else { continue };
        let (op, pattern) = (figure.op.as_deref(), figure.pattern.as_deref());
        let shared = (row.metric, op, pattern, figure.queue_depth, row.which);
        let point = Point { bytes: size.as_f64(), label, threads: figure.threads, row: at };
        match charts.iter_mut().find(|(known, _)| *known == shared) {
            // Of two tests with one load the first is drawn; the other may have run for longer, say.
            Some((_, points)) if points.iter().any(|one| (one.bytes, one.threads) == (point.bytes, point.threads)) => {}
            Some((_, points)) => points.push(point),
            None => charts.push((shared, vec![point])),
        }
    }
    let (mut figures, mut drawn) = (Vec::new(), BTreeSet::new());
    for (at, (shared, points)) in charts.iter().enumerate() {
        for (part, points) in by_threads(unpaired, points).iter().enumerate() {
            if let Some((figure, own)) = sweep(unpaired, shared, points, &format!("published-sweep-{at}-{part}")) {
                figures.push(figure);
                drawn.extend(own);
            }
        }
    }
    (figures, drawn)
}

/// The points of one chart, or of a chart for each number of threads: only two kinds of lines, and eight in all, can be
/// told apart.
fn by_threads<'a, 'p>(unpaired: &Unpaired<'_>, points: &'a [Point<'p>]) -> Vec<Vec<&'a Point<'p>>> {
    let all: BTreeSet<Option<u32>> = points.iter().map(|point| point.threads).collect();
    let has = |side: &usize| points.iter().any(|point| unpaired.rows[point.row].cells[*side].is_some());
    let sides = (0..unpaired.sides.len()).filter(has).count();
    if all.len() <= 2 && sides * all.len() <= MOST_SERIES {
        return vec![points.iter().collect()];
    }
    all.iter().map(|threads| points.iter().filter(|point| point.threads == *threads).collect()).collect()
}

/// One chart, a line for each side and number of threads that has enough block sizes; `None` for fewer than two lines.
fn sweep(
    unpaired: &Unpaired<'_>,
    (_, op, pattern, depth, which): &Shared<'_>,
    points: &[&Point<'_>],
    id: &str,
) -> Option<(Figure, Vec<usize>)> {
    let mut points = points.to_vec();
    points.sort_by(|one, other| one.bytes.total_cmp(&other.bytes));
    let first = &unpaired.rows[points.first()?.row];
    let x = axes::over("block_size", &points.iter().map(|point| (point.bytes, point.label)).collect::<Vec<_>>());
    let unit = cells::unit_text(first.unit);
    let kinds: BTreeSet<Option<u32>> = points.iter().map(|point| point.threads).collect();
    let words = |threads: Option<u32>| threads.map(|threads| axes::value_text("threads", &threads.to_string()));
    let line = |(kind, threads): (usize, &Option<u32>)| -> Vec<Series> {
        let of_side = |side: usize| {
            let mut series = published_series(&unpaired.sides[side], side);
            if let Some(words) = words(*threads).filter(|_| kinds.len() > 1) {
                (series.name, series.short) =
                    (format!("{}, {words}", series.name), format!("{}, {words}", series.short));
            }
            series.dashed = kind > 0;
            for point in points.iter().filter(|point| point.threads == *threads) {
                if let Some(readings) = &unpaired.rows[point.row].cells[side] {
                    let heading = format!("{}: {}", x.title, point.label);
                    series.push(x.place(point.bytes), Value::published(readings, unit), heading);
                }
            }
            series
        };
        (0..unpaired.sides.len()).map(of_side).collect()
    };
    // Two block sizes are no sweep; the table has them.
    let is_line = |series: &Series| series.points.len() >= LEAST_POSITIONS;
    let mut all: Vec<Series> = kinds.iter().enumerate().flat_map(line).filter(is_line).collect();
    if all.len() < 2 {
        return None;
    }
    for (at, one) in all.iter_mut().enumerate() {
        one.hidden = at >= MOST_SERIES;
    }
    let only = match kinds.iter().collect::<Vec<_>>().as_slice() {
        [only] => words(**only),
        _ => None,
    };
    let parts = [
        Some(first.title.to_owned()),
        pattern.or(*op).map(str::to_owned),
        depth.map(|depth| format!("queue depth {depth}")),
        only,
        which.map(str::to_owned),
    ];
    let title = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{title} over the block size: a line for each published drive."),
        x: x.clone(),
        panels: vec![Panel::lines(first.title, unit, all)],
        stretches: Vec::new(),
    }
    .drawable()?;
    let figure = Figure {
        table: chart.table(format!("{title}, over the block size"), &x.title),
        title,
        caption: "Click a name to show or hide its line; eight are shown at first.".to_owned(),
        chart: Some(chart),
        long: false,
    };
    Some((figure, points.iter().map(|point| point.row).collect()))
}

/// Bars of the drives that differ in their capacity, a group for each family, and the rows that are drawn.
fn capacities(unpaired: &Unpaired<'_>) -> (Vec<Figure>, BTreeSet<usize>) {
    let sized = |side: usize| {
        let figure = unpaired.sides[side].figures.first()?;
        let capacity = figure.capacity.as_deref()?.parse::<Bytes>().ok()?.get();
        Some((
            side,
            SizedDrive { name: figure.drive.clone(), apart: figure.condition.clone().unwrap_or_default(), capacity },
        ))
    };
    let (sides, drives): (Vec<usize>, Vec<SizedDrive>) = (0..unpaired.sides.len()).filter_map(sized).unzip();
    let mut families = families(&drives);
    for (side, _) in families.iter_mut().flat_map(|family| &mut family.sides) {
        *side = sides[*side];
    }
    let (mut figures, mut drawn) = (Vec::new(), BTreeSet::new());
    for (at, row) in unpaired.rows.iter().enumerate() {
        let has = |family: &&Family| family.sides.iter().filter(|(side, _)| row.cells[*side].is_some()).count() > 1;
        let own: Vec<Family> = families.iter().filter(has).cloned().collect();
        let is_whole = row
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.is_some())
            .all(|(side, _)| own.iter().flat_map(|family| &family.sides).any(|(one, _)| *one == side));
        let figures_of_row = row.cells.iter().flatten().count();
        if own.is_empty() || !is_whole || figures_of_row < LEAST_FIGURES {
            continue;
        }
        let value = |side: usize| row.cells[side].as_ref().map(|one| Value::published(one, cells::unit_text(row.unit)));
        let (title, id) = (unpaired.label(row), format!("published-capacity-{at}"));
        if let Some(figure) = scaling::bars(&own, (&title, cells::unit_text(row.unit)), &id, &value, true) {
            let says: String = own.iter().filter_map(|family| doubling(family, row)).map(|words| words + " ").collect();
            figures.push(Figure { caption: says + &figure.caption, ..figure });
            drawn.insert(at);
        }
    }
    (figures, drawn)
}

/// What each doubling of the capacity brings to a published rate of a family; `None` for other figures, and if fewer
/// than two capacities have a value. Published figures have no error bar, so the class is that of exact figures.
fn doubling(family: &Family, row: &Row<'_>) -> Option<String> {
    let rate = |(side, capacity): &(usize, u64)| {
        let base = row.cells[*side].as_ref()?.as_base()?;
        let (at_least, spoiled) = (base.bound.is_some(), false);
        Some(SizedRate { capacity: *capacity as f64, mb_s: base.value, half_interval: None, at_least, spoiled })
    };
    if !["MB/s", "IOPS"].contains(&row.unit) {
        return None;
    }
    let rates: Vec<SizedRate> = family.sides.iter().filter_map(rate).collect();
    let ratio = per_doubling(&rates).filter(|_| !rates.iter().any(|rate| rate.at_least))?.value;
    let class = asked::scaling_word(Some(Scaling::of(ratio)));
    Some(format!("{}: ×{ratio:.2} for each doubling of the capacity ({class}, if the figures are exact).", family.name))
}

/// Ranking bars of a row that several drives have.
fn rank(unpaired: &Unpaired<'_>, at: usize) -> Option<Figure> {
    let row: &Row<'_> = &unpaired.rows[at];
    let unit = cells::unit_text(row.unit);
    let bar = |(side, cell): (usize, &Option<_>)| {
        let value = cell.as_ref().map(|one| Value::published(one, unit))?;
        Some(Ranked {
            name: unpaired.sides[side].name(),
            value: value.value,
            text: value.text,
            range: value.range,
            published: true,
            mark: Mark::of_base(unpaired.base == Some(side)),
            drive: String::new(),
        })
    };
    let bars: Vec<Ranked> = row.cells.iter().enumerate().filter_map(bar).collect();
    if bars.len() < LEAST_FIGURES {
        return None;
    }
    ranking(&unpaired.label(row), unit, row.better, bars, &format!("published-rank-{at}"))
}
