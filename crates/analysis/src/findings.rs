//! The text of every finding, one function for each: figure, threshold, likely cause, next action.
//!
//! Owns words only; what is true was decided by the caller. Voiding findings are in `voids`, those about how steps
//! and the run went in `conduct`, those from the engine's account in `account`, those about what the target did in
//! `target`, those about target and testbed as found in `conditions`, those about searches of a rate in `search`.

pub(crate) mod account;
pub(crate) mod conditions;
pub(crate) mod conduct;
pub(crate) mod search;
pub(crate) mod target;
pub(crate) mod voids;

use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::units::Bytes;

use crate::check::Seen;

/// Most executions whose figures are spelled out in one finding; the list of executions is always whole.
const MOST_SPELLED_OUT: usize = 12;

/// The bundle lies on the target's device, and the recording of the run put this many bytes there.
#[must_use]
pub fn bundle_on_target_device(written: Bytes) -> Finding {
    conditions::bundle_on_target_device(Some(written))
}

/// A piece of evidence; a value that is no number (a record that contradicts itself) is shown as 0.
pub(crate) fn evidence(what: &str, value: f64, limit: Option<f64>, unit: &str) -> Evidence {
    let value = if value.is_finite() { value } else { 0.0 };
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

impl Words<'_> {
    /// A finding about the whole run.
    pub(crate) fn about_run(self, evidence: Vec<Evidence>) -> Finding {
        self.finding(Vec::new(), evidence)
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

    pub(crate) fn finding(self, steps: Vec<StepKey>, evidence: Vec<Evidence>) -> Finding {
        Finding {
            code: self.code.to_owned(),
            severity: self.severity,
            statement: self.statement,
            steps,
            evidence,
            likely_cause: self.cause.to_owned(),
            next_action: self.action.to_owned(),
        }
    }
}

/// `1 execution`, `3 executions`: how many different executions were seen.
pub(crate) fn executions(seen: &[Seen]) -> String {
    let keys: std::collections::BTreeSet<&StepKey> = seen.iter().map(|one| &one.key).collect();
    plural(keys.len(), "execution")
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
