//! The table for a terminal: plain text in aligned columns that can be copied into a post.

use drivelab_analysis::rate;
use drivelab_core::finding::Severity;
use drivelab_core::plan::{Plan, Step, TestPlan};

use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::{Pair, measured, measured_tests, pairs_of};
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{cells, escape, format, prose, quantity, rates, signs, wrap};
use crate::formats::check;
use crate::formats::columns::{self, LEAST_WIDTH};
use crate::views::run::short::{self, Short};
use crate::views::run::{look, scores, sheet};
use crate::views::test::{curve, files, loads, sweep};
use crate::words::facts::Fact;
use crate::words::rounds::reported_rounds;
use crate::words::{facts, run_facts};

/// Most findings that are printed; the others are counted.
const MOST_FINDINGS: usize = 6;

/// The results of a run in at most `width` columns: the form first, then the tests, then the findings in short.
#[must_use]
pub fn terminal_table(input: &ReportInput<'_>, width: usize) -> String {
    let width = width.max(LEAST_WIDTH);
    let records = input.records;
    let plan = &records.plan;
    let title = format!("{} {}", plan.title, run_facts::version(plan));
    let title = title.trim_end();
    let mut lines = vec![
        format!("{} ({})", plan.form.words(&plan.methodology.name), run_facts::form_note(input)),
        format!("{title} on {}", escape::terminal(&facts::title(&records.environment))),
        format!("{}, {}", records.started, run_facts::state_word(records.state)),
        format!("run {}", records.run),
    ];
    for Fact { name, value } in facts::titled(input) {
        lines.extend(wrap::lines(&escape::terminal(&format!("{name}: {value}")), width));
    }
    let checked = check::terminal(input, width);
    if !checked.is_empty() {
        lines.push(String::new());
        lines.extend(checked.iter().map(|line| escape::terminal(line)));
    }
    lines.extend(in_short(&short::of_run(input), width));
    let corners = look::corner_test(input).map(|test| &test.name);
    for test in measured_tests(plan) {
        let rounds = reported_rounds(input, test);
        let title = if rounds.is_empty() { test.title.clone() } else { format!("{} ({rounds})", test.title) };
        let tables: Vec<Table> = if curve::is_one(test) {
            curve::of_test(input, test).iter().map(|curve| short(curve::table(input, test, curve))).collect()
        } else if corners == Some(&test.name) && is_of_pairs_alone(test) {
            std::iter::once(corner_table(input, test, title)).chain(further_tables(input, test)).collect()
        } else {
            std::iter::once(test_table(input, test, title)).chain(further_tables(input, test)).collect()
        };
        for table in tables {
            if !table.rows.is_empty() {
                lines.push(String::new());
                lines.extend(columns::plain(&table, width));
            }
        }
    }
    let scores = scores::table(input);
    if !scores.rows.is_empty() {
        lines.push(String::new());
        lines.extend(columns::plain(&scores, width));
    }
    if let Some(view) = sheet::of_run(input) {
        lines.push(String::new());
        lines.extend(wrap::lines(&escape::terminal(&view.about), width));
        for table in [&view.figures, &view.endurance].into_iter().filter(|table| !table.rows.is_empty()) {
            lines.push(String::new());
            lines.extend(columns::plain(table, width));
        }
    }
    lines.push(String::new());
    lines.extend(not_as_written(plan, width));
    lines.extend(findings(input, width));
    let mut text: String = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect();
    // Signs of preparation steps, which no table shows, do not count.
    for line in signs_in(&text) {
        text.push_str(line);
        text.push('\n');
    }
    if plan.steps().any(rate::replays) {
        wrap::lines(signs::BUSY, width).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    text
}

/// The short answer: sentences, then a line for each use.
fn in_short(short: &Short, width: usize) -> Vec<String> {
    if short.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new()];
    lines.extend(wrap::lines(&escape::terminal(&short.sentences.join(" ")), width));
    for one in &short.verdicts {
        lines.extend(wrap::lines(&escape::terminal(&format!("{}: {}. {}", one.title, one.words, one.why)), width));
    }
    if !short.below_verdicts().is_empty() {
        lines.extend(wrap::lines(&escape::terminal(short.below_verdicts()), width));
    }
    lines
}

/// What the signs in a text mean, a line each.
pub(crate) fn signs_in(text: &str) -> Vec<&'static str> {
    signs::explained(text, SIGNS)
}

/// The table of pairs of a run, if it has a test of pairs without mixes.
pub(crate) fn corners(input: &ReportInput<'_>) -> Option<Table> {
    let test = look::corner_test(input).filter(|test| is_of_pairs_alone(test))?;
    Some(corner_table(input, test, test.title.clone()))
}

/// Whether no step mixes reads and writes: such a step does not fit a table of pairs.
fn is_of_pairs_alone(test: &TestPlan) -> bool {
    measured(test).all(|step| Op::all_of(step).len() < 2)
}

/// What the signs of figures mean, a line each.
const SIGNS: &[(&[char], &str)] = &[
    (&['≈'], "≈ not stated by the source, or changed by drivelab"),
    (&['≥'], "≥ drivelab or the host's CPU was the limit: the target can do at least this much"),
    (&['▲', '▼', '◆'], DISTURBED),
];

/// What the marks of disturbed figures mean.
pub(crate) const DISTURBED: &str =
    "▲ ▼ ◆ other programs used the disk: undisturbed, the figure would be higher, lower or different";

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
    let row = |pair: Pair<'_>| {
        let mut row = vec![Cell::text(pair.label.clone())];
        for quantity in [quantity::THROUGHPUT, quantity::IOPS, quantity::MEAN] {
            for (op, step) in [(Op::Read, pair.read), (Op::Write, pair.write)] {
                row.push(step.map_or_else(Cell::default, |step| cells::cell(input, step, op, quantity)));
            }
        }
        if let (Some(first), Some(step)) = (row.first_mut(), pair.read.or(pair.write)) {
            first.approximation = cells::approximation(&step.approximations);
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
    let counts = sweep::of_test(input, test).is_some() && !rates::is_published_in_bytes(test);
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
        _ => Column::figures("", quantity::heading(quantity).1),
    };
    let columns = std::iter::once(Column::words("")).chain(shown.map(column)).collect();
    let row = |step: &drivelab_core::plan::Step| {
        let mut name = cells::measured_cell(input, step);
        if cells::has_groups(step) {
            // The label is that of the first group.
            name.text.push_str(" (all groups)");
        }
        let mut row = vec![name];
        row.extend(shown.map(|(op, quantity)| cells::cell(input, step, op, quantity)));
        row
    };
    // Steps that move no data have their own table.
    let steps = measured(test).filter(|step| !Op::OTHERS.contains(&Op::of(step)));
    Table { caption: title, columns, rows: steps.map(row).collect() }.without_empty_columns()
}

/// A table with short headings, to leave room for the figures.
fn short(table: Table) -> Table {
    let column = |column: Column| {
        let title = column.title.replace("Latency", "lat").replace("Response", "resp").replace("Operations", "");
        let title = title.replace("Backlog growth", "backlog").replace("Largest backlog", "largest");
        let title = title.replace("Generator lateness", "late").replace("Lateness", "late").replace(" latency", "");
        let (title, unit) = match title.rsplit_once(' ') {
            Some((what, figure)) if column.unit == "µs" => (what.to_owned(), format!("{figure} µs")),
            _ => (title.to_lowercase(), column.unit),
        };
        let unit = unit.replace("operations/s", "more/s").replace("operations", "ops");
        Column { title: if title == "step" || title == "load" { String::new() } else { title }, unit, ..column }
    };
    Table { columns: table.columns.into_iter().map(column).collect(), ..table }
}

/// Response times and latencies, the schedule, and operations that move no data, if the test has them.
fn further_tables(input: &ReportInput<'_>, test: &TestPlan) -> Vec<Table> {
    let steps: Vec<&Step> = measured(test).collect();
    let table = |caption: &str, table: Table| {
        let caption = format!("{}: {caption}", test.title);
        Table { caption, ..short(table) }.without_empty_columns()
    };
    vec![
        table("response time (from the intended start) and latency", loads::response_table(input, &steps)),
        table("schedule", loads::schedule_table(input, &steps)),
        table("trace replay", loads::replay_table(input, &steps)),
        table("operations that move no data", loads::others_table(input, &steps, true)),
    ]
}

/// Parameters that were set and tests that were left out, a line each.
fn not_as_written(plan: &Plan, width: usize) -> Vec<String> {
    let set = (!plan.set.is_empty()).then(|| format!("set: {}", plan.set.join(", ")));
    let left_out = plan.left_out.iter().map(|one| format!("left out: {} ({}): {}", one.test, one.title, one.reason));
    set.into_iter().chain(left_out).flat_map(|line| wrap::lines(&escape::terminal(&line), width)).collect()
}

/// Warnings and voids; notes are only counted.
fn findings(input: &ReportInput<'_>, width: usize) -> Vec<String> {
    let findings = run_facts::findings(input);
    let (grave, notes): (Vec<_>, Vec<_>) = findings.into_iter().partition(|finding| finding.severity > Severity::Note);
    if grave.is_empty() && notes.is_empty() {
        return vec!["findings: none".to_owned()];
    }
    let noted = (!notes.is_empty()).then(|| format::counted(notes.len(), "note"));
    let counts = (!grave.is_empty()).then(|| format!("{} important", grave.len())).into_iter().chain(noted);
    let mut lines = vec![format!("findings: {}", counts.collect::<Vec<_>>().join(", "))];
    for finding in grave.iter().take(MOST_FINDINGS) {
        let text = format!(
            "  {}: {}",
            run_facts::severity_word(finding.severity),
            escape::terminal(&prose::plain(&finding.statement))
        );
        lines.extend(wrap::lines(&text, width));
    }
    if grave.len() > MOST_FINDINGS {
        lines.push(format!("  and {} more in the report", grave.len() - MOST_FINDINGS));
    }
    lines
}
