//! The table for a terminal: plain text in aligned columns that a person can copy into a post.

use drivelab_analysis::rate;
use drivelab_core::finding::Severity;
use drivelab_core::plan::{Plan, Step, TestPlan};

use crate::figures::{self, Op, quantity};
use crate::table::{Cell, Column, Table};
use crate::tests_view::{measured, pairs_of, reported_rounds};
use crate::{
    ReportInput, check_view, curve_view, facts, files, loads_view, look, prose, run_facts, scores_view, sheet_view,
    sweep_view,
};

/// Findings that are named; the rest is counted.
const MOST_FINDINGS: usize = 6;
/// No terminal is narrower than this for us.
pub(crate) const LEAST_WIDTH: usize = 60;

/// The results of a run in at most `width` columns: form first, then the tests, then findings in short.
#[must_use]
pub fn terminal_table(input: &ReportInput<'_>, width: usize) -> String {
    let width = width.max(LEAST_WIDTH);
    let records = input.records;
    let plan = &records.plan;
    let title = format!("{} {}", plan.title, run_facts::version(plan));
    let title = title.trim_end();
    let mut lines = vec![
        format!("{} ({})", plan.form.words(&plan.methodology.name), run_facts::form_note(input)),
        format!("{title} on {}", clean(&facts::title(&records.environment))),
        format!("{}, {}", records.started, run_facts::state_word(records.state)),
        format!("run {}", records.run),
    ];
    let checked = check_view::terminal(input, width);
    if !checked.is_empty() {
        lines.push(String::new());
        lines.extend(checked.iter().map(|line| clean(line)));
    }
    for answer in run_facts::answers(input) {
        lines.push(String::new());
        lines.extend(wrapped(&clean(&answer), width));
    }
    let corners = look::corner_test(input).map(|test| &test.name);
    for test in plan.tests.iter().filter(|test| measured(test).next().is_some()) {
        let rounds = reported_rounds(input, test);
        let title = if rounds.is_empty() { test.title.clone() } else { format!("{} ({rounds})", test.title) };
        let tables: Vec<Table> = if curve_view::is_one(test) {
            curve_view::of_test(input, test).iter().map(|curve| short(curve_view::table(input, test, curve))).collect()
        } else if corners == Some(&test.name) && measured(test).all(|step| Op::all_of(step).len() < 2) {
            // A step that mixes reads and writes has no place in pairs.
            std::iter::once(corner_table(input, test, title)).chain(further_tables(input, test)).collect()
        } else {
            std::iter::once(test_table(input, test, title)).chain(further_tables(input, test)).collect()
        };
        for table in tables {
            if !table.rows.is_empty() {
                lines.push(String::new());
                lines.extend(plain(&table, width));
            }
        }
    }
    let scores = scores_view::table(input);
    if !scores.rows.is_empty() {
        lines.push(String::new());
        lines.extend(plain(&scores, width));
    }
    if let Some(view) = sheet_view::of_run(input) {
        lines.push(String::new());
        lines.extend(wrapped(&clean(&view.about), width));
        for table in [&view.figures, &view.endurance].into_iter().filter(|table| !table.rows.is_empty()) {
            lines.push(String::new());
            lines.extend(plain(table, width));
        }
    }
    lines.push(String::new());
    lines.extend(not_as_written(plan, width));
    lines.extend(findings(input, width));
    let mut text: String = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect();
    if plan.steps().any(|step| !step.approximations.is_empty()) {
        text.push_str("≈ a parameter is drivelab's own, not the source's\n");
    }
    if plan.steps().any(rate::replays) {
        wrapped(figures::BUSY, width).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    if input.analysis.metrics.iter().any(|metric| metric.lower_bound) {
        text.push_str("≥ drivelab or the host's CPU was the limit: the target can do at least this much\n");
    }
    if input.analysis.metrics.iter().any(|metric| metric.wrong.is_some()) {
        text.push_str(DISTURBED);
        text.push('\n');
    }
    text
}

/// What the marks of disturbed figures say.
pub(crate) const DISTURBED: &str =
    "▲ ▼ ◆ other programs used the disk: undisturbed, the figure would be higher, lower, different";

/// Words from outside without control characters, which a terminal would obey.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn corner_table(input: &ReportInput<'_>, test: &TestPlan, title: String) -> Table {
    let columns = vec![
        Column::words(""),
        Column::figures("read", "MB/s"),
        Column::figures("write", "MB/s"),
        Column::figures("read", "IOPS"),
        Column::figures("write", "IOPS"),
        Column::figures("read", "mean µs"),
        Column::figures("write", "mean µs"),
    ];
    let row = |pair: crate::tests_view::Pair<'_>| {
        let mut row = vec![Cell::text(pair.label.clone())];
        for quantity in [quantity::THROUGHPUT, quantity::IOPS, quantity::MEAN] {
            for (op, step) in [(Op::Read, pair.read), (Op::Write, pair.write)] {
                row.push(step.map_or_else(Cell::default, |step| figures::cell(input, step, op, quantity)));
            }
        }
        if let (Some(first), Some(step)) = (row.first_mut(), pair.read.or(pair.write)) {
            first.approximation = figures::approximation(step);
        }
        row
    };
    Table { caption: title, columns, rows: pairs_of(test).into_iter().map(row).collect() }.without_empty_columns()
}

/// Rate and tail latency of each step of any other test.
fn test_table(input: &ReportInput<'_>, test: &TestPlan, title: String) -> Table {
    let steps: Vec<&Step> = measured(test).collect();
    if files::are(&steps) {
        return Table { caption: title, ..files::table(input, &steps, "") };
    }
    let counts = sweep_view::of_test(input, test).is_some() && !figures::is_published_in_bytes(test);
    let rate = if counts { quantity::IOPS } else { quantity::THROUGHPUT };
    let other = if rate == quantity::IOPS { quantity::THROUGHPUT } else { quantity::IOPS };
    let shown = [
        (Op::Total, rate),
        (Op::Total, other),
        (Op::Read, quantity::P50),
        (Op::Read, quantity::P99),
        (Op::Write, quantity::P50),
        (Op::Write, quantity::P99),
    ];
    let column = |(op, quantity): (Op, &str)| match quantity {
        quantity::P50 => Column::figures(op.prefix(), "p50 µs"),
        quantity::P99 => Column::figures(op.prefix(), "p99 µs"),
        _ => Column::figures("", figures::heading(quantity).1),
    };
    let columns = std::iter::once(Column::words("")).chain(shown.map(column)).collect();
    let row = |step: &drivelab_core::plan::Step| {
        let mut name = figures::measured_cell(input, step);
        if figures::has_groups(step) {
            // Its label is that of the first group.
            name.text.push_str(" (all groups)");
        }
        let mut row = vec![name];
        row.extend(shown.map(|(op, quantity)| figures::cell(input, step, op, quantity)));
        row
    };
    // Steps that move no data have a table of their own.
    let steps = measured(test).filter(|step| !Op::OTHERS.contains(&Op::of(step)));
    Table { caption: title, columns, rows: steps.map(row).collect() }.without_empty_columns()
}

/// A table with headings that leave room for the figures.
fn short(table: Table) -> Table {
    let column = |column: Column| {
        let title = column.title.replace("Latency", "lat").replace("Response", "resp").replace("Operations", "");
        let title = title.replace("Growth of the backlog", "backlog").replace("Largest backlog", "largest");
        let title = title.replace("Generator late, ", "late ").replace("longest", "max");
        let (title, unit) = match title.rsplit_once(' ') {
            Some((what, figure)) if column.unit == "µs" => (what.to_owned(), format!("{figure} µs")),
            _ => (title.to_lowercase(), column.unit),
        };
        let unit = unit.replace("operations/s", "more/s").replace("operations", "ops");
        Column { title: if title == "step" || title == "load" { String::new() } else { title }, unit, ..column }
    };
    Table { columns: table.columns.into_iter().map(column).collect(), ..table }
}

/// Response times beside latencies, the schedule, and operations that move no data, where the test has them.
fn further_tables(input: &ReportInput<'_>, test: &TestPlan) -> Vec<Table> {
    let steps: Vec<&Step> = measured(test).collect();
    let table = |caption: &str, table: Table| {
        let caption = format!("{}: {caption}", test.title);
        Table { caption, ..short(table) }.without_empty_columns()
    };
    vec![
        table("response time (from the intended start) beside latency", loads_view::response_table(input, &steps)),
        table("the schedule", loads_view::schedule_table(input, &steps)),
        table("the replay", loads_view::replay_table(input, &steps)),
        table("operations that move no data", loads_view::others_table(input, &steps, true)),
    ]
}

/// Aligned columns: words to the left, figures to the right, two lines of heads. Columns that do not fit, even with one
/// space between them, are left out from the right, and a line below names them.
pub(crate) fn plain(table: &Table, width: usize) -> Vec<String> {
    let heads = [|column: &Column| column.title.clone(), |column: &Column| column.unit.clone()];
    let mut texts: Vec<Vec<String>> = heads.iter().map(|head| table.columns.iter().map(head).collect()).collect();
    // No line for units where no column has one.
    texts.retain(|heads| heads.iter().any(|head| !head.is_empty()));
    texts.extend(table.rows.iter().map(|row| row.iter().map(|cell| clean(&cell.plain())).collect()));
    let length = |text: &String| text.chars().count();
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|at| texts.iter().filter_map(|row| row.get(at)).map(length).max().unwrap_or(0))
        .collect();
    let fitting = |gap: usize| {
        let mut total = 0;
        let fits = |one: &&usize| {
            total += **one + gap;
            total <= width + gap
        };
        widths.iter().take_while(fits).count()
    };
    let gap = if fitting(2) == widths.len() { 2 } else { 1 };
    let shown = fitting(gap).max(2);
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).take(shown).enumerate();
        let cells = cells.map(|(at, (text, width))| match at {
            0 => format!("{text:<width$}"),
            _ => format!("{text:>width$}"),
        });
        cells.collect::<Vec<_>>().join(&" ".repeat(gap))
    };
    let mut lines = vec![clean(&table.caption)];
    lines.extend(texts.iter().map(line));
    let left_out = table.columns.iter().skip(shown).map(|column| format!("{} {}", column.title, column.unit));
    let left_out: Vec<String> = left_out.map(|name| name.trim().to_owned()).collect();
    if !left_out.is_empty() {
        lines.extend(wrapped(&format!("wider terminals show: {}", left_out.join(", ")), width));
    }
    lines
}

/// What was set and what was left out, a line each.
fn not_as_written(plan: &Plan, width: usize) -> Vec<String> {
    let set = (!plan.set.is_empty()).then(|| format!("set: {}", plan.set.join(", ")));
    let left_out = plan.left_out.iter().map(|one| format!("left out: {} ({}): {}", one.test, one.title, one.reason));
    set.into_iter().chain(left_out).flat_map(|line| wrapped(&clean(&line), width)).collect()
}

/// Warnings and voids, one line each, cut at the width; notes are counted.
fn findings(input: &ReportInput<'_>, width: usize) -> Vec<String> {
    let findings = run_facts::findings(input);
    let (grave, notes): (Vec<_>, Vec<_>) = findings.into_iter().partition(|finding| finding.severity > Severity::Note);
    if grave.is_empty() && notes.is_empty() {
        return vec!["findings: none".to_owned()];
    }
    let mut lines = vec![format!("findings: {} to heed, {} notes", grave.len(), notes.len())];
    for finding in grave.iter().take(MOST_FINDINGS) {
        let text =
            format!("  {}: {}", run_facts::severity_word(finding.severity), clean(&prose::plain(&finding.statement)));
        lines.extend(wrapped(&text, width));
    }
    if grave.len() > MOST_FINDINGS {
        lines.push(format!("  and {} more in the report", grave.len() - MOST_FINDINGS));
    }
    lines
}

/// Broken between words; continued lines are set in.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::from("  ");
    for word in text.split_whitespace() {
        if current.chars().count() + 1 + word.chars().count() > width && !current.trim().is_empty() {
            lines.push(std::mem::replace(&mut current, "   ".to_owned()));
        }
        if !current.ends_with(' ') {
            current.push(' ');
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}
