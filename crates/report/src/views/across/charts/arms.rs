//! Several drives under several arms: bars grouped by drive with a colour for each arm, and the other way round.

use drivelab_analysis::ratios::FigureRatios;
use drivelab_core::environment::Environment;

use super::drawing::{Drawing, MOST_SERIES, Value, WHISKERS, colour};
use crate::figure::chart::{Axis, Chart, Panel, Series};
use crate::figure::{Figure, TestView, cells};
use crate::views::across::arms::drive_key;
use crate::words::facts;

/// Most figures that are drawn; of more, only the tables have them.
const MOST_FIGURES: usize = 12;

/// Charts of the headline figures, if there are two drives and two arms at least.
pub(super) fn view(drawing: Drawing<'_, '_>, id: &str) -> Option<TestView> {
    let drives = drives(drawing.contrast.first.iter().map(|digest| &*digest.run.environment));
    let arms: Vec<String> = drawing.contrast.first.iter().map(|digest| digest.condition().arm()).collect();
    if each_once(&drives).len() < 2 || each_once(&arms).len() < 2 {
        return None;
    }
    let figures = drawing.contrast.headlines().into_iter().take(MOST_FIGURES).enumerate();
    let both = figures.flat_map(|(at, (name, figure))| {
        let by_drive = bars(figure, (&name, "Drive"), (&drives, &arms), &format!("{id}-arms-{at}-drive"));
        let by_arm = bars(figure, (&name, "Arm"), (&arms, &drives), &format!("{id}-arms-{at}-arm"));
        [by_drive, by_arm].into_iter().flatten()
    });
    let figures: Vec<Figure> = both.collect();
    let id = format!("{id}-arms");
    (!figures.is_empty()).then(|| TestView { id, title: "Drives and arms".to_owned(), purpose: String::new(), figures })
}

/// What the drive of each side is called; further drives of one name have a number.
fn drives<'e>(sides: impl Iterator<Item = &'e Environment>) -> Vec<String> {
    let mut known: Vec<(String, String)> = Vec::new();
    let called = |environment: &Environment| {
        let key = drive_key(environment);
        if let Some((_, label)) = known.iter().find(|(drive, _)| *drive == key) {
            return label.clone();
        }
        let name = facts::drive_name(environment);
        let numbered = (2_usize..).map(|number| format!("{name} ({number})"));
        let mut labels = std::iter::once(name.clone()).chain(numbered);
        let label = labels.find(|label| known.iter().all(|(_, other)| other != label)).unwrap_or(name);
        known.push((key, label.clone()));
        label
    };
    sides.map(called).collect()
}

/// The names in their order, each once.
fn each_once(names: &[String]) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name.as_str()) {
            all.push(name);
        }
    }
    all
}

/// One figure: a group of bars for each of `groups`, a colour for each of `colours`. Both lists have an entry for every
/// side; `by` is the heading of the groups.
fn bars(
    figure: &FigureRatios<'_>,
    (title, by): (&str, &str),
    (groups, colours): (&[String], &[String]),
    id: &str,
) -> Option<Figure> {
    let unit = cells::unit_text(&figure.metric.unit);
    let (places, grouped) = (each_once(groups), by.to_lowercase());
    let series = |(at, name): (usize, &str)| {
        let mut series = Series { hidden: at >= MOST_SERIES, ..Series::new(name, colour(at)) };
        for (x, place) in places.iter().enumerate() {
            // Two sides of one drive under one arm differ in something else, such as the profile: the first is drawn.
            let side = (0..groups.len()).find(|side| groups[*side] == *place && colours[*side] == name);
            if let Some(side) = side {
                series.push(x as f64, Value::of(&figure.cells[side], unit), (*place).to_owned());
            }
        }
        series
    };
    let all = each_once(colours).into_iter().enumerate().map(series).collect();
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{title}, by {grouped}: bars from zero."),
        x: Axis::named("", places.iter().map(|place| (*place).to_owned()).collect()),
        panels: vec![Panel::bars(title, unit, all)],
        stretches: Vec::new(),
    }
    .drawable()?;
    Some(Figure {
        title: String::new(),
        caption: format!("By {grouped}. Bars start at zero. {WHISKERS}"),
        table: chart.table(format!("{title}, by {grouped}"), by),
        chart: Some(chart),
        long: false,
    })
}
