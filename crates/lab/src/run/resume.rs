//! A run that was interrupted or killed goes on at its first unfinished step, in a new process.

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

/// A run that is to go on.
pub struct ResumeOrder<'a> {
    /// Which.
    pub run: RunId,
    /// The user's word that its block device may be overwritten again.
    pub destroy: Option<&'a Path>,
    /// Engine, where the user named one.
    pub backend: Option<BackendChoice>,
    /// What is watched beside the I/O.
    pub telemetry: &'a Telemetry,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// Goes on with a run. Everything that can be refused is refused before the target is touched.
///
/// # Errors
/// A run that is finished or going on, a target that is not there any more or is another one.
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
    lab.voice.say(format!("Going on with run {run}: {}", again.state));
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
    again.opened.look_again()?;
    // What an earlier process wrote with headers, for steps that check it.
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
        // Steps of a run under conditions are set beside others with their CPU time, whichever process measures them.
        company: records.environment.condition.is_some().then(|| Company::new(None)),
        trace: None,
        opening,
        page,
        show,
        stop,
        history: Some(bundle),
        // A load alone is too short to be asked about.
        asks: records.plan.methodology.name != OWN_LOAD,
        start: Start::Resumed { records, resumed },
    };
    execute(lab, wiring)
}

/// The page that the interrupted command was to write; where it cannot be written any more, the run goes on without.
#[must_use]
pub fn page_of(lab: &Lab<'_>, bundle: &Bundle) -> Option<Wish> {
    let page = notes::page(bundle)?;
    let checked = OutputFile::check(&page.path).map_err(|failure| lab.voice.warn(&failure.message));
    checked.ok().map(|_| page)
}

/// The note that other I/O is not watched from here on; empty where the run has it already.
fn unseen_from_here(watching: &Watching, devices: &[BlockDeviceFacts], records: &RunRecords) -> Vec<Finding> {
    let finding = watching.unseen(devices).then(findings::others_not_watched_any_more);
    let is_new = |finding: &Finding| records.findings.iter().all(|before| before.code != finding.code);
    finding.into_iter().filter(is_new).collect()
}

fn refuse_unresumable(bundle: &Bundle, run: RunId) -> Result<()> {
    match bundle.state() {
        RunState::Complete => Err(Failure::usage(format!("run {} is complete: there is nothing to resume", run))),
        RunState::Failed => Err(Failure::usage(format!(
            "run {} failed and cannot be resumed; `drivelab results show {}` says why",
            run, run
        ))),
        RunState::Interrupted if bundle.is_live() => Err(Failure::new(
            ExitCode::TargetUnusable,
            format!("run {} is going on in another process; wait for it, or stop it first", run),
        )),
        RunState::Interrupted => refuse_under_conditions(bundle, run).and_then(|()| still_there(bundle, run)),
    }
}

/// What a run was measured under is torn down when it is interrupted, and setting it up again overwrites the drive
/// anew, which takes the user's word anew.
fn refuse_under_conditions(bundle: &Bundle, run: RunId) -> Result<()> {
    if bundle.environment()?.condition.is_none() {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::GuardRefused,
        format!(
            "run {} was measured under conditions that were set up for it, and they are undone: what it measured is kept; \
             begin a new run, and name the drive again with --destroy",
            run
        ),
    ))
}

/// Refuses a run whose target is gone, in words for somebody who did not name that target now.
fn still_there(bundle: &Bundle, run: RunId) -> Result<()> {
    let target = bundle.environment()?.target;
    let (gone, advice) = match target.kind {
        TargetKind::BlockDevice => (!target.path.exists(), "connect it"),
        kind if kind.is_file() => {
            (!target.path.parent().is_none_or(Path::is_dir), "make its folder or mount the drive")
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
            "run {run} was on {path}, which is no longer there: it was removed, or its drive is not mounted or connected; \
             {advice}, then `drivelab resume {run}`"
        ),
    ))
}

/// Asks of the target what [`reopen`] asks, without making or writing anything, and says what is left to do.
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
