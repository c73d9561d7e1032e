//! The measured steps of a test, and pairs of steps that read and write the same load.

use drivelab_core::load::OpKind;
use drivelab_core::plan::{Plan, Step, StepRole, TestPlan};
use drivelab_core::units::Percent;
use drivelab_core::workload::Workload;

use crate::figure::op::Op;

/// The read and the write of one load.
#[derive(Debug, Clone)]
pub(crate) struct Pair<'a> {
    /// The load without its operation: `SEQ 1 MiB Q8T1`.
    pub(crate) label: String,
    /// The step that reads.
    pub(crate) read: Option<&'a Step>,
    /// The step that writes.
    pub(crate) write: Option<&'a Step>,
}

/// The measured steps of a test.
pub(crate) fn measured(test: &TestPlan) -> impl Iterator<Item = &Step> {
    test.steps.iter().filter(|step| step.role == StepRole::Measure && step.workload().is_some())
}

/// The tests with a measured step.
pub(crate) fn measured_tests(plan: &Plan) -> impl Iterator<Item = &TestPlan> {
    plan.tests.iter().filter(|test| measured(test).next().is_some())
}

/// Steps that only read or only write, paired if everything else is equal; in the order of the plan.
pub(crate) fn pairs_of(test: &TestPlan) -> Vec<Pair<'_>> {
    let load = |workload: &Workload| Workload { write_percent: Percent::ZERO, seed: 0, ..workload.clone() };
    let same = |a: &Workload, b: &Workload| load(a) == load(b);
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for step in measured(test) {
        let Some(workload) = step.workload() else { continue };
        if Op::all_of(step).len() > 1 {
            continue;
        }
        let partner = pairs.iter_mut().find(|pair| {
            let writes = workload.issues(OpKind::Write);
            let (taken, other) = if writes { (pair.write, pair.read) } else { (pair.read, pair.write) };
            taken.is_none() && other.and_then(Step::workload).is_some_and(|other| same(other, workload))
        });
        match (partner, Op::of(step)) {
            (Some(pair), Op::Write) => pair.write = Some(step),
            (Some(pair), Op::Read) => pair.read = Some(step),
            (None, Op::Write) => pairs.push(Pair { label: bare(step), read: None, write: Some(step) }),
            (None, Op::Read) => pairs.push(Pair { label: bare(step), read: Some(step), write: None }),
            _ => {}
        }
    }
    pairs
}

/// A label without its operation at the end.
fn bare(step: &Step) -> String {
    let label = step.label.as_str();
    label.strip_suffix(" read").or(label.strip_suffix(" write")).unwrap_or(label).trim_end_matches(',').to_owned()
}
