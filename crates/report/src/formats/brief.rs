//! The short form of the review, as Markdown: one or two screens.
//!
//! Takes the tables of the full Markdown whole or leaves them out, and states what it left out. Must not know: how
//! figures are computed, how the long form is laid out.

use std::fmt::Write as _;

use drivelab_core::plan::TestPlan;

use crate::figure::chart::Chart;
use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, TestView, escape, prose, signs};
use crate::formats::check;
use crate::formats::detail::Detail;
use crate::formats::markdown::parts::{evidence, facts_table, heading, in_short, line, pairs, run_line, table};
use crate::marker;
use crate::views::run::look::{self, Tile};
use crate::views::test::{self, curve};
use crate::words::facts::{self, Fact};
use crate::words::run_facts;

/// Most lines of all tests with their tables together.
const MOST_LINES: usize = 110;
/// Lines around the rows of a test's table: title, purpose, headings.
const AROUND: usize = 8;
/// Most rows of a table other than the first of its test.
const MOST_ROWS_BESIDE: usize = 16;
/// Most rows of a curve: full speed, and shares in tenths up to 120 %.
const MOST_ROWS_OF_CURVE: usize = 13;
/// Most pieces of evidence behind a finding.
const MOST_EVIDENCE: usize = 2;

/// The review of a run.
pub(crate) fn brief(input: &ReportInput<'_>) -> String {
    let mut text = format!("{}\n", marker::MARKDOWN);
    heading(&mut text, 1, &facts::title(&input.records.environment));
    run(&mut text, input);
    text
}

fn run(text: &mut String, input: &ReportInput<'_>) {
    run_line(text, input);
    check::markdown(text, input, false);
    let look = look::whole(input);
    in_short(text, input);
    pairs(text, &look);
    headlines(text, &look.tiles);
    for sign in look.signs.iter().filter(|sign| **sign == signs::DISTURBED) {
        let _ = writeln!(text, "\n{sign}");
    }
    findings(text, input);
    heading(text, 2, "Drive and testbed");
    for drive in facts::drives(input) {
        facts_table(text, "Drive", &known(drive));
    }
    facts_table(text, "Target", &known(facts::target(input)));
    facts_table(text, "Testbed", &known(facts::testbed(input)));
    facts_table(text, "Stated by the author", &facts::stated(input));
    let left = tests(text, input);
    how(text, input, left);
}

/// The facts whose values are known.
fn known(facts: Vec<Fact>) -> Vec<Fact> {
    facts.into_iter().filter(|fact| fact.value != "unknown").collect()
}

fn headlines(text: &mut String, tiles: &[Tile]) {
    if tiles.is_empty() {
        return;
    }
    heading(text, 2, "Other tests at a glance");
    let columns = vec![Column::words("Test"), Column::words("Figure"), Column::words("Details")];
    let row = |tile: &Tile| [&tile.title, &tile.value, &tile.detail].map(|text| Cell::text(text.trim())).to_vec();
    let all = Table { caption: String::new(), columns, rows: tiles.iter().map(row).collect() };
    table(text, &all.without_empty_columns());
}

fn findings(text: &mut String, input: &ReportInput<'_>) {
    heading(text, 2, "Findings");
    let findings = run_facts::findings(input);
    if findings.is_empty() {
        line(text, "None: no check found anything that disturbs a figure or makes it void.");
    }
    for finding in findings {
        let evidence = evidence(finding, MOST_EVIDENCE);
        let evidence = if evidence.is_empty() { String::new() } else { format!(" Evidence: {evidence}.") };
        let severity = run_facts::severity_word(finding.severity);
        let about = escape::markdown(&run_facts::about(input, finding));
        let statement = prose::markdown(&finding.statement);
        line(
            text,
            &format!("- **{severity}** {statement} (`{}`; {about}){}", finding.code, prose::markdown(&evidence)),
        );
    }
    text.push('\n');
}

/// The tables of the tests, as long as there is room. Returns how many tests have only their headline figure.
fn tests(text: &mut String, input: &ReportInput<'_>) -> usize {
    let (mut room, mut left) = (MOST_LINES, 0);
    for test in test::tests(input, "", Detail::COARSEST.points) {
        let TestView { id, title, purpose, figures } = test;
        let plan = input.records.plan.tests.iter().find(|plan| plan.name == id);
        if let Some(plan) = plan.filter(|plan| curve::is_one(plan)) {
            // Two points of a curve say little: a curve is always shown, and takes no room from other tests.
            heading(text, 2, &title);
            line(text, &format!("{}\n", escape::markdown(&purpose)));
            curves(text, input, plan);
            continue;
        }
        let mut figures = figures.iter().filter(|figure| !figure.table.rows.is_empty());
        let lines = |figure: &Figure| figure.table.rows.len() + AROUND;
        let Some(first) = figures.next().filter(|first| lines(first) <= room) else {
            left += 1;
            continue;
        };
        room -= lines(first);
        heading(text, 2, &title);
        line(text, &format!("{}\n", escape::markdown(&purpose)));
        if !first.title.is_empty() {
            heading(text, 3, &first.title);
        }
        table(text, &first.table);
        // Other tables of a test are often its main result; distributions and curves over time are left to the page.
        for beside in figures.filter(|figure| !figure.title.is_empty() && is_short(figure)) {
            if lines(beside) <= room {
                room -= lines(beside);
                heading(text, 3, &beside.title);
                table(text, &beside.table);
            }
        }
    }
    left
}

/// Each curve of a test: a short table of rates and times, and the knee.
fn curves(text: &mut String, input: &ReportInput<'_>, test: &TestPlan) {
    for curve in curve::of_test(input, test) {
        heading(text, 3, &curve.label);
        let said = format!("{}{}", curve::knee_sentence(&curve), curve::left_out(&curve));
        line(text, &format!("{}\n", escape::markdown(&said)));
        table(text, &curve::short_table(input, test, &curve, MOST_ROWS_OF_CURVE));
    }
}

/// Whether a figure is a short table and neither a distribution nor a curve over time.
fn is_short(figure: &Figure) -> bool {
    let ends = ["-time", "-volume"];
    let of_points = |chart: &Chart| ends.iter().any(|end| chart.id.ends_with(end));
    let distribution = figure.title.ends_with(" distribution");
    !distribution && !figure.chart.as_ref().is_some_and(of_points) && figure.table.rows.len() <= MOST_ROWS_BESIDE
}

fn how(text: &mut String, input: &ReportInput<'_>, left: usize) {
    let plan = &input.records.plan;
    heading(text, 2, "What was measured and how");
    line(text, &format!("{}\n", escape::markdown(&run_facts::summary(input))));
    line(text, &format!("Cannot tell: {}\n", prose::markdown(&run_facts::cannot_tell(input))));
    let method = &plan.methodology;
    let (name, version, hash) =
        (escape::markdown(&method.name), escape::markdown(&method.version), escape::markdown(&method.hash));
    line(text, &format!("Methodology {name} {version}, content hash `{hash}`.\n"));
    let tests = match left {
        0 => String::new(),
        1 => "the table of 1 test, ".to_owned(),
        many => format!("the tables of {many} tests, "),
    };
    let tool = &input.records.tool;
    let made = format!(
        "{} ({}, {} build)",
        escape::markdown(&tool.version),
        escape::markdown(&tool.commit),
        escape::markdown(&tool.profile)
    );
    line(
        text,
        &format!(
            "Made by drivelab {made}. Not in this short form: {tests}latency distributions, the parameters and limits of \
             every step, and telemetry. They are in `drivelab report RUN`."
        ),
    );
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::{Analysis, analyse};
    use drivelab_core::finding::{Evidence, Finding, Severity};
    use drivelab_core::run::RunRecords;
    use drivelab_samples as testing;

    use super::*;
    use crate::figure::pairs::{measured, measured_tests};

    fn of(records: &RunRecords, analysis: &Analysis) -> String {
        brief(&ReportInput { records, analysis })
    }

    #[test]
    fn it_keeps_the_tables_and_says_what_it_leaves_out() {
        let records = testing::sample_run();
        let text = of(&records, &analyse(&records));
        assert!(text.lines().count() < 150, "{} lines", text.lines().count());
        for test in measured_tests(&records.plan) {
            assert!(text.contains(&format!("\n## {}\n", test.title)), "{} is not there: {text}", test.title);
        }
        let whole = crate::markdown(&[ReportInput { records: &records, analysis: &analyse(&records) }]).unwrap();
        for left in ["Latency distribution", "Over time", "Measurement overhead"] {
            assert!(whole.contains(left) && !text.contains(left), "{left}");
        }
        assert!(!text.contains("| unknown |"), "{text}");
        assert!(text.ends_with("`drivelab report RUN`.\n"), "{text}");
    }

    #[test]
    fn tests_for_which_there_is_no_room_keep_their_figure_and_are_counted() {
        let mut records = testing::sample_run();
        let again: Vec<_> = (0..5).flat_map(|_| records.plan.tests.clone()).collect();
        records.plan.tests.extend(again.into_iter().filter(|test| measured(test).next().is_some()));
        let text = of(&records, &analyse(&records));
        assert!(text.lines().count() < 240, "{} lines", text.lines().count());
        let left = text
            .split("Not in this short form: the tables of ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next())
            .unwrap();
        let shown = text.matches("\n## ").count();
        let all = measured_tests(&records.plan).count();
        // Beside the tests: the pairs, the figures, findings, drive, how.
        assert_eq!(left.parse::<usize>().unwrap() + shown - 5, all, "{text}");
        let last = &records.plan.tests[records.plan.tests.len() - 1].title;
        assert!(text.matches(&format!("| {last} |")).count() == 6, "{text}");
    }

    #[test]
    fn long_evidence_is_cut_and_counted() {
        let records = testing::sample_run();
        let mut analysis = analyse(&records);
        let piece =
            |n: u32| Evidence { what: format!("piece {n}"), value: f64::from(n), limit: None, unit: "s".to_owned() };
        analysis.findings = vec![Finding {
            code: "made_up".to_owned(),
            severity: Severity::Warning,
            statement: "It is made up.".to_owned(),
            answers: false,
            steps: Vec::new(),
            evidence: (0..20).map(piece).collect(),
            likely_cause: String::new(),
            next_action: String::new(),
        }];
        let text = of(&records, &analysis);
        assert!(text.contains("piece 1: 1.00 s; and 18 more in the JSON report."), "{text}");
        let whole = crate::markdown(&[ReportInput { records: &records, analysis: &analysis }]).unwrap();
        assert!(whole.contains("piece 7: 7.00 s; and 12 more in the JSON report\n"), "{whole}");
        let page = crate::html(&[ReportInput { records: &records, analysis: &analysis }]).unwrap();
        assert_eq!(page.matches("<li>piece ").count(), 8);
    }

    #[test]
    fn when_a_step_ends_is_always_said() {
        use drivelab_core::plan::StopRule;
        use drivelab_core::units::Nanos;
        use drivelab_core::workload::Workload;
        let hour = StopRule::capped(Nanos::from_secs(3600));
        let text = |stop| run_facts::stop_text(&Workload::default(), &stop);
        assert_eq!(text(hour.clone()), "at most 1 h");
        assert_eq!(text(StopRule { operations: Some(10_000), ..hour.clone() }), "after 10,000 operations, at most 1 h");
        assert_eq!(text(StopRule { operations: Some(1), ..hour.clone() }), "after 1 operation, at most 1 h");
        let least = StopRule { passes: Some(1), at_least: Some(Nanos::from_secs(4)), ..hour };
        assert_eq!(text(least), "whole span once, at least 4.0 s, at most 1 h");
    }
}
