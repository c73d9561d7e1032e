//! Resumes an interrupted or killed run at its first unfinished step, in a new process.

use std::path::Path;

use drivelab_analysis::findings;
use drivelab_core::clock::StopToken;
use drivelab_core::environment::{BlockDeviceFacts, TargetKind};
use drivelab_core::event::{RunResumed, RunState};
use drivelab_core::exit::ExitCode;
use drivelab_core::finding::Finding;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{OWN_LOAD, Step};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Nanos;
use drivelab_engine::BackendChoice;
use drivelab_session::{Start, can_make_again, left};
use drivelab_store::{Bundle, Recorder};

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::order::show::Show;
use crate::order::telemetry::Telemetry;
use crate::output::pages::{OutputFile, Wish};
use crate::plan::{dry_run, traces};
use crate::run::company::Company;
use crate::run::drive_state::Book;
use crate::run::execute::execute;
use crate::run::reopen::{look, reopen};
use crate::run::wiring::{Keep, Wiring, engine};
use crate::run::{headers, notes};
use crate::set_up::files;
use crate::set_up::watching::{self, Watching};
use crate::target::naming::place_of;
use crate::target::{other_namespace, placing};

/// A run to resume.
pub struct ResumeOrder<'a> {
    /// Its id.
    pub run: RunId,
    /// The value of `--destroy`: its block device may be overwritten again.
    pub destroy: Option<&'a Path>,
    /// I/O backend, if the user named one.
    pub backend: Option<BackendChoice>,
    /// Telemetry of the resumed run.
    pub telemetry: &'a Telemetry,
    /// Only show what would be done.
    pub dry_run: bool,
}

/// Resumes a run. Every refusal comes before the target is changed.
///
/// # Errors
/// The run is complete or in progress, or its target no longer exists or is another one.
pub fn resume(lab: &Lab<'_>, asked: ResumeOrder<'_>) -> Result {
    let (data, run) = (lab.data()?, asked.run);
    let bundle = Bundle::open(&data.bundle_path(run))?;
    refuse_unresumable(&bundle, run)?;
    if asked.dry_run {
        return said_only(lab, &asked, &bundle, &bundle.records()?);
    }
    let mut options = engine(lab, asked.backend)?;
    let stop = StopToken::default();
    lab.front.watch(vec![stop.clone()]);
    let page = page_of(lab, &bundle);
    traces::as_planned(&bundle.records()?)?;
    let (recorder, records) = Recorder::resume(&data, run)?;
    let mut again = reopen(&bundle, &records, asked.destroy, lab.voice)?;
    options.placement = placing::of(&records.plan, &*place_of(again.opened.target.path())?, options.backend)?;
    let book = Book::open(&again.opened, Some(&data), run, None);
    if records.environment.target.kind == TargetKind::BlockDevice {
        again.as_left(book.as_ref(), &records);
    }
    let book = book.map(|book| book.going_on(&records, again.prepared_again));
    again.prepared_again &= can_make_again(&records);
    if let Some(scratch) = &again.opened.scratch {
        notes::write_scratch(&data, run, scratch)?;
    }
    options.other = other_namespace::open(&records.plan, &again.opened.facts)?;
    let source = records.environment.source.as_ref().map(|source| source.path.as_path());
    let folder = again.opened.target.path().parent().unwrap_or(Path::new("/")).to_owned();
    let mut made = files::make(&records.plan, &folder, source, run, lab.voice)?;
    let mut environment = again.opened.environment(Some(data.root()));
    environment.source = made.source.take();
    environment.ceilings = lab.ceilings_of(&environment.testbed);
    lab.voice.say(format!("Resuming run {run}: {}", again.state));
    let resumed = RunResumed {
        segment: recorder.segment(),
        resumed: lab.now(),
        tool: lab.tool.clone(),
        environment,
        target_state: again.state,
        prepared_again: again.prepared_again,
        kept_steps: u32::try_from(records.finished_count()).unwrap_or(u32::MAX),
    };
    let left_ns: u64 = left(&records, !resumed.prepared_again).iter().map(|(_, step)| step.estimated_time.get()).sum();
    let devices = &resumed.environment.target.devices;
    let watching = Watching::open(lab, asked.telemetry, devices, Nanos::new(left_ns))?;
    watching::check(&records.plan, Some(&watching))?;
    again.opened.target.look_again()?;
    // Headers that an earlier process wrote, for steps that check them.
    options.written = headers::of_finished(&records).ok();
    let opening = unseen_from_here(&watching, devices, &records);
    let show = Show::of(&records);
    lab.front.is_kept(run);
    let wiring = Wiring {
        run,
        keep: Keep::Bundle { data, recorder },
        opened: again.opened,
        made,
        engine: options,
        watching,
        clock: None,
        book,
        group: None,
        // Steps of a run under conditions are compared by their CPU time, whichever process measures them.
        company: records.environment.condition.is_some().then(|| Company::new(None)),
        trace: None,
        opening,
        page,
        show,
        stop,
        history: Some(bundle),
        // A single load is too short to ask for confirmation.
        asks: records.plan.methodology.name != OWN_LOAD,
        start: Start::Resumed { records, resumed },
    };
    execute(lab, wiring)
}

/// The page that the interrupted command was to write; if it can no longer be written, the run continues without it.
#[must_use]
pub fn page_of(lab: &Lab<'_>, bundle: &Bundle) -> Option<Wish> {
    let page = notes::page(bundle)?;
    let checked = OutputFile::check(&page.path).map_err(|failure| lab.voice.warn(&failure.message));
    checked.ok().map(|_| page)
}

/// The finding that I/O of other programs is not watched from here on; empty if the run has it already.
fn unseen_from_here(watching: &Watching, devices: &[BlockDeviceFacts], records: &RunRecords) -> Vec<Finding> {
    let finding = watching.unseen(devices).then(findings::others_not_watched_any_more);
    let is_new = |finding: &Finding| records.findings.iter().all(|before| before.code != finding.code);
    finding.into_iter().filter(is_new).collect()
}

fn refuse_unresumable(bundle: &Bundle, run: RunId) -> Result<()> {
    match bundle.state() {
        RunState::Complete => Err(Failure::usage(format!("run {} is complete: there is nothing to resume", run))),
        RunState::Failed => Err(Failure::usage(format!(
            "run {} failed and cannot be resumed; `drivelab results show {}` shows why",
            run, run
        ))),
        RunState::Interrupted if bundle.is_live() => Err(Failure::new(
            ExitCode::TargetUnusable,
            format!("run {} is in progress in another process; wait for it, or stop it first", run),
        )),
        RunState::Interrupted => refuse_under_conditions(bundle, run).and_then(|()| still_there(bundle, run)),
    }
}

/// The conditions of a run are torn down when it is interrupted. Setting them up again overwrites the drive again,
/// which needs `--destroy` again.
fn refuse_under_conditions(bundle: &Bundle, run: RunId) -> Result<()> {
    if bundle.environment()?.condition.is_none() {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::GuardRefused,
        format!(
            "run {} was measured under conditions that were set up for it and have been undone: its results are stored; begin \
             a new run, and name the drive again with --destroy",
            run
        ),
    ))
}

/// Refuses a run whose target is gone, in a message for a user who did not name the target in this command.
fn still_there(bundle: &Bundle, run: RunId) -> Result<()> {
    let target = bundle.environment()?.target;
    let (gone, advice) = match target.kind {
        TargetKind::BlockDevice => (!target.path.exists(), "connect it"),
        kind if kind.is_file() => {
            (!target.path.parent().is_none_or(Path::is_dir), "create its folder or mount the drive")
        }
        _ => (false, ""),
    };
    if !gone {
        return Ok(());
    }
    let path = target.path.display();
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "run {run} was on {path}, which no longer exists: it was removed, or its drive is not mounted or connected; \
             {advice}, then run `drivelab resume {run}`"
        ),
    ))
}

/// Checks the target as [`reopen`] does, without creating or writing anything, and shows what is left to do.
fn said_only(lab: &Lab<'_>, asked: &ResumeOrder<'_>, bundle: &Bundle, records: &RunRecords) -> Result {
    engine(lab, asked.backend)?;
    let mut looked = look(bundle, records, asked.destroy)?;
    if records.environment.target.kind == TargetKind::BlockDevice {
        looked.as_left(lab, records)?;
    }
    looked.prepared_again &= can_make_again(records);
    let devices = &records.environment.target.devices;
    Watching::look(lab, asked.telemetry, devices, Some(&records.plan))?;
    let steps: Vec<&Step> = left(records, !looked.prepared_again).into_iter().map(|(_, step)| step).collect();
    dry_run::rest(lab, records, &steps, (looked.device, looked.remark))
}
