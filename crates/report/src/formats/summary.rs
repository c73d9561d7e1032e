//! The summary that a terminal shows when a run has ended: about ten lines, with each warning counted once.
//!
//! Takes its figures from the table of pairs or the short answer. `terminal_table` shows everything.

use std::collections::BTreeSet;

use drivelab_core::event::RunState;
use drivelab_core::units::Nanos;

use crate::figure::input::ReportInput;
use crate::figure::{escape, format, prose, wrap};
use crate::formats::columns::{self, LEAST_WIDTH};
use crate::formats::terminal;
use crate::views::run::look::{self, Tile};
use crate::views::run::short::{self, Short, VerdictView};
use crate::words::facts;
use crate::words::run_facts::{self, Warned};

/// Most headline figures, where there are neither pairs nor sentences.
const MOST_TILES: usize = 6;
/// Most lines of sentences.
const MOST_LINES: usize = 5;

/// The summary of a run in at most `width` columns; signs that occur are explained below it.
#[must_use]
pub fn terminal_summary(input: &ReportInput<'_>, width: usize) -> String {
    let width = width.max(LEAST_WIDTH);
    let short = short::of_run(input);
    let mut lines = vec![wrap::cut(&escape::terminal(&title(input)), width)];
    lines.extend(figures(input, &short, width));
    lines.extend(verdict(&short, width));
    lines.extend(disturbed(input).map(|text| wrap::cut(&escape::terminal(&text), width)));
    lines.extend(left_out(input).map(|text| wrap::cut(&escape::terminal(&text), width)));
    lines.extend(warnings(input, width));
    let text: String = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect();
    let signs = terminal::signs_in(&text).into_iter().map(|line| format!("{line}\n"));
    format!("{text}{}", signs.collect::<String>())
}

/// `First look, quick form, 1 min 52 s: Samsung 990 PRO 2TB`; the state too, if the run is not complete.
fn title(input: &ReportInput<'_>) -> String {
    let records = input.records;
    let plan = &records.plan;
    let state = match records.state {
        RunState::Complete => String::new(),
        state => format!("{} after ", run_facts::state_word(state)),
    };
    let form = plan.form.words(&plan.methodology.name);
    let length = format::duration(Nanos::new(records.last_at_ns));
    format!("{}, {form}, {state}{length}: {}", plan.title, facts::title(&records.environment))
}

/// The tests that were left out: how many, and why the first was.
fn left_out(input: &ReportInput<'_>) -> Option<String> {
    let all = &input.records.plan.left_out;
    let first = all.first()?;
    let tests = format::counted(all.len(), "test");
    let which = if all.len() > 1 { ", the first" } else { "" };
    Some(format!("{tests} left out{which}: {} ({}): {}", first.test, first.title, first.reason))
}

/// All disturbed steps, including those already named during the run.
fn disturbed(input: &ReportInput<'_>) -> Option<String> {
    let metrics = input.analysis.metrics.iter().filter(|metric| !metric.spoiled_by.is_empty());
    let ids: BTreeSet<_> = metrics.filter_map(|metric| metric.step.as_ref()).collect();
    let steps = input.records.plan.steps().filter(|step| ids.contains(&step.id));
    let labels: Vec<&str> = steps.map(|step| &*step.label).collect();
    let steps = format::counted(labels.len(), "step");
    (!labels.is_empty()).then(|| format!("{steps} disturbed: {}", labels.join(", ")))
}

/// The pairs of read and write as reviewers print them; without any, the sentences; without these, headline figures.
fn figures(input: &ReportInput<'_>, short: &Short, width: usize) -> Vec<String> {
    if let Some(table) = terminal::corners(input) {
        return columns::plain(&table, width).into_iter().skip(1).collect();
    }
    if !short.sentences.is_empty() {
        let text = escape::terminal(&short.sentences.join(" "));
        return wrap::first_rows(&text, 0, width, MOST_LINES).lines().map(str::to_owned).collect();
    }
    let tile = |Tile { title, value, .. }: Tile| wrap::cut(&escape::terminal(&format!("{title}: {value}")), width);
    look::look(input).tiles.into_iter().take(MOST_TILES).map(tile).collect()
}

/// The uses by verdict: `Recommended: system disk. Not recommended: server (24/7).`
fn verdict(short: &Short, width: usize) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for VerdictView { title, words, .. } in &short.verdicts {
        match groups.iter_mut().find(|(known, _)| known == words) {
            Some((_, titles)) => titles.push(title),
            None => groups.push((words, vec![title])),
        }
    }
    let groups = groups.iter().map(|(words, titles)| format!("{}: {}.", format::capital(words), titles.join(", ")));
    let said = groups.chain([short.no_verdict.clone()]).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
    let said = wrap::indented(&escape::terminal(&said), 0, width);
    said.lines().map(str::to_owned).collect()
}

/// How many warnings there are, and the first words of the most serious.
fn warnings(input: &ReportInput<'_>, width: usize) -> Vec<String> {
    let Some(Warned { count, most_serious }) = run_facts::warned(input) else { return Vec::new() };
    let text = escape::terminal(&format!("{count}. {}", prose::plain(&most_serious)));
    wrap::first_rows(&text, 0, width, 2).lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::{Analysis, analyse};
    use drivelab_core::finding::Severity;
    use drivelab_core::run::RunRecords;
    use drivelab_samples as testing;

    use super::*;

    fn of(records: &RunRecords, width: usize) -> String {
        let analysis = analyse(records);
        terminal_summary(&ReportInput { records, analysis: &analysis }, width)
    }

    #[test]
    fn a_summary_has_ten_lines_and_one_for_each_kind_of_sign() {
        for records in [testing::sample_run(), testing::sample_mixed_run(), testing::sample_watched_run()] {
            for width in [60, 80, 120] {
                let text = of(&records, width);
                let is_legend = |line: &&str| line.starts_with(['≈', '≥', '▲']);
                let (legend, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(is_legend);
                assert!((3..=10).contains(&lines.len()) && legend.len() <= 3, "{width}:\n{text}");
                assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            }
        }
    }

    #[test]
    fn a_summary_has_the_pairs_with_the_figures_of_the_whole_table() {
        let records = testing::sample_run();
        let analysis = analyse(&records);
        let input = ReportInput { records: &records, analysis: &analysis };
        let (text, whole) = (terminal_summary(&input, 100), crate::terminal_table(&input, 100));
        let pairs: Vec<&str> = text.lines().filter(|line| line.starts_with("SEQ") || line.starts_with("RND")).collect();
        assert!(pairs.len() >= 4 && pairs.iter().all(|pair| whole.contains(pair)), "{text}\n{whole}");
        assert!(text.lines().next().is_some_and(|line| line.contains(&records.plan.title)), "{text}");
    }

    #[test]
    fn warnings_are_counted_and_the_most_serious_is_named() {
        let records = testing::sample_run();
        let mut analysis = analyse(&records);
        let mut finding = analysis.findings.first().expect("the sample has findings").clone();
        (finding.severity, finding.statement) = (Severity::Void, "All of it is wrong.".to_owned());
        analysis.findings.push(finding);
        let text = terminal_summary(&ReportInput { records: &records, analysis: &analysis }, 80);
        assert!(text.contains("1 failed check") && text.contains("All of it is wrong."), "{text}");
        // Of two that are equally serious the first one, as on the page.
        let mut other = analysis.findings.last().expect("it was added").clone();
        other.statement = "So is this.".to_owned();
        analysis.findings.push(other);
        let input = ReportInput { records: &records, analysis: &analysis };
        let (text, page) = (terminal_summary(&input, 80), crate::html(&[input]).expect("a page"));
        assert!(text.contains("2 failed checks. The most serious: All of it is wrong."), "{text}");
        assert!(page.contains("<strong>2 failed checks.</strong> The most serious: All of it is wrong."), "the strip");
        analysis.findings.clear();
        let text = terminal_summary(&ReportInput { records: &records, analysis: &analysis }, 80);
        assert!(!text.contains("warning") && !text.contains("failed check"), "{text}");
    }

    #[test]
    fn disturbed_steps_are_named_because_their_lines_had_no_mark() {
        let records = testing::sample_run();
        let mut analysis = analyse(&records);
        let text = |analysis: &Analysis| terminal_summary(&ReportInput { records: &records, analysis }, 120);
        assert!(!text(&analysis).contains("disturbed"), "{}", text(&analysis));
        let steps: Vec<_> = records.plan.steps().take(5).map(|step| (step.id.clone(), step.label.clone())).collect();
        let of_steps = analysis.metrics.iter_mut();
        of_steps
            .filter(|metric| metric.step.as_ref().is_some_and(|id| steps.iter().any(|(step, _)| step == id)))
            .for_each(|metric| metric.spoiled_by = vec!["others_used_disk".to_owned()]);
        let text = text(&analysis);
        let line = text.lines().find(|line| line.contains("disturbed")).expect("a line");
        assert!(line.starts_with("5 steps disturbed: "), "{line}");
        assert!(steps.iter().any(|(_, label)| line.contains(label.as_str())), "{line}");
    }
}
