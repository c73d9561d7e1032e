//! Headline figures of a test as bars side by side, and what the drives drew for it.

use drivelab_analysis::ratios::{FigureRatios, StepRatios, TestRatios};

use super::drawing::{self, Drawing, Place};
use crate::figure::chart::{Axis, Chart, Panel};
use crate::figure::{Figure, cells};
use crate::views::across::contrast::label;

/// Most bars of a chart; of larger tests only the tables have the figures.
const MOST_BARS: usize = 120;

/// A chart for each unit of the headline figures.
pub(super) fn headlines(drawing: Drawing<'_, '_>, test: &TestRatios<'_>, id: &str) -> Vec<Figure> {
    let rows: Vec<(&StepRatios<'_>, &FigureRatios<'_>)> = test
        .steps
        .iter()
        .flat_map(|step| step.figures.iter().filter(|figure| figure.judged).map(move |figure| (step, figure)))
        .collect();
    let mut units: Vec<&str> = Vec::new();
    for unit in rows.iter().map(|(_, figure)| figure.metric.unit.as_str()) {
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    let figure = |(at, unit): (usize, &&str)| {
        let own: Vec<_> = rows.iter().filter(|(_, figure)| figure.metric.unit == **unit).collect();
        let places: Vec<Place<'_, '_>> = own
            .iter()
            .enumerate()
            .map(|(x, (step, figure))| Place { x: x as f64, heading: label(step.facts, figure), figure: Some(figure) })
            .collect();
        if drawing.drawn() * places.len() > MOST_BARS {
            return None;
        }
        let titles: Vec<&str> = own.iter().map(|(_, figure)| figure.title).collect();
        let title = if titles.windows(2).all(|two| two[0] == two[1]) { titles[0] } else { quantity(unit) };
        let panel = Panel::bars(title, cells::unit_text(unit), drawing.over(&places));
        chart_of(test, vec![panel], &places, &format!("{id}-bars-{at}"))
    };
    units.iter().enumerate().filter_map(figure).collect()
}

/// What a unit is of, where figures of several kinds have it.
fn quantity(unit: &str) -> &'static str {
    match unit {
        "MB/s" => "Throughput",
        "us" => "Time",
        "IOPS" => "Operations",
        _ => "Value",
    }
}

/// Power and throughput per watt of the steps for which they were measured.
pub(super) fn power(drawing: Drawing<'_, '_>, test: &TestRatios<'_>, id: &str) -> Option<Figure> {
    let has = |step: &&StepRatios<'_>| {
        step.figures.iter().any(|figure| {
            figure.metric.id == "power.mean" && figure.cells.iter().filter(|cell| cell.value.is_some()).count() > 1
        })
    };
    let steps: Vec<&StepRatios<'_>> = test.steps.iter().filter(has).collect();
    if steps.is_empty() || steps.len() * drawing.drawn() > MOST_BARS {
        return None;
    }
    let places = |metric: &str| -> Vec<Place<'_, '_>> {
        steps
            .iter()
            .enumerate()
            .map(|(x, step)| Place {
                x: x as f64,
                heading: step.facts.label.clone(),
                figure: drawing::figure_of(step, metric),
            })
            .collect()
    };
    let power = places("power.mean");
    let panels = vec![
        Panel::bars("Power", "W", drawing.over(&power)),
        Panel::bars("Throughput per watt", "MB/s/W", drawing.over(&places("power.throughput_per_watt"))),
    ];
    chart_of(test, panels, &power, &format!("{id}-power"))
}

fn chart_of(test: &TestRatios<'_>, panels: Vec<Panel>, places: &[Place<'_, '_>], id: &str) -> Option<Figure> {
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{}: the figures of each side, as bars from zero.", test.title),
        x: Axis::named("", places.iter().map(|place| place.heading.clone()).collect()),
        panels,
        stretches: Vec::new(),
    }
    .drawable()?;
    let what = chart.panels.iter().map(|panel| panel.title.to_lowercase()).collect::<Vec<_>>().join(", ");
    Some(Figure {
        title: String::new(),
        caption: format!("Bars start at zero. {}", drawing::WHISKERS),
        table: chart.table(format!("{}: {what}", test.title), "Step"),
        chart: Some(chart),
        long: false,
    })
}
