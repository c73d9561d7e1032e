//! Sweeps of several sides in one chart: rate above, latency below, over block size, depth or mix.
//!
//! A second axis, or kinds of operation, give two lines a side (the second dashed) if all lines can be told apart, else
//! a chart for each value.

use drivelab_analysis::digest::RateSetBy;
use drivelab_analysis::ratios::{StepRatios, TestRatios};
use drivelab_analysis::series::{LINE_AXIS, axis_value, number_of, varying};

use super::drawing::{Drawing, MOST_SERIES, Place, WHISKERS, figure_of};
use crate::figure::chart::{Chart, Panel, Series};
use crate::figure::{Figure, axes};

/// Fewest positions of a sweep; fewer are shown as bars.
const LEAST_POSITIONS: usize = 3;

/// What distinguishes the lines of one side: the value of the second axis, and of `op`.
type Variant<'t> = (Option<&'t str>, Option<&'t str>);

/// The sweep of a test; none if its steps are not over numbers.
pub(super) fn figures(drawing: Drawing<'_, '_>, test: &TestRatios<'_>, id: &str) -> Vec<Figure> {
    let steps: Vec<&StepRatios<'_>> = test.steps.iter().filter(|step| step.facts.relative.is_none()).collect();
    let all: Vec<_> = steps.iter().map(|step| step.facts.axes.as_slice()).collect();
    let Some((axis, by)) = varying(&all) else { return Vec::new() };
    let mut variants: Vec<Variant<'_>> = Vec::new();
    let variant = |step: &StepRatios<'_>| {
        let axes = &test.steps.iter().find(|one| one.facts.id == step.facts.id)?.facts.axes;
        Some((by.and_then(|by| axis_value(axes, by)), axis_value(axes, LINE_AXIS)))
    };
    for one in steps.iter().filter_map(|step| variant(step)) {
        if !variants.contains(&one) {
            variants.push(one);
        }
    }
    let numbers: Option<Vec<f64>> = all.iter().map(|axes| number_of(axis_value(axes, axis)?)).collect();
    let Some(mut numbers) = numbers else { return Vec::new() };
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    if numbers.len() < LEAST_POSITIONS {
        return Vec::new();
    }
    // Only two kinds of lines can be told apart.
    let together = variants.len() <= 2 && variants.len() * drawing.drawn() <= MOST_SERIES;
    let charts: Vec<&[Variant<'_>]> = if together { vec![&variants] } else { variants.chunks(1).collect() };
    let figure = |(at, variants): (usize, &&[Variant<'_>])| {
        let name = |of: &Variant<'_>| words(by, *of);
        let lines: Vec<(String, Vec<&StepRatios<'_>>)> = variants
            .iter()
            .map(|of| (name(of), steps.iter().copied().filter(|step| variant(step).as_ref() == Some(of)).collect()))
            .collect();
        let title =
            if together { String::new() } else { lines.first().map_or_else(String::new, |line| line.0.clone()) };
        one_chart(drawing, test, (axis, title), &lines, &format!("{id}-sweep-{at}"))
    };
    charts.iter().enumerate().filter_map(figure).collect()
}

/// `64 threads, write`.
fn words(by: Option<&str>, (value, op): Variant<'_>) -> String {
    let value = by.zip(value).map(|(by, value)| axes::value_text(by, value));
    value.into_iter().chain(op.map(str::to_owned)).collect::<Vec<_>>().join(", ")
}

fn one_chart(
    drawing: Drawing<'_, '_>,
    test: &TestRatios<'_>,
    (axis, title): (&str, String),
    lines: &[(String, Vec<&StepRatios<'_>>)],
    id: &str,
) -> Option<Figure> {
    let place_of = |step: &StepRatios<'_>| {
        let label = step.facts.axes.iter().find(|one| one.axis == axis)?.value.clone();
        Some((number_of(&label)?, label))
    };
    let places: Vec<(f64, String)> = lines.iter().flat_map(|line| &line.1).filter_map(|step| place_of(step)).collect();
    let x = axes::over(axis, &places.iter().map(|(x, label)| (*x, label.as_str())).collect::<Vec<_>>());
    let several = lines.len() > 1;
    let of = |metric: &dyn Fn(&StepRatios<'_>) -> Option<String>| -> Vec<Series> {
        let line = |(at, (name, steps)): (usize, &(String, Vec<&StepRatios<'_>>))| {
            let mut placed: Vec<Place<'_, '_>> = steps
                .iter()
                .filter_map(|step| {
                    let (number, label) = place_of(step)?;
                    let figure = metric(step).and_then(|id| figure_of(step, &id));
                    Some(Place { x: x.place(number), heading: format!("{}: {label}", x.title), figure })
                })
                .collect();
            placed.sort_by(|one, other| one.x.total_cmp(&other.x));
            let series = drawing.over(&placed).into_iter().map(move |series| {
                let of = |side: &str| if several { format!("{side}, {name}") } else { side.to_owned() };
                Series { name: of(&series.name), short: of(&series.short), dashed: at > 0, ..series }
            });
            series.collect::<Vec<_>>()
        };
        lines.iter().enumerate().flat_map(line).collect()
    };
    let rate = |step: &StepRatios<'_>| step.facts.rate.clone().or_else(|| headline(step));
    let steps = || lines.iter().flat_map(|line| &line.1).copied();
    let kind = kind(steps());
    // Where operations arrive on a schedule, what they waited before they were submitted counts.
    let scheduled = steps().all(|step| step.facts.rate_set_by == RateSetBy::Schedule);
    let tail = |step: &StepRatios<'_>| match scheduled {
        true => headline(step),
        false => Some(format!("{kind}.latency_p99")),
    };
    let unit = lines.iter().flat_map(|line| &line.1).find_map(|step| unit_of(step, &rate(step)?))?;
    let latency = match (scheduled, kind) {
        (true, _) => "Response time p99",
        (false, "read") => "Read latency p99",
        (false, _) => "Write latency p99",
    };
    let chart = Chart {
        id: id.to_owned(),
        description: format!("{}: rate and latency of each side over {}.", test.title, x.title.to_lowercase()),
        panels: vec![Panel::lines("Rate", &unit, of(&rate)), Panel::log_lines(latency, "µs", of(&tail))],
        x,
        stretches: Vec::new(),
    }
    .drawable()?;
    let caption = format!("{}{}", test.title, if title.is_empty() { String::new() } else { format!(", {title}") });
    Some(Figure {
        title,
        caption: WHISKERS.to_owned(),
        table: chart.table(caption, &chart.x.title),
        chart: Some(chart),
        long: false,
    })
}

/// The kind whose latencies are drawn: that of all steps, or of the reads where there are both.
fn kind<'s>(steps: impl Iterator<Item = &'s StepRatios<'s>>) -> &'static str {
    let mut rates = steps.filter_map(|step| step.facts.rate.as_deref());
    if rates.all(|rate| rate.starts_with("write.")) { "write" } else { "read" }
}

/// The first headline figure of a step that moves no data.
fn headline(step: &StepRatios<'_>) -> Option<String> {
    step.figures.iter().find(|figure| figure.judged).map(|figure| figure.metric.id.clone())
}

fn unit_of(step: &StepRatios<'_>, metric: &str) -> Option<String> {
    step.figures.iter().find(|figure| figure.metric.id == metric).map(|figure| figure.metric.unit.clone())
}
