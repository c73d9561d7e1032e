//! Checks: pure functions from [`Subject`] to what they saw, each with its finding.
//!
//! Each topic has a table of its own.

use drivelab_core::finding::Finding;

use super::seen::{Seen, Subject};
use crate::evidence::FindingDef;

/// A check and the finding that is made of what it sees.
pub(crate) struct Check {
    /// The finding.
    pub finding: &'static FindingDef,
    /// What must hold, for docs/metrics.md; empty if the check voids nothing.
    pub rule: &'static str,
    /// The check.
    pub check: fn(&Subject<'_>) -> Vec<Seen>,
}

/// What one check saw in the whole run.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    /// Code of the finding.
    pub code: &'static str,
    /// What it saw, by execution.
    pub seen: Vec<Seen>,
    /// The finding.
    pub finding: Finding,
}

/// Runs the checks over every finished execution: one verdict for each check that saw something.
pub(crate) fn run(checks: &[Check], subjects: &[Subject<'_>]) -> Vec<Verdict> {
    let verdict = |check: &Check| {
        let seen: Vec<Seen> = subjects.iter().flat_map(check.check).collect();
        (!seen.is_empty()).then(|| Verdict { code: check.finding.code, finding: check.finding.about(&seen), seen })
    };
    checks.iter().filter_map(verdict).collect()
}
