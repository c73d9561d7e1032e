//! Findings about the state of the target: writes of other programs, and states that a test needs and does not find.

use drivelab_core::drive_state::HostCounters;
use drivelab_core::event::Steadiness;
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Span;

use crate::check::{Seen, Subject, Verdict, Voids};
use crate::evidence::{Words, evidence};
use crate::steady::{MAX_RANGE_PERCENT, MAX_SLOPE_PERCENT};

/// Another program wrote to the target: during the run, or between the named run and this one.
#[must_use]
pub fn foreign_writes(foreign: HostCounters, since: Option<&str>) -> Finding {
    let when = since.map_or_else(|| "during this run".to_owned(), |run| format!("since run {run} ended"));
    let did = match (foreign.written.get(), foreign.discarded.get()) {
        (_, 0) => format!("wrote {} to it", foreign.written),
        (0, _) => format!("discarded {} of it", foreign.discarded),
        _ => format!("wrote {} to it and discarded {}", foreign.written, foreign.discarded),
    };
    let words = Words {
        code: "foreign_writes",
        severity: if since.is_some() { Severity::Note } else { Severity::Warning },
        statement: format!(
            "The state of the target is no longer known: other programs {did} {when}, by the kernel's counters."
        ),
        cause: "Another program had the device open, or a file system on it was mounted.",
        action: if since.is_some() {
            "Nothing, if the methodology prepares the target itself: preparation is not skipped."
        } else {
            "Find the other program (`lsof`, `fuser`), and measure again."
        },
    };
    words.about_run(vec![
        evidence("written by other programs", foreign.written.as_f64(), Some(0.0), "B"),
        evidence("discarded by other programs", foreign.discarded.as_f64(), Some(0.0), "B"),
    ])
}

/// A test starts on a target that is not in the state that it needs.
#[must_use]
pub fn state_unmet(title: &str, first: StepKey, unmet: &[String]) -> Finding {
    let words = Words {
        code: "state_unmet",
        severity: Severity::Warning,
        statement: format!(
            "'{title}' started on a target that was not in the state that it needs: {}.",
            unmet.join("; ")
        ),
        cause: "The preparation leaves a different state, earlier writes to the target are not on record, or nothing \
                watches what the test needs.",
        action: "Prepare the target as the methodology says (`drivelab wipe`, then the preparation), enable what has to \
                 be watched, and measure again.",
    };
    words.finding(vec![first], Vec::new())
}

/// Code of [`not_emptied`].
pub(crate) const NOT_EMPTIED: &str = "not_emptied";

/// Steps of a resumed run that found what the interrupted step had written, because nothing empties the target before
/// them.
#[must_use]
pub fn not_emptied(cut_off: &str, keys: Vec<StepKey>) -> Finding {
    let words = Words {
        code: NOT_EMPTIED,
        severity: Severity::Void,
        statement: format!(
            "The steps after the interruption found what '{cut_off}' had already written to the target. In an \
             uninterrupted run they would not, so their rates and latencies are void."
        ),
        cause: "The methodology neither discards nor fills the whole target before these steps, so drivelab could not \
                restore its state.",
        action: "Discard the target (`drivelab wipe`) and start a new run.",
    };
    words.finding(keys, Vec::new())
}

/// What the session found that voids figures and does not follow from the records alone: steps of a resumed run found
/// what the interrupted step had written. What they verified remains valid.
pub(crate) fn not_emptied_steps(findings: &[Finding], subjects: &[Subject<'_>]) -> Vec<Verdict> {
    let met = findings.iter().filter(|finding| finding.code == NOT_EMPTIED);
    let verdict = |finding: &Finding| {
        let steps = subjects.iter().filter(|subject| finding.steps.contains(&subject.execution.record.key));
        let seen = steps.map(|subject| Seen::new(subject, Voids::Results, Vec::new())).collect();
        Verdict { code: NOT_EMPTIED, seen, finding: finding.clone() }
    };
    met.map(verdict).collect()
}

/// Codes of [`prepared_flat`].
const FLAT: &str = "prepared_flat";
const NOT_FLAT: &str = "not_prepared_flat";

/// Whether both findings judge the same preparation, which was then repeated.
pub(crate) fn judge_one_preparation(one: &Finding, other: &Finding) -> bool {
    let judges = |finding: &Finding| finding.code == FLAT || finding.code == NOT_FLAT;
    let step = |finding: &Finding| finding.steps.first().map(|key| key.step.clone());
    judges(one) && judges(other) && step(one) == step(other)
}

/// A preparation that should continue until its speed is flat: how much it wrote, and whether the speed became flat.
/// `share` of the span holds data after it, if that is known. `key` is its last execution, which tells it from other
/// preparations.
#[must_use]
pub fn prepared_flat(key: StepKey, verdict: &Steadiness, written: Bytes, span: Span, share: Option<f64>) -> Finding {
    let Steadiness { test, reached, last_round, range_percent, slope_percent, .. } = verdict;
    let passes = if span.length.get() == 0 { 0.0 } else { written.as_f64() / span.length.as_f64() };
    let far = format!("{last_round} slices ({written}, {passes:.1} times its span of {})", span.length);
    let words = Words {
        code: if *reached { FLAT } else { NOT_FLAT },
        severity: if *reached { Severity::Note } else { Severity::Warning },
        statement: if *reached {
            format!("The speed of '{test}' no longer changed after {far}.")
        } else {
            format!("The speed of '{test}' was still changing after {far}, when the preparation stopped.")
        },
        cause: if *reached { "" } else { "The drive was still changing, or another program used it." },
        action: if *reached {
            ""
        } else {
            "Allow more passes with `at_most`, or read the figures as those of a drive that still changes."
        },
    };
    let mut found = vec![
        evidence("range / mean of the last five slices", *range_percent, Some(MAX_RANGE_PERCENT), "%"),
        evidence("slope / mean of the last five slices", *slope_percent, Some(MAX_SLOPE_PERCENT), "%"),
        evidence("written", written.as_f64(), None, "B"),
    ];
    found.extend(share.map(|share| evidence("part of the span that holds data, at least", 100.0 * share, None, "%")));
    words.finding(vec![key], found)
}

#[cfg(test)]
mod tests {
    use drivelab_core::ids::StepId;
    use drivelab_core::units::Bytes;

    use super::*;
    use crate::check::testing::figures;

    #[test]
    fn writes_of_others_are_graver_in_a_run_than_before_it() {
        let foreign = HostCounters { written: Bytes::new(4096), discarded: Bytes::new(0) };
        let (during, before) = (foreign_writes(foreign, None), foreign_writes(foreign, Some("r-1")));
        assert_eq!((during.severity, before.severity), (Severity::Warning, Severity::Note));
        let counted = [(4096.0, Some(0.0), "B"), (0.0, Some(0.0), "B")];
        assert_eq!((figures(&during), figures(&before)), (counted.to_vec(), counted.to_vec()));
        let key = StepKey { step: StepId::new("sweep", "x"), round: 1 };
        let unmet = state_unmet("Sweep", key.clone(), &["one thing".to_owned(), "another".to_owned()]);
        assert_eq!((unmet.severity, unmet.steps), (Severity::Warning, vec![key]));
    }
}
