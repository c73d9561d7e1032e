//! `drivelab check` for a terminal, and its JSON document: the line first, then question by question.
//!
//! Owns layout and the shape of the document. Every word of the answers is `analysis::buyer`'s.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use drivelab_analysis::buyer::{Answer, Checked, Known, Standing, Sureness, Verdict};
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
        not_known: known.probe.map(|probe| probe.not_known.as_slice()).unwrap_or_default(),
    }
}

/// JSON Schema of the document: name of the file without its end, schema.
#[must_use]
pub fn check_schema() -> (&'static str, Schema) {
    ("check", schema_for!(CheckDocument<'_>))
}

/// The line, the drive, the answers, what could not be asked.
#[must_use]
pub fn check_text(input: &CheckInput<'_>, width: usize) -> String {
    let mut text = format!("{}\n\n", wrapped(&input.checked.verdict.text, 0, width));
    let _ = writeln!(text, "{}\n", drive(input));
    for answer in &input.checked.answers {
        let (title, word) = (answer.question.title(), standing(answer.standing));
        let indent = TITLE + STANDING;
        let _ = writeln!(text, "{title:<TITLE$}{word:<STANDING$}{}", wrapped(&answer.text, indent, width));
        for line in &answer.evidence {
            let _ = writeln!(text, "{:indent$}- {}", "", wrapped(line, indent + 2, width));
        }
        let sure = format!("How sure: {}; {}.", sureness(answer.sureness), answer.because);
        let _ = writeln!(text, "{:indent$}{}", "", wrapped(&sure, indent, width));
        if !answer.next_action.is_empty() {
            let _ = writeln!(text, "{:indent$}{}", "", wrapped(&answer.next_action, indent, width));
        }
    }
    let not_known = input.known.probe.map(|probe| probe.not_known.as_slice()).unwrap_or_default();
    if !not_known.is_empty() {
        text.push_str("\nNot seen\n");
    }
    for one in not_known {
        let how = if one.how.is_empty() { String::new() } else { format!("; {}", one.how) };
        let _ = writeln!(text, "  {}", wrapped(&format!("{}: {}{how}", one.what, one.why), 4, width));
    }
    text
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

const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Good => "good",
        Standing::Unknown => "unknown",
        Standing::Beware => "beware",
        Standing::Bad => "bad",
    }
}

const fn sureness(sureness: Sureness) -> &'static str {
    match sureness {
        Sureness::Sure => "sure",
        Sureness::Likely => "likely",
        Sureness::Hint => "a hint",
    }
}

/// Breaks a text between words, later lines indented.
fn wrapped(text: &str, indent: usize, width: usize) -> String {
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
        let text = check_text(&input, 100);
        assert!(text.starts_with(&checked.verdict.text[..20]), "{text}");
        assert_eq!(text.matches("How sure: ").count(), checked.answers.len(), "{text}");
        for answer in &checked.answers {
            assert!(text.contains(&format!("\n{}", answer.question.title())), "{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
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
