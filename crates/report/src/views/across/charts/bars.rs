//! Headline figures of a test as bars side by side, and what the drives drew for it.

use drivelab_analysis::ratios::{FigureRatios, StepRatios, TestRatios};

use super::drawing::{self, Drawing, Place};
use crate::figure::chart::{Axis, Chart, Panel};
use crate::figure::{Figure, cells};
use crate::views::across::contrast::label;

/// Most bars of a test; of larger tests only the tables have the figures.
const MOST_BARS: usize = 120;
/// Most bars of a chart: more have no room for their values.
const BARS_WITH_VALUES: usize = 16;

/// Charts of the headline figures: one for each unit, or several with as many steps as have room for their values.
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
    let of_unit = |(at, unit): (usize, &&str)| -> Vec<Figure> {
        let own: Vec<_> = rows.iter().filter(|(_, figure)| figure.metric.unit == **unit).collect();
        if drawing.drawn() * own.len() > MOST_BARS {
            return Vec::new();
        }
        let titles: Vec<&str> = own.iter().map(|(_, figure)| figure.title).collect();
        let title = if titles.windows(2).all(|two| two[0] == two[1]) { titles[0] } else { quantity(unit) };
        let room = (BARS_WITH_VALUES / drawing.drawn().max(1)).max(1);
        // Charts of about equal width.
        let charts = own.len().div_ceil(room).max(1);
        let parts = own.chunks(own.len().div_ceil(charts).max(1)).enumerate();
        let mut figures = Vec::new();
        for (part, own) in parts {
            let mut places: Vec<Place<'_, '_>> = Vec::new();
            for (x, (step, figure)) in own.iter().enumerate() {
                places.push(Place { x: x as f64, heading: label(step.facts, figure), figure: Some(figure) });
            }
            let panel = Panel::bars(title, cells::unit_text(unit), drawing.over(&places));
            figures.extend(chart_of(test, vec![panel], &places, &format!("{id}-bars-{at}-{part}")));
        }
        figures
    };
    units.iter().enumerate().flat_map(of_unit).collect()
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
