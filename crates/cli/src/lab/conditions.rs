//! Runs under conditions: each is set up on a drive that the user released, measured by the one path that every run
//! takes, and torn down, whatever became of it; several are compared at the end.
//!
//! Must not know how anything is set up (room `conditions`), nor how a figure is worked out.

use std::path::{Path, PathBuf};

use drivelab_analysis::Analysis;
use drivelab_analysis::arms::{ArmRun, arms};
use drivelab_conditions::{CleanUp, Cleaned, ConditionsError, Kind, Left, SetUp, Where, Wish, check, clean_up};
use drivelab_core::clock::StopToken;
use drivelab_core::condition::{Arm, Condition};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_device::guard::{self, Destroy};
use drivelab_device::{BlockNode, Named, identity_of};
use drivelab_engine::Options;
use drivelab_store::DataDir;

use super::begin::{self, Order, Under};
use super::outcome::{Show, terminal_width};
use super::pages::{OutputFile, format_of, redacted, render};
use super::place::Place;
use super::watching::Watching;
use super::{consent, dry_run, signals};
use crate::args::{BackendArg, ConditionArgs, PowerStates};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::say::{self, Voice};
use crate::screens;

/// Folder of the ledgers in the data folder.
const FOLDER: &str = "conditions";

impl From<ConditionsError> for Failure {
    fn from(error: ConditionsError) -> Self {
        let code = match error.kind() {
            Kind::Usage => ExitCode::Usage,
            Kind::Device(kind) => crate::fail::device_code(kind),
            Kind::Target => ExitCode::TargetUnusable,
            Kind::Host => ExitCode::HostNotFit,
            Kind::Stopped => ExitCode::Interrupted,
            Kind::Other => ExitCode::Unexpected,
        };
        Failure::new(code, error.to_string())
    }
}

/// One run that is over.
struct Done {
    records: RunRecords,
    analysis: Analysis,
}

/// What `--destroy` and the conditions lead to, in the order in which it is measured.
fn conditions_of(asked: &ConditionArgs, node: &BlockNode) -> Result<Vec<Condition>> {
    let states: Vec<Option<u8>> = match asked.power_state {
        None => vec![None],
        Some(PowerStates::One(state)) => vec![Some(state)],
        Some(PowerStates::All) => drivelab_conditions::power_states(node)?.into_iter().map(Some).collect(),
    };
    let arms = if asked.arm.is_empty() { vec![Arm::None] } else { asked.arm.clone() };
    if asked.opal_admin_key.is_some() && !arms.contains(&Arm::Opal) {
        return Err(Failure::usage(
            "--opal-admin-key is for the arm opal, and none of the arms is: add --arm opal, or leave it out",
        ));
    }
    let ConditionArgs { partition, span, file_system, arm: _, opal_admin_key: _, data_state, power_state: _ } = *asked;
    let of = |encryption: Arm, power_state: Option<u8>| Condition {
        partition,
        span,
        file_system,
        encryption,
        data_state,
        power_state,
    };
    Ok(arms.into_iter().flat_map(|arm| states.iter().map(move |state| of(arm, *state))).collect())
}

/// The backend for all arms: threads where one of them goes through dm-crypt and the user named none. dm-crypt takes no
/// operations that must not wait (NOWAIT): io_uring hands each to a thread of the kernel, or, as seen with Linux 6.1 in
/// a virtual machine, ends it with EAGAIN or goes round in the kernel for ever. Arms are compared, so all take the
/// same.
#[must_use]
pub fn backend(context: &Context, asked: &ConditionArgs, named: Option<BackendArg>) -> Option<BackendArg> {
    let encrypts = asked.arm.iter().any(|arm| matches!(arm, Arm::Luks2(_)));
    if named.is_some() || !encrypts || context.settings.backend.value != BackendArg::Auto {
        return named;
    }
    context.settings.voice.say(
        "dm-crypt does not go well with io_uring, so all arms are measured with threads (--backend uring takes io_uring \
         all the same)",
    );
    Some(BackendArg::Sync)
}

/// Measures under each condition in turn. `engine` makes the engine's options anew for each run.
///
/// # Errors
/// What keeps any of them from being set up, before anything is touched; then what became of the first run that failed;
/// and what could not be undone.
pub fn carry_out(
    context: &Context,
    order: &Order<'_>,
    asked: &ConditionArgs,
    engine: &dyn Fn() -> Result<Options>,
) -> Result {
    let node = device(order.target)?;
    let conditions = conditions_of(asked, &node)?;
    for condition in &conditions {
        check(&node, condition, asked.opal_admin_key.as_deref())?;
    }
    order.page.map_or(Ok(()), |(output, _)| OutputFile::check(output).and(format_of(output)).map(drop))?;
    let destroy = consent::for_device(&node, order.destroy, order.yes || order.dry_run);
    let destroy = destroy.map_err(|failure| by_a_killed_run(context, &node, failure))?;
    // Each arm releases the drive anew; it must be the one that was named.
    let destroy = if destroy.planned.is_none() { destroy.planned_for(identity_of(&node)) } else { destroy };
    let devices = drivelab_device::open_device_to_read(&node)?.facts.devices;
    Watching::look(context, order.telemetry, &devices, None)?;
    if order.dry_run {
        return dry_run::under_conditions(order, &node, &conditions, &destroy);
    }
    let data = context.data()?;
    let voice = context.settings.voice;
    // Only what stands on the drive that the user names now is in the way, and only that drive was released.
    let CleanUp { cleaned, left, unusable } = clean_up(&folder(&data), &|left| left.node == node.path && left.there)?;
    unusable.iter().for_each(|trouble| voice.warn(format!("{}: {trouble}", trouble.path.display())));
    say_cleaned(voice, cleaned)?;
    for Left { run, node, .. } in left {
        voice.warn(format!(
            "what was set up on {} for run {run}, which was killed, is still there; `drivelab resume {run}` undoes it",
            node.display()
        ));
    }
    let stop = StopToken::default();
    signals::watch(stop.clone())?;
    let several = conditions.len() > 1;
    let mut done = Vec::new();
    let mut code = ExitCode::Ok;
    for (at, condition) in conditions.iter().enumerate() {
        if several {
            voice.say(format!("Arm {} of {}: {}", at + 1, conditions.len(), condition.arm()));
        }
        let single = if several { None } else { order.page };
        let (opal_admin_key, stop) = (asked.opal_admin_key.as_deref(), &stop);
        let condition = *condition;
        let one = One { node: &node, destroy: &destroy, condition, opal_admin_key, page: single, several, stop };
        let (ended, run) = under(context, order, engine()?, &data, &one)?;
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
fn device(target: &Path) -> Result<BlockNode> {
    match Place::of(target)? {
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
    node: &'a BlockNode,
    destroy: &'a Destroy,
    condition: Condition,
    opal_admin_key: Option<&'a Path>,
    page: Option<(&'a Path, bool)>,
    several: bool,
    stop: &'a StopToken,
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
    let released = guard::release_device(one.node, one.destroy)?;
    let id = one.destroy.id.as_ref().map(|id| id.display().to_string());
    let (condition, opal_admin_key, folder) = (one.condition, one.opal_admin_key, folder(data));
    let wish = Wish { run, condition, destroy: id, opal_admin_key, folder: &folder, stop: one.stop };
    // From here on whoever leaves at once leaves something on the drive.
    screens::is_set_up(Some(run));
    let set_up = SetUp::begin(released, &wish).inspect_err(|_| screens::is_set_up(None))?;
    set_up.facts().done.iter().for_each(|done| voice.say(format!("Set up    {done}")));
    let target = match set_up.place() {
        Where::Folder(path) | Where::Device(path) => path.clone(),
    };
    let inner = Under { run, stop: one.stop.clone(), set_up: &set_up };
    let order = Order {
        target: &target,
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
    // Only the run's own ledger stands in the way of it.
    let (own, others): (Vec<_>, Vec<_>) = unusable.into_iter().partition(|trouble| trouble.run == Some(run));
    others.iter().for_each(|trouble| voice.warn(format!("{}: {trouble}", trouble.path.display())));
    say_cleaned(voice, cleaned)?;
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
