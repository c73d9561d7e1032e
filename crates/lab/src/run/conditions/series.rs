//! A series of runs under conditions: each condition is set up on a drive that the user released, the run takes the
//! same path as every other run, and the condition is torn down, whatever the outcome. Several runs are compared at
//! the end.
//!
//! Must not know how a condition is set up (crate `conditions`), nor how a figure is computed.

use std::path::{Path, PathBuf};

use drivelab_conditions::{Cleaned, SetUp, Where, Wish};
use drivelab_core::clock::StopToken;
use drivelab_core::condition::{Arm, Condition, Series};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_device::BlockNode;
use drivelab_device::guard::{self, Destroy};
use drivelab_engine::{BackendChoice, Options};
use drivelab_store::DataDir;

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::order::conditions::AskedConditions;
use crate::order::measurement::{Order, Under};
use crate::order::show::Show;
use crate::output::pages::write_page;
use crate::run::begin;
use crate::run::wiring::engine as lab_engine;
use crate::set_up::around::{Around, Turn};
use crate::voice::Voice;

/// Folder of the undo logs in the data folder.
const FOLDER: &str = "conditions";

/// The backend for all arms: threads if an arm goes through dm-crypt and the user named no backend. dm-crypt takes no
/// operations that must not wait (NOWAIT): io_uring hands each one to a kernel thread, or, as seen with Linux 6.1 in
/// a virtual machine, ends it with EAGAIN or loops in the kernel forever. Arms are compared, so all use the same
/// backend.
fn backend(lab: &Lab<'_>, turns: &[Turn], named: Option<BackendChoice>) -> Option<BackendChoice> {
    let encrypts = turns.iter().any(|turn| matches!(turn.condition.encryption, Arm::Luks2(_)));
    if named.is_some() || !encrypts || lab.defaults.backend != BackendChoice::Auto {
        return named;
    }
    lab.voice.say(
        "dm-crypt does not work well with io_uring, so all arms are measured with threads (--backend uring uses io_uring \
         anyway)",
    );
    Some(BackendChoice::Sync)
}

/// The conditions that are asked for.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// From the methodology and from flags, combined.
    pub around: &'a Around,
    /// The flags as the user gave them.
    pub flags: &'a AskedConditions,
    /// The backend that the user named.
    pub backend: Option<BackendChoice>,
}

/// What all runs of a series share.
pub(super) struct Common<'a> {
    pub(super) node: &'a BlockNode,
    pub(super) destroy: &'a Destroy,
    pub(super) opal_admin_key: Option<&'a Path>,
    pub(super) backend: Option<BackendChoice>,
    pub(super) stop: &'a StopToken,
}

/// Measures each run in its turn, then shows the comparison.
pub(super) fn measure_all(lab: &Lab<'_>, order: &Order<'_>, turns: &[Turn], on: &Common<'_>) -> Result {
    let (data, voice) = (lab.data()?, lab.voice);
    turns.iter().take(1).flat_map(|turn| &turn.series.left_out).for_each(|left_out| voice.warn(left_out));
    let (several, backend) = (turns.len() > 1, backend(lab, turns, on.backend));
    let mut done = Vec::new();
    let mut code = ExitCode::Ok;
    for Turn { condition, series } in turns {
        if several {
            let round = if series.rounds > 1 { format!(", round {}", series.round) } else { String::new() };
            voice.say(format!("Arm {} of {}: {}{round}", series.at, series.of, condition.arm()));
        }
        let page = if several { None } else { order.page };
        let one = One { on, condition: *condition, series, page, several };
        let (ended, run) = under(lab, order, lab_engine(lab, backend)?, &data, &one)?;
        if ended != ExitCode::Ok {
            code = ended;
        }
        let (records, analysis) = lab.load(run)?;
        done.push((records, analysis));
    }
    if several {
        lab.front.arms(&done)?;
        if let Some((output, redact)) = order.page {
            write_page(output, redact, done)?;
            voice.say(format!("The page: {}", output.display()));
        }
    }
    Ok(code)
}

/// One condition and the device that it is measured on.
struct One<'a> {
    on: &'a Common<'a>,
    condition: Condition,
    series: &'a Series,
    page: Option<(&'a Path, bool)>,
    several: bool,
}

/// Sets up, measures, tears down.
fn under(
    lab: &Lab<'_>,
    order: &Order<'_>,
    engine: Options,
    data: &DataDir,
    one: &One<'_>,
) -> Result<(ExitCode, RunId)> {
    let voice = lab.voice;
    let run = lab.wall.run_id();
    let Common { node, destroy, opal_admin_key, backend: _, stop } = *one.on;
    let released = guard::release_device(node, destroy)?;
    let destroy = destroy.id.as_ref().map(|id| id.display().to_string());
    let (condition, series, folder) = (one.condition, Some(one.series.clone()), folder(data));
    let wish = Wish { run, condition, destroy, opal_admin_key, series, folder: &folder, stop };
    // From here on, a process that ends immediately leaves something on the drive.
    lab.front.is_set_up(Some(run));
    let set_up = SetUp::begin(released, &wish).inspect_err(|_| lab.front.is_set_up(None))?;
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
        show: if one.several && lab.front.shows_a_document() { Show::Part } else { order.show },
        under: Some(inner),
        ..order.like()
    };
    let measured = begin::carry_out(lab, order);
    let undone = set_up.tear_down();
    lab.front.is_set_up(None);
    match &undone {
        Ok(said) => said.iter().for_each(|said| voice.detail(format!("Undone    {said}"))),
        Err(error) => voice.warn(format!(
            "some of what was set up for run {run} could not be undone: {error}; `drivelab resume {run}` tries again"
        )),
    }
    let code = measured?;
    undone?;
    Ok((code, run))
}

pub(super) fn folder(data: &DataDir) -> PathBuf {
    data.root().join(FOLDER)
}

pub(super) fn say_cleaned(voice: &Voice, cleaned: Vec<Cleaned>) -> Result<()> {
    for Cleaned { run, done, trouble } in cleaned {
        if let Some(error) = trouble {
            done.iter().for_each(|done| voice.say(format!("Undone    {done}")));
            let Failure { code, message, .. } = error.into();
            return Err(Failure::new(code, format!("some conditions of run {run} could not be undone: {message}")));
        }
        let what = if done.is_empty() { "nothing was left to undo".to_owned() } else { done.join("; ") };
        voice.say(format!("The conditions of run {run}, which was killed, are undone: {what}"));
    }
    Ok(())
}
