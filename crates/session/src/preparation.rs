//! Which preparation a resumed run repeats when its target is lost.
//!
//! A plan may prepare its target several times: before the first test, and again between tests. What a test finds is
//! the work of all preparation before it, up to the last one that discards the whole target first.

use drivelab_core::drive_state::is_whole;
use drivelab_core::plan::{Action, Plan, StepRole, TestPlan};
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
