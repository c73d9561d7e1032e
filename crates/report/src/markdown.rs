//! The review as Markdown: the same facts, tables and findings as the page, without its charts.

use std::fmt::Write as _;

use drivelab_core::finding::Finding;

use crate::detail::Detail;
use crate::facts::{self, Fact};
use crate::look::Look;
use crate::table::{Column, Table};
use crate::tests_view::Figure;
use crate::{
    ReportInput, account, check_view, compare, format, look, marker, prose, run_facts, scores_view, sheet_view,
    telemetry_view, tests_view, time_line,
};

/// Rows of the longest time line that is printed; longer ones are in the page and in the JSON.
const MOST_ROWS: usize = 60;

/// One run as a review, several with their comparison first.
pub(crate) fn markdown(inputs: &[ReportInput<'_>]) -> String {
    let mut text = format!("{}\n", marker::MARKDOWN);
    if inputs.len() > 1 {
        comparison(&mut text, inputs, true);
    }
    for (index, input) in inputs.iter().enumerate() {
        let name =
            if inputs.len() > 1 { compare::run_name(index, input) } else { facts::title(&input.records.environment) };
        run(&mut text, input, &name);
    }
    text
}

/// Words from outside, so that they stay words: no table cell, HTML, link or emphasis can begin in them.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

pub(crate) fn line(text: &mut String, words: &str) {
    text.push_str(words);
    text.push('\n');
}

pub(crate) fn heading(text: &mut String, level: usize, words: &str) {
    // After a table there is an empty line already.
    let apart = if text.ends_with("\n\n") { "" } else { "\n" };
    line(text, &format!("{apart}{} {}\n", "#".repeat(level), escape(words)));
}

pub(crate) fn table(text: &mut String, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    let head: Vec<String> = table.columns.iter().map(|column| escape(&column.plain())).collect();
    let rule: Vec<&str> = table.columns.iter().map(|column| if column.figures { "---:" } else { "---" }).collect();
    line(text, &format!("| {} |", head.join(" | ")));
    line(text, &format!("| {} |", rule.join(" | ")));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| escape(&cell.plain())).collect();
        line(text, &format!("| {} |", cells.join(" | ")));
    }
    text.push('\n');
}

pub(crate) fn facts_table(text: &mut String, title: &str, facts: &[Fact]) {
    let columns = vec![Column::words(title), Column::words("")];
    let rows =
        facts.iter().map(|fact| vec![crate::table::Cell::text(fact.name), crate::table::Cell::text(&*fact.value)]);
    table(text, &Table { caption: String::new(), columns, rows: rows.collect() });
}

pub(crate) fn list(text: &mut String, items: &[String]) {
    for item in items {
        line(text, &format!("- {}", prose::markdown(item)));
    }
    text.push('\n');
}

pub(crate) fn comparison(text: &mut String, inputs: &[ReportInput<'_>], tables: bool) {
    let comparison = compare::compare(inputs);
    heading(text, 1, "Comparison");
    if !comparison.arms.is_empty() {
        heading(text, 2, "The arms side by side");
    }
    for view in &comparison.arms {
        heading(text, 3, &view.title);
        for one in &view.tables {
            line(text, &format!("**{}**\n", escape(&one.caption)));
            table(text, one);
        }
        line(text, &format!("{}.\n", escape(&view.meaning)));
    }
    // Of arms, the tables of all figures say once more what stands side by side.
    if !tables && !comparison.arms.is_empty() {
        return;
    }
    for group in &comparison.groups {
        heading(text, 2, &group.title);
        if !group.differences.is_empty() {
            line(text, "Differs besides the drive:\n");
            list(text, &group.differences);
        }
        for one in &group.tables {
            line(text, &format!("**{}**\n", escape(&one.caption)));
            table(text, one);
        }
    }
    if !comparison.refused.is_empty() {
        heading(text, 2, "Not comparable");
        list(text, &comparison.refused);
    }
}

/// Form, methodology, time and state of a run.
pub(crate) fn run_line(text: &mut String, input: &ReportInput<'_>) {
    let (records, plan) = (input.records, &input.records.plan);
    let form = format!("**{}** ({})", plan.form.words(&plan.methodology.name), run_facts::form_note(input));
    let method = format!("{} {}", escape(&plan.title), escape(run_facts::version(plan)));
    let state = run_facts::state_word(records.state);
    let method = method.trim_end();
    line(text, &format!("{form} · {method} · {} · {state} · run {}\n", escape(&records.started), records.run));
    if !records.message.is_empty() {
        line(text, &format!("{}\n", escape(&records.message)));
    }
}

/// The answers to what the methodology asks.
pub(crate) fn answers(text: &mut String, look: &Look) {
    look.answers.iter().for_each(|answer| line(text, &format!("**{}**\n", escape(answer))));
}

/// The pairs of read and write.
pub(crate) fn pairs(text: &mut String, look: &Look) {
    if look.pairs.is_empty() {
        return;
    }
    heading(text, 2, &look.pairs_title);
    line(text, "| Load | Read (MB/s) | Write (MB/s) |\n| --- | ---: | ---: |");
    for row in &look.pairs {
        let [read, write] = &row.cells;
        let [label, read, write] = [&row.label, &read.cell.plain(), &write.cell.plain()].map(|text| escape(text));
        line(text, &format!("| {label} | {read} | {write} |"));
    }
    text.push('\n');
}

fn scores(text: &mut String, input: &ReportInput<'_>) {
    let scores = scores_view::table(input);
    if !scores.rows.is_empty() {
        heading(text, 2, "Scores");
        table(text, &scores);
    }
}

fn data_sheet(text: &mut String, input: &ReportInput<'_>) {
    let Some(view) = sheet_view::of_run(input) else { return };
    heading(text, 2, "The data sheet, measured");
    line(text, &format!("{}\n", prose::markdown(&view.about)));
    table(text, &view.figures);
    list(text, &view.notes);
    table(text, &view.endurance);
}

fn run(text: &mut String, input: &ReportInput<'_>, name: &str) {
    heading(text, 1, name);
    run_line(text, input);
    check_view::markdown(text, input, true);
    let look = look::look(input);
    answers(text, &look);
    pairs(text, &look);
    scores(text, input);
    data_sheet(text, input);
    findings(text, input);
    heading(text, 2, "Drive and testbed");
    facts::drives(input).iter().for_each(|facts| facts_table(text, "Drive", facts));
    facts_table(text, "Target", &facts::target(input));
    facts_table(text, "Testbed", &facts::testbed(input));
    for test in tests_view::tests(input, "", Detail::FINEST.points) {
        heading(text, 2, &test.title);
        line(text, &format!("{}\n", escape(&test.purpose)));
        test.figures.iter().filter(|figure| !figure.table.rows.is_empty()).for_each(|one| figure(text, one));
    }
    how(text, input);
}

/// A figure's table with its words. A line of many points is left out and said to be; no other table is.
fn figure(text: &mut String, figure: &Figure) {
    if !figure.title.is_empty() {
        heading(text, 3, &figure.title);
    }
    if figure.long && figure.table.rows.len() > MOST_ROWS {
        let rows = format::count(figure.table.rows.len() as u64);
        line(text, &format!("Left out here: {rows} rows, which are in the page and in the JSON.\n"));
        return;
    }
    if !figure.caption.is_empty() {
        line(text, &format!("{}\n", escape(figure.caption.trim())));
    }
    table(text, &figure.table);
}

/// At most so many pieces of evidence in a line, with how many more there are.
pub(crate) fn evidence(finding: &Finding, most: usize) -> String {
    run_facts::evidence(finding, most).join("; ")
}

fn findings(text: &mut String, input: &ReportInput<'_>) {
    heading(text, 2, "Findings");
    let findings = run_facts::findings(input);
    if findings.is_empty() {
        line(text, "None: no check of this version found anything that would disturb or void a figure.\n");
    }
    for finding in findings {
        let severity = run_facts::severity_word(finding.severity);
        let about = run_facts::about(input, finding);
        line(
            text,
            &format!(
                "- **{severity}** {} (`{}`; {})",
                prose::markdown(&finding.statement),
                finding.code,
                escape(&about)
            ),
        );
        for (what, words) in [
            ("Evidence", evidence(finding, run_facts::MOST_EVIDENCE)),
            ("Likely cause", finding.likely_cause.clone()),
            ("What to do", finding.next_action.clone()),
        ] {
            if !words.is_empty() {
                line(text, &format!("  - {what}: {}", prose::markdown(&words)));
            }
        }
    }
    let breaks = facts::breaks(input);
    if !breaks.is_empty() {
        heading(text, 2, "Breaks of the run");
        list(text, &breaks);
    }
    let failures = run_facts::failures(input);
    if !failures.is_empty() {
        heading(text, 2, "Steps that could not be done");
        list(text, &failures);
    }
}

fn how(text: &mut String, input: &ReportInput<'_>) {
    let plan = &input.records.plan;
    heading(text, 2, "What was measured and how");
    let method = &plan.methodology;
    line(text, &format!("{}\n", escape(&plan.summary)));
    for (what, words) in [("Good for", &plan.good_for), ("Cannot tell", &run_facts::cannot_tell(input))] {
        if !words.is_empty() {
            line(text, &format!("{what}: {}\n", prose::markdown(words)));
        }
    }
    line(
        text,
        &format!(
            "Methodology {} {}, content hash `{}`.\n",
            escape(&method.name),
            escape(&method.version),
            escape(&method.hash)
        ),
    );
    let (steps, all) = run_facts::how_measured(input);
    for (what, value) in all {
        line(text, &format!("{} of every step: {}\n", escape(&what), escape(&value)));
    }
    table(text, &steps);
    let approximations = run_facts::approximations(input);
    if !approximations.is_empty() {
        line(
            text,
            "≈ marks where a parameter is drivelab's own, because the source does not state it or because drivelab departs from it:\n",
        );
        list(text, &approximations);
    }
    if !plan.sources.is_empty() {
        line(text, "Sources:\n");
        list(text, &plan.sources.iter().map(|source| source.citation.clone()).collect::<Vec<_>>());
    }
    let limits = run_facts::limits(input);
    if !limits.rows.is_empty() {
        heading(text, 2, "What limited each step");
        table(text, &limits);
    }
    let (account, all) = account::account(input);
    if !account.rows.is_empty() {
        heading(text, 2, "What the measuring itself took");
        for (what, value) in all {
            line(text, &format!("{} of every step: {}\n", escape(&what), escape(&value)));
        }
        table(text, &account);
    }
    if let Some(line_of_run) = time_line::of_run(input, "", Detail::FINEST.points) {
        heading(text, 2, "The whole run");
        figure(text, &Figure { caption: String::new(), ..line_of_run });
    }
    let watched = telemetry_view::watched(input, "", Detail::FINEST.points);
    if let Some(figure) = watched.figures.first() {
        heading(text, 2, "Temperature, power and CPU");
        table(text, &figure.table);
        list(text, &watched.notes);
        list(text, &watched.missing.iter().map(|one| format!("Not watched: {one}.")).collect::<Vec<_>>());
        table(text, &watched.sources);
    }
    let tool = &input.records.tool;
    let _ = writeln!(
        text,
        "Made by drivelab {} ({}, {} build).",
        escape(&tool.version),
        escape(&tool.commit),
        escape(&tool.profile)
    );
}
