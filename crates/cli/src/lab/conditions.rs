//! Runs under conditions: each is set up on a drive that the user released, measured by the one path that every run
//! takes, and torn down, whatever became of it; several are compared at the end.
//!
//! Must not know how anything is set up (room `conditions`), nor how a figure is worked out.

use std::path::{Path, PathBuf};

use drivelab_analysis::Analysis;
use drivelab_analysis::arms::{ArmRun, arms};
use drivelab_conditions::{CleanUp, Cleaned, ConditionsError, Left, SetUp, Where, Wish, clean_up};
use drivelab_core::clock::StopToken;
use drivelab_core::condition::{Arm, Condition, Series};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_device::guard::{self, Destroy};
use drivelab_device::{BlockNode, Named, identity_of};
use drivelab_engine::Options;
use drivelab_store::DataDir;

use super::around::{Around, Turn};
use super::begin::{self, Order, Under};
use super::execute::engine as lab_engine;
use super::outcome::{Show, terminal_width};
use super::pages::{OutputFile, format_of, redacted, render};
use super::place::Place;
use super::watching::Watching;
use super::{consent, dry_run, endurance, signals};
use crate::args::{BackendArg, ConditionArgs};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::say::{self, Voice};
use crate::screens;

mod on_file;

/// Folder of the ledgers in the data folder.
const FOLDER: &str = "conditions";

/// One run that is over.
struct Done {
    records: RunRecords,
    analysis: Analysis,
}

/// The backend for all arms: threads where one of them goes through dm-crypt and the user named none. dm-crypt takes no
/// operations that must not wait (NOWAIT): io_uring hands each to a thread of the kernel, or, as seen with Linux 6.1 in
/// a virtual machine, ends it with EAGAIN or goes round in the kernel for ever. Arms are compared, so all take the
/// same.
fn backend(context: &Context, turns: &[Turn], named: Option<BackendArg>) -> Option<BackendArg> {
    let encrypts = turns.iter().any(|turn| matches!(turn.condition.encryption, Arm::Luks2(_)));
    if named.is_some() || !encrypts || context.settings.backend.value != BackendArg::Auto {
        return named;
    }
    context.settings.voice.say(
        "dm-crypt does not go well with io_uring, so all arms are measured with threads (--backend uring takes io_uring \
         all the same)",
    );
    Some(BackendArg::Sync)
}

/// What is asked for around the target, by the methodology and by flags, the flags as they were given, and the backend
/// that the user named.
pub type Asked<'a> = (&'a Around, &'a ConditionArgs, Option<BackendArg>);

/// Measures under each condition in turn.
///
/// # Errors
/// What keeps any of them from being set up, before anything is touched; then the first error that keeps a run from
/// being measured, after which no other is begun; and what could not be undone. Of runs that end with a code of their
/// own the last one that is not 0 counts.
pub fn carry_out(context: &Context, order: &Order<'_>, asked: Asked<'_>) -> Result {
    if let Some(folder) = on_file::folder(order)? {
        return on_file::carry_out(context, order, asked, &folder);
    }
    let node = device(order)?;
    // Whether it may be touched at all comes before whether it is large enough.
    guard::preview_device(&node).map_err(|error| by_a_killed_run(context, &node, error.into()))?;
    let turns = asked.0.turns(Some(&node), asked.1, false)?;
    order.page.map_or(Ok(()), |(output, _)| OutputFile::check(output).and(format_of(output)).map(drop))?;
    let destroy = consent::for_device(&node, order.destroy, order.yes || order.dry_run);
    let destroy = destroy.map_err(|failure| by_a_killed_run(context, &node, failure))?;
    // Each arm releases the drive anew; it must be the one that was named.
    let destroy = if destroy.planned.is_none() { destroy.planned_for(identity_of(&node)) } else { destroy };
    let devices = drivelab_device::open_device_to_read(&node)?.facts.devices;
    Watching::look(context, order.telemetry, &devices, None)?;
    let conditions: Vec<Condition> = turns.iter().map(|turn| turn.condition).collect();
    if order.dry_run {
        let left_out = turns.first().map(|turn| turn.series.left_out.clone()).unwrap_or_default();
        return dry_run::under_conditions(context, order, (&node, &devices), (&conditions, left_out), &destroy);
    }
    // The arms wear the drive together.
    let capacity = devices.first().map_or(Bytes::new(0), |device| device.capacity);
    endurance::ask(
        (context, order.facts),
        (&devices, true),
        dry_run::written_under(order, capacity, &conditions),
        order.yes,
    )?;
    undo_what_was_left(context, &node)?;
    let stop = StopToken::default();
    signals::watch(stop.clone());
    let opal_admin_key = asked.1.opal_admin_key.as_deref();
    let on = On { node: &node, destroy: &destroy, opal_admin_key, backend: asked.2, stop: &stop };
    measure_all(context, order, &turns, &on)
}

/// Undoes what killed runs left on the drive.
fn undo_what_was_left(context: &Context, node: &BlockNode) -> Result<()> {
    let voice = context.settings.voice;
    // Only what stands on the drive that the user names now is in the way, and only that drive was released.
    let meant = |left: &Left| left.node == node.path && left.there;
    let CleanUp { cleaned, left, unusable } = clean_up(&folder(&context.data()?), &meant)?;
    unusable.iter().for_each(|trouble| voice.warn(format!("{}: {trouble}", trouble.path.display())));
    say_cleaned(voice, cleaned)?;
    for Left { run, node, .. } in left {
        voice.warn(format!(
            "what was set up on {} for run {run}, which was killed, is still there; `drivelab resume {run}` undoes it",
            node.display()
        ));
    }
    Ok(())
}

/// What all runs of a series share.
struct On<'a> {
    node: &'a BlockNode,
    destroy: &'a Destroy,
    opal_admin_key: Option<&'a Path>,
    backend: Option<BackendArg>,
    stop: &'a StopToken,
}

/// Every run in its turn, then what they are beside each other.
fn measure_all(context: &Context, order: &Order<'_>, turns: &[Turn], on: &On<'_>) -> Result {
    let (data, voice) = (context.data()?, context.settings.voice);
    turns.iter().take(1).flat_map(|turn| &turn.series.left_out).for_each(|left_out| voice.warn(left_out));
    let (several, backend) = (turns.len() > 1, backend(context, turns, on.backend));
    let mut done = Vec::new();
    let mut code = ExitCode::Ok;
    for Turn { condition, series } in turns {
        if several {
            let round = if series.rounds > 1 { format!(", round {}", series.round) } else { String::new() };
            voice.say(format!("Arm {} of {}: {}{round}", series.at, series.of, condition.arm()));
        }
        let page = if several { None } else { order.page };
        let one = One { on, condition: *condition, series, page, several };
        let (ended, run) = under(context, order, lab_engine(context, backend)?, &data, &one)?;
        if ended != ExitCode::Ok {
            code = ended;
        }
        let (records, analysis) = context.load(run)?;
        done.push(Done { records, analysis });
    }
    if several {
        compared(context, order, done)?;
    }
    Ok(code)
}

/// A refusal, with how the leftovers of a killed run are undone where there are any on the drive: they may be what is
/// in the way.
pub fn by_a_killed_run(context: &Context, node: &BlockNode, failure: Failure) -> Failure {
    let found = context.data().ok().and_then(|data| clean_up(&folder(&data), &|_| false).ok()).unwrap_or_default();
    let Some(left) = found.left.iter().find(|left| left.node == node.path) else { return failure };
    let message = format!(
        "{}; run {run}, which was killed, left what was set up for it on {}: `drivelab resume {run}` undoes that",
        failure.message,
        node.path.display(),
        run = left.run
    );
    Failure::new(failure.code, message)
}

/// The device that the user named: conditions are set up on nothing else.
fn device(order: &Order<'_>) -> Result<BlockNode> {
    match order.place()? {
        Place::Named(Named::BlockDevice(node)) => Ok(node),
        other => Err(Failure::usage(format!(
            "{} is no block device, and conditions (--partition, --span, --file-system, --arm, --data-state, \
             --power-state) are set up on a whole drive or a partition of one; name that, with --destroy",
            other.path().display()
        ))),
    }
}

/// One condition and what it is measured on.
struct One<'a> {
    on: &'a On<'a>,
    condition: Condition,
    series: &'a Series,
    page: Option<(&'a Path, bool)>,
    several: bool,
}

/// Sets up, measures, tears down.
fn under(
    context: &Context,
    order: &Order<'_>,
    engine: Options,
    data: &DataDir,
    one: &One<'_>,
) -> Result<(ExitCode, RunId)> {
    let voice = context.settings.voice;
    let run = RunId::now();
    let On { node, destroy, opal_admin_key, backend: _, stop } = *one.on;
    let released = guard::release_device(node, destroy)?;
    let destroy = destroy.id.as_ref().map(|id| id.display().to_string());
    let (condition, series, folder) = (one.condition, Some(one.series.clone()), folder(data));
    let wish = Wish { run, condition, destroy, opal_admin_key, series, folder: &folder, stop };
    // From here on whoever leaves at once leaves something on the drive.
    screens::is_set_up(Some(run));
    let set_up = SetUp::begin(released, &wish).inspect_err(|_| screens::is_set_up(None))?;
    set_up.facts().done.iter().for_each(|done| voice.say(format!("Set up    {done}")));
    let target = match set_up.place() {
        Where::Folder(path) | Where::Device(path) => path.clone(),
    };
    let inner = Under { run, stop: stop.clone(), set_up: &set_up };
    let order = Order {
        target: &target,
        new_file: false,
        destroy: None,
        engine,
        page: one.page,
        show: if one.several && order.print.json { Show::Part } else { order.show },
        under: Some(inner),
        ..order.like()
    };
    let measured = begin::carry_out(context, order);
    let undone = set_up.tear_down();
    screens::is_set_up(None);
    match &undone {
        Ok(said) => said.iter().for_each(|said| voice.detail(format!("Undone    {said}"))),
        Err(error) => voice.warn(format!(
            "not everything that was set up for run {run} could be undone: {error}; `drivelab resume {run}` tries again"
        )),
    }
    let code = measured?;
    undone?;
    Ok((code, run))
}

fn folder(data: &DataDir) -> PathBuf {
    data.root().join(FOLDER)
}

/// The table or document that sets the arms beside each other, and the page of all of them.
fn compared(context: &Context, order: &Order<'_>, done: Vec<Done>) -> Result<()> {
    let runs: Vec<ArmRun<'_>> =
        done.iter().map(|done| ArmRun { records: &done.records, analysis: &done.analysis }).collect();
    let arms = arms(&runs);
    if order.print.json {
        say::json(&drivelab_report::arms_json(arms))?;
    } else if order.print.events.is_none() {
        say::data(&drivelab_report::arms_table(&arms, terminal_width()))?;
    }
    if let Some((output, redact)) = order.page {
        let one = |done: Done| if redact { redacted(done.records) } else { (done.records, done.analysis) };
        let runs: Vec<(RunRecords, Analysis)> = done.into_iter().map(one).collect();
        OutputFile::check(output)?.write(&render(format_of(output)?, &runs)?)?;
        context.settings.voice.say(format!("The page: {}", output.display()));
    }
    Ok(())
}

/// The runs of which dead processes left something that was set up, and those whose ledgers cannot be used.
///
/// # Errors
/// Where the folder of the ledgers cannot be read.
pub fn left(context: &Context) -> Result<(Vec<RunId>, Vec<RunId>)> {
    let CleanUp { left, unusable, .. } = clean_up(&folder(&context.data()?), &|_| false)?;
    let left = left.into_iter().map(|left| left.run).collect();
    Ok((left, unusable.into_iter().filter_map(|trouble| trouble.run).collect()))
}

/// Undoes what this run left behind when it was killed, for `resume`; whether there was anything.
///
/// # Errors
/// What could not be undone.
pub fn clean(context: &Context, run: RunId) -> Result<bool> {
    let voice = context.settings.voice;
    let CleanUp { cleaned, left: _, unusable } = clean_up(&folder(&context.data()?), &|left| left.run == run)?;
    let any = !cleaned.is_empty();
    let done = say_cleaned(voice, cleaned);
    // What was set up on a loop device is undone by now, so that can go too.
    let any = on_file::clean(context)? || any;
    done?;
    // Only the run's own ledger stands in the way of it.
    let (own, others): (Vec<_>, Vec<_>) = unusable.into_iter().partition(|trouble| trouble.run == Some(run));
    others.iter().for_each(|trouble| voice.warn(format!("{}: {trouble}", trouble.path.display())));
    own.into_iter().next().map_or(Ok(any), |trouble| Err(ConditionsError::from(trouble).into()))
}

fn say_cleaned(voice: Voice, cleaned: Vec<Cleaned>) -> Result<()> {
    for Cleaned { run, done, trouble } in cleaned {
        if let Some(error) = trouble {
            done.iter().for_each(|done| voice.say(format!("Undone    {done}")));
            let Failure { code, message } = error.into();
            return Err(Failure::new(code, format!("the conditions of run {run} could not all be undone: {message}")));
        }
        let what = if done.is_empty() { "nothing of them was left".to_owned() } else { done.join("; ") };
        voice.say(format!("The conditions of run {run}, which was killed, are undone: {what}"));
    }
    Ok(())
}
