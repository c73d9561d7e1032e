//! Whether the rounds of a step agree.

use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::plan::{Rounds, StepRole};
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;

use super::{used_rounds, words};
use crate::check::{Seen, Voids};
use crate::evidence::evidence;
use crate::stats;
use crate::values::{Execution, total_iops};

/// Range of the rounds / their mean above which one figure does not represent all of them. Half of what SNIA calls
/// steady (20 %), because rounds follow each other immediately.
const ROUNDS_DIFFER_PERCENT: f64 = 10.0;

/// Steps whose rounds do not agree; two modes are reported instead of a spread. Steady tests are judged by their
/// window.
pub(crate) fn findings(records: &RunRecords) -> Vec<Finding> {
    let (mut differ, mut modes) = (Vec::new(), Vec::new());
    for test in records.plan.tests.iter().filter(|test| matches!(test.rounds, Rounds::Fixed { .. })) {
        for step in test.steps.iter().filter(|step| step.role == StepRole::Measure) {
            let used = used_rounds(records, test, step);
            let executions = used.iter().filter_map(|record| Execution::new(step, record));
            let rates: Vec<f64> = executions.filter_map(total_iops).collect();
            if let Some((low, high)) = stats::two_modes(&rates) {
                modes.extend(all_rounds(&used, evidence("upper mode (limit: lower mode)", high, Some(low), "IOPS")));
            } else if let Some(percent) = range_percent(&rates).filter(|percent| *percent > ROUNDS_DIFFER_PERCENT) {
                let found = evidence("range / mean of IOPS", percent, Some(ROUNDS_DIFFER_PERCENT), "%");
                differ.extend(all_rounds(&used, found));
            }
        }
    }
    let findings = [
        (!modes.is_empty()).then(|| words::TWO_MODES.about(&modes)),
        (!differ.is_empty()).then(|| words::ROUNDS_DIFFER.about(&differ)),
    ];
    findings.into_iter().flatten().collect()
}

/// Every round of a step, the first with the evidence about all of them.
fn all_rounds(used: &[&StepRecord], found: Evidence) -> Vec<Seen> {
    let mut found = Some(found);
    let seen = |record: &&StepRecord| Seen {
        key: record.key.clone(),
        prepares: false,
        evidence: found.take().into_iter().collect(),
        voids: Voids::Nothing,
        spoils: None,
        notes: Vec::new(),
    };
    used.iter().map(seen).collect()
}

/// (max - min) / mean, in per cent; `None` for fewer than two rounds.
fn range_percent(rates: &[f64]) -> Option<f64> {
    let spread = stats::spread(rates)?;
    (spread.mean > 0.0).then(|| 100.0 * (spread.max - spread.min) / spread.mean)
}
