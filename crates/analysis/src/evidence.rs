//! How a finding is put together: its words, its evidence, and how executions are counted in a sentence.
//!
//! Must not know: any finding.

use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::ids::StepKey;

use crate::check::Seen;

/// Most executions whose figures one finding spells out; its list of executions is always complete.
const MOST_SPELLED_OUT: usize = 12;

/// A piece of evidence. If its value is not a number (the record contradicts itself), the finding leaves it out: 0
/// would look like a figure.
pub(crate) fn evidence(what: &str, value: f64, limit: Option<f64>, unit: &str) -> Evidence {
    Evidence { what: what.to_owned(), value, limit: limit.filter(|limit| limit.is_finite()), unit: unit.to_owned() }
}

/// The parts of a finding that are words.
pub(crate) struct Words<'w> {
    pub code: &'static str,
    pub severity: Severity,
    pub statement: String,
    pub cause: &'w str,
    pub action: &'w str,
}

/// The words of a finding of this severity.
pub(crate) fn words<'w>(
    severity: Severity,
    code: &'static str,
    statement: String,
    cause: &'w str,
    action: &'w str,
) -> Words<'w> {
    Words { code, severity, statement, cause, action }
}

/// The words of a warning.
pub(crate) fn warning<'w>(code: &'static str, statement: String, cause: &'w str, action: &'w str) -> Words<'w> {
    words(Severity::Warning, code, statement, cause, action)
}

/// The words of a note.
pub(crate) fn note<'w>(code: &'static str, statement: String, cause: &'w str, action: &'w str) -> Words<'w> {
    words(Severity::Note, code, statement, cause, action)
}

impl Words<'_> {
    /// A finding about the whole run.
    pub(crate) fn about_run(self, evidence: Vec<Evidence>) -> Finding {
        self.finding(Vec::new(), evidence)
    }

    /// The answer to the question of the methodology.
    pub(crate) fn answer(self, evidence: Vec<Evidence>) -> Finding {
        Finding { answers: true, ..self.about_run(evidence) }
    }

    /// A finding about what a check saw.
    pub(crate) fn about(self, seen: &[Seen]) -> Finding {
        let mut steps: Vec<StepKey> = Vec::new();
        for one in seen {
            if !steps.contains(&one.key) {
                steps.push(one.key.clone());
            }
        }
        let named = |one: &Seen| {
            let key = one.key.to_string();
            let several = seen.len() > 1;
            let name = move |mut piece: Evidence| {
                if several {
                    piece.what = format!("{key}: {}", piece.what);
                }
                piece
            };
            one.evidence.clone().into_iter().map(name).collect::<Vec<Evidence>>()
        };
        let evidence = seen.iter().take(MOST_SPELLED_OUT).flat_map(named).collect();
        self.finding(steps, evidence)
    }

    /// The finding.
    pub(crate) fn finding(self, steps: Vec<StepKey>, evidence: Vec<Evidence>) -> Finding {
        Finding {
            code: self.code.to_owned(),
            severity: self.severity,
            statement: self.statement,
            answers: false,
            steps,
            evidence: evidence.into_iter().filter(|piece| piece.value.is_finite()).collect(),
            likely_cause: self.cause.to_owned(),
            next_action: self.action.to_owned(),
        }
    }
}

/// A finding as data: everything except the executions that it is about.
pub(crate) struct FindingDef {
    /// Code of the finding.
    pub code: &'static str,
    severity: Severity,
    /// What it means for the reader, with the figures.
    statement: Statement,
    /// Likely cause; empty if none can be named.
    cause: &'static str,
    /// What to do; empty if there is nothing to do.
    action: &'static str,
}

/// The statement of a finding about what was seen.
type Statement = fn(&[Seen]) -> String;

impl FindingDef {
    /// A finding that voids figures.
    pub(crate) const fn void(
        code: &'static str,
        statement: Statement,
        cause: &'static str,
        action: &'static str,
    ) -> FindingDef {
        FindingDef { code, severity: Severity::Void, statement, cause, action }
    }

    /// A finding that readers must know.
    pub(crate) const fn warning(
        code: &'static str,
        statement: Statement,
        cause: &'static str,
        action: &'static str,
    ) -> FindingDef {
        FindingDef { code, severity: Severity::Warning, statement, cause, action }
    }

    /// A finding that only informs.
    pub(crate) const fn note(
        code: &'static str,
        statement: Statement,
        cause: &'static str,
        action: &'static str,
    ) -> FindingDef {
        FindingDef { code, severity: Severity::Note, statement, cause, action }
    }

    /// The finding about what was seen.
    pub(crate) fn about(&self, seen: &[Seen]) -> Finding {
        let FindingDef { code, severity, statement, cause, action } = *self;
        Words { code, severity, statement: statement(seen), cause, action }.about(seen)
    }
}

/// `1 execution`, `3 executions`: how many different executions were seen. Preparation is named separately, because no
/// result comes from it.
pub(crate) fn executions(seen: &[Seen]) -> String {
    let keys: std::collections::BTreeSet<&StepKey> = seen.iter().map(|one| &one.key).collect();
    let prepares: std::collections::BTreeSet<&StepKey> =
        seen.iter().filter(|one| one.prepares).map(|one| &one.key).collect();
    let measured = keys.len() - prepares.len();
    match (keys.len() > measured, measured) {
        (true, 0) => "the preparation (not the measured load)".to_owned(),
        (true, measured) => format!("the preparation and {}", plural(measured, "execution")),
        (false, measured) => plural(measured, "execution"),
    }
}

/// All notes, each once.
pub(crate) fn named(seen: &[Seen]) -> String {
    let mut notes: Vec<&str> = Vec::new();
    for note in seen.iter().flat_map(|one| &one.notes) {
        if !notes.contains(&note.as_str()) {
            notes.push(note);
        }
    }
    notes.join("; ")
}

/// `1 step`, `3 steps`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A rate in bytes per second, in both units: MB/s, which drivelab shows, and MiB/s, which other programs show.
pub(crate) fn in_both_units(bytes_per_second: f64) -> String {
    format!("{:.1} MB/s ({:.1} MiB/s)", bytes_per_second / 1e6, bytes_per_second / 1_048_576.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing;

    #[test]
    fn what_happened_in_a_preparation_is_not_told_of_the_load() {
        let seen = |test: &str, round| Seen {
            key: StepKey { step: drivelab_core::ids::StepId::new(test, "x"), round },
            prepares: test.ends_with("prepare"),
            ..testing::seen(Vec::new())
        };
        // In a suite the name begins with the methodology's.
        let (fill, load) = (seen("sweep-prepare", 1), seen("prepare-x", 1));
        assert_eq!(executions(&[load.clone(), seen("prepare-x", 2)]), "2 executions");
        assert_eq!(executions(&[fill.clone(), load]), "the preparation and 1 execution");
        assert_eq!(executions(&[fill]), "the preparation (not the measured load)");
    }
}
