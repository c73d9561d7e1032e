//! What tests of findings share: made-up executions, the words of findings as text, and what a check noted.
//!
//! The words of findings are held by one snapshot for each topic; all other tests judge codes and evidence.

use std::fmt::Write as _;

use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::run::RunRecords;

use super::{Check, Seen, Voids, run, subjects};
use crate::evidence::FindingDef;

/// What a check saw in the first round of a measured step.
pub(crate) fn seen(evidence: Vec<Evidence>) -> Seen {
    let key = StepKey { step: StepId::new("mixes", "w30"), round: 1 };
    Seen { key, prepares: false, evidence, voids: Voids::Nothing, spoils: None, notes: Vec::new() }
}

/// The same in this many rounds.
pub(crate) fn rounds(seen: &Seen, count: u32) -> Vec<Seen> {
    let round = |round| Seen { key: StepKey { round, ..seen.key.clone() }, ..seen.clone() };
    (1..=count).map(round).collect()
}

/// Each finding about one execution and about three, with the notes that its code has. Only for findings whose words
/// do not depend on the evidence.
pub(crate) fn once_and_thrice<'d>(
    defs: impl IntoIterator<Item = &'d FindingDef>,
    notes: impl Fn(&str) -> Vec<&'static str>,
) -> Vec<Finding> {
    let both = |def: &FindingDef| {
        let noted = notes(def.code).into_iter().fold(seen(Vec::new()), Seen::noting);
        [1, 3].map(|count| def.about(&rounds(&noted, count)))
    };
    defs.into_iter().flat_map(both).collect()
}

/// The findings of a table of checks.
pub(crate) fn defs(checks: &[Check]) -> impl Iterator<Item = &'static FindingDef> {
    checks.iter().map(|check| check.finding)
}

/// Whether there is an example of each finding of a table.
pub(crate) fn assert_all_covered(checks: &[Check], examples: &[Finding]) {
    for def in defs(checks) {
        assert!(examples.iter().any(|finding| finding.code == def.code), "no example of {}", def.code);
    }
}

/// The words of findings. Cause and action are left out where they are those of the example before with the same code.
pub(crate) fn in_words(findings: &[Finding]) -> String {
    let mut text = String::new();
    let mut before: Option<&Finding> = None;
    for finding in findings {
        let severity = match finding.severity {
            Severity::Void => "void",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let answers = if finding.answers { ", an answer" } else { "" };
        let _ = writeln!(text, "{}: {severity}{answers}\n  {}", finding.code, finding.statement);
        let advice = |of: &Finding| (of.code.clone(), of.likely_cause.clone(), of.next_action.clone());
        if before.map(advice) != Some(advice(finding)) {
            let or_none = |words: &str| if words.is_empty() { "none".to_owned() } else { words.to_owned() };
            let _ = writeln!(text, "  Cause: {}", or_none(&finding.likely_cause));
            let _ = writeln!(text, "  Action: {}", or_none(&finding.next_action));
        }
        before = Some(finding);
    }
    text
}

/// What a check of a table noted about the first execution in which it saw something.
pub(crate) fn noted(checks: &[Check], records: &RunRecords, code: &str) -> Vec<String> {
    let verdict = run(checks, &subjects(records)).into_iter().find(|verdict| verdict.code == code);
    verdict.and_then(|verdict| Some(verdict.seen.first()?.notes.clone())).unwrap_or_else(|| panic!("no {code}"))
}

/// Value, limit and unit of each piece of evidence, rounded to four significant digits.
pub(crate) fn figures(finding: &Finding) -> Vec<(f64, Option<f64>, &str)> {
    let rounded = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
    finding.evidence.iter().map(|one| (rounded(one.value), one.limit.map(rounded), one.unit.as_str())).collect()
}
