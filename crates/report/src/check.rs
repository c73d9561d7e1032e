//! `drivelab check` for a terminal, in short and with everything, and its JSON document: the line first, then question
//! by question.
//!
//! Owns layout and the shape of the document. Every word of the answers is `analysis::buyer`'s.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use drivelab_analysis::buyer::{Answer, Checked, Known, Standing, Verdict};
use drivelab_core::ids::RunId;
use drivelab_core::probe::{NotKnown, TargetProbe};
use drivelab_core::units::Bytes;
use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;

use crate::format;

/// Version of the document.
const SCHEMA_VERSION: u32 = 1;
/// Width of the first two columns.
const TITLE: usize = 12;
const STANDING: usize = 9;
/// Rows that the short text may take, so that it stays on a terminal of 24 with the last words below it.
const SHORT_ROWS: usize = 17;
/// Most rows of a short answer.
const MOST_ROWS: usize = 3;

/// What was checked and what came of it, as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckDocument<'a> {
    /// `drivelab.check`.
    schema: &'static str,
    /// 1.
    schema_version: u32,
    /// The device or file that was looked at.
    target: PathBuf,
    /// Whether anything was read of it; where not, the answers rest on what the drive says.
    read: bool,
    /// The run that holds what was read; null where none is kept.
    run: Option<RunId>,
    /// Model as the drive says; null where it is not known.
    model: Option<&'a str>,
    /// Serial number as the drive says; null where it is not known.
    serial: Option<&'a str>,
    /// Capacity of the drive in bytes; null where there is no drive.
    capacity: Option<Bytes>,
    /// The line above the answers.
    verdict: &'a Verdict,
    /// Question by question, in a fixed order.
    answers: &'a [Answer],
    /// What could not be found out, why, and how to get it.
    not_known: &'a [NotKnown],
}

/// What is shown of a check.
#[derive(Debug, Clone, Copy)]
pub struct CheckInput<'a> {
    /// The device or file that was looked at.
    pub target: &'a Path,
    /// What the answers are made of.
    pub known: Known<'a>,
    /// Verdict and answers.
    pub checked: &'a Checked,
    /// The run, where one is kept.
    pub run: Option<RunId>,
}

/// The document, as docs/formats/check.schema.json describes it.
#[must_use]
pub fn check_document<'a>(input: &CheckInput<'a>) -> CheckDocument<'a> {
    let CheckInput { target, known, checked, run } = *input;
    let device = known.probe.and_then(TargetProbe::device);
    CheckDocument {
        schema: "drivelab.check",
        schema_version: SCHEMA_VERSION,
        target: target.to_owned(),
        read: known.read.is_some(),
        run,
        model: device.and_then(|device| device.model.as_deref()).map(str::trim),
        serial: device.and_then(|device| device.serial.as_deref()).map(str::trim),
        capacity: device.map(|device| device.capacity),
        verdict: &checked.verdict,
        answers: &checked.answers,
        not_known: not_known(input),
    }
}

/// JSON Schema of the document: name of the file without its end, schema.
#[must_use]
pub fn check_schema() -> (&'static str, Schema) {
    ("check", schema_for!(CheckDocument<'_>))
}

/// The line, the drive and an answer to each question, short enough that all of it stays on a terminal of 24 rows; what
/// the answers rest on is in [`check_details`].
#[must_use]
pub fn check_text(input: &CheckInput<'_>, width: usize) -> String {
    let mut text = format!("{}\n\n", wrapped(&input.checked.verdict.text, 0, width));
    let _ = writeln!(text, "{}", cut(&drive(input), width));
    let rows = SHORT_ROWS.saturating_sub(text.lines().count()) / input.checked.answers.len().max(1);
    text.push_str(&short(input.checked, width, rows));
    let unseen = match not_known(input).len() {
        0 => String::new(),
        count => format!(", and {count} that could not be seen"),
    };
    let _ = writeln!(text, "{}", wrapped(&format!("-v says what each rests on{unseen}."), 0, width));
    text
}

/// An answer a question, at most so many rows each; one row where it is not known.
pub(crate) fn short(checked: &Checked, width: usize, rows: usize) -> String {
    let mut text = String::new();
    for answer in &checked.answers {
        let (title, word, indent) = (answer.question.title(), answer.standing.word(), TITLE + STANDING);
        let rows = if answer.standing == Standing::Unknown { 1 } else { rows.clamp(1, MOST_ROWS) };
        let _ = writeln!(text, "{title:<TITLE$}{word:<STANDING$}{}", first_rows(&answer.text, indent, width, rows));
    }
    text
}

/// The line, the drive, the answers with what they rest on, what could not be asked.
#[must_use]
pub fn check_details(input: &CheckInput<'_>, width: usize) -> String {
    let mut text = format!("{}\n\n", wrapped(&input.checked.verdict.text, 0, width));
    let _ = writeln!(text, "{}\n", drive(input));
    for answer in &input.checked.answers {
        let (title, word) = (answer.question.title(), answer.standing.word());
        let indent = TITLE + STANDING;
        let _ = writeln!(text, "{title:<TITLE$}{word:<STANDING$}{}", wrapped(&answer.text, indent, width));
        for line in &answer.evidence {
            let _ = writeln!(text, "{:indent$}- {}", "", wrapped(line, indent + 2, width));
        }
        for line in answer.sure().iter().chain(Some(&answer.next_action).filter(|line| !line.is_empty())) {
            let _ = writeln!(text, "{:indent$}{}", "", wrapped(line, indent, width));
        }
    }
    let not_known = not_known(input);
    if !not_known.is_empty() {
        text.push_str("\nNot seen\n");
    }
    for one in not_known {
        let how = if one.how.is_empty() { String::new() } else { format!("; {}", one.how) };
        let _ = writeln!(text, "  {}", wrapped(&format!("{}: {}{how}", one.what, one.why), 4, width));
    }
    text
}

fn not_known<'a>(input: &CheckInput<'a>) -> &'a [NotKnown] {
    input.known.probe.map(|probe| probe.not_known.as_slice()).unwrap_or_default()
}

/// What was looked at, in a line.
fn drive(input: &CheckInput<'_>) -> String {
    let mut parts = vec![input.target.display().to_string()];
    if let Some(device) = input.known.probe.and_then(TargetProbe::device) {
        parts.push(device.model.as_deref().map_or("no model name", str::trim).to_owned());
        parts.push(format::bytes(device.capacity));
        parts.extend(device.serial.as_ref().map(|serial| format!("serial {}", serial.trim())));
    }
    parts.join(", ")
}

/// The first rows of a text; a sign at the end says that there is more.
fn first_rows(text: &str, indent: usize, width: usize, rows: usize) -> String {
    let whole = wrapped(text, indent, width);
    if whole.lines().count() <= rows {
        return whole;
    }
    let mut kept: Vec<&str> = whole.lines().take(rows).collect();
    let last = kept.pop().unwrap_or_default();
    // The first row begins behind the columns before it.
    let before = if rows == 1 { indent } else { 0 };
    let last = cut(&format!("{last} …"), width.saturating_sub(before));
    kept.into_iter().chain([last.as_str()]).collect::<Vec<_>>().join("\n")
}

/// A text in one row.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Breaks a text between words, later lines indented.
pub(crate) fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let (mut out, mut column) = (String::new(), indent);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > indent && column + 1 + length > width.max(indent + 20) {
            let _ = write!(out, "\n{:indent$}", "");
            column = indent;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::buyer::Read;
    use drivelab_analysis::{analyse, buyer, testing};

    use super::*;

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
                // Two rows of last words on stderr, and the prompt.
                assert!(text.lines().count() <= 21, "{text}");
                assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
                assert!(text.starts_with(&verdict[..14]), "{text}");
                let rows = short(&checked, 80, 3).lines().count();
                assert_eq!(rows, checked.answers.len() * if standing == Standing::Unknown { 1 } else { 3 }, "{text}");
            }
        }
    }

    #[test]
    fn the_published_schema_is_that_of_the_type_and_the_document_obeys_it() {
        let (name, schema) = check_schema();
        let path = format!("{}/../../docs/formats/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap_or_default() == text, "UPDATE_SCHEMA=1 writes {path}");
        let records = testing::sample_run();
        let analysis = analyse(&records);
        let read = Read::of_run(&records, &analysis);
        let known = Known { probe: None, facts: None, read: Some(&read), not_read: None };
        let checked = buyer::check(&known);
        let input = CheckInput { target: Path::new("/dev/nvme0n1"), known, checked: &checked, run: Some(records.run) };
        let document = serde_json::to_value(check_document(&input)).unwrap();
        let validator = jsonschema::validator_for(&schema.to_value()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0]);
    }
}
