//! A new run, from the survey of its target to its result: the one path that every command that measures takes.

use std::path::Path;

use drivelab_core::clock::StopToken;
use drivelab_core::environment::TargetKind;
use drivelab_core::event::{EVENT_VERSION, RunStarted};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan, Step};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use drivelab_engine::Options;
use drivelab_method::Methodology;
use drivelab_session::Start;
use drivelab_store::{DataDir, NewBundle, Recorder};

use super::care::Care;
use super::execute::{Keep, Ready, execute};
use super::outcome::Show;
use super::pages::{OutputFile, Wish, format_of};
use super::place::{Needs, OpenedIo, Wanted};
use super::target::{self, Purpose, Words};
use super::trace::TraceFile;
use super::watching::{self, Watching};
use super::{dry_run, found, notes, signals};
use crate::args::{PrintArgs, TelemetryArgs};
use crate::context::{Context, now, tool};
use crate::fail::{Failure, Result};
use crate::screens;

/// What is to be measured, on what, and what becomes of the result.
pub struct Order<'a> {
    /// The methodology.
    pub methodology: &'a Methodology,
    /// In which form.
    pub form: Form,
    /// What the user named.
    pub target: &'a Path,
    /// Size of the scratch file, where the user said one.
    pub size: Option<Bytes>,
    /// What `--destroy` named.
    pub destroy: Option<&'a Path>,
    /// Engine.
    pub engine: Options,
    /// What is watched beside the I/O.
    pub telemetry: &'a TelemetryArgs,
    /// New file in which every measured operation is written down, where that is wanted.
    pub trace: Option<&'a Path>,
    /// Page to write, and whether without names.
    pub page: Option<(&'a Path, bool)>,
    /// Whether a bundle is kept.
    pub save: bool,
    /// Only say what would be done.
    pub dry_run: bool,
    /// How run and result are printed.
    pub print: &'a PrintArgs,
    /// How the result is shown.
    pub show: Show,
    /// How messages call what was written.
    pub words: Words<'a>,
}

/// Surveys, plans, opens, records, measures, shows.
///
/// # Errors
/// Whatever keeps the run from being done; everything that can be refused is refused before anything is made.
pub fn carry_out(context: &Context, order: Order<'_>) -> Result {
    let voice = context.settings.voice;
    let stop = StopToken::default();
    signals::watch(stop.clone())?;
    let purpose = Purpose::Measure { destroy: order.destroy };
    let site = target::survey(order.target, order.methodology, order.form, order.size, purpose)?;
    let plan = target::plan(order.methodology, order.form, &site, &order.words)?;
    check_cpus(&plan)?;
    order.trace.map_or(Ok(()), TraceFile::check)?;
    let page = order.page.map(|(output, redact)| wish(output, redact)).transpose()?;
    let run = RunId::now();
    // What drivelab makes is as long as the plan takes it to be; what is there has its size.
    let size = if site.makes_scratch { Some(site.length) } else { order.size };
    let wanted = Wanted { run, needs: Needs::of_plan(&plan), destroy: order.destroy, size };
    if order.dry_run {
        site.place.check(&wanted)?;
        return dry_run::say_only(&plan, &site, order.print.json);
    }
    let data = if order.save { Some(context.data()?) } else { None };
    let opened = site.place.open(&wanted, voice)?;
    let mut environment = opened.environment(data.as_ref().map(DataDir::root));
    environment.ceilings = context.ceilings_of(&environment.testbed);
    site.remarks().iter().chain(&opened.remarks).for_each(|remark| voice.say(remark));
    found::say(voice, &environment, &plan, order.show);
    if stop.is_stopped() {
        return Err(Failure::new(ExitCode::Interrupted, "stopped before anything was measured; nothing is kept"));
    }
    let watching = Watching::open(context, order.telemetry, &environment.target.devices, plan.estimated_time())?;
    watching::check(&plan, watching.as_ref())?;
    let trace = order.trace.map(TraceFile::make).transpose()?;
    let start = RunStarted { event_version: EVENT_VERSION, run, started: now(), tool: tool(), plan, environment };
    let mut bundle_on_target = None;
    let keep = match data {
        None => Keep::Memory,
        Some(data) => {
            let recorder = Recorder::create(&data, &new_bundle(&start, order.methodology))?;
            screens::is_kept(run);
            match &opened.scratch {
                Some(scratch) => notes::write_scratch(&data, run, scratch)?,
                None if opened.facts.kind == TargetKind::NamedFile => {
                    notes::write_named_file(&data, run, opened.target.path())?;
                }
                None => {}
            }
            if let Some(page) = &page {
                notes::write_page(&data, run, page)?;
            }
            bundle_on_target = start.environment.bundle_on_same_device.then(|| data.bundle_path(run));
            Keep::Bundle { data, recorder }
        }
    };
    opened.look_again()?;
    let OpenedIo { target, scratch, .. } = opened;
    let opening = site.smaller().into_iter().collect();
    let engine = Options { trace: trace.as_ref().map(TraceFile::sink), ..order.engine };
    let care = Care { scratch, bundle_on_target, trace: trace.clone(), opening };
    let (start, show, history) = (Start::New(start), order.show, Vec::new());
    let ready = Ready { run, keep, start, target, care, engine, watching, page, show, stop, history };
    let done = execute(context, order.print, ready);
    // What became of the load comes first.
    let traced = trace.map_or(Ok(()), |trace| trace.finish(voice));
    done.and_then(|code| traced.map(|()| code))
}

/// Refuses CPUs that this process may not run on before anything is made, and not when the filled target waits for
/// them.
fn check_cpus(plan: &Plan) -> Result<()> {
    let mut loads = plan.steps().filter_map(Step::workload).flat_map(Workload::groups);
    loads.try_for_each(|load| drivelab_engine::check_cpus(&load.placement.cpus)).map_err(Failure::usage)
}

fn new_bundle<'a>(start: &'a RunStarted, methodology: &'a Methodology) -> NewBundle<'a> {
    NewBundle {
        run: start.run,
        started: &start.started,
        tool: &start.tool,
        plan: &start.plan,
        environment: &start.environment,
        methodology_toml: methodology.source_text(),
    }
}

/// The page that is wanted, checked before time is spent on measuring for it.
fn wish(output: &Path, redact: bool) -> Result<Wish> {
    format_of(output)?;
    let path = OutputFile::check(output)?.path().to_owned();
    Ok(Wish { path, redact })
}
