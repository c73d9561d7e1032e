//! `drivelab resume`: a new process goes on with an interrupted or killed run at its first unfinished step.

use std::path::PathBuf;

use drivelab_core::clock::StopToken;
use drivelab_core::environment::{Environment, TargetKind};
use drivelab_core::event::{RunResumed, RunState};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Nanos;
use drivelab_device::guard::{self, Whole};
use drivelab_device::{Scratch, ScratchClaim};
use drivelab_report::format;
use drivelab_session::Start;
use drivelab_store::{Bundle, Recorder, RunRow, write_note};

use super::measure::{PAGE_NOTE, SCRATCH_NOTE};
use crate::args::ResumeArgs;
use crate::context::{Context, now, tool};
use crate::fail::{Failure, Result};
use crate::lab::care::Care;
use crate::lab::execute::{Ready, ended, execute};
use crate::lab::pages::OutputFile;
use crate::lab::signals;
use crate::lab::target::{self, Opened, Site};
use crate::say;

/// Runs the command.
///
/// # Errors
/// No such run, a run that is finished or going on, a target that is not there any more.
pub fn resume(context: &Context, arguments: &ResumeArgs) -> Result {
    let row = find(context, arguments)?;
    let data = context.data()?;
    if drivelab_store::seal_ended(&data, row.id)?.is_some() {
        // The killed process had measured everything and was writing its last words.
        context.settings.voice.say(format!("Run {} was killed at its very end: nothing is left to measure", row.id));
        let output = page(context, &Bundle::open(&data.bundle_path(row.id))?);
        return ended(context, &arguments.print, row.id, &data, output.as_ref());
    }
    let bundle = Bundle::open(&data.bundle_path(row.id))?;
    refuse_unresumable(&bundle, &row)?;
    let history = bundle.events()?;
    let records = bundle.records()?;
    if arguments.dry_run {
        return dry_run(&records);
    }
    let stop = StopToken::default();
    signals::watch(stop.clone())?;
    let output = page(context, &bundle);
    let again = reopen(context, &bundle, &records)?;
    let environment = again.environment;
    let changed = changed_drive(&records.environment, &environment);
    if let Some(changed) = changed {
        return Err(Failure::new(ExitCode::TargetUnusable, changed));
    }
    let bundle_on_target = environment.bundle_on_same_device.then(|| data.bundle_path(row.id));
    drop(bundle);
    let (recorder, records) = Recorder::resume(&data, row.id)?;
    if let Some(scratch) = &again.scratch {
        let claim = serde_json::to_value(scratch.claim())
            .map_err(|error| Failure::unexpected(format!("cannot write a note: {error}")))?;
        write_note(&data, row.id, SCRATCH_NOTE, &claim)?;
    }
    context.settings.voice.say(format!("Going on with run {}: {}", row.id, again.target_state));
    let resumed = RunResumed {
        segment: u32::try_from(records.breaks.iter().filter(|b| b.resumed.is_some()).count() + 1).unwrap_or(u32::MAX),
        resumed: now(),
        tool: tool(),
        environment,
        target_state: again.target_state,
        prepared_again: again.prepared_again,
        kept_steps: u32::try_from(records.finished_count()).unwrap_or(u32::MAX),
    };
    let backend = arguments.backend.unwrap_or(context.settings.backend.value).into();
    let start = Start::Resumed { records, resumed };
    let care = Care { scratch: again.scratch, bundle_on_target };
    let ready =
        Ready { run: row.id, data, start, recorder, target: again.target, care, backend, output, stop, history };
    execute(context, &arguments.print, ready)
}

fn find(context: &Context, arguments: &ResumeArgs) -> Result<RunRow> {
    if arguments.run.last {
        let fits = |row: &RunRow| row.state == RunState::Interrupted && !row.live && row.damaged.is_none();
        return context.newest(fits, "there is no interrupted run to resume");
    }
    context.find(&arguments.run)
}

fn refuse_unresumable(bundle: &Bundle, row: &RunRow) -> Result<()> {
    match bundle.state() {
        RunState::Complete => Err(Failure::usage(format!("run {} is complete: there is nothing to resume", row.id))),
        RunState::Failed => Err(Failure::usage(format!(
            "run {} failed and cannot be resumed; `drivelab results show {}` says why",
            row.id, row.id
        ))),
        RunState::Interrupted if bundle.is_live() => Err(Failure::new(
            ExitCode::TargetUnusable,
            format!("run {} is going on in another process; wait for it, or stop it first", row.id),
        )),
        RunState::Interrupted => Ok(()),
    }
}

fn dry_run(records: &RunRecords) -> Result {
    let schedule = records.plan.schedule();
    let left: Vec<_> = schedule.iter().filter(|(key, _)| !records.is_finished(key)).collect();
    let time = left.iter().map(|(_, step)| step.estimated_time.get()).sum();
    let written = left.iter().map(|(_, step)| step.estimated_written.get()).sum();
    say::data(&format!(
        "Dry run: nothing was written.\n{} of {} executions are finished; left: about {} and {} written, and the fill of \
         the target again where it is gone\n",
        schedule.len() - left.len(),
        schedule.len(),
        format::duration(Nanos::new(time)),
        format::bytes(drivelab_core::units::Bytes::new(written)),
    ))?;
    Ok(ExitCode::Ok)
}

/// The page that the interrupted command was to write; where it cannot be written any more, the run goes on without.
fn page(context: &Context, bundle: &Bundle) -> Option<OutputFile> {
    let path: PathBuf = serde_json::from_value(bundle.note(PAGE_NOTE)?).ok()?;
    OutputFile::check(&path).map_err(|failure| context.settings.voice.warn(&failure.message)).ok()
}

/// The target as it is found now.
struct Again {
    target: WritableTarget,
    scratch: Option<Scratch>,
    environment: Environment,
    target_state: String,
    prepared_again: bool,
}

fn reopen(context: &Context, bundle: &Bundle, records: &RunRecords) -> Result<Again> {
    let target = &records.environment.target;
    let folder = target.path.parent().map_or_else(|| PathBuf::from("/"), PathBuf::from);
    let facts = drivelab_device::folder_facts(&folder)?;
    let run = records.run;
    let (opened, target_state, prepared_again) = match target.kind {
        TargetKind::NamedFile => {
            let target = guard::authorise_file(&target.path, records.environment.guard.destroy_named.as_deref())?;
            let state = "the named file is prepared again, since its content is not known".to_owned();
            (Opened { target, scratch: None, kind: TargetKind::NamedFile }, state, true)
        }
        TargetKind::ScratchFile => {
            let (target, scratch, state, again) = scratch(bundle, records, run)?;
            (Opened { target, scratch: Some(scratch), kind: TargetKind::ScratchFile }, state, again)
        }
    };
    let named = drivelab_device::Named::Folder(folder.clone());
    let length = opened.target.length();
    if length != records.plan.capacity {
        return Err(Failure::new(
            ExitCode::TargetUnusable,
            format!(
                "{} is {} now, but the run began with {}: figures of both would not belong together; begin a new run",
                opened.target.path().display(),
                format::bytes(length),
                format::bytes(records.plan.capacity)
            ),
        ));
    }
    let site = Site { named, folder, facts, length, wanted: length };
    let environment = target::environment(&site, &opened, &context.settings.data.value);
    Ok(Again { target: opened.target, scratch: opened.scratch, environment, target_state, prepared_again })
}

/// The scratch file: the same one where it is still there and whole, otherwise made again.
fn scratch(bundle: &Bundle, records: &RunRecords, run: RunId) -> Result<(WritableTarget, Scratch, String, bool)> {
    let path = &records.environment.target.path;
    let claim: Option<ScratchClaim> = bundle.note(SCRATCH_NOTE).and_then(|note| serde_json::from_value(note).ok());
    let why = match claim.map(|claim| guard::reopen_scratch(&claim)) {
        Some(Ok((target, scratch, Whole::Whole))) => {
            return Ok((target, scratch, "the scratch file was still there and filled".to_owned(), false));
        }
        Some(Ok((target, scratch, Whole::NotWhole(why)))) => {
            return Ok((target, scratch, format!("the scratch file is filled again: {why}"), true));
        }
        Some(Err(error)) if error.is_gone() => "it was gone".to_owned(),
        Some(Err(error)) => return Err(error.into()),
        None => "the run was interrupted before it was on record".to_owned(),
    };
    let folder = path.parent().unwrap_or(std::path::Path::new("/"));
    let (target, scratch) = guard::make_scratch(folder, path.file_name(), run, records.plan.capacity)?;
    Ok((target, scratch, format!("the scratch file was made and filled again: {why}"), true))
}

/// A sentence where the drive is another one than the run began on.
fn changed_drive(before: &Environment, now: &Environment) -> Option<String> {
    let serials = |environment: &Environment| -> Vec<Option<String>> {
        environment.target.devices.iter().map(|device| device.serial.clone()).collect()
    };
    let (before, now) = (serials(before), serials(now));
    (before != now).then(|| {
        format!(
            "the target lies on another drive than when the run began (serial numbers {before:?} then, {now:?} now): \
             figures of both would not belong together; put the first drive back, or begin a new run"
        )
    })
}
