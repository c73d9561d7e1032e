//! What the checker says about the methodology behind a one-liner, in the words of who typed flags.

use drivelab_lab::{Failure, Result};
use drivelab_method::{Diagnostic, Diagnostics, Methodology};

use super::load::Written;
use crate::args::in_flags;

/// The methodology that the flags mean, checked.
pub(super) fn methodology(written: &Written) -> Result<Methodology> {
    drivelab_method::parse("the flags", &written.text).map_err(|errors| flags(written, &errors))
}

/// The errors as one usage failure: each with the flag that it is about.
pub(super) fn flags(written: &Written, diagnostics: &Diagnostics) -> Failure {
    let mut lines: Vec<String> = diagnostics.all().iter().map(|one| line(written, one)).collect();
    // One flag may stand in several tables, such as that of the fill.
    let mut said = std::collections::BTreeSet::new();
    lines.retain(|line| said.insert(line.clone()));
    Failure::usage(lines.join("\n"))
}

fn line(written: &Written, one: &Diagnostic) -> String {
    let place = written.flag_of(one).map_or_else(String::new, |flag| format!("{flag}: "));
    let mut line = format!("{place}{}", as_typed(one.title()));
    // Such a label stands below the word in an excerpt; here it would repeat the title.
    if !one.label().starts_with("not a ") {
        line.push_str(&format!("; {}", as_typed(one.label())));
    }
    if place.starts_with("--op ") && line.contains("expected one of") {
        line.push_str(", or mix=70 for 70 % reads");
    }
    for help in one.advice() {
        line.push_str("; ");
        line.push_str(&as_typed(help));
    }
    line
}

/// The text in the words of the command line: flags for keys, and words that would do with hyphens.
fn as_typed(text: &str) -> String {
    in_flags(&match text.split_once("expected one of: ") {
        Some((before, words)) => format!("{before}expected one of: {}", words.replace('_', "-")),
        None => text.to_owned(),
    })
}
