//! The text of every finding, one function for each: figure, threshold, likely cause, next action.
//!
//! Owns words only; what is true was decided by the caller. (The words of a few questions of their own stand where
//! those are answered: `host`, `probe`, `together`, `buyer`.) Voiding findings are in `voids`, those about how steps
//! and the run went in `conduct`, those from the engine's account in `account`, those about what the target did in
//! `target`, those about target and testbed as found in `conditions`, those about searches of a rate in `search`,
//! those about curves in `curve`, those about printed figures in `data_sheet`, those about heat over minutes in `heat`,
//! those about write caches in `filled`, those about copies of files in `transfers`, those about a drive that
//! contradicts itself over time in `lies`, those about its capacity in `capacity`, those about the state it is in in
//! `state`, those about replayed traces in `replayed`, scores in `scores`, drives in a series in `series`, and what was
//! or was not watched in `watched`.

pub(crate) mod account;
pub(crate) mod capacity;
pub(crate) mod conditions;
pub(crate) mod conduct;
pub(crate) mod curve;
pub(crate) mod data_sheet;
pub(crate) mod filled;
pub(crate) mod heat;
pub(crate) mod lies;
pub(crate) mod replayed;
pub(crate) mod scores;
pub(crate) mod search;
pub(crate) mod series;
pub(crate) mod state;
pub(crate) mod target;
pub(crate) mod transfers;
pub(crate) mod voids;
pub(crate) mod watched;

use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::units::Bytes;

use crate::check::Seen;

pub use state::{foreign_writes, not_emptied, prepared_flat, state_unmet};

/// Most executions whose figures are spelled out in one finding; the list of executions is always whole.
const MOST_SPELLED_OUT: usize = 12;

/// The bundle lies on the target's device, and the recording of the run put this many bytes there.
#[must_use]
pub fn bundle_on_target_device(written: Bytes) -> Finding {
    conditions::bundle_on_target_device(Some(written))
}

/// A scratch file that is smaller than was asked for: another load than the one that was typed.
#[must_use]
pub fn scratch_file_smaller(asked: Bytes, made: Bytes) -> Finding {
    conditions::scratch_file_smaller(asked, made)
}

/// Nothing is watched beside a run, so that what others do on the disk is not known.
#[must_use]
pub fn others_not_watched() -> Finding {
    watched::not_watched("Other I/O on the disk was not watched, so no figure can show whether it was disturbed.")
}

/// The same from here on, where a run is resumed without telemetry.
#[must_use]
pub fn others_not_watched_any_more() -> Finding {
    watched::not_watched(
        "After the run was resumed, other I/O on the disk was not watched. Steps measured since cannot show whether they \
         were disturbed.",
    )
}

/// A target that is smaller than the methodology states: its areas and volumes are smaller with it.
#[must_use]
pub fn target_smaller(stated: Bytes, tested: Bytes) -> Finding {
    conditions::target_smaller(stated, tested)
}

/// A piece of evidence. One whose value is no number (a record that contradicts itself) is left out of the finding:
/// 0 would be a figure.
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

/// The words of a finding as grave as this.
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
fn warning<'w>(code: &'static str, statement: String, cause: &'w str, action: &'w str) -> Words<'w> {
    words(Severity::Warning, code, statement, cause, action)
}

/// The words of a note.
fn note<'w>(code: &'static str, statement: String, cause: &'w str, action: &'w str) -> Words<'w> {
    words(Severity::Note, code, statement, cause, action)
}

impl Words<'_> {
    /// A finding about the whole run.
    pub(crate) fn about_run(self, evidence: Vec<Evidence>) -> Finding {
        self.finding(Vec::new(), evidence)
    }

    /// The answer to what the methodology asks.
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

    /// The finding. A statement may begin with words that were made for its middle (`the preparation`).
    pub(crate) fn finding(self, steps: Vec<StepKey>, evidence: Vec<Evidence>) -> Finding {
        Finding {
            code: self.code.to_owned(),
            severity: self.severity,
            statement: capitalized(self.statement),
            answers: false,
            steps,
            evidence: evidence.into_iter().filter(|piece| piece.value.is_finite()).collect(),
            likely_cause: self.cause.to_owned(),
            next_action: self.action.to_owned(),
        }
    }
}

/// `1 execution`, `3 executions`: how many different executions were seen. Those that prepare are named as such, since
/// no figure of a result is theirs.
pub(crate) fn executions(seen: &[Seen]) -> String {
    let keys: std::collections::BTreeSet<&StepKey> = seen.iter().map(|one| &one.key).collect();
    let prepares: std::collections::BTreeSet<&StepKey> =
        seen.iter().filter(|one| one.prepares).map(|one| &one.key).collect();
    let measured = keys.len() - prepares.len();
    match (keys.len() > measured, measured) {
        (true, 0) => "the preparation (not in the load that is measured)".to_owned(),
        (true, measured) => format!("the preparation and {}", plural(measured, "execution")),
        (false, measured) => plural(measured, "execution"),
    }
}

/// With a capital where a statement begins with the words of [`executions`]; names of devices stay as they are.
fn capitalized(statement: String) -> String {
    statement.strip_prefix("the preparation").map_or(statement.clone(), |rest| format!("The preparation{rest}"))
}

/// What was noted, each once.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Voids;

    #[test]
    fn what_happened_in_a_preparation_is_not_told_of_the_load() {
        let seen = |test: &str, round| Seen {
            key: StepKey { step: drivelab_core::ids::StepId::new(test, "x"), round },
            prepares: test.ends_with("prepare"),
            evidence: Vec::new(),
            voids: Voids::Nothing,
            spoils: None,
            notes: Vec::new(),
        };
        // In a suite the name begins with the methodology's.
        let (fill, load) = (seen("sweep-prepare", 1), seen("prepare-x", 1));
        assert_eq!(executions(&[load.clone(), seen("prepare-x", 2)]), "2 executions");
        assert_eq!(executions(&[fill.clone(), load]), "the preparation and 1 execution");
        let ceiling = account::ceiling_mode(&[fill]).statement;
        assert!(ceiling.starts_with("The preparation (not in the load that is measured) ran"), "{ceiling}");
    }
}
