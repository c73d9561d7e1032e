//! Markdown elements that several documents share: headings, tables, lists, the head of a review.

use drivelab_core::finding::Finding;

use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, escape, prose};
use crate::views::across::compare::{self, Comparison, Group};
use crate::views::run::look::Look;
use crate::views::run::short::{self, VerdictView};
use crate::words::facts::Fact;
use crate::words::run_facts;

pub(crate) fn line(text: &mut String, words: &str) {
    text.push_str(words);
    text.push('\n');
}

pub(crate) fn heading(text: &mut String, level: usize, words: &str) {
    // A table ends with an empty line already.
    let apart = if text.ends_with("\n\n") { "" } else { "\n" };
    line(text, &format!("{apart}{} {}\n", "#".repeat(level), escape::markdown(words)));
}

pub(crate) fn table(text: &mut String, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    let head: Vec<String> = table.columns.iter().map(|column| escape::markdown(&column.plain())).collect();
    let rule: Vec<&str> = table.columns.iter().map(|column| if column.figures { "---:" } else { "---" }).collect();
    line(text, &format!("| {} |", head.join(" | ")));
    line(text, &format!("| {} |", rule.join(" | ")));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| escape::markdown(&cell.plain())).collect();
        line(text, &format!("| {} |", cells.join(" | ")));
    }
    text.push('\n');
}

/// A table of facts; nothing if there are none.
pub(crate) fn facts_table(text: &mut String, title: &str, facts: &[Fact]) {
    if facts.is_empty() {
        return;
    }
    let columns = vec![Column::words(title), Column::words("")];
    let rows = facts.iter().map(|fact| vec![Cell::text(&*fact.name), Cell::text(&*fact.value)]);
    table(text, &Table { caption: String::new(), columns, rows: rows.collect() });
}

pub(crate) fn list(text: &mut String, items: &[String]) {
    for item in items {
        line(text, &format!("- {}", prose::markdown(item)));
    }
    text.push('\n');
}

/// The comparison of runs.
pub(crate) fn comparison(text: &mut String, inputs: &[ReportInput<'_>]) {
    let comparison = compare::compare(inputs);
    heading(text, 1, "Comparison");
    arms(text, &comparison);
    comparison.groups.iter().for_each(|one| group(text, one, &one.tables));
    refused(text, &comparison);
}

/// The tables of runs under several arms.
pub(crate) fn arms(text: &mut String, comparison: &Comparison) {
    if !comparison.arms.is_empty() {
        heading(text, 2, "The arms side by side");
    }
    for view in &comparison.arms {
        heading(text, 3, &view.title);
        view.tables.iter().for_each(|one| captioned(text, one));
        line(text, &format!("{}.\n", escape::markdown(&view.meaning)));
    }
}

/// A group against its base, with these tables of its runs.
pub(crate) fn group(text: &mut String, group: &Group, tables: &[Table]) {
    heading(text, 2, &group.title);
    if !group.differences.is_empty() {
        line(text, &format!("{}:\n", group.what_differs()));
        list(text, &group.differences);
    }
    if let Some(against) = &group.against {
        captioned(text, &against.table);
        list(text, &against.sentences);
        for note in &against.notes {
            line(text, &format!("{}\n", escape::markdown(note)));
        }
        captioned(text, &against.rest);
    }
    for Figure { table, caption, .. } in &group.drives {
        captioned(text, table);
        line(text, &format!("{}\n", escape::markdown(caption)));
    }
    tables.iter().for_each(|one| captioned(text, one));
    if !group.legend.is_empty() {
        line(text, &format!("{}\n", group.legend));
    }
}

/// Published figures without a matching figure in the runs.
pub(crate) fn published(text: &mut String, comparison: &Comparison) {
    let Some(unpaired) = &comparison.published else { return };
    if unpaired.without_runs {
        list(text, &unpaired.sides);
        let choices: Vec<String> = unpaired.choices.iter().map(|choice| choice.sentence.clone()).collect();
        if !choices.is_empty() {
            list(text, &choices);
        }
        captioned(text, &unpaired.verdicts);
        if !unpaired.reasons.is_empty() {
            list(text, &unpaired.reasons);
        }
    }
    captioned(text, &unpaired.table);
    unpaired.notes.iter().for_each(|note| line(text, &format!("{}\n", escape::markdown(note))));
}

/// Why runs are not compared.
pub(crate) fn refused(text: &mut String, comparison: &Comparison) {
    if !comparison.refused.is_empty() {
        heading(text, 2, "Not comparable");
        list(text, &comparison.refused);
    }
}

/// A table below its caption; nothing without rows.
fn captioned(text: &mut String, one: &Table) {
    if !one.rows.is_empty() {
        line(text, &format!("**{}**\n", escape::markdown(&one.caption)));
        table(text, one);
    }
}

/// Form, methodology, time and state of a run.
pub(crate) fn run_line(text: &mut String, input: &ReportInput<'_>) {
    let (records, plan) = (input.records, &input.records.plan);
    let form = format!("**{}** ({})", plan.form.words(&plan.methodology.name), run_facts::form_note(input));
    let method = format!("{} {}", escape::markdown(&plan.title), escape::markdown(run_facts::version(plan)));
    let state = run_facts::state_word(records.state);
    let method = method.trim_end();
    if !records.label.title.is_empty() {
        line(text, &format!("**{}**\n", escape::markdown(&records.label.title)));
    }
    line(
        text,
        &format!("{form} · {method} · {} · {state} · run {}\n", escape::markdown(&records.started), records.run),
    );
    if !records.message.is_empty() {
        line(text, &format!("{}\n", escape::markdown(&records.message)));
    }
}

/// The short answer: sentences, then what the drive is good for.
pub(crate) fn in_short(text: &mut String, input: &ReportInput<'_>) {
    let short = short::of_run(input);
    if short.is_empty() {
        return;
    }
    heading(text, 2, "The short answer");
    line(text, &format!("{}\n", escape::markdown(&short.sentences.join(" "))));
    verdicts(text, &short.verdicts);
    if !short.below_verdicts().is_empty() {
        line(text, &format!("{}\n", escape::markdown(short.below_verdicts())));
    }
}

/// What a drive is good for, and where the limits of that come from.
pub(crate) fn verdicts(text: &mut String, verdicts: &[VerdictView]) {
    if verdicts.is_empty() {
        return;
    }
    table(text, &short::table(verdicts));
    let sources =
        verdicts.iter().flat_map(|one| one.sources.iter().map(move |source| format!("{}: {source}", one.title)));
    list(text, &sources.collect::<Vec<_>>());
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
        let [label, read, write] =
            [&row.label, &read.cell.plain(), &write.cell.plain()].map(|text| escape::markdown(text));
        line(text, &format!("| {label} | {read} | {write} |"));
    }
    text.push('\n');
}

/// At most `most` pieces of evidence in a line, and how many more there are.
pub(crate) fn evidence(finding: &Finding, most: usize) -> String {
    run_facts::evidence(finding, most).join("; ")
}
