//! What a recorded run wrote with headers, for whoever checks it later: `drivelab io --op verify`, or a process that
//! goes on with the run.

use drivelab_core::load::Verify;
use drivelab_core::plan::Step;
use drivelab_core::run::RunRecords;
use drivelab_core::workload::Workload;
use drivelab_engine::Written;

/// Whether what a load writes carries headers.
#[must_use]
pub fn carries(load: &Workload) -> bool {
    matches!(load.verify, Verify::Headers | Verify::AtOnce)
}

/// What the run wrote last, also where it was killed while it wrote.
///
/// # Errors
/// Why there is nothing that could be checked, as a fragment of a sentence.
pub fn of_run(records: &RunRecords) -> Result<Written, String> {
    let unfinished = records.unfinished().and_then(|key| Some((records.plan.step(&key.step)?, key.round)));
    let unfinished = unfinished.filter(|(step, _)| step.workload().is_some_and(Workload::writes));
    let Some((step, round)) = unfinished else { return of_finished(records) };
    let workload = step.workload().filter(|load| load.groups().any(carries)).ok_or_else(|| without(step))?;
    let run = records.run.number();
    let (workload, failed) = (workload.clone(), Vec::new());
    // A killed process could not say what failed; its errors would end in blocks that are told as faults.
    Ok(Written { run, round, workload, positions: None, failed, more_failed: false })
}

/// What the last of the run's ended steps that wrote anything wrote.
///
/// # Errors
/// Why there is nothing that could be checked, as a fragment of a sentence.
pub fn of_finished(records: &RunRecords) -> Result<Written, String> {
    let steps = records.steps.iter().filter_map(|record| Some((records.plan.step(&record.key.step)?, record)));
    let last = steps.rev().find(|(step, _)| step.workload().is_some_and(Workload::writes));
    let (step, record) = last.ok_or("that run wrote nothing")?;
    let workload = step.workload().ok_or_else(|| without(step))?;
    Written::by(records.run.number(), workload, record).ok_or_else(|| without(step))
}

fn without(step: &Step) -> String {
    format!("what that run wrote last ({}) carries no headers; write with --verify headers first", step.label)
}
