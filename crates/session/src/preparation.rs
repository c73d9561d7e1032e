//! Which preparation a resumed run repeats when its target is lost.
//!
//! A plan may prepare its target several times: before the first test, and again between tests. What a test finds is
//! the work of all preparation before it, up to the last one that discards the whole target first.

use drivelab_core::drive_state::is_whole;
use drivelab_core::ids::StepKey;
use drivelab_core::load::Verify;
use drivelab_core::plan::{Action, Plan, Step, StepRole, TestPlan};
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Percent};

use crate::rounds::is_left;

/// Names of the tests whose preparation is done again, finished or not: those that make the state which the next
/// measured execution asks for, and those after it.
pub(crate) fn repeated(records: &RunRecords) -> Vec<String> {
    let tests = &records.plan.tests;
    let next = tests.iter().position(|test| measures(test) && is_left(records, test)).unwrap_or(tests.len());
    let before = tests.get(..next).unwrap_or_default();
    let from = before.iter().rposition(|test| begins_anew(&records.plan, test)).unwrap_or(0);
    tests.iter().skip(from).filter(|test| prepares(test)).map(|test| test.name.clone()).collect()
}

/// A check that is still to be done of data that a finished step of the results wrote, both by their labels: where the
/// target is lost that data is, too, and only preparation is repeated.
#[must_use]
pub fn check_of_what_was_written(records: &RunRecords) -> Option<(&str, &str)> {
    let load = |step: &'_ Step| step.workload().map(|load| (load.verify, load.span));
    let plan = &records.plan;
    let due = plan.tests.iter().flat_map(TestPlan::schedule).filter(|(key, _)| !records.is_finished(key));
    due.filter_map(|(_, step)| {
        let (Verify::Check, of) = load(step)? else { return None };
        let wrote = |other: &&Step| {
            other.role == StepRole::Measure
                && records.is_finished(&StepKey { step: other.id.clone(), round: 1 })
                && load(other).is_some_and(|(verify, span)| {
                    verify == Verify::Headers && span.offset.get() < of.end() && of.offset.get() < span.end()
                })
        };
        Some((step.label.as_str(), plan.steps().find(wrote)?.label.as_str()))
    })
    .next()
}

pub(crate) fn prepares(test: &TestPlan) -> bool {
    test.steps.iter().any(|step| step.role == StepRole::Prepare)
}

fn measures(test: &TestPlan) -> bool {
    test.steps.iter().any(|step| step.role == StepRole::Measure)
}

/// Whether preparation begins with a discard of all that the plan touches, so that nothing before it counts.
fn begins_anew(plan: &Plan, test: &TestPlan) -> bool {
    let ends =
        plan.steps().filter_map(|step| step.workload()).flat_map(|load| load.on_target().map(|one| one.span.end()));
    let end = ends.max().unwrap_or_default();
    let Some(Action::Io { workload, stop, .. }) = test.steps.first().map(|step| &step.action) else { return false };
    prepares(test)
        && workload.other.trim_percent == Percent::new(100).unwrap_or_default()
        && stop.passes.is_some()
        && is_whole(workload.span, Bytes::new(end))
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::testing::sample_verified_run;

    use super::*;

    #[test]
    fn a_check_of_what_a_finished_step_wrote_is_named_until_it_is_done() {
        let mut records = sample_verified_run();
        assert_eq!(check_of_what_was_written(&records), None, "it was checked");
        let check = records.steps.iter().position(|record| record.verification.is_some()).expect("a check");
        let done = records.steps.remove(check);
        let (check, write) = check_of_what_was_written(&records).expect("a check that is left");
        assert_ne!(check, write);
        // Nor was it written yet: then both are done.
        records.steps.retain(|record| record.key.step.as_str() == done.key.step.as_str());
        assert_eq!(check_of_what_was_written(&records), None);
    }
}
