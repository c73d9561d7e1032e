//! Several drives at once, as a page, Markdown, CSV, JSON and a table for a terminal: all from the same views.
//!
//! Owns the layout of a group of runs. Every figure comes from `analysis::together`; this room sets it in tables and
//! charts.

mod asked;
mod page;
mod views;

use std::fmt::Write as _;

use drivelab_analysis::together::{Member, Together, stretches, together};
use drivelab_core::finding::Severity;
use serde::Serialize;

use crate::table::Table;
use crate::{ReportError, ReportInput, markdown, marker, prose, run_facts, terminal};

/// A group of runs and what it means.
#[derive(Debug, Clone)]
pub struct GroupInput<'a> {
    group: Together,
    members: Vec<ReportInput<'a>>,
    /// Title, begin and end in seconds of each test on the shared clock.
    stretches: Vec<(String, f64, f64)>,
}

impl<'a> GroupInput<'a> {
    /// From the runs of a group, in any order; those that are missing are said to be.
    ///
    /// # Errors
    /// [`ReportError::NoGroup`] where none of them was measured with others.
    pub fn new(members: &[ReportInput<'a>]) -> Result<Self, ReportError> {
        let pairs: Vec<Member<'a>> = members.iter().map(|input| (input.records, input.analysis)).collect();
        let group = together(&pairs).ok_or(ReportError::NoGroup)?;
        Ok(GroupInput { group, members: members.to_vec(), stretches: stretches(&pairs) })
    }

    /// What it means.
    #[must_use]
    pub const fn together(&self) -> &Together {
        &self.group
    }

    /// The run of a drive with the others, otherwise alone.
    fn run_of(&self, drive: usize) -> Option<&ReportInput<'a>> {
        let drive = self.group.drives.get(drive)?;
        let wanted = [drive.together, drive.alone];
        let find = |id| self.members.iter().find(|input| Some(input.records.run) == id && is_of(input, &drive.letter));
        wanted.into_iter().find_map(|id| id.and_then(|id| find(Some(id))))
    }
}

/// Whether a run is of the drive with this letter.
fn is_of(input: &ReportInput<'_>, letter: &str) -> bool {
    let group = input.records.group.as_ref();
    group.is_some_and(|group| drivelab_core::group::letter(group.drive as usize) == letter)
}

/// The page: one file that opens offline.
///
/// # Errors
/// A template or a document that cannot be made.
pub fn together_html(input: &GroupInput<'_>) -> Result<String, ReportError> {
    page::html(input)
}

/// The document, as docs/formats/together.schema.json describes it.
///
/// # Errors
/// Where it cannot be written as JSON.
pub fn together_json(input: &GroupInput<'_>) -> Result<serde_json::Value, ReportError> {
    let document = Document { schema: marker::TOGETHER, schema_version: 1, group: &input.group };
    Ok(serde_json::to_value(document)?)
}

#[derive(Serialize, schemars::JsonSchema)]
struct Document<'a> {
    /// `drivelab.together`.
    schema: &'static str,
    /// Version of this document, 1.
    schema_version: u32,
    #[serde(flatten)]
    group: &'a Together,
}

/// JSON Schema of the document.
#[must_use]
pub fn together_schema() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::default().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Document<'_>>();
    schema.insert("title".to_owned(), "drivelab, several drives at once".into());
    schema.insert("$id".to_owned(), "drivelab.together.v1".into());
    schema.to_value()
}

/// The same as Markdown: tables without charts.
#[must_use]
pub fn together_markdown(input: &GroupInput<'_>) -> String {
    let group = &input.group;
    let mut text = format!("{}\n", marker::MARKDOWN);
    markdown::heading(&mut text, 1, &views::title(group));
    let _ = writeln!(text, "{}\n", markdown::escape(&views::lede(group)));
    markdown::table(&mut text, &views::drives_table(input));
    for table in asked::tables(group) {
        markdown::heading(&mut text, 2, &table.caption);
        markdown::table(&mut text, &table);
    }
    for test in views::tests(input) {
        markdown::heading(&mut text, 2, &test.title);
        test.figures.iter().for_each(|figure| markdown::table(&mut text, &figure.table));
    }
    let cpu = views::cpu_table(group);
    if !cpu.rows.is_empty() {
        markdown::heading(&mut text, 2, "The host's CPUs");
        markdown::table(&mut text, &cpu);
    }
    markdown::heading(&mut text, 2, "Findings");
    if group.findings.is_empty() {
        text.push_str("None that is about several of the drives; each run has its own.\n");
    }
    for finding in &group.findings {
        let severity = run_facts::severity_word(finding.severity);
        let words = format!("{} {}", finding.statement, finding.next_action);
        let _ = writeln!(text, "- **{severity}** {}", prose::markdown(words.trim()));
    }
    markdown::heading(&mut text, 2, "What the figures mean");
    markdown::list(&mut text, &views::MEANING.map(str::to_owned));
    text
}

/// Every share as CSV, one line a step and drive.
///
/// # Errors
/// A line that cannot be written.
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

/// What the signs of bounds say on a terminal.
const BOUNDS: &str = "≥ ≤ ≷ the host was the limit, not the drive: at least, at most, more or less than this";

/// For a terminal, in at most `width` columns.
#[must_use]
pub fn together_terminal(input: &GroupInput<'_>, width: usize) -> String {
    let width = width.max(terminal::LEAST_WIDTH);
    let group = &input.group;
    let mut lines = vec![views::title(group), views::lede(group), String::new()];
    let mut add = |table: &Table| {
        lines.extend(terminal::plain(table, width));
        lines.push(String::new());
    };
    add(&views::drives_table(input));
    asked::tables(group).iter().for_each(&mut add);
    for test in views::tests(input) {
        test.figures.iter().for_each(|figure| add(&figure.table));
    }
    let cpu = views::cpu_table(group);
    if !cpu.rows.is_empty() {
        add(&cpu);
    }
    for finding in group.findings.iter().filter(|finding| finding.severity > Severity::Note) {
        let text = format!(
            "  {}: {}",
            run_facts::severity_word(finding.severity),
            terminal::clean(&prose::plain(&finding.statement))
        );
        lines.extend(terminal::wrapped(&text, width));
    }
    let shown = lines.concat();
    for (signs, says) in [(&['≥', '≤', '≷'], BOUNDS), (&['▲', '▼', '◆'], terminal::DISTURBED)] {
        if shown.contains(signs) {
            lines.extend(terminal::wrapped(says, width));
        }
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests;
