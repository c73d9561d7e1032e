//! Rates of drives of one family over their capacity: bars grouped by family, and what each doubling brings.

use drivelab_analysis::families::Family;
use drivelab_analysis::ratios::FigureRatios;
use drivelab_core::units::Bytes;

use super::drawing::{Drawing, MOST_SERIES, Value, WHISKERS, colour};
use crate::figure::chart::{Axis, Chart, Panel, Series};
use crate::figure::{Figure, TestView, cells, format};
use crate::views::across::asked;
use crate::views::across::contrast::Contrast;

/// Most charts; of more figures only the table has the rates.
const MOST_CHARTS: usize = 12;

/// What the table says.
const MEANING: &str = "Throughput ratio for each doubling of the capacity: 2 is linear scaling, 1 is none. Scaling is \
                       \"not clear\" without an error bar (it needs three rounds, or three runs of each drive), if the \
                       bar spans two classes, if a rate is a bound or disturbed, and if the runs differ in more than \
                       their drives.";

/// The table of doublings; `None` if no two drives of a family differ in capacity.
pub(super) fn table(contrast: &Contrast<'_>) -> Option<Figure> {
    let table = asked::doublings(&contrast.doublings()).without_empty_columns();
    (!table.rows.is_empty()).then(|| Figure {
        title: String::new(),
        caption: MEANING.to_owned(),
        table,
        chart: None,
        long: false,
    })
}

/// Charts and table.
pub(super) fn view(drawing: Drawing<'_, '_>, id: &str) -> Option<TestView> {
    let contrast = drawing.contrast;
    let (table, id) = (table(contrast)?, format!("{id}-capacity"));
    let mut figures: Vec<Figure> = Vec::new();
    let doublings = contrast.doublings();
    let bars = contrast.rates().into_iter().enumerate();
    let bars = bars.filter_map(|(at, (name, figure))| {
        let drawn = bars_of(&contrast.families, figure, &name, &format!("{id}-{at}"))?;
        let of_figure = doublings.iter().filter(|one| figure.metric.step.as_ref() == Some(&one.step));
        let says = of_figure.filter_map(asked::doubling_words).collect::<Vec<_>>().join(" ");
        Some(Figure { caption: format!("{says} {}", drawn.caption).trim().to_owned(), ..drawn })
    });
    figures.extend(bars.take(MOST_CHARTS));
    figures.push(table);
    Some(TestView { id, title: "Capacity".to_owned(), purpose: String::new(), figures })
}

/// A group of bars: a drive of a family for each capacity. A second drive of the same capacity is in a further group.
struct Place<'f> {
    family: &'f Family,
    /// How many drives of its family have the same capacity and stand in groups before.
    before: usize,
}

impl Place<'_> {
    fn name(&self) -> String {
        let Place { family, before } = self;
        if *before == 0 { family.name.clone() } else { format!("{} ({})", family.name, before + 1) }
    }

    /// The side of this capacity.
    fn side(&self, capacity: u64) -> Option<usize> {
        let mut sides = self.family.sides.iter().filter(|(_, own)| *own == capacity);
        sides.nth(self.before).map(|(side, _)| *side)
    }
}

/// One figure of the families.
fn bars_of(families: &[Family], figure: &FigureRatios<'_>, title: &str, id: &str) -> Option<Figure> {
    let unit = cells::unit_text(&figure.metric.unit);
    bars(families, (title, unit), id, &|side| Some(Value::of(&figure.cells[side], unit)), false)
}

/// One figure: a group of bars for each family, a colour for each capacity; `value` is what a side has of it.
pub(super) fn bars(
    families: &[Family],
    (title, unit): (&str, &str),
    id: &str,
    value: &dyn Fn(usize) -> Option<Value>,
    hatched: bool,
) -> Option<Figure> {
    let mut capacities: Vec<u64> = families.iter().flat_map(|family| &family.sides).map(|(_, size)| *size).collect();
    capacities.sort_unstable();
    capacities.dedup();
    let places: Vec<Place<'_>> = families
        .iter()
        .flat_map(|family| (0..family.sides.len()).map(move |before| Place { family, before }))
        .filter(|place| capacities.iter().any(|capacity| place.side(*capacity).is_some()))
        .collect();
    let of_capacity = |(at, size): (usize, &u64)| {
        let name = format::short_bytes(Bytes::new(*size));
        let mut series = Series { hatched, hidden: at >= MOST_SERIES, ..Series::new(&name, colour(at)) };
        for (x, place) in places.iter().enumerate() {
            if let Some(value) = place.side(*size).and_then(value) {
                series.push(x as f64, value, place.name());
            }
        }
        series
    };
    let all = capacities.iter().enumerate().map(of_capacity).collect();
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{title}: bars from zero, a group for each family, a colour for each capacity."),
        x: Axis::named("", places.iter().map(Place::name).collect()),
        panels: vec![Panel::bars(title, unit, all)],
        stretches: Vec::new(),
    }
    .drawable()?;
    Some(Figure {
        title: String::new(),
        caption: if hatched { "Bars start at zero.".to_owned() } else { format!("Bars start at zero. {WHISKERS}") },
        table: chart.table(title.to_owned(), "Drives"),
        chart: Some(chart),
        long: false,
    })
}
