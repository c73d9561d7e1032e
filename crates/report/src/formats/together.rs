//! Several drives at once, as a page, Markdown, CSV and a table for a terminal: all from the same views.

mod page;

use std::fmt::Write as _;

use drivelab_core::finding::Severity;

use crate::error::ReportError;
use crate::figure::table::Table;
use crate::figure::{escape, prose, signs, wrap};
use crate::formats::markdown::parts;
use crate::formats::{columns, terminal};
use crate::marker;
use crate::views::across::group::GroupInput;
use crate::views::across::{asked, compare, together};
use crate::words::run_facts;

/// The page: one file that opens offline.
///
/// # Errors
/// If the template or a document fails.
pub fn together_html(input: &GroupInput<'_>) -> Result<String, ReportError> {
    page::html(input)
}

/// Several drives at once as Markdown: tables without charts.
#[must_use]
pub fn together_markdown(input: &GroupInput<'_>) -> String {
    let group = &input.group;
    let mut text = format!("{}\n", marker::MARKDOWN);
    parts::heading(&mut text, 1, &together::title(group));
    let _ = writeln!(text, "{}\n", escape::markdown(&together::lede(group)));
    parts::table(&mut text, &together::drives_table(input));
    for table in asked::tables(group) {
        parts::heading(&mut text, 2, &table.caption);
        parts::table(&mut text, &table);
    }
    for test in together::tests(input) {
        parts::heading(&mut text, 2, &test.title);
        test.figures.iter().for_each(|figure| parts::table(&mut text, &figure.table));
    }
    if let Some((runs, sides)) = input.alone() {
        let digests = compare::digests(&runs);
        let comparison = compare::of_digests(&digests.iter().collect::<Vec<_>>(), &sides);
        let compared = comparison.groups.iter().filter(|group| group.against.is_some());
        compared.for_each(|group| parts::group(&mut text, group, &[]));
        parts::refused(&mut text, &comparison);
    }
    let cpu = together::cpu_table(group);
    if !cpu.rows.is_empty() {
        parts::heading(&mut text, 2, "The host's CPUs");
        parts::table(&mut text, &cpu);
    }
    parts::heading(&mut text, 2, "Findings");
    if group.findings.is_empty() {
        text.push_str("None about the group; each run has its own findings.\n");
    }
    for finding in &group.findings {
        let severity = run_facts::severity_word(finding.severity);
        let words = format!("{} {}", finding.statement, finding.next_action);
        let _ = writeln!(text, "- **{severity}** {}", prose::markdown(words.trim()));
    }
    parts::heading(&mut text, 2, "What the figures mean");
    parts::list(&mut text, &together::meaning(group).iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
    text
}

/// Every share as CSV, one line per step and drive.
///
/// # Errors
/// If a line cannot be written.
pub fn together_csv(input: &GroupInput<'_>) -> Result<String, ReportError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = [
        "drivelab_results_version",
        "step",
        "label",
        "metric",
        "drive",
        "alone_mb_s",
        "together_mb_s",
        "kept_percent",
        "lost_percent",
        "p99_alone_us",
        "p99_together_us",
        "overlap_percent",
        "alone_at_least",
        "together_at_least",
        "alone_spoiled",
        "together_spoiled",
        "p99_alone_spoiled",
        "p99_together_spoiled",
    ];
    writer.write_record(head)?;
    for step in &input.group.steps {
        let drives = input.group.drives.iter().map(|drive| drive.letter.to_string()).zip(&step.drives);
        for (letter, share) in drives.chain([("total".to_owned(), &step.total)]) {
            let figures = [
                share.alone_mb_s,
                share.together_mb_s,
                share.kept_percent,
                share.lost_percent,
                share.p99_alone_us,
                share.p99_together_us,
                share.overlap_percent,
            ];
            let words = ["1", step.step.as_str(), &step.label, &step.metric, &letter].map(str::to_owned);
            let figures = figures.map(|figure| figure.map_or_else(String::new, |figure| figure.to_string()));
            let signs = [
                share.alone_at_least,
                share.together_at_least,
                share.alone_spoiled,
                share.together_spoiled,
                share.p99_alone_spoiled,
                share.p99_together_spoiled,
            ];
            let signs = signs.map(|is| if is { "yes".to_owned() } else { String::new() });
            writer.write_record(words.iter().chain(&figures).chain(&signs))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| ReportError::Csv(error.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the signs of bounds mean, for a terminal.
const BOUNDS: &str = "≥ ≤ ≷ the host was the limit, not the drive: at least, at most, or more or less than this";

/// Several drives at once for a terminal, in at most `width` columns.
#[must_use]
pub fn together_terminal(input: &GroupInput<'_>, width: usize) -> String {
    let width = width.max(columns::LEAST_WIDTH);
    let group = &input.group;
    let mut lines = vec![together::title(group), together::lede(group), String::new()];
    let mut add = |table: &Table| {
        lines.extend(columns::plain(table, width));
        lines.push(String::new());
    };
    add(&together::drives_table(input));
    asked::tables(group).iter().for_each(&mut add);
    for test in together::tests(input) {
        test.figures.iter().for_each(|figure| add(&figure.table));
    }
    let cpu = together::cpu_table(group);
    if !cpu.rows.is_empty() {
        add(&cpu);
    }
    for finding in group.findings.iter().filter(|finding| finding.severity > Severity::Note) {
        let text = format!(
            "  {}: {}",
            run_facts::severity_word(finding.severity),
            escape::terminal(&prose::plain(&finding.statement))
        );
        lines.extend(wrap::lines(&text, width));
    }
    let known: [(&[char], &str); 2] = [(&['≥', '≤', '≷'], BOUNDS), (&['▲', '▼', '◆'], terminal::DISTURBED)];
    for says in signs::explained(&lines.concat(), &known) {
        lines.extend(wrap::lines(says, width));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests;
