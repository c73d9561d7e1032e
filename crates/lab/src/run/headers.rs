//! Headers that a recorded run wrote into its blocks, for a later check: by `drivelab io --op verify`, or by a
//! process that resumes the run.

use drivelab_core::load::Verify;
use drivelab_core::plan::Step;
use drivelab_core::run::RunRecords;
use drivelab_core::workload::Workload;
use drivelab_engine::Written;

/// Whether the writes of a load carry headers.
#[must_use]
pub fn carries(load: &Workload) -> bool {
    matches!(load.verify, Verify::Headers | Verify::AtOnce)
}

/// The last writes of the run, even if it was killed during them.
///
/// # Errors
/// Why nothing can be checked, as a sentence fragment.
pub fn of_run(records: &RunRecords) -> Result<Written, String> {
    let unfinished = records.unfinished().and_then(|key| Some((records.plan.step(&key.step)?, key.round)));
    let unfinished = unfinished.filter(|(step, _)| step.workload().is_some_and(Workload::writes));
    let Some((step, round)) = unfinished else { return of_finished(records) };
    let workload = step.workload().filter(|load| load.groups().any(carries)).ok_or_else(|| without(step))?;
    let run = records.run.number();
    let (workload, failed) = (workload.clone(), Vec::new());
    // A killed process could not record what failed, so its failed writes would be reported as faults.
    Ok(Written { run, round, workload, positions: None, failed, more_failed: false })
}

/// The writes of the last finished step that wrote anything.
///
/// # Errors
/// Why nothing can be checked, as a sentence fragment.
pub fn of_finished(records: &RunRecords) -> Result<Written, String> {
    let steps = records.steps.iter().filter_map(|record| Some((records.plan.step(&record.key.step)?, record)));
    let last = steps.rev().find(|(step, _)| step.workload().is_some_and(Workload::writes));
    let (step, record) = last.ok_or("that run wrote nothing; name one that wrote with --verify headers")?;
    let workload = step.workload().ok_or_else(|| without(step))?;
    Written::by(records.run.number(), workload, record).ok_or_else(|| without(step))
}

fn without(step: &Step) -> String {
    format!("the last writes of that run ({}) carry no headers; write with --verify headers first", step.label)
}
