//! Figures of a test's steps beyond reads and writes in a closed loop: other kinds, response times, sizes, groups,
//! data.
//!
//! Tables of metrics, each only if a step has it. Latency and response time have separate columns, never a common one.

use drivelab_analysis::classes::{self, OpClass};
use drivelab_core::plan::{Step, TestPlan};

use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::measured;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, cells, format, quantity};

/// Every such table that a test has.
pub(crate) fn figures(input: &ReportInput<'_>, test: &TestPlan) -> Vec<Figure> {
    let steps: Vec<&Step> = measured(test).collect();
    let sections = [
        (
            "Response time and latency",
            "Response time counts from the intended start of an operation, latency from its submission: the difference \
             is the time that the operation waited before it was submitted. If the backlog grew, response times grow \
             with the length of the step and are void; the result is the growth per second.",
            response_table(input, &steps),
        ),
        ("Schedule", "", schedule_table(input, &steps)),
        (
            "Trace replay",
            "Throughput over busy time leaves out the pauses of the trace. Lateness is the delay of the submission compared \
             with the recording. None of these figures is a score.",
            replay_table(input, &steps),
        ),
        ("Operations that move no data", "", others_table(input, &steps, false)),
        (
            "By size",
            "Operations by size, as a share of their kind. The figures are for all rounds together.",
            class_table(input, test, &steps, classes::by_size),
        ),
        (
            "By group of threads",
            "The groups ran at the same time; the figures of the step are their sums. The figures are for all rounds together.",
            class_table(input, test, &steps, classes::by_group),
        ),
        ("Data verification", "", verified_table(input, &steps)),
    ];
    let figure = |(title, caption, table): (&str, &str, Table)| {
        let table = Table { caption: format!("{}: {}", test.title, lower_first(title)), ..table };
        (!table.rows.is_empty()).then(|| Figure {
            title: title.to_owned(),
            caption: caption.to_owned(),
            chart: None,
            table: table.without_empty_columns(),
            long: false,
        })
    };
    sections.into_iter().filter_map(figure).collect()
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Whether a step has a figure, even if void.
fn has(input: &ReportInput<'_>, step: &Step, id: &str) -> bool {
    input.analysis.step_metric(&step.id, id).is_some()
}

/// The step, with the kind of operation if it issues several.
fn row_name(step: &Step, op: Op) -> Cell {
    let label = &step.label;
    let several = Op::all_of(step).len() > 1;
    cells::step_cell(step, if several { format!("{label}: {}", op.plural()) } else { label.clone() })
}

/// One row for each step and kind with response times.
pub(crate) fn response_table(input: &ReportInput<'_>, steps: &[&Step]) -> Table {
    let shown = [
        quantity::MEAN,
        quantity::P50,
        quantity::P99,
        quantity::P999,
        quantity::RESPONSE_MEAN,
        quantity::RESPONSE_P50,
        quantity::RESPONSE_P99,
        quantity::RESPONSE_P999,
        quantity::RESPONSE_MAX,
    ];
    let mut columns = vec![Column::words("Step")];
    columns.extend(shown.map(|quantity| quantity::column(None, quantity)));
    let mut rows = Vec::new();
    for (step, op) in each_kind(steps) {
        if has(input, step, &quantity::id(op, quantity::RESPONSE_P50)) {
            let mut row = vec![row_name(step, op)];
            row.extend(shown.map(|quantity| cells::cell(input, step, op, quantity)));
            rows.push(row);
        }
    }
    Table { caption: String::new(), columns, rows }
}

fn each_kind<'s>(steps: &[&'s Step]) -> Vec<(&'s Step, Op)> {
    steps.iter().flat_map(|step| Op::all_of(step).into_iter().map(move |op| (*step, op))).collect()
}

/// A table of metrics by their whole ids, one row per step that has the first of them.
fn metric_table(input: &ReportInput<'_>, steps: &[&Step], shown: &[(&str, &str)]) -> Table {
    let mut columns = vec![Column::words("Step")];
    columns.extend(shown.iter().map(|(id, title)| {
        let unit = drivelab_analysis::metric_def(id).map_or("", |def| cells::unit_text(def.unit));
        Column { metric: (*id).to_owned(), ..Column::figures(title, unit) }
    }));
    let row = |step: &&Step| {
        let mut row = vec![cells::measured_cell(input, step)];
        row.extend(shown.iter().map(|(id, _)| cells::cell_of(input, step, id)));
        row
    };
    let with = |step: &&&Step| shown.first().is_some_and(|(id, _)| has(input, step, id));
    Table { caption: String::new(), columns, rows: steps.iter().filter(with).map(row).collect() }
}

/// Requested and achieved rates, and the backlog.
pub(crate) fn schedule_table(input: &ReportInput<'_>, steps: &[&Step]) -> Table {
    let shown = [
        ("open_loop.asked_iops", "Requested"),
        ("open_loop.achieved_iops", "Achieved"),
        ("open_loop.backlog_growth", "Backlog growth"),
        ("open_loop.backlog_max", "Largest backlog"),
        ("open_loop.lateness_mean", "Generator lateness mean"),
        ("open_loop.lateness_max", "Generator lateness max"),
    ];
    metric_table(input, steps, &shown)
}

/// The replay of the traces.
pub(crate) fn replay_table(input: &ReportInput<'_>, steps: &[&Step]) -> Table {
    let shown = [
        ("replay.busy_throughput", "Over busy time"),
        ("replay.busy_time", "Busy time"),
        ("duration", "Whole replay"),
        ("total.throughput", "Including pauses"),
        ("total.latency_mean", "Latency mean"),
        ("total.latency_p99", "Latency p99"),
        ("read.latency_mean", "Read latency mean"),
        ("read.latency_p99", "Read latency p99"),
        ("write.latency_mean", "Write latency mean"),
        ("write.latency_p99", "Write latency p99"),
        ("replay.energy", "Energy"),
        ("replay.lateness_mean", "Lateness mean"),
        ("replay.lateness_max", "Lateness max"),
        ("replay.moved_share", "At another address"),
    ];
    metric_table(input, steps, &shown)
}

fn verified_table(input: &ReportInput<'_>, steps: &[&Step]) -> Table {
    let shown = [("verified.blocks", "Blocks checked"), ("verified.bad_blocks", "Bad blocks")];
    metric_table(input, steps, &shown)
}

/// One row for each step and kind that moves no data. If that is the only kind of a step, the test's main table has it
/// already, and it is included only with `alone`.
pub(crate) fn others_table(input: &ReportInput<'_>, steps: &[&Step], alone: bool) -> Table {
    let shown = [
        quantity::IOPS,
        quantity::THROUGHPUT,
        quantity::MEAN,
        quantity::P50,
        quantity::P99,
        quantity::P999,
        quantity::MAX,
    ];
    let mut columns = vec![Column::words("Step")];
    columns.extend(shown.map(|quantity| match quantity {
        quantity::THROUGHPUT => Column::figures("Covered", "MB/s"),
        _ => Column { metric: quantity::id(Op::Trim, quantity), ..quantity::column(None, quantity) },
    }));
    let wanted = |(step, op): &(&Step, Op)| {
        let shown = Op::OTHERS.contains(op) && (alone || Op::of(step) != *op);
        shown && has(input, step, &quantity::id(*op, quantity::IOPS))
    };
    let others = each_kind(steps).into_iter().filter(wanted);
    let row = |(step, op): (&Step, Op)| {
        let mut row = vec![row_name(step, op)];
        row.extend(shown.map(|quantity| cells::cell(input, step, op, quantity)));
        row
    };
    let rows = others.map(row).collect();
    Table { caption: String::new(), columns, rows }
}

/// A function that sorts the operations of a step into classes.
type Classes = fn(&drivelab_core::run::RunRecords, &TestPlan, &Step) -> Vec<OpClass>;

/// One row for each step and class of its operations.
fn class_table(input: &ReportInput<'_>, test: &TestPlan, steps: &[&Step], classes: Classes) -> Table {
    let mut columns = vec![Column::words("Operations of")];
    columns.extend(
        [
            ("Share of operations", "%"),
            ("Operations", "IOPS"),
            ("Throughput", "MB/s"),
            ("Latency mean", "µs"),
            ("Latency p50", "µs"),
            ("Latency p99", "µs"),
            ("Latency p99.9", "µs"),
            ("Latency max", "µs"),
        ]
        .map(|(title, unit)| Column::figures(title, unit)),
    );
    let mut rows = Vec::new();
    for step in steps {
        let label = if steps.len() > 1 { format!("{}: ", step.label) } else { String::new() };
        rows.extend(classes(input.records, test, step).iter().map(|class| class_row(input, step, &label, class)));
    }
    Table { caption: String::new(), columns, rows }
}

/// A figure is void if that of the whole kind is.
fn class_row(input: &ReportInput<'_>, step: &Step, label: &str, class: &OpClass) -> Vec<Cell> {
    let op = Op::from_kind(class.kind);
    let like = |quantity: &str, text: String| {
        let whole = cells::cell(input, step, op, quantity);
        if whole.is_void() { whole } else { Cell { text, ..whole } }
    };
    let time = |quantity: &str, value: Option<f64>| {
        value.map_or_else(Cell::default, |us| like(quantity, format::latency_us(us)))
    };
    let group = if class.group.is_empty() { String::new() } else { format!("{}: ", class.group) };
    let size = class.block_size.map_or_else(String::new, |size| format!(" of {size}"));
    vec![
        cells::step_cell(step, format!("{label}{group}{}{size}", op.plural())),
        Cell::text(format::value(class.operations_percent, "%")),
        like(quantity::IOPS, format::iops(class.iops)),
        if class.mb_s > 0.0 && op != Op::Trim {
            like(quantity::THROUGHPUT, format::mb_s(class.mb_s))
        } else {
            Cell::default()
        },
        time(quantity::MEAN, class.latency_mean_us),
        time(quantity::P50, class.latency_p50_us),
        time(quantity::P99, class.latency_p99_us),
        time(quantity::P999, class.latency_p999_us),
        time(quantity::MAX, class.latency_max_us),
    ]
}
