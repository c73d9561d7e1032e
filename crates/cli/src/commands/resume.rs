//! `drivelab resume`: a new process continues an interrupted or killed run at its first unfinished step.

use drivelab_core::event::RunState;
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_lab::run::conditions::undone;
use drivelab_lab::run::resume::{ResumeOrder, page_of, resume as go_on};
use drivelab_lab::{Failure, Lab, Result};
use drivelab_store::{Bundle, DataDir, RunRow};

use crate::args::ResumeArgs;
use crate::context::{Context, LAST, several_runs};
use crate::front::method::plan_has_figures;
use crate::front::outcome::ended;
use crate::front::terminal::Terminal;

/// Runs the command. Everything that can be refused is refused before the target is touched.
///
/// # Errors
/// There is no such run, it is finished or still running, or its target no longer exists.
pub fn resume(context: &Context, arguments: &ResumeArgs) -> Result {
    let terminal = Terminal::new(context, &arguments.print);
    let lab = context.lab(&terminal);
    let found = find(context, arguments);
    let meant = if arguments.dry_run { None } else { set_up_for(context, &lab, arguments, found.as_ref().ok())? };
    if let Some(run) = meant {
        let cleaned = undone::clean(&lab, run)?;
        // The run was killed before anything was recorded: the conditions that were set up were all that existed of
        // it.
        if cleaned && found.as_ref().map_or(true, |row| row.id != run) {
            return Ok(ExitCode::Ok);
        }
    }
    let row = found?;
    let data = context.data()?;
    if !arguments.print.fail_if.is_empty() {
        let records = Bundle::open(&data.bundle_path(row.id))?.records()?;
        plan_has_figures(&records.plan, &arguments.print.fail_if)?;
    }
    if let Some(code) = at_its_end(context, &lab, arguments, (&data, &row))? {
        return Ok(code);
    }
    let (telemetry, backend) = (arguments.telemetry.asked(), arguments.backend.map(Into::into));
    let (run, destroy, dry_run) = (row.id, arguments.destroy.as_deref(), arguments.dry_run);
    go_on(&lab, ResumeOrder { run, destroy, backend, telemetry: &telemetry, dry_run })
}

/// Shows the end of a run that has nothing left to measure; `None` if something is left.
fn at_its_end(
    context: &Context,
    lab: &Lab<'_>,
    arguments: &ResumeArgs,
    (data, row): (&DataDir, &RunRow),
) -> Result<Option<ExitCode>> {
    if arguments.dry_run {
        return Ok(None);
    }
    let how = match row.state {
        RunState::Complete => "is complete",
        // The killed process had measured everything and was writing the end of the record.
        _ if drivelab_store::seal_ended(data, row.id)?.is_some() => "was killed at its very end",
        _ => return Ok(None),
    };
    context.settings.voice.say(format!("Run {} {how}: nothing is left to measure", row.id));
    let bundle = Bundle::open(&data.bundle_path(row.id))?;
    ended(context, &arguments.print, row.id, page_of(lab, &bundle)).map(Some)
}

/// The one run whose conditions are undone: the run that the user means. It may have been killed before anything of it
/// was recorded.
fn set_up_for(
    context: &Context,
    lab: &Lab<'_>,
    arguments: &ResumeArgs,
    found: Option<&RunRow>,
) -> Result<Option<RunId>> {
    let (left, unusable) = undone::left(lab)?;
    let Some(text) = arguments.run.run.as_deref().filter(|_| !is_last(arguments)) else {
        let newest = left.into_iter().max();
        return Ok(newest.max(found.map(|row| row.id)));
    };
    let mut fitting: Vec<RunId> = left.into_iter().chain(unusable).filter(|run| run.is_called(text)).collect();
    match found {
        Some(row) => fitting.push(row.id),
        // The name matches several recorded runs, so it is unknown which one is meant.
        None if context.catalog()?.list()?.iter().any(|row| row.id.is_called(text)) => return Ok(None),
        None => {}
    }
    fitting.sort_unstable();
    fitting.dedup();
    match fitting.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(*only)),
        several => Err(Failure::nothing(several_runs(text, several))),
    }
}

fn is_last(arguments: &ResumeArgs) -> bool {
    arguments.run.last || arguments.run.run.as_deref() == Some(LAST)
}

fn find(context: &Context, arguments: &ResumeArgs) -> Result<RunRow> {
    if is_last(arguments) {
        let fits = |row: &RunRow| row.state == RunState::Interrupted && !row.live && row.damaged.is_none();
        return context.newest(fits, "there is no interrupted run to resume; `drivelab results list` lists all runs");
    }
    context.find(&arguments.run)
}
