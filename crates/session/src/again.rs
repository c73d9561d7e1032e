//! What a resumed run repeats before its first unfinished execution, so that this execution finds the state that it
//! would have found in an uninterrupted run.
//!
//! The state before an execution depends on everything that changed the target before it, back to the last
//! preparation that starts with a discard of the whole target. If that state is lost (another program wrote, the
//! target is a new one, or the interrupted execution itself changed the state that it must start from), preparation
//! is repeated, and the writes of finished measured executions are repeated without changing their figures.

use drivelab_analysis::findings;
use drivelab_core::drive_state::is_whole;
use drivelab_core::environment::TargetKind;
use drivelab_core::event::RunResumed;
use drivelab_core::finding::Finding;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Action, Plan, Step, StepRole, TestPlan};
use drivelab_core::record::StopReason;
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Span, Workload};

use crate::rounds::{is_due, is_judged};

/// The tests and executions to repeat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Again {
    /// Names of the tests whose preparation is repeated, finished or not.
    pub(crate) tests: Vec<String>,
    /// Finished measured executions to repeat, in order: those that change the target, and waits after them.
    pub(crate) executions: Vec<StepKey>,
}

impl Again {
    /// What the first unfinished execution and everything after it depend on.
    pub(crate) fn of(records: &RunRecords) -> Again {
        let plan = &records.plan;
        let Some(next) = left(records, true).first().map(|(key, _)| key.clone()) else { return Again::default() };
        let schedule = plan.schedule();
        let next_at = schedule.iter().position(|(key, _)| *key == next).unwrap_or(schedule.len());
        let from = discards_first(plan, &next).unwrap_or(0);
        let first = plan.tests[from].steps.first().map(|step| &step.id);
        let begin = schedule.iter().position(|(key, _)| Some(&key.step) == first).unwrap_or(0);
        let mut executions = Vec::new();
        for (key, step) in schedule.get(begin..next_at).unwrap_or_default() {
            let changes = step.workload().is_some_and(Workload::changes_target);
            let waits = matches!(step.action, Action::Idle { .. }) && !executions.is_empty();
            if step.role == StepRole::Measure && records.is_finished(key) && (changes || waits) {
                executions.push(key.clone());
            }
        }
        let tests = plan.tests.iter().skip(from).filter(|test| prepares(test)).map(|test| test.name.clone()).collect();
        Again { tests, executions }
    }

    /// Whether there is nothing to repeat.
    pub(crate) fn is_nothing(&self) -> bool {
        self.tests.is_empty() && self.executions.is_empty()
    }
}

/// Executions that are still to run; steady tests and searches with their most rounds. These are unfinished
/// executions and, if the target is not prepared now, preparation and everything to repeat for the steps that depend
/// on it. A steady test with a verdict is done, and so is a search that found its rate.
#[must_use]
pub fn left(records: &RunRecords, prepared: bool) -> Vec<(StepKey, &Step)> {
    let once_more = if prepared { Again::default() } else { Again::of(records) };
    let mut left = Vec::new();
    for set in 1..=records.plan.sets() {
        for test in &records.plan.tests {
            let again = once_more.tests.contains(&test.name);
            let open = again || !is_judged(records, test);
            let of_set = test.schedule_of_set(set).into_iter();
            left.extend(of_set.filter(|(key, step)| {
                once_more.executions.contains(key) || (open && is_due(records, key, step, again))
            }));
        }
    }
    left
}

/// Whether the state that the remaining steps need can be restored.
#[must_use]
pub fn can_make_again(records: &RunRecords) -> bool {
    !Again::of(records).is_nothing()
}

/// Why the target, although no other program touched it, is not in the state in which the first unfinished execution
/// would have found it in an uninterrupted run; a part of a sentence. `None` if it is.
#[must_use]
pub fn state_changed(records: &RunRecords) -> Option<String> {
    if records.was_remaking() {
        return Some("the state that it needs was being restored, but that was not finished".to_owned());
    }
    let step = changed_by(records)?;
    Some(format!("'{}' was interrupted after it had changed the state that it must start from", step.label))
}

/// The interrupted step, if it had changed the state that it must start from.
fn changed_by(records: &RunRecords) -> Option<&Step> {
    let stopped = records.steps.iter().rev().find(|record| record.stop_reason == StopReason::Stopped);
    let key = records.unfinished().or_else(|| stopped.map(|record| &record.key))?;
    let wrote = stopped.filter(|record| record.key == *key).is_none_or(|record| {
        record.written_total.get() > 0 || record.others.iter().any(|other| other.record.count > 0)
    });
    let (test, step) = (records.plan.test_of(&key.step)?, records.plan.step(&key.step)?);
    let load = step.workload().filter(|load| wrote && load.changes_target())?;
    let begins = begins_anew(&records.plan, test) && test.steps.first().is_some_and(|first| first.id == step.id);
    // It is done once more, over all that its first try changed.
    let covers = step.role == StepRole::Prepare && covers_its_span(step);
    // A target that stores nothing has no state.
    let before = records.drive_states.iter().rev().find(|seen| seen.key == *key)?;
    (!begins && !covers && !before.state.is_kept_by(load)).then_some(step)
}

/// Whether a step, done once more, writes or discards every block that an earlier try can have changed.
fn covers_its_span(step: &Step) -> bool {
    let all = Percent::new(100).unwrap_or_default();
    let Action::Io { workload, stop, .. } = &step.action else { return false };
    let alone = workload.beside.is_empty() && workload.replay.is_none() && workload.files.is_none();
    let covers = workload.write_percent == all || workload.other.trim_percent == all;
    // It must end at the same block as its first try would have.
    let by_volume = stop.passes.is_some() || stop.volume.is_some();
    let only = stop.time.is_none() && stop.operations.is_none() && stop.coverage.is_none();
    alone && covers && workload.pattern.has_passes() && by_volume && only
}

/// A finding about the remaining steps if they meet what the interrupted step left: nothing in the plan discards or
/// writes the whole target before them, and it is not a new file.
pub(crate) fn not_emptied(records: &RunRecords, resumed: &RunResumed) -> Option<Finding> {
    // If the run was killed while that was being restored, an earlier process has already reported it.
    let cut_off = changed_by(records).filter(|_| !records.was_remaking())?;
    let plan = &records.plan;
    let left = left(records, true);
    let next = &left.first()?.0;
    let fills = plan.tests.first().is_some_and(|test| fills_all(plan, test));
    let anew = resumed.prepared_again && (fills || discards_first(plan, next).is_some());
    if anew || records.environment.target.kind == TargetKind::ScratchFile {
        return None;
    }
    let measured = left.iter().filter(|(_, step)| step.role == StepRole::Measure && step.workload().is_some());
    Some(findings::not_emptied(&cut_off.label, measured.map(|(key, _)| key.clone()).collect()))
}

/// The tests of a plan that leave something for later ones, in order. Each inner list begins when the target is made
/// new; an entry names a test and states whether it changes the target. A test depends on all earlier tests in its
/// list that change the target.
#[must_use]
pub fn lives_on(plan: &Plan) -> Vec<Vec<(&TestPlan, bool)>> {
    let mut all: Vec<Vec<(&TestPlan, bool)>> = Vec::new();
    for test in &plan.tests {
        if all.is_empty() || begins_anew(plan, test) {
            all.push(Vec::new());
        }
        let changes = test.steps.iter().filter_map(Step::workload).any(Workload::changes_target);
        all.last_mut().into_iter().for_each(|last| last.push((test, changes)));
    }
    all
}

fn is_in_first_set(plan: &Plan, key: &StepKey) -> bool {
    plan.test_of(&key.step).is_none_or(|test| test.set_and_round(key.round).0 == 1)
}

pub(crate) fn prepares(test: &TestPlan) -> bool {
    test.steps.iter().any(|step| step.role == StepRole::Prepare)
}

/// The last test, up to the test of this execution, that begins with a discard of the whole target.
fn discards_first(plan: &Plan, next: &StepKey) -> Option<usize> {
    let next_test = plan.tests.iter().position(|test| test.steps.iter().any(|step| step.id == next.step));
    // Preparation runs in the first set only.
    let up_to = if next.round > 1 && !is_in_first_set(plan, next) {
        plan.tests.len()
    } else {
        next_test.map_or(0, |at| at + 1)
    };
    plan.tests[..up_to].iter().rposition(|test| begins_anew(plan, test))
}

/// Whether preparation begins with a discard of everything that the plan touches, so that earlier content does not
/// matter.
fn begins_anew(plan: &Plan, test: &TestPlan) -> bool {
    let all = Percent::new(100).unwrap_or_default();
    begins_with_all(plan, test, |load| load.other.trim_percent == all)
}

/// Whether preparation begins by writing all that the plan touches.
fn fills_all(plan: &Plan, test: &TestPlan) -> bool {
    let all = Percent::new(100).unwrap_or_default();
    begins_with_all(plan, test, |load| load.write_percent == all && load.pattern.has_passes())
}

/// Whether preparation begins with passes of such a load over everything that the plan touches, in one step or several.
fn begins_with_all(plan: &Plan, test: &TestPlan, is: impl Fn(&Workload) -> bool) -> bool {
    let ends =
        plan.steps().filter_map(|step| step.workload()).flat_map(|load| load.on_target().map(|one| one.span.end()));
    let end = ends.max().unwrap_or_default();
    let passes = test.steps.iter().map_while(|step| match &step.action {
        Action::Io { workload, stop, .. } if is(workload) && stop.passes.is_some() => Some(workload.span),
        _ => None,
    });
    // A load that does not continue where the previous one ended is another load.
    let joined = passes.reduce(|all, next| {
        let length = Bytes::new(all.length.get() + next.length.get());
        if next.offset.get() == all.end() { Span { length, ..all } } else { all }
    });
    prepares(test) && joined.is_some_and(|all| is_whole(all, Bytes::new(end)))
}
