//! `drivelab review` and `drivelab run`: a new run, from the target's survey to the result.

use std::path::{Path, PathBuf};

use drivelab_analysis::conditions::disturbances;
use drivelab_core::clock::StopToken;
use drivelab_core::event::{EVENT_VERSION, RunStarted};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::Bytes;
use drivelab_report::format;
use drivelab_session::Start;
use drivelab_store::{NewBundle, Recorder};
use serde::Serialize;

use crate::args::{MeasureArgs, ReviewArgs, RunArgs};
use crate::context::{Context, now, tool};
use crate::fail::{Failure, Result};
use crate::lab::care::Care;
use crate::lab::execute::{Ready, engine, execute};
use crate::lab::pages::{OutputFile, Wish, format_of};
use crate::lab::target::{Opened, Purpose, Site};
use crate::lab::{found, method, notes, signals, target};
use crate::say;

/// `drivelab review`: the methodology `quick`, and a page.
///
/// # Errors
/// Whatever keeps the run from being done.
pub fn review(context: &Context, arguments: &ReviewArgs) -> Result {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    measure(context, "quick", &path, Some(&arguments.output), &arguments.measure)
}

/// `drivelab run`.
///
/// # Errors
/// Whatever keeps the run from being done.
pub fn run(context: &Context, arguments: &RunArgs) -> Result {
    measure(context, &arguments.method, &arguments.target, arguments.output.as_deref(), &arguments.measure)
}

fn measure(context: &Context, name: &str, path: &Path, output: Option<&Path>, arguments: &MeasureArgs) -> Result {
    let voice = context.settings.voice;
    let stop = StopToken::default();
    signals::watch(stop.clone())?;
    let form = Form::from(arguments.form);
    let backend = engine(context, arguments.backend)?;
    let methodology = method::find(name)?;
    let purpose = Purpose::Measure { destroy: arguments.destroy.as_deref() };
    let site = target::survey(path, &methodology, form, arguments.size, purpose)?;
    let plan = target::plan(&methodology, form, &site)?;
    if arguments.dry_run {
        return dry_run(&plan, &site, arguments);
    }
    let page = output.map(|output| wish(output, arguments.redact)).transpose()?;
    let data = context.data()?;
    target::clear_leftovers(&site.folder, voice)?;
    let run = RunId::now();
    let opened = target::open(&site, run, arguments.destroy.as_deref())?;
    let environment = target::environment(&site, &opened, data.root())?;
    site.remarks().iter().for_each(|remark| voice.say(remark));
    found::say(voice, &environment, &plan, &disturbances(&environment));
    let (started, tool) = (now(), tool());
    let new = NewBundle {
        run,
        started: &started,
        tool: &tool,
        plan: &plan,
        environment: &environment,
        methodology_toml: methodology.source_text(),
    };
    if stop.is_stopped() {
        return Err(Failure::new(ExitCode::Interrupted, "stopped before anything was measured; nothing is kept"));
    }
    let recorder = Recorder::create(&data, &new)?;
    let Opened { target, scratch, .. } = opened;
    match &scratch {
        Some(scratch) => notes::write_scratch(&data, run, scratch)?,
        None => notes::write_named_file(&data, run, target.path())?,
    }
    if let Some(page) = &page {
        notes::write_page(&data, run, page)?;
    }
    let bundle_on_target = environment.bundle_on_same_device.then(|| data.bundle_path(run));
    let start = Start::New(RunStarted { event_version: EVENT_VERSION, run, started, tool, plan, environment });
    let care = Care { scratch, bundle_on_target };
    let history = Vec::new();
    execute(context, &arguments.print, Ready { run, data, start, recorder, target, care, backend, page, stop, history })
}

/// The page that is wanted, checked before time is spent on measuring for it.
fn wish(output: &Path, redact: bool) -> Result<Wish> {
    format_of(output)?;
    let path = OutputFile::check(output)?.path().to_owned();
    Ok(Wish { path, redact })
}

/// What a run would do.
#[derive(Serialize)]
struct DryRun {
    schema: &'static str,
    schema_version: u32,
    method: String,
    form: Form,
    target: PathBuf,
    length: Bytes,
    steps: usize,
    estimated_time_s: f64,
    estimated_written: Bytes,
    device_capacity: Option<Bytes>,
    drive_writes: Option<f64>,
    endurance: &'static str,
    remarks: Vec<String>,
}

const ENDURANCE: &str = "the share of the rated endurance is not known: no probe tells it; divide the bytes written by the TBW on the data sheet";

/// Said beside every estimate of bytes.
pub const GUESS: &str =
    "guessed for a drive of 500 MB/s: steps last a fixed time, so a faster one is written that much more";

/// Says what would be done, and touches nothing.
fn dry_run(plan: &Plan, site: &Site, arguments: &MeasureArgs) -> Result {
    let capacity = site.facts.devices.first().map(|device| device.capacity);
    let written = plan.estimated_written();
    let plans = DryRun {
        schema: "drivelab.dry-run",
        schema_version: 1,
        method: plan.methodology.name.clone(),
        form: plan.form,
        target: site.place().to_owned(),
        length: site.length,
        steps: plan.schedule().len(),
        estimated_time_s: plan.estimated_time().as_secs_f64(),
        estimated_written: written,
        device_capacity: capacity,
        drive_writes: capacity.filter(|c| c.get() > 0).map(|capacity| written.as_f64() / capacity.as_f64()),
        endurance: ENDURANCE,
        remarks: site.remarks(),
    };
    if arguments.print.json {
        say::json(&plans)?;
        return Ok(ExitCode::Ok);
    }
    let drive_writes = plans.drive_writes.map_or_else(
        || "the capacity of the drive is not known".to_owned(),
        |writes| format!("{writes:.4} times the capacity of the device"),
    );
    say::data(&format!(
        "Dry run: nothing was made or written.\n\
         Method   {} {}, form {}, {} steps\n\
         Target   {}, {}\n\
         Time     about {}\n\
         Written  about {} ({drive_writes}); {GUESS}\n\
         Wear     {ENDURANCE}\n",
        plan.methodology.name,
        plan.methodology.version,
        plan.form.name(),
        plans.steps,
        site.place().display(),
        format::bytes(site.length),
        format::duration(plan.estimated_time()),
        format::bytes(written),
    ))?;
    plans.remarks.iter().try_for_each(|remark| say::data(&format!("Note     {remark}")))?;
    Ok(ExitCode::Ok)
}
