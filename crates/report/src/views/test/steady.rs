//! Figures of steady-state tests: the rounds with the measurement window, and a table of two axes if a test has a step
//! for each pair of their values.

use drivelab_analysis::steady::{MAX_RANGE_PERCENT, MAX_SLOPE_PERCENT, WINDOW, tracked_value, window_line};
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::plan::{Rounds, Step, TestPlan, Tracked};
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::workload::Pattern;

use crate::figure::chart::{Axis, Chart, Panel, Point, Series, colour};
use crate::figure::input::ReportInput;
use crate::figure::marks::{self, Marks};
use crate::figure::op::Op;
use crate::figure::pairs::measured;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, cells, format, quantity};

/// Fewest rounds of a write for a figure over the data written.
const LEAST_ROUNDS: usize = 3;

/// Every such figure that a test has.
pub(crate) fn figures(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Vec<Figure> {
    let over_written = over_written(input, test, id);
    rounds(input, test, id).into_iter().chain(over_written).chain(matrices(input, test)).collect()
}

/// The only measured step of a test that repeats one write, with the tracked quantity.
fn saturates(test: &TestPlan) -> Option<(&Step, Tracked)> {
    let mut steps = measured(test);
    let (step, None) = (steps.next()?, steps.next()) else { return None };
    let tracked = match (&test.rounds, step.workload()?.pattern) {
        (Rounds::Steady { tracked, .. }, _) => *tracked,
        (_, Pattern::Sequential | Pattern::Reverse) => Tracked::Throughput,
        _ => Tracked::Iops,
    };
    (Op::of(step) == Op::Write).then_some((step, tracked))
}

/// Rounds of one write over the bytes written by their end: how the rate falls with the data written.
fn over_written(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Option<Figure> {
    let (step, tracked) = saturates(test)?;
    let (title, unit, scale) = tracked_in(tracked);
    let mut written = 0.0;
    let points: Vec<(f64, f64, Marks)> = whole_rounds(input, test, &step.id)
        .map(|record| {
            written += record.written_total.as_f64() / 1e9;
            (written, tracked_value(record, tracked) / scale, marks::of(input, &record.key))
        })
        .collect();
    if points.len() < LEAST_ROUNDS {
        return None;
    }
    let cell = |value: f64, marks: Marks| tracked_cell(tracked, format::value(value, unit), marks);
    let point =
        |(x, y, marks): &(f64, f64, Marks)| Point(*x, Some(*y), format!("{} {unit}", cell(*y, *marks).plain()), None);
    let series = Series { points: points.iter().map(point).collect(), ..Series::new("Rounds", colour::WRITE) };
    let chart = Chart {
        id: format!("{id}-written"),
        description: format!(
            "{}: {} of each round over the bytes written by its end.",
            test.title,
            title.to_lowercase()
        ),
        x: Axis::linear("Written (GB)", 0.0),
        panels: vec![Panel::lines(title, unit, vec![series])],
        stretches: Vec::new(),
    };
    let row = |(round, (written, value, marks)): (usize, &(f64, f64, Marks))| {
        vec![Cell::text(round.to_string()), Cell::text(format!("{written:.2}")), cell(*value, *marks)]
    };
    Some(Figure {
        title: "Rounds over data written".to_owned(),
        caption: format!(
            "Each round is shown at the bytes that the test had written by its end.{}",
            all_of(points.iter().map(|(.., marks)| *marks)).says()
        ),
        chart: chart.drawable(),
        table: Table {
            caption: format!("{}: {} over data written", test.title, title.to_lowercase()),
            columns: vec![Column::words("Round"), Column::figures("Written", "GB"), Column::figures(title, unit)],
            rows: (1..).zip(&points).map(row).collect(),
        },
        long: points.len() > 25,
    })
}

/// The rounds of a step that were not stopped: a stopped round has another length.
fn whole_rounds<'a>(input: &ReportInput<'a>, test: &TestPlan, step: &StepId) -> impl Iterator<Item = &'a StepRecord> {
    let (records, step) = (input.records, step.clone());
    (1..=test.max_rounds())
        .map_while(move |round| records.step(&StepKey { step: step.clone(), round }))
        .filter(|record| record.stop_reason != StopReason::Stopped)
}

/// The tracked quantity, its unit, and the divisor from the analysis to that unit.
const fn tracked_in(tracked: Tracked) -> (&'static str, &'static str, f64) {
    match tracked {
        Tracked::Iops => ("Operations per second", "IOPS", 1.0),
        Tracked::Throughput => ("Throughput", "MB/s", 1e6),
        Tracked::LatencyMean => ("Mean latency", "us", 1e3),
    }
}

/// The cell of a tracked figure, with the signs of its round.
fn tracked_cell(tracked: Tracked, text: String, marks: Marks) -> Cell {
    match tracked {
        Tracked::LatencyMean => marks.time(text),
        Tracked::Iops | Tracked::Throughput => marks.rate(text),
    }
}

/// The signs of figures computed from several rounds.
fn all_of(rounds: impl Iterator<Item = Marks>) -> Marks {
    rounds.fold(Marks::default(), Marks::and)
}

/// The tracked figure by round, with mean, limits and regression line of the window.
fn rounds(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Option<Figure> {
    let Rounds::Steady { step, tracked, .. } = &test.rounds else { return None };
    let (title, unit, scale) = tracked_in(*tracked);
    let (values, marks): (Vec<f64>, Vec<Marks>) = whole_rounds(input, test, step)
        .map(|record| (tracked_value(record, *tracked) / scale, marks::of(input, &record.key)))
        .unzip();
    let verdict = input.records.steadiness.iter().find(|verdict| verdict.test == test.name);
    let until = verdict.map_or(values.len(), |verdict| verdict.last_round as usize);
    let shown = |value: f64, marks: Marks| tracked_cell(*tracked, format::value(value, unit), marks);
    let series = rounds_and_window(&values, &marks, until, &|value, marks| shown(value, marks).plain())?;
    let chart = Chart {
        id: format!("{id}-rounds"),
        description: format!("{}: {} by round, with the measurement window.", test.title, title.to_lowercase()),
        x: Axis::linear("Round", 0.0),
        panels: vec![Panel::lines(title, unit, series)],
        stretches: Vec::new(),
    };
    let row = |(round, (value, marks)): (usize, (&f64, &Marks))| {
        let within = round > until - WINDOW && round <= until;
        vec![Cell::text(round.to_string()), shown(*value, *marks), Cell::text(if within { "yes" } else { "" })]
    };
    let judged = verdict.map_or("It was not judged.", |verdict| {
        if verdict.reached { "It is steady." } else { "It was not steady at the end." }
    });
    Some(Figure {
        title: "Rounds and steady-state window".to_owned(),
        caption: format!(
            "The last {WINDOW} rounds are the window. It is steady if the largest and the smallest of them differ by at most \
             {MAX_RANGE_PERCENT} % of their mean and the line changes by at most {MAX_SLOPE_PERCENT} % of it. {judged}{}",
            all_of(marks.iter().copied()).says()
        ),
        chart: chart.drawable(),
        table: Table {
            caption: format!("{}: {} by round", test.title, title.to_lowercase()),
            columns: vec![Column::words("Round"), Column::figures(title, unit), Column::words("In the window")],
            rows: (1..).zip(values.iter().zip(&marks)).map(row).collect(),
        },
        long: values.len() > 25,
    })
}

/// The rounds, and mean, limits and regression line of the window that ends with `until`, with the signs of its rounds.
/// `None` if there is no complete window.
fn rounds_and_window(
    values: &[f64],
    marks: &[Marks],
    until: usize,
    text: &dyn Fn(f64, Marks) -> String,
) -> Option<Vec<Series>> {
    let window = until.checked_sub(WINDOW)?..until;
    let (of_window, window) = (all_of(marks.get(window.clone())?.iter().copied()), values.get(window)?);
    let [first, last] = window_line(window)?;
    let mean = window.iter().sum::<f64>() / WINDOW as f64;
    let limit = MAX_RANGE_PERCENT / 2.0;
    let places = [(until - WINDOW + 1) as f64, until as f64];
    let point = |x: f64, y: f64, marks: Marks| Point(x, Some(y), text(y, marks), None);
    let flat = |name: &str, y: f64| Series {
        dashed: true,
        points: places.map(|x| point(x, y, of_window)).to_vec(),
        ..Series::new(name, colour::BACKLOG)
    };
    let rounds = (1..).zip(values.iter().zip(marks));
    let all = Series {
        points: rounds.map(|(round, (value, marks))| point(f64::from(round), *value, *marks)).collect(),
        ..Series::new("Rounds", colour::TOTAL)
    };
    let line = Series {
        points: vec![point(places[0], first, of_window), point(places[1], last, of_window)],
        ..Series::new("Least squares", colour::WRITE)
    };
    Some(vec![
        all,
        flat("Mean", mean),
        flat(&format!("Mean + {limit} %"), mean * (1.0 + limit / 100.0)),
        flat(&format!("Mean - {limit} %"), mean * (1.0 - limit / 100.0)),
        line,
    ])
}

/// Tables with a cell for each step: operations and bytes per second, and mean latency if a step has one.
fn matrices(input: &ReportInput<'_>, test: &TestPlan) -> Vec<Figure> {
    let Some(grid) = test.grid() else { return Vec::new() };
    let ((rows_of, rows), (columns_of, columns)) = (&grid.rows, &grid.columns);
    let one = |quantity: &'static str| {
        let (title, unit) = quantity::heading(quantity);
        let mut heads = vec![Column::words(&format!("{} \\ {}", word(rows_of), word(columns_of)))];
        heads.extend(columns.iter().map(|column| Column::figures(column, unit)));
        let row = |row: &&str| {
            let cell = |column: &&str| {
                grid.at(row, column).map_or_else(Cell::default, |step| cells::cell(input, step, Op::of(step), quantity))
            };
            std::iter::once(Cell::text((*row).to_owned())).chain(columns.iter().map(cell)).collect()
        };
        let caption = format!("{}: {} by {} and {}", test.title, title.to_lowercase(), word(rows_of), word(columns_of));
        Figure {
            title: format!("{title}, all combinations"),
            caption: String::new(),
            chart: None,
            table: Table { caption, columns: heads, rows: rows.iter().map(row).collect() },
            long: false,
        }
    };
    let cells = |figure: &Figure| {
        figure.table.rows.iter().flat_map(|row| row.iter().skip(1)).any(|cell| *cell != Cell::default())
    };
    [quantity::IOPS, quantity::THROUGHPUT, quantity::MEAN].map(one).into_iter().filter(cells).collect()
}

fn word(axis: &str) -> String {
    match axis {
        "write_percent" => "writes (%)".to_owned(),
        other => other.replace('_', " "),
    }
}

#[cfg(test)]
mod tests;
