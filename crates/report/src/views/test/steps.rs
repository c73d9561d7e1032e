//! The steps of a test as bars and as a table: pairs of read and write side by side, one row per step.

use drivelab_analysis::rate;
use drivelab_core::plan::{Rounds, Step, TestPlan};

use crate::figure::chart::{Chart, Panel, Series, colour};
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::{Pair, measured, pairs_of};
use crate::figure::rates::{self, Rate};
use crate::figure::table::{Column, Table};
use crate::figure::{Figure, axes, cells, quantity, signs};
use crate::views::test::files;
use crate::words::rounds::reported_rounds;

/// The table of a test: one row per step.
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
    columns.push(rates::rate_column(None, steps));
    columns.extend(rates::published_column(test));
    columns.extend(ALL.into_iter().skip(1).map(|quantity| quantity::column(None, quantity)));
    columns.push(Column::figures("Median", "MB/s"));
    columns.push(Column::figures("Range of rounds", "MB/s"));
    columns.push(Column::figures("95 % interval of the mean", "MB/s"));
    let row = |step: &&Step| {
        let op = Op::of(step);
        let [rate, others @ ..] = ALL.map(|quantity| cells::cell(input, step, op, quantity));
        let mut row = vec![cells::measured_cell(input, step), rate];
        row.extend(rates::published_cell(input, test, step, op));
        row.extend(others);
        row.push(cells::median_cell(input, step, op, quantity::THROUGHPUT));
        row.extend(cells::spread_cells(input, step, op, quantity::THROUGHPUT));
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
    // The operations per second of a trace include its pauses.
    let (spread, unit) = if steps.iter().any(|step| rate::replays(step)) {
        (quantity::THROUGHPUT, "MB/s")
    } else {
        (quantity::IOPS, "IOPS")
    };
    columns.push(rates::rate_column(Some(Op::Total), steps));
    columns.extend(rates::published_column(test));
    columns.extend(shown.into_iter().skip(1).map(|(op, quantity)| quantity::column(Some(op), quantity)));
    columns.push(Column::figures("Median", unit));
    columns.push(Column::figures("Range of rounds", unit));
    columns.push(Column::figures("95 % interval of the mean", unit));
    let row = |step: &&Step| {
        let [rate, others @ ..] = shown.map(|(op, quantity)| cells::cell(input, step, op, quantity));
        let mut row = vec![cells::measured_cell(input, step), rate];
        row.extend(rates::published_cell(input, test, step, Op::Total));
        row.extend(others);
        row.push(cells::median_cell(input, step, Op::Total, spread));
        row.extend(cells::spread_cells(input, step, Op::Total, spread));
        row
    };
    Table { caption: String::new(), columns, rows: steps.iter().map(row).collect() }
}

pub(crate) fn caption(input: &ReportInput<'_>, test: &TestPlan) -> String {
    let steps: Vec<&Step> = measured(test).collect();
    let more = signs::legend(input, &steps);
    let rounds = reported_rounds(input, test);
    let rounds = if rounds.is_empty() {
        rounds
    } else if matches!(test.rounds, Rounds::FindRate(_)) {
        format!("Figures are from the {rounds}. ")
    } else {
        let of = if test.repeats.sets > 1 { "set" } else { "round" };
        format!("Figures are the {rounds}; whiskers show the lowest and the highest {of}. ")
    };
    // What a file takes does not follow from the files per second.
    let files = if files::are(&steps) {
        "Files per second include the time between files and the final sync; the mean per file does not. "
    } else {
        ""
    };
    format!("{rounds}{files}{more}")
}

/// Bars at one position: the read and the write of one load, or a load that reads and writes.
struct Bars<'a> {
    label: String,
    steps: Vec<(Op, &'a Step)>,
}

/// The positions of a test's bars, in the order of the plan.
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
pub(crate) fn figure(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Figure {
    let places = bars_of(test);
    let busy = measured(test).any(rate::replays);
    // The rate of a trace is the byte rate without its pauses.
    let rate = Rate::of_source(test).filter(|rate| !busy || rate.quantity == quantity::THROUGHPUT);
    let rate = rate.unwrap_or(Rate::BYTES);
    // Shows latencies if no rate is given.
    let panel = |of: Option<Rate>, title: &str| {
        let [mut read, mut write] = [Series::new("Read", colour::READ), Series::new("Write", colour::WRITE)];
        let mut total = Series::new("Read and write", colour::TOTAL);
        for (index, place) in places.iter().enumerate() {
            for (op, step) in &place.steps {
                // A load that reads and writes has one rate but two latencies.
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
                        None => rates::push_point(series, input, at, step, (op, quantity::P99)),
                    }
                }
            }
        }
        Panel::bars(title, of.map_or("µs", |rate| rate.unit), vec![read, write, total])
    };
    let rate_title = if busy { "Throughput over busy time" } else { rate.title };
    let chart = Chart {
        id: format!("{id}-bars"),
        description: format!(
            "{}: bars of {} and of p99 latency for reads and writes.",
            test.title,
            rate.title.to_lowercase()
        ),
        x: axes::of_bars(places.iter().map(|place| place.label.clone()).collect()),
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
