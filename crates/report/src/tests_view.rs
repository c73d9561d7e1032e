//! One test of the plan as charts and tables, made from the same figures.
//!
//! Chooses the shape: a sweep over one axis, pairs of read and write, or a single step over time. Knows no test by
//! name: the shape follows from the plan alone.

use drivelab_analysis::rate;
use drivelab_analysis::steady::WINDOW;
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Combine, Repeats, Rounds, Step, StepRole, TestPlan};
use drivelab_core::units::Percent;
use drivelab_core::workload::Workload;

use crate::ReportInput;
use crate::chart::{Axis, Chart, Panel, PanelKind, Scale, Series, colour};
use crate::figures::{self, Op, Rate, quantity};
use crate::table::{Cell, Column, Table};
use crate::{
    curve_view, files, fill_view, format, heat_view, loads_view, map_view, percentiles, steady_view, sweep_view,
    time_line,
};

/// A chart with the table of the same figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// Title.
    pub(crate) title: String,
    /// What to know when reading it.
    pub(crate) caption: String,
    /// The chart; none where there is nothing to draw.
    pub(crate) chart: Option<Chart>,
    /// The table.
    pub(crate) table: Table,
    /// So many rows that a page scrolls it and paper leaves it out.
    pub(crate) long: bool,
}

/// A measured test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TestView {
    /// Anchor, unique in the page.
    pub(crate) id: String,
    /// Title.
    pub(crate) title: String,
    /// What the test asks.
    pub(crate) purpose: String,
    /// Charts and tables.
    pub(crate) figures: Vec<Figure>,
}

/// Read and write of the same load.
#[derive(Debug, Clone)]
pub(crate) struct Pair<'a> {
    /// The load without its operation: `SEQ 1 MiB Q8T1`.
    pub(crate) label: String,
    /// The step that reads.
    pub(crate) read: Option<&'a Step>,
    /// The step that writes.
    pub(crate) write: Option<&'a Step>,
}

/// Steps of a test that are measured.
pub(crate) fn measured(test: &TestPlan) -> impl Iterator<Item = &Step> {
    test.steps.iter().filter(|step| step.role == StepRole::Measure && step.workload().is_some())
}

/// Steps that only read or only write, paired where everything else is the same; in the order of the plan.
pub(crate) fn pairs_of(test: &TestPlan) -> Vec<Pair<'_>> {
    let load = |workload: &Workload| Workload { write_percent: Percent::ZERO, seed: 0, ..workload.clone() };
    let same = |a: &Workload, b: &Workload| load(a) == load(b);
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for step in measured(test) {
        let Some(workload) = step.workload() else { continue };
        if Op::all_of(step).len() > 1 {
            continue;
        }
        let partner = pairs.iter_mut().find(|pair| {
            let writes = workload.issues(OpKind::Write);
            let (taken, other) = if writes { (pair.write, pair.read) } else { (pair.read, pair.write) };
            taken.is_none() && other.and_then(Step::workload).is_some_and(|other| same(other, workload))
        });
        match (partner, Op::of(step)) {
            (Some(pair), Op::Write) => pair.write = Some(step),
            (Some(pair), Op::Read) => pair.read = Some(step),
            (None, Op::Write) => pairs.push(Pair { label: bare(step), read: None, write: Some(step) }),
            (None, Op::Read) => pairs.push(Pair { label: bare(step), read: Some(step), write: None }),
            _ => {}
        }
    }
    pairs
}

/// A label without its operation at the end.
fn bare(step: &Step) -> String {
    let label = step.label.as_str();
    label.strip_suffix(" read").or(label.strip_suffix(" write")).unwrap_or(label).trim_end_matches(',').to_owned()
}

/// Every measured test with its figures. `prefix` keeps ids apart where a page holds several runs; curves over time
/// have at most `most` points.
pub(crate) fn tests(input: &ReportInput<'_>, prefix: &str, most: usize) -> Vec<TestView> {
    let tests = input.records.plan.tests.iter().filter(|test| measured(test).next().is_some());
    tests.map(|test| test_view(input, test, prefix, most)).collect()
}

fn test_view(input: &ReportInput<'_>, test: &TestPlan, prefix: &str, most: usize) -> TestView {
    let id = format!("{prefix}{}", test.name);
    let steps: Vec<&Step> = measured(test).collect();
    let mut figures = Vec::new();
    if curve_view::is_one(test) {
        figures.extend(curve_view::figures(input, test, &id));
        return TestView { id, title: test.title.clone(), purpose: test.purpose.clone(), figures };
    }
    if let Some(sweep) = sweep_view::of_test(input, test) {
        figures.push(sweep_view::figure(input, test, &sweep, &id));
    } else {
        figures.push(steps_figure(input, test, &id));
    }
    figures.extend(steady_view::figures(input, test, &id));
    figures.extend(fill_view::of_test(input, test));
    figures.extend(fill_view::by_position(input, test));
    figures.extend(heat_view::of_test(input, test));
    figures.extend(map_view::figures(input, test, &id));
    figures.extend(loads_view::figures(input, test));
    for step in steps.iter().filter(|step| steps.len() <= 2 || is_overloaded(input, step)) {
        figures.extend(time_line::of_step(input, step, &id, most));
    }
    figures.extend(percentiles::of_test(input, test, &id));
    TestView { id, title: test.title.clone(), purpose: test.purpose.clone(), figures }
}

/// Whether a step's response times are void because its backlog grew: then the curve of the backlog is the result.
fn is_overloaded(input: &ReportInput<'_>, step: &Step) -> bool {
    let code = "open_loop_overloaded";
    let metrics = input.analysis.metrics.iter().filter(|metric| metric.step.as_ref() == Some(&step.id));
    metrics.flat_map(|metric| &metric.voided_by).any(|voided| voided == code)
}

/// The table of a test: one row a step.
pub(crate) fn table_of(input: &ReportInput<'_>, test: &TestPlan, first_column: &str) -> Table {
    let steps: Vec<&Step> = measured(test).collect();
    let mixed = steps.iter().any(|step| Op::of(step) == Op::Total);
    let of = if mixed { mixed_table } else { pure_table };
    let table = if files::are(&steps) {
        files::table(input, &steps, first_column)
    } else {
        of(input, test, &steps, first_column)
    };
    Table { caption: test.title.clone(), ..table }.without_empty_columns()
}

const ALL: [&str; 7] =
    [quantity::THROUGHPUT, quantity::IOPS, quantity::MEAN, quantity::P50, quantity::P99, quantity::P999, quantity::MAX];

fn pure_table(input: &ReportInput<'_>, test: &TestPlan, steps: &[&Step], first_column: &str) -> Table {
    let mut columns = vec![Column::words(first_column)];
    columns.push(figures::rate_column(None, steps));
    columns.extend(ALL.into_iter().skip(1).map(|quantity| figures::column(None, quantity)));
    columns.extend(figures::published_column(test));
    columns.push(Column::figures("Median", "MB/s"));
    columns.push(Column::figures("Rounds from – to", "MB/s"));
    columns.push(Column::figures("95 % interval of the mean", "MB/s"));
    let row = |step: &&Step| {
        let op = Op::of(step);
        let mut row = vec![figures::measured_cell(input, step)];
        row.extend(ALL.map(|quantity| figures::cell(input, step, op, quantity)));
        row.extend(figures::published_cell(input, test, step, op));
        row.push(figures::median_cell(input, step, op, quantity::THROUGHPUT));
        row.extend(figures::spread_cells(input, step, op, quantity::THROUGHPUT));
        row
    };
    Table { caption: String::new(), columns, rows: steps.iter().map(row).collect() }
}

fn mixed_table(input: &ReportInput<'_>, test: &TestPlan, steps: &[&Step], first_column: &str) -> Table {
    let shown = [
        (Op::Total, quantity::THROUGHPUT),
        (Op::Total, quantity::IOPS),
        (Op::Read, quantity::IOPS),
        (Op::Write, quantity::IOPS),
        (Op::Read, quantity::P50),
        (Op::Read, quantity::P99),
        (Op::Write, quantity::P50),
        (Op::Write, quantity::P99),
    ];
    let mut columns = vec![Column::words(first_column)];
    // The pauses of a trace are in its operations per second.
    let (spread, unit) = if steps.iter().any(|step| rate::replays(step)) {
        (quantity::THROUGHPUT, "MB/s")
    } else {
        (quantity::IOPS, "IOPS")
    };
    columns.push(figures::rate_column(Some(Op::Total), steps));
    columns.extend(shown.into_iter().skip(1).map(|(op, quantity)| figures::column(Some(op), quantity)));
    columns.extend(figures::published_column(test));
    columns.push(Column::figures("Median", unit));
    columns.push(Column::figures("Rounds from – to", unit));
    columns.push(Column::figures("95 % interval of the mean", unit));
    let row = |step: &&Step| {
        let mut row = vec![figures::measured_cell(input, step)];
        row.extend(shown.map(|(op, quantity)| figures::cell(input, step, op, quantity)));
        row.extend(figures::published_cell(input, test, step, Op::Total));
        row.push(figures::median_cell(input, step, Op::Total, spread));
        row.extend(figures::spread_cells(input, step, Op::Total, spread));
        row
    };
    Table { caption: String::new(), columns, rows: steps.iter().map(row).collect() }
}

const fn combined(how: Combine) -> &'static str {
    match how {
        Combine::Mean => "mean",
        Combine::Best => "best",
        Combine::Median => "median",
    }
}

/// The rounds that a test's figures were made of: as asked, but for a test that was to become steady and did not.
pub(crate) fn reported_rounds(input: &ReportInput<'_>, test: &TestPlan) -> String {
    if !matches!(test.rounds, Rounds::Steady { .. }) {
        return rounds_text(test);
    }
    let how = combined(test.combine);
    match input.records.steadiness.iter().rfind(|verdict| verdict.test == test.name) {
        Some(verdict) if verdict.reached => rounds_text(test),
        Some(verdict) => {
            let rounds = (verdict.last_round + 1).saturating_sub(verdict.first_round);
            format!("{how} of the last {}, not steady", format::counted(rounds as usize, "round"))
        }
        None => format!("{how} of the last rounds, at most {WINDOW}; not judged"),
    }
}

/// "best of 3 rounds" and the like, as asked; empty for a single round.
pub(crate) fn rounds_text(test: &TestPlan) -> String {
    let how = combined(test.combine);
    match &test.rounds {
        Rounds::Fixed { count } => of_fixed_rounds(how, *count, test.repeats),
        Rounds::Steady { max, .. } => format!("{how} of the steady window, at most {max} rounds"),
        Rounds::FindRate(search) => format!(
            "round with the highest rate at which {} of the response time keeps {}, of at most {}",
            search.percentile_name(),
            search.bound,
            search.max
        ),
    }
}

/// "best of 9 rounds after 1 that is left out, mean of 4 sets".
fn of_fixed_rounds(how: &str, count: u32, repeats: Repeats) -> String {
    let before = match repeats.warm_up_rounds {
        0 => String::new(),
        one => format!(" after {one} left out"),
    };
    let rounds = match (count, before.is_empty()) {
        (1, true) => String::new(),
        (1, false) => format!("one round{before}"),
        _ => format!("{how} of {count} rounds{before}"),
    };
    let parts = [rounds, if repeats.sets > 1 { format!("mean of {} sets", repeats.sets) } else { String::new() }];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

pub(crate) fn caption(input: &ReportInput<'_>, test: &TestPlan) -> String {
    let steps: Vec<&Step> = measured(test).collect();
    let more = figures::legend(input, &steps);
    let rounds = reported_rounds(input, test);
    let rounds = if rounds.is_empty() {
        rounds
    } else if matches!(test.rounds, Rounds::FindRate(_)) {
        format!("Figures are of the {rounds}. ")
    } else {
        let of = if test.repeats.sets > 1 { "set" } else { "round" };
        format!("Figures are the {rounds}; whiskers show the lowest and the highest {of}. ")
    };
    format!("{rounds}{more}")
}

/// Bars that stand at one place: the read and the write of one load, or what reads and writes at once.
struct Bars<'a> {
    label: String,
    steps: Vec<(Op, &'a Step)>,
}

/// The places of a test's bars, in the order of the plan.
fn bars_of(test: &TestPlan) -> Vec<Bars<'_>> {
    let mut pairs = pairs_of(test).into_iter().peekable();
    let mut places = Vec::new();
    for step in measured(test) {
        let begins = |pair: &Pair<'_>| [pair.read, pair.write].into_iter().flatten().any(|one| one.id == step.id);
        if Op::of(step) == Op::Total {
            places.push(Bars { label: step.label.clone(), steps: vec![(Op::Total, step)] });
        } else if let Some(Pair { label, read, write }) = pairs.next_if(begins) {
            let steps = [(Op::Read, read), (Op::Write, write)].into_iter();
            places.push(Bars { label, steps: steps.filter_map(|(op, step)| Some((op, step?))).collect() });
        }
    }
    places
}

/// Bars of read and write side by side, and the table of all steps.
fn steps_figure(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Figure {
    let places = bars_of(test);
    let busy = measured(test).any(rate::replays);
    // The rate of a trace is the one without its pauses, which is in bytes.
    let rate = Rate::of_source(test).filter(|rate| !busy || rate.quantity == quantity::THROUGHPUT);
    let rate = rate.unwrap_or(Rate::BYTES);
    // Times where no rate is asked for.
    let panel = |of: Option<Rate>, title: &str| {
        let [mut read, mut write] = [Series::new("Read", colour::READ), Series::new("Write", colour::WRITE)];
        let mut total = Series::new("Read and write", colour::TOTAL);
        for (index, place) in places.iter().enumerate() {
            for (op, step) in &place.steps {
                // What reads and writes at once has one rate, and the latencies of both.
                let drawn = if *op == Op::Total && of.is_none() {
                    vec![(&mut read, Op::Read), (&mut write, Op::Write)]
                } else {
                    vec![(
                        if *op == Op::Total {
                            &mut total
                        } else if *op == Op::Read {
                            &mut read
                        } else {
                            &mut write
                        },
                        *op,
                    )]
                };
                for (series, op) in drawn {
                    let at = (index as f64, place.label.as_str());
                    match of {
                        Some(rate) => rate.push(series, input, at, (step, op)),
                        None => figures::push_point(series, input, at, step, (op, quantity::P99)),
                    }
                }
            }
        }
        let unit = of.map_or("µs", |rate| rate.unit).to_owned();
        Panel { title: title.to_owned(), unit, kind: PanelKind::Bar, series: vec![read, write, total] }
    };
    let rate_title = if busy { "Throughput over busy time" } else { rate.title };
    let chart = Chart {
        id: format!("{id}-bars"),
        description: format!(
            "{}: bars of {} and of p99 latency for reads and writes.",
            test.title,
            rate.title.to_lowercase()
        ),
        x: Axis {
            title: String::new(),
            scale: Scale::Category,
            labels: places.iter().map(|place| place.label.clone()).collect(),
            ticks: Vec::new(),
            end: 0.0,
        },
        panels: vec![panel(Some(rate), rate_title), panel(None, "Latency p99")],
        stretches: Vec::new(),
    };
    let several = places.iter().map(|place| place.steps.len()).sum::<usize>() > 1;
    Figure {
        title: String::new(),
        caption: caption(input, test),
        chart: if several { chart.drawable() } else { None },
        table: table_of(input, test, "Step"),
        long: false,
    }
}

/// A cell of a pair's table: throughput, with IOPS and mean latency beneath.
pub(crate) fn pair_cell(input: &ReportInput<'_>, step: Option<&Step>, op: Op) -> Cell {
    let Some(step) = step else { return Cell::default() };
    let main = figures::cell(input, step, op, quantity::THROUGHPUT);
    if main.is_void() {
        return main;
    }
    let part = |quantity: &str, unit: &str| {
        let cell = figures::cell(input, step, op, quantity);
        if cell.text.is_empty() || cell.is_void() { String::new() } else { format!("{} {unit}", cell.plain()) }
    };
    let parts = [part(quantity::IOPS, "IOPS"), part(quantity::MEAN, "µs mean")];
    let detail = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    Cell { detail, approximation: figures::approximation(step), ..main }
}
