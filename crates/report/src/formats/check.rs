//! `drivelab check` for a terminal, short and with details: the verdict first, then an answer to each question; and the
//! same answers in the reports of a run of `drivelab check`.
//!
//! Owns layout. The words of the answers come from `analysis::buyer`.

use std::fmt::Write as _;

use drivelab_analysis::buyer::{Checked, Standing};
use drivelab_core::probe::TargetProbe;

use crate::documents::check::{CheckInput, not_known};
use crate::figure::input::ReportInput;
use crate::figure::{escape, format, prose, wrap};
use crate::formats::markdown::parts::{heading, line};
use crate::views::run::check;

/// Width of the first two columns.
const TITLE: usize = 12;
const STANDING: usize = 9;
/// Most rows of the short text, so that it fits on a terminal of 24 rows together with the closing lines.
const SHORT_ROWS: usize = 17;
/// Most rows of a short answer.
const MOST_ROWS: usize = 3;

/// Verdict, drive and an answer to each question, short enough for a terminal of 24 rows. The evidence is in
/// [`check_details`].
#[must_use]
pub fn check_text(input: &CheckInput<'_>, width: usize) -> String {
    let mut text = format!("{}\n\n", wrap::indented(&input.checked.verdict.text, 0, width));
    let _ = writeln!(text, "{}", wrap::cut(&drive(input), width));
    let rows = SHORT_ROWS.saturating_sub(text.lines().count()) / input.checked.answers.len().max(1);
    text.push_str(&short(input.checked, width, rows));
    let unseen = match not_known(input).len() {
        0 => String::new(),
        count => format!(", and {count} that could not be determined"),
    };
    let _ = writeln!(text, "{}", wrap::indented(&format!("-v shows the facts behind each answer{unseen}."), 0, width));
    text
}

/// One answer per question, at most `rows` rows each; one row if the answer is not known.
pub(crate) fn short(checked: &Checked, width: usize, rows: usize) -> String {
    let mut text = String::new();
    for answer in &checked.answers {
        let (title, word, indent) = (answer.question.title(), answer.standing.word(), TITLE + STANDING);
        let rows = if answer.standing == Standing::Unknown { 1 } else { rows.clamp(1, MOST_ROWS) };
        let _ =
            writeln!(text, "{title:<TITLE$}{word:<STANDING$}{}", wrap::first_rows(&answer.text, indent, width, rows));
    }
    text
}

/// Verdict, drive, answers with their evidence, and what could not be determined.
#[must_use]
pub fn check_details(input: &CheckInput<'_>, width: usize) -> String {
    let mut text = format!("{}\n\n", wrap::indented(&input.checked.verdict.text, 0, width));
    let _ = writeln!(text, "{}\n", drive(input));
    for answer in &input.checked.answers {
        let (title, word) = (answer.question.title(), answer.standing.word());
        let indent = TITLE + STANDING;
        let _ = writeln!(text, "{title:<TITLE$}{word:<STANDING$}{}", wrap::indented(&answer.text, indent, width));
        for line in &answer.evidence {
            let _ = writeln!(text, "{:indent$}- {}", "", wrap::indented(line, indent + 2, width));
        }
        for line in answer.sure().iter().chain(Some(&answer.next_action).filter(|line| !line.is_empty())) {
            let _ = writeln!(text, "{:indent$}{}", "", wrap::indented(line, indent, width));
        }
    }
    let not_known = not_known(input);
    if !not_known.is_empty() {
        text.push_str("\nNot known\n");
    }
    for one in not_known {
        let how = if one.how.is_empty() { String::new() } else { format!("; {}", one.how) };
        let _ = writeln!(text, "  {}", wrap::indented(&format!("{}: {}{how}", one.what, one.why), 4, width));
    }
    text
}

/// The drive that was checked, in a line.
fn drive(input: &CheckInput<'_>) -> String {
    let mut parts = vec![input.target.display().to_string()];
    if let Some(device) = input.known.probe.and_then(TargetProbe::device) {
        parts.push(device.model.as_deref().map_or("no model name", str::trim).to_owned());
        parts.push(format::bytes(device.capacity));
        parts.extend(device.serial.as_ref().map(|serial| format!("serial {}", serial.trim())));
    }
    parts.join(", ")
}

/// The verdict and a row for each answer; with `long` also the evidence.
pub(crate) fn markdown(text: &mut String, input: &ReportInput<'_>, long: bool) {
    let Some(Checked { verdict, answers }) = &input.analysis.checked else { return };
    line(text, &format!("**{}**\n", escape::markdown(&verdict.text)));
    line(text, "| Question | Result | Answer |\n| --- | --- | --- |");
    for answer in answers {
        let (title, word) = (answer.question.title(), answer.standing.word());
        line(text, &format!("| {title} | {word} | {} |", prose::markdown(&answer.text)));
    }
    text.push('\n');
    if !long {
        return;
    }
    heading(text, 2, "Evidence for the answers");
    for answer in answers {
        let mut row = format!("- {}: ", answer.question.title());
        let parts: Vec<String> = answer.evidence.iter().map(|one| escape::markdown(one)).collect();
        let more = check::more(answer).iter().map(|one| prose::markdown(one)).collect::<Vec<_>>().join(" ");
        let _ = write!(row, "{}{}{more}", parts.join("; "), if parts.is_empty() { "" } else { ". " });
        line(text, row.trim_end());
    }
    text.push('\n');
}

/// The lines of the table for a terminal.
pub(crate) fn terminal(input: &ReportInput<'_>, width: usize) -> Vec<String> {
    let Some(checked) = &input.analysis.checked else { return Vec::new() };
    let verdict = wrap::indented(&checked.verdict.text, 0, width);
    let answers = short(checked, width, usize::MAX);
    verdict.lines().chain(answers.lines()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use drivelab_analysis::buyer::{Known, Read};
    use drivelab_analysis::{analyse, buyer};
    use drivelab_samples as testing;

    use super::*;
    use crate::documents::check::{check_document, check_schema};

    #[test]
    fn the_line_comes_first_and_every_question_has_its_answer_and_how_sure_it_is() {
        let records = testing::sample_run();
        let analysis = analyse(&records);
        let read = Read::of_run(&records, &analysis);
        let known = Known { probe: None, facts: None, read: Some(&read), not_read: None };
        let checked = buyer::check(&known);
        let input = CheckInput { target: Path::new("/dev/nvme0n1"), known, checked: &checked, run: None };
        let text = check_details(&input, 100);
        assert!(text.starts_with(&checked.verdict.text[..20]), "{text}");
        let known = checked.answers.iter().filter(|answer| answer.standing != Standing::Unknown).count();
        assert_eq!(text.matches("How sure: ").count(), known, "{text}");
        for answer in &checked.answers {
            assert!(text.contains(&format!("\n{}", answer.question.title())), "{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn the_short_text_stays_on_a_small_terminal_and_an_unknown_answer_is_one_row() {
        let long =
            "a long reason that goes on and on, as those of a drive that nobody may ask for anything do; ".repeat(4);
        let records = testing::sample_run();
        let analysis = analyse(&records);
        let read = Read::of_run(&records, &analysis);
        let known = Known { probe: None, facts: None, read: Some(&read), not_read: None };
        for standing in [Standing::Good, Standing::Unknown, Standing::Beware, Standing::Bad] {
            let mut checked = buyer::check(&known);
            for answer in &mut checked.answers {
                (answer.standing, answer.text) = (standing, long.clone());
            }
            for verdict in ["Looks healthy.", &long] {
                verdict.clone_into(&mut checked.verdict.text);
                let input = CheckInput { target: Path::new("/dev/nvme0n1"), known, checked: &checked, run: None };
                let text = check_text(&input, 80);
                // Two closing rows on stderr, and the prompt.
                assert!(text.lines().count() <= 21, "{text}");
                assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
                assert!(text.starts_with(&verdict[..14]), "{text}");
                let rows = short(&checked, 80, 3).lines().count();
                assert_eq!(rows, checked.answers.len() * if standing == Standing::Unknown { 1 } else { 3 }, "{text}");
            }
        }
    }

    #[test]
    fn the_document_keeps_to_its_published_schema() {
        let records = testing::sample_run();
        let analysis = analyse(&records);
        let read = Read::of_run(&records, &analysis);
        let known = Known { probe: None, facts: None, read: Some(&read), not_read: None };
        let checked = buyer::check(&known);
        let input = CheckInput { target: Path::new("/dev/nvme0n1"), known, checked: &checked, run: Some(records.run) };
        let document = serde_json::to_value(check_document(&input)).unwrap();
        let validator = jsonschema::validator_for(&check_schema()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0]);
    }
}
