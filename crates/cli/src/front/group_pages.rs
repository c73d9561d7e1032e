//! The result of a group of runs, found through any of its runs: on the terminal or as JSON.

use drivelab_analysis::Analysis;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_lab::output::group::with;
use drivelab_lab::{Failure, Result};
use drivelab_store::KeptDrive;

use super::width::terminal_width;
use crate::args::PrintArgs;
use crate::context::Context;
use crate::say;

/// Shows the result of the runs.
///
/// # Errors
/// Nothing was measured together, or stdout cannot be written.
pub fn show(print: &PrintArgs, runs: &[(RunRecords, Analysis)], kept: &[KeptDrive]) -> Result<()> {
    with(runs, kept, |input| {
        if print.json {
            say::json(&drivelab_report::together_json(input)?)
        } else {
            say::data(&drivelab_report::together_terminal(input, terminal_width()))
        }
    })
}

/// The runs of the group that a run belongs to; runs that no longer exist are left out.
///
/// # Errors
/// The run is not in a group.
pub fn of_member(context: &Context, run: RunId) -> Result<Vec<(RunRecords, Analysis)>> {
    let (records, _) = context.load(run)?;
    let Some(group) = records.group else {
        return Err(Failure::nothing(format!(
            "run {run} was measured on its own and belongs to no group; to measure a group, name several targets: `drivelab \
             run METHOD T1 T2`"
        )));
    };
    let ids: Vec<RunId> = group.runs.iter().map(|one| one.run).collect();
    Ok(load(context, &ids))
}

fn load(context: &Context, runs: &[RunId]) -> Vec<(RunRecords, Analysis)> {
    let load = |run: &RunId| {
        let unread = |why: Failure| context.settings.voice.warn(format!("run {run} is left out: {}", why.message));
        context.load(*run).map_err(unread).ok()
    };
    runs.iter().filter_map(load).collect()
}
