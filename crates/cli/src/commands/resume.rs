//! `drivelab resume`: a new process goes on with an interrupted or killed run at its first unfinished step.

use std::path::{Path, PathBuf};

use drivelab_analysis::findings;
use drivelab_core::clock::StopToken;
use drivelab_core::environment::{BlockDeviceFacts, TargetFacts, TargetKind};
use drivelab_core::event::{RunResumed, RunState};
use drivelab_core::exit::ExitCode;
use drivelab_core::finding::Finding;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Plan, Step};
use drivelab_core::run::RunRecords;
use drivelab_core::target::{DeviceIdentity, WritableTarget};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_device::guard::{self, Destroy, Whole};
use drivelab_device::{BlockNode, FileIdentity, Named, Scratch};
use drivelab_report::{DryRunDevice, format};
use drivelab_session::{Start, can_make_again, left, state_changed};
use drivelab_store::{Bundle, DataDir, Recorder, RunRow};

use crate::args::ResumeArgs;
use crate::context::{Context, LAST, now, several_runs, tool};
use crate::fail::{Failure, Result};
use crate::lab::care::Care;
use crate::lab::company::Company;
use crate::lab::drive_state::Book;
use crate::lab::execute::{Keep, Ready, engine, execute};
use crate::lab::outcome::{Show, ended};
use crate::lab::pages::{OutputFile, Wish};
use crate::lab::place::{Needs, OpenedIo, Place, Wanted};
use crate::lab::watching::{self, Watching};
use crate::lab::{conditions, dry_run, files, headers, notes, other_namespace, placing, signals, traces};
use crate::say::Voice;
use crate::screens;

/// Runs the command. Everything that can be refused is refused before the target is touched.
///
/// # Errors
/// No such run, a run that is finished or going on, a target that is not there any more.
pub fn resume(context: &Context, arguments: &ResumeArgs) -> Result {
    let found = find(context, arguments);
    let meant = if arguments.dry_run { None } else { set_up_for(context, arguments, found.as_ref().ok())? };
    if let Some(run) = meant {
        let cleaned = conditions::clean(context, run)?;
        // Killed before anything was recorded: what was set up for it was all there was of it.
        if cleaned && found.as_ref().map_or(true, |row| row.id != run) {
            return Ok(ExitCode::Ok);
        }
    }
    let row = found?;
    let data = context.data()?;
    if let Some(code) = at_its_end(context, arguments, &data, &row)? {
        return Ok(code);
    }
    let bundle = Bundle::open(&data.bundle_path(row.id))?;
    refuse_unresumable(&bundle, &row)?;
    if arguments.dry_run {
        return said_only(context, arguments, &bundle, &bundle.records()?);
    }
    let mut engine = engine(context, arguments.backend)?;
    let stop = StopToken::default();
    signals::watch(stop.clone());
    let page = page(context, &bundle);
    traces::as_planned(&bundle.records()?)?;
    let (recorder, records) = Recorder::resume(&data, row.id)?;
    let mut again = reopen(&bundle, &records, arguments.destroy.as_deref(), context.settings.voice)?;
    engine.placement = placing::of(&records.plan, &Place::of(again.opened.target.path())?, engine.backend)?;
    let book = Book::open(&again.opened, Some(&data), row.id, None);
    if records.environment.target.kind == TargetKind::BlockDevice {
        again.as_left(book.as_ref(), &records);
    }
    let book = book.map(|book| book.going_on(&records, again.prepared_again));
    again.prepared_again &= can_make_again(&records);
    if let Some(scratch) = &again.opened.scratch {
        notes::write_scratch(&data, row.id, scratch)?;
    }
    engine.other = other_namespace::open(&records.plan, &again.opened.facts)?;
    let source = records.environment.source.as_ref().map(|source| source.path.as_path());
    let folder = again.opened.target.path().parent().unwrap_or(Path::new("/"));
    let made = files::make(&records.plan, folder, source, row.id, context.settings.voice)?;
    engine.folders = made.folders;
    let mut environment = again.opened.environment(Some(data.root()));
    environment.source = made.source;
    environment.ceilings = context.ceilings_of(&environment.testbed);
    context.settings.voice.say(format!("Going on with run {}: {}", row.id, again.state));
    let resumed = RunResumed {
        segment: recorder.segment(),
        resumed: now(),
        tool: tool(),
        environment,
        target_state: again.state,
        prepared_again: again.prepared_again,
        kept_steps: u32::try_from(records.finished_count()).unwrap_or(u32::MAX),
    };
    let left: u64 = left(&records, !resumed.prepared_again).iter().map(|(_, step)| step.estimated_time.get()).sum();
    let devices = &resumed.environment.target.devices;
    let watching = Watching::open(context, &arguments.telemetry, devices, Nanos::new(left))?;
    watching::check(&records.plan, Some(&watching))?;
    let bundle_on_target = resumed.environment.bundle_on_same_device.then(|| data.bundle_path(row.id));
    again.opened.look_again()?;
    let OpenedIo { target, scratch, .. } = again.opened;
    // What an earlier process wrote with headers, for steps that check it.
    engine.written = headers::of_finished(&records).ok();
    // Steps of a run under conditions are set beside others with their CPU time, whichever process measures them.
    let company = records.environment.condition.is_some().then(|| Company::new(None));
    let (show, history, asks) = (Show::of(&records), Some(bundle), can_be_asked(&records.plan));
    let (folders, opening) = (made.owners, unseen_from_here(&watching, devices, &records));
    let start = Start::Resumed { records, resumed };
    let care = Care { scratch, folders, bundle_on_target, trace: None, opening, group: None, company, book };
    screens::is_kept(row.id);
    let (run, keep, clock) = (row.id, Keep::Bundle { data, recorder }, None);
    let ready = Ready { run, keep, start, target, care, engine, watching, page, show, stop, history, asks, clock };
    execute(context, &arguments.print, ready)
}

/// The note that other I/O is not watched from here on; empty where the run has it already.
fn unseen_from_here(watching: &Watching, devices: &[BlockDeviceFacts], records: &RunRecords) -> Vec<Finding> {
    let finding = watching.unseen(devices).then(findings::others_not_watched_any_more);
    let is_new = |finding: &Finding| records.findings.iter().all(|before| before.code != finding.code);
    finding.into_iter().filter(is_new).collect()
}

/// Whether a key asks before it stops the run: not where nobody can answer, and not of a load alone, as `drivelab io`
/// issues it.
fn can_be_asked(plan: &Plan) -> bool {
    plan.methodology.name != "io" && std::io::IsTerminal::is_terminal(&std::io::stdin())
}

/// The end of a run that has nothing left to measure, shown; nothing where there is something left.
fn at_its_end(context: &Context, arguments: &ResumeArgs, data: &DataDir, row: &RunRow) -> Result<Option<ExitCode>> {
    if arguments.dry_run {
        return Ok(None);
    }
    let how = match row.state {
        RunState::Complete => "is at its end",
        // The killed process had measured everything and was writing its last words.
        _ if drivelab_store::seal_ended(data, row.id)?.is_some() => "was killed at its very end",
        _ => return Ok(None),
    };
    context.settings.voice.say(format!("Run {} {how}: nothing is left to measure", row.id));
    let bundle = Bundle::open(&data.bundle_path(row.id))?;
    ended(context, &arguments.print, row.id, page(context, &bundle)).map(Some)
}

/// The run whose conditions are undone: the one that is meant, which may have been killed before anything of it was
/// recorded; never more than one.
fn set_up_for(context: &Context, arguments: &ResumeArgs, found: Option<&RunRow>) -> Result<Option<RunId>> {
    let (left, unusable) = conditions::left(context)?;
    let Some(text) = arguments.run.run.as_deref().filter(|_| !is_last(arguments)) else {
        let newest = left.into_iter().max();
        return Ok(newest.max(found.map(|row| row.id)));
    };
    let mut fitting: Vec<RunId> = left.into_iter().chain(unusable).filter(|run| run.is_called(text)).collect();
    match found {
        Some(row) => fitting.push(row.id),
        // It fits several that were recorded: which of them is meant, nobody knows.
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
        RunState::Interrupted => refuse_under_conditions(bundle, row).and_then(|()| still_there(bundle, row)),
    }
}

/// What a run was measured under is torn down when it is interrupted, and setting it up again overwrites the drive
/// anew, which takes the user's word anew.
fn refuse_under_conditions(bundle: &Bundle, row: &RunRow) -> Result<()> {
    if bundle.environment()?.condition.is_none() {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::GuardRefused,
        format!(
            "run {} was measured under conditions that were set up for it, and they are undone: what it measured is kept; \
             begin a new run, and name the drive again with --destroy",
            row.id
        ),
    ))
}

/// Refuses a run whose target is gone, in words for somebody who did not name that target now.
fn still_there(bundle: &Bundle, row: &RunRow) -> Result<()> {
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
    let (run, path) = (row.id, target.path.display());
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "run {run} was on {path}, which is no longer there: it was removed, or its drive is not mounted or connected; \
             {advice}, then `drivelab resume {run}`"
        ),
    ))
}

/// The page that the interrupted command was to write; where it cannot be written any more, the run goes on without.
fn page(context: &Context, bundle: &Bundle) -> Option<Wish> {
    let page = notes::page(bundle)?;
    let checked = OutputFile::check(&page.path).map_err(|failure| context.settings.voice.warn(&failure.message));
    checked.ok().map(|_| page)
}

/// A file that is open again, with what is found about it now.
fn opened_file(recorded: &TargetFacts, target: WritableTarget, scratch: Option<Scratch>) -> Result<OpenedIo> {
    let mut facts = drivelab_device::target_facts(target.path(), recorded.kind, target.length())?;
    facts.direct_io = target.direct_io().clone();
    Ok(OpenedIo { target: target.into(), scratch, facts, remarks: Vec::new() })
}

/// Refuses another drive than the run began on.
fn same_drive(records: &RunRecords, now: &[BlockDeviceFacts]) -> Result<()> {
    let changed = changed_drive(&records.environment.target.devices, now);
    changed.map_or(Ok(()), |changed| Err(Failure::new(ExitCode::TargetUnusable, changed)))
}

/// A sentence where the drive is another one than the run began on.
fn changed_drive(before: &[BlockDeviceFacts], now: &[BlockDeviceFacts]) -> Option<String> {
    let serials = |devices: &[BlockDeviceFacts]| -> Vec<String> {
        devices.iter().map(|device| device.serial.clone().unwrap_or_else(|| "without a serial number".into())).collect()
    };
    let (before, now) = (serials(before), serials(now));
    (before != now).then(|| {
        format!(
            "the target lies on another drive than when the run began (then {}, now {}): figures of both would not belong \
             together; put the first drive back, or begin a new run",
            before.join(" on "),
            now.join(" on ")
        )
    })
}

/// What becomes of a target that is not as the run left it.
fn again(records: &RunRecords) -> &'static str {
    if records.plan.prepares() { "is prepared again" } else { "is not as the run left it" }
}

/// What is said of a device that is as this run left it, and whether what is left to do needs another state than that.
fn as_left_or_changed(words: &str, records: &RunRecords) -> (String, bool) {
    match state_changed(records) {
        None => (words.to_owned(), false),
        Some(why) => (format!("{words}; but {why}, so that state is restored"), true),
    }
}

/// The target, open again.
struct Reopened {
    opened: OpenedIo,
    /// What became of it since, for the report.
    state: String,
    prepared_again: bool,
}

impl Reopened {
    /// A device whose preparation still holds is not prepared again.
    fn as_left(&mut self, book: Option<&Book>, records: &RunRecords) {
        if !Needs::of_plan(&records.plan).changes() {
            return;
        }
        let Some(book) = book else { return };
        (self.state, self.prepared_again) = match book.prepared() {
            Ok(words) => as_left_or_changed(&format!("the device was released anew and is {words}"), records),
            Err(why) => (format!("the device was released anew and {}, since {why}", again(records)), true),
        };
    }
}

/// Opens the target again: the same one, on the same drive as before.
fn reopen(bundle: &Bundle, records: &RunRecords, destroy: Option<&Path>, voice: Voice) -> Result<Reopened> {
    let recorded = &records.environment.target;
    let folder = recorded.path.parent().map_or_else(|| PathBuf::from("/"), PathBuf::from);
    if recorded.kind.is_file() {
        same_drive(records, &drivelab_device::folder_facts(&folder)?.devices)?;
    }
    let needs = Needs::of_plan(&records.plan);
    let reopened = match recorded.kind {
        TargetKind::NamedFile if needs.changes() => {
            let target = named_file(bundle, records, &recorded.path)?;
            let state = "the named file is prepared again, since its content is not known".to_owned();
            Reopened { opened: opened_file(recorded, target, None)?, state, prepared_again: true }
        }
        TargetKind::ScratchFile => {
            let (target, scratch, state, prepared_again) = scratch(bundle, records, &folder)?;
            Reopened { opened: opened_file(recorded, target, Some(scratch))?, state, prepared_again }
        }
        TargetKind::BlockDevice if needs.changes() => block_device(records, destroy)?,
        TargetKind::NamedFile
        | TargetKind::BlockDevice
        | TargetKind::NullDevice
        | TargetKind::ZeroDevice
        | TargetKind::Nop => {
            let size = recorded.kind.stores_nothing().then_some(records.plan.capacity);
            let wanted = Wanted { run: records.run, needs, destroy: &Destroy::default(), size, own: false };
            let opened = Place::of(&recorded.path)?.open(&wanted, voice)?;
            let state = "the target was opened again".to_owned();
            // What stores nothing is in no state.
            Reopened { opened, state, prepared_again: !recorded.kind.stores_nothing() }
        }
    };
    as_it_began(records, &reopened.opened.facts.devices, reopened.opened.target.length())?;
    Ok(reopened)
}

/// Refuses another drive or another length than the run began with.
fn as_it_began(records: &RunRecords, devices: &[BlockDeviceFacts], length: Bytes) -> Result<()> {
    same_drive(records, devices)?;
    let recorded = &records.environment.target;
    // Of a block device the plan may use a part.
    let began = if recorded.kind == TargetKind::BlockDevice { recorded.length } else { records.plan.capacity };
    if length == began {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "{} is {} now, but the run began with {}: figures of both would not belong together; begin a new run",
            recorded.path.display(),
            format::bytes(length),
            format::bytes(began)
        ),
    ))
}

/// Asks of the target what [`reopen`] asks, without making or writing anything, and says what is left to do.
fn said_only(context: &Context, arguments: &ResumeArgs, bundle: &Bundle, records: &RunRecords) -> Result {
    engine(context, arguments.backend)?;
    let mut looked = look(bundle, records, arguments.destroy.as_deref())?;
    if records.environment.target.kind == TargetKind::BlockDevice {
        looked.as_left(context, records)?;
    }
    looked.prepared_again &= can_make_again(records);
    let devices = &records.environment.target.devices;
    watching::Watching::look(context, &arguments.telemetry, devices, Some(&records.plan))?;
    let left: Vec<&Step> = left(records, !looked.prepared_again).into_iter().map(|(_, step)| step).collect();
    dry_run::rest(records, &left, (looked.device, looked.remark), arguments.print.json)
}

/// What a dry run found of the target.
struct Looked {
    /// What is on it, where it is a block device, and whether the user's word for it is there.
    device: Option<DryRunDevice>,
    remark: String,
    prepared_again: bool,
}

impl Looked {
    /// Whether the preparation of a device still holds.
    fn as_left(&mut self, context: &Context, records: &RunRecords) -> Result<()> {
        if !Needs::of_plan(&records.plan).changes() {
            return Ok(());
        }
        let (node, _) = same_block_device(records)?;
        let book = Book::of_device(&node, &context.data()?, records.run);
        (self.remark, self.prepared_again) = match book.prepared() {
            Ok(words) => as_left_or_changed(&format!("the target is {words}"), records),
            Err(why) => (format!("the target {}, since {why}", again(records)), true),
        };
        Ok(())
    }
}

/// Looks at the target with the refusals of [`reopen`]; only the missing word for a device is left to be said later,
/// beside what is on it.
fn look(bundle: &Bundle, records: &RunRecords, destroy: Option<&Path>) -> Result<Looked> {
    let recorded = &records.environment.target;
    let folder = recorded.path.parent().map_or_else(|| PathBuf::from("/"), PathBuf::from);
    if recorded.kind.is_file() {
        same_drive(records, &drivelab_device::folder_facts(&folder)?.devices)?;
    }
    let needs = Needs::of_plan(&records.plan);
    let prepares = |device| Looked { device, remark: "the target is prepared again".to_owned(), prepared_again: true };
    match recorded.kind {
        TargetKind::ScratchFile => {
            let changed = state_changed(records);
            let prepared_again = changed.is_some();
            let remark = changed.map_or("the target is filled again where its fill is gone".to_owned(), |why| {
                format!("the target is made again: {why}")
            });
            Ok(Looked { device: None, remark, prepared_again })
        }
        TargetKind::NamedFile if needs.changes() => {
            let target = named_file(bundle, records, &recorded.path)?;
            as_it_began(records, &recorded.devices, target.length())?;
            Ok(prepares(None))
        }
        TargetKind::BlockDevice if needs.changes() => {
            let (node, planned) = same_block_device(records)?;
            if destroy.is_some() {
                let target = guard::authorise_device(&node, &Destroy::named(destroy).planned_for(planned))?;
                let device = target.decision().device.as_deref().map(dry_run::of_guarded);
                let opened = crate::lab::place::released_device(&node, target);
                as_it_began(records, &opened.facts.devices, opened.target.length())?;
                return Ok(prepares(device));
            }
            guard::still_planned(&node, &Destroy::default().planned_for(planned))?;
            let preview = guard::preview_device(&node)?;
            let facts = drivelab_device::open_device_to_read(&node)?.facts;
            as_it_began(records, &facts.devices, facts.length)?;
            Ok(prepares(Some(dry_run::of_preview(preview))))
        }
        TargetKind::NamedFile
        | TargetKind::BlockDevice
        | TargetKind::NullDevice
        | TargetKind::ZeroDevice
        | TargetKind::Nop => {
            let size = recorded.kind.stores_nothing().then_some(records.plan.capacity);
            let place = Place::of(&recorded.path)?;
            place.check(&Wanted { run: records.run, needs, destroy: &Destroy::default(), size, own: false })?;
            let Place::Named(Named::BlockDevice(node)) = &place else { return Ok(prepares(None)) };
            let facts = drivelab_device::open_device_to_read(node)?.facts;
            as_it_began(records, &facts.devices, facts.length)?;
            Ok(prepares(Some(dry_run::only_read(node)?)))
        }
    }
}

/// The block device that the user released when the run began, released anew.
fn block_device(records: &RunRecords, destroy: Option<&Path>) -> Result<Reopened> {
    let (node, before) = same_block_device(records)?;
    let target = guard::authorise_device(&node, &Destroy::named(destroy).planned_for(before))?;
    let state = "the device was released anew and is prepared again, since its content is not known".to_owned();
    Ok(Reopened { opened: crate::lab::place::released_device(&node, target), state, prepared_again: true })
}

/// The block device that the user released when the run began, and what it must still be: the very same device, by its
/// serial number, or by everything that is known of it where it has none.
fn same_block_device(records: &RunRecords) -> Result<(BlockNode, DeviceIdentity)> {
    let path = &records.environment.target.path;
    let refuse = |why: &str| {
        let text = format!("{} {why}, so it is left alone; begin a new run to name it", path.display());
        Err(Failure::new(ExitCode::GuardRefused, text))
    };
    let Place::Named(Named::BlockDevice(node)) = Place::of(path)? else {
        return refuse("is no block device any more");
    };
    let decision = records.environment.guard.as_ref();
    let Some(mut before) = decision.and_then(|decision| decision.device.as_ref()).map(|device| device.identity.clone())
    else {
        return refuse("was released by a version that did not record which device it is");
    };
    if before.serial.is_some() {
        // It may have been unplugged, or the machine restarted: its serial number speaks for it.
        before.diskseq = drivelab_device::identity_of(&node).diskseq;
    }
    Ok((node, before))
}

/// The file that the user released when the run began: the very same file, not another one at its path.
fn named_file(bundle: &Bundle, records: &RunRecords, path: &Path) -> Result<WritableTarget> {
    let released = notes::named_file(bundle);
    if released.is_none() || FileIdentity::of_path(path).ok() != released {
        return Err(Failure::new(
            ExitCode::GuardRefused,
            format!(
                "{} is not the file that was named with --destroy when the run began (another file is there now, or none), \
                 so it is left alone; begin a new run to name it",
                path.display()
            ),
        ));
    }
    Ok(guard::authorise_file(
        path,
        records.environment.guard.as_ref().and_then(|guard| guard.destroy_named.as_deref()),
    )?)
}

/// The scratch file: the same one where it is still there and whole, otherwise made again.
fn scratch(bundle: &Bundle, records: &RunRecords, folder: &Path) -> Result<(WritableTarget, Scratch, String, bool)> {
    let why = match notes::scratch(bundle).map(|claim| guard::reopen_scratch(&claim)) {
        Some(Ok((target, scratch, Whole::Whole))) => match state_changed(records) {
            None => return Ok((target, scratch, "the scratch file was still there and filled".to_owned(), false)),
            Some(why) => {
                // Another file: in the old one is what was written since, and it may lie in other places on the drive.
                drop((target, scratch));
                why
            }
        },
        Some(Ok((target, scratch, Whole::NotWhole(why)))) => {
            return Ok((target, scratch, format!("the scratch file is filled again: {why}"), true));
        }
        Some(Err(error)) if error.is_gone() => "it was gone".to_owned(),
        Some(Err(error)) => return Err(error.into()),
        None => "the run was interrupted before it was on record".to_owned(),
    };
    let name = records.environment.target.path.file_name();
    let (target, scratch) = guard::make_scratch(folder, name, records.run, records.plan.capacity)?;
    Ok((target, scratch, format!("the scratch file was made and filled again: {why}"), true))
}
