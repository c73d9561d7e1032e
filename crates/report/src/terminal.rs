//! The table for a terminal: plain text in aligned columns that a person can copy into a post.

use drivelab_core::finding::Severity;
use drivelab_core::plan::TestPlan;

use crate::figures::{self, Op, quantity};
use crate::table::{Cell, Column, Table};
use crate::tests_view::{measured, pairs_of, rounds_text, sweep_of};
use crate::{ReportInput, facts, look, run_facts};

/// Findings that are named; the rest is counted.
const MOST_FINDINGS: usize = 6;
/// No terminal is narrower than this for us.
const LEAST_WIDTH: usize = 60;

/// The results of a run in at most `width` columns: form first, then the tests, then findings in short.
#[must_use]
pub fn terminal_table(input: &ReportInput<'_>, width: usize) -> String {
    let width = width.max(LEAST_WIDTH);
    let records = input.records;
    let plan = &records.plan;
    let mut lines = vec![
        format!("{} form ({})", plan.form.name(), run_facts::form_note(plan.form)),
        format!("{} {} on {}", plan.title, plan.methodology.version, clean(&facts::drive_name(&records.environment))),
        format!("{}, {}", records.started, run_facts::state_word(records.state)),
        format!("run {}", records.run),
    ];
    let corners = look::corner_test(input).map(|test| &test.name);
    for test in plan.tests.iter().filter(|test| measured(test).next().is_some()) {
        let rounds = rounds_text(test);
        let title = if rounds.is_empty() { test.title.clone() } else { format!("{} ({rounds})", test.title) };
        let table =
            if corners == Some(&test.name) { corner_table(input, test, title) } else { test_table(input, test, title) };
        if !table.rows.is_empty() {
            lines.push(String::new());
            lines.extend(plain(&table, width));
        }
    }
    lines.push(String::new());
    lines.extend(findings(input, width));
    let mut text: String = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect();
    if plan.steps().any(|step| !step.approximations.is_empty()) {
        text.push_str("≈ rests on a parameter that the source does not state\n");
    }
    text
}

/// Words from outside without control characters, which a terminal would obey.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn corner_table(input: &ReportInput<'_>, test: &TestPlan, title: String) -> Table {
    let columns = vec![
        Column::words(""),
        Column::figures("read", "MB/s"),
        Column::figures("write", "MB/s"),
        Column::figures("read", "IOPS"),
        Column::figures("write", "IOPS"),
        Column::figures("read", "us mean"),
        Column::figures("write", "us mean"),
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
    let rate = if sweep_of(input, test).is_some() { quantity::IOPS } else { quantity::THROUGHPUT };
    let other = if rate == quantity::IOPS { quantity::THROUGHPUT } else { quantity::IOPS };
    let shown = [
        (Op::Total, rate),
        (Op::Total, other),
        (Op::Read, quantity::P50),
        (Op::Read, quantity::P99),
        (Op::Write, quantity::P50),
        (Op::Write, quantity::P99),
    ];
    let mut columns = vec![Column::words("")];
    for (op, quantity) in shown {
        let (_, unit) = figures::heading(quantity);
        let name = match quantity {
            quantity::P50 => format!("{} p50", op.prefix()),
            quantity::P99 => format!("{} p99", op.prefix()),
            _ => String::new(),
        };
        columns.push(Column::figures(&name, unit.trim_start_matches('µ').trim_start_matches('s')));
        if let Some(last) = columns.last_mut() {
            last.unit = unit.replace('µ', "u");
        }
    }
    let row = |step: &drivelab_core::plan::Step| {
        let mut row = vec![figures::step_cell(step, step.label.clone())];
        row.extend(shown.map(|(op, quantity)| figures::cell(input, step, op, quantity)));
        row
    };
    Table { caption: title, columns, rows: measured(test).map(row).collect() }.without_empty_columns()
}

/// Aligned columns: words to the left, figures to the right, unit beneath the title. Columns that do not fit are left
/// out from the right.
fn plain(table: &Table, width: usize) -> Vec<String> {
    let texts: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(|cell| clean(&cell.plain())).collect()).collect();
    let head: Vec<[&str; 2]> =
        table.columns.iter().map(|column| [column.title.as_str(), column.unit.as_str()]).collect();
    let length = |text: &str| text.chars().count();
    let widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(at, titles)| {
            let cells = texts.iter().filter_map(|row| row.get(at)).map(|text| length(text));
            cells.chain(titles.iter().map(|title| length(title))).max().unwrap_or(0)
        })
        .collect();
    let mut total = 0;
    let fits = widths.iter().take_while(|one| {
        total += **one + 2;
        total <= width + 2
    });
    let shown = fits.count().max(2);
    let line = |cell: &dyn Fn(usize) -> String| {
        let parts = widths.iter().enumerate().take(shown).map(|(at, width)| {
            let text = cell(at);
            let gap = " ".repeat(width.saturating_sub(length(&text)));
            if at == 0 { format!("{text}{gap}") } else { format!("{gap}{text}") }
        });
        parts.collect::<Vec<_>>().join("  ")
    };
    let title = |which: usize| {
        move |at: usize| {
            head.get(at).and_then(|titles| titles.get(which)).map_or_else(String::new, |text| (*text).to_owned())
        }
    };
    let mut lines = vec![clean(&table.caption), line(&title.clone()(0)), line(&title(1))];
    lines.extend(texts.iter().map(|row| line(&|at| row.get(at).cloned().unwrap_or_default())));
    lines
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
        let text = format!("  {}: {}", run_facts::severity_word(finding.severity), clean(&finding.statement));
        lines.extend(wrapped(&text, width));
    }
    if grave.len() > MOST_FINDINGS {
        lines.push(format!("  and {} more in the report", grave.len() - MOST_FINDINGS));
    }
    lines
}

/// Broken between words; continued lines are set in.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::from("  ");
    for word in text.split_whitespace() {
        if current.trim().len() + 2 + word.chars().count() + 1 > width && !current.trim().is_empty() {
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
