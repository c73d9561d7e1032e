//! The review as Markdown: the facts, tables and findings of the page, without its charts.

pub(crate) mod parts;

use std::fmt::Write as _;

use crate::figure::input::ReportInput;
use crate::figure::{Figure, escape, format, prose};
use crate::formats::check;
use crate::formats::detail::Detail;
use crate::formats::markdown::parts::{
    comparison, evidence, facts_table, heading, in_short, line, list, pairs, run_line, table,
};
use crate::marker;
use crate::views::across::compare;
use crate::views::run::{account, how, look, scores, sheet, telemetry};
use crate::views::{test, time_line};
use crate::words::{facts, run_facts};

/// Most rows of a time line that is printed; longer ones are in the page and in the JSON.
const MOST_ROWS: usize = 60;

/// One run as a review, several with their comparison first.
pub(crate) fn markdown(inputs: &[ReportInput<'_>]) -> String {
    let mut text = format!("{}\n", marker::MARKDOWN);
    if inputs.len() > 1 {
        comparison(&mut text, inputs);
    }
    for (index, input) in inputs.iter().enumerate() {
        let name =
            if inputs.len() > 1 { compare::run_name(index, input) } else { facts::title(&input.records.environment) };
        run(&mut text, input, &name);
    }
    text
}

fn scores(text: &mut String, input: &ReportInput<'_>) {
    let scores = scores::table(input);
    if !scores.rows.is_empty() {
        heading(text, 2, "Scores");
        table(text, &scores);
    }
}

fn data_sheet(text: &mut String, input: &ReportInput<'_>) {
    let Some(view) = sheet::of_run(input) else { return };
    heading(text, 2, "Data sheet");
    line(text, &format!("{}\n", prose::markdown(&view.about)));
    table(text, &view.figures);
    list(text, &view.notes);
    table(text, &view.endurance);
}

fn run(text: &mut String, input: &ReportInput<'_>, name: &str) {
    heading(text, 1, name);
    run_line(text, input);
    check::markdown(text, input, true);
    let look = look::look(input);
    in_short(text, input);
    pairs(text, &look);
    scores(text, input);
    data_sheet(text, input);
    findings(text, input);
    heading(text, 2, "Drive and testbed");
    facts::drives(input).iter().for_each(|facts| facts_table(text, "Drive", facts));
    facts_table(text, "Target", &facts::target(input));
    facts_table(text, "Testbed", &facts::testbed(input));
    facts_table(text, "Stated by the author", &facts::stated(input));
    for test in test::tests(input, "", Detail::FINEST.points) {
        heading(text, 2, &test.title);
        line(text, &format!("{}\n", escape::markdown(&test.purpose)));
        test.figures.iter().filter(|figure| !figure.table.rows.is_empty()).for_each(|one| figure(text, one));
    }
    how(text, input);
}

/// A figure's table with its caption. A long curve over time is replaced by a remark; no other table is left out.
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
        line(text, &format!("{}\n", escape::markdown(figure.caption.trim())));
    }
    table(text, &figure.table);
}

fn findings(text: &mut String, input: &ReportInput<'_>) {
    heading(text, 2, "Findings");
    let findings = run_facts::findings(input);
    if findings.is_empty() {
        line(text, "None: no check found anything that disturbs a figure or makes it void.\n");
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
                escape::markdown(&about)
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
        heading(text, 2, "Interruptions of the run");
        list(text, &breaks);
    }
    let failures = run_facts::failures(input);
    if !failures.is_empty() {
        heading(text, 2, "Failed steps");
        list(text, &failures);
    }
}

fn how(text: &mut String, input: &ReportInput<'_>) {
    let plan = &input.records.plan;
    heading(text, 2, "What was measured and how");
    let method = &plan.methodology;
    line(text, &format!("{}\n", escape::markdown(&run_facts::summary(input))));
    for (what, words) in [("Good for", &plan.good_for), ("Cannot tell", &run_facts::cannot_tell(input))] {
        if !words.is_empty() {
            line(text, &format!("{what}: {}\n", prose::markdown(words)));
        }
    }
    line(
        text,
        &format!(
            "Methodology {} {}, content hash `{}`.\n",
            escape::markdown(&method.name),
            escape::markdown(&method.version),
            escape::markdown(&method.hash)
        ),
    );
    let (steps, all) = how::how_measured(input);
    for (what, value) in all {
        line(text, &format!("{} (every step): {}\n", escape::markdown(&what), escape::markdown(&value)));
    }
    table(text, &steps);
    let approximations = run_facts::approximations(input);
    if !approximations.is_empty() {
        line(text, "≈ marks parameters that the source does not state or that drivelab changed:\n");
        list(text, &approximations);
    }
    if !plan.sources.is_empty() {
        line(text, "Sources:\n");
        list(text, &plan.sources.iter().map(|source| source.citation.clone()).collect::<Vec<_>>());
    }
    let limits = how::limits(input);
    if !limits.rows.is_empty() {
        heading(text, 2, "What limited each step");
        table(text, &limits);
    }
    let (account, all) = account::account(input);
    if !account.rows.is_empty() {
        heading(text, 2, "Measurement overhead");
        for (what, value) in all {
            line(text, &format!("{} (every step): {}\n", escape::markdown(&what), escape::markdown(&value)));
        }
        table(text, &account);
    }
    if let Some(line_of_run) = time_line::of_run(input, "", Detail::FINEST.points) {
        heading(text, 2, "The whole run");
        figure(text, &Figure { caption: String::new(), ..line_of_run });
    }
    let watched = telemetry::watched(input, "", Detail::FINEST.points);
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
        escape::markdown(&tool.version),
        escape::markdown(&tool.commit),
        escape::markdown(&tool.profile)
    );
}
