//! `drivelab review` and `drivelab run`: a new run, from the target's survey to the result.

use std::path::{Path, PathBuf};

use drivelab_analysis::conditions::disturbances;
use drivelab_core::clock::StopToken;
use drivelab_core::event::{EVENT_VERSION, RunStarted};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::Bytes;
use drivelab_device::Named;
use drivelab_report::format;
use drivelab_session::Start;
use drivelab_store::{NewBundle, Recorder, write_note};
use serde::Serialize;

use crate::args::{MeasureArgs, ReviewArgs, RunArgs};
use crate::context::{Context, now, tool};
use crate::fail::{Failure, Result};
use crate::lab::care::Care;
use crate::lab::execute::{Ready, execute};
use crate::lab::pages::OutputFile;
use crate::lab::target::{Opened, Site};
use crate::lab::{found, method, signals, target};
use crate::say;

/// Name of the note in the bundle that says which scratch file a run uses.
pub const SCRATCH_NOTE: &str = "scratch";
/// Name of the note in the bundle that says which page the user wants at the end.
pub const PAGE_NOTE: &str = "page";

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
    let form = Form::from(arguments.form);
    let methodology = method::find(name)?;
    let site = target::survey(path, &methodology, form, arguments.size, arguments.destroy.as_deref())?;
    let plan = target::plan(&methodology, form, &site)?;
    if arguments.dry_run {
        return dry_run(&plan, &site, arguments);
    }
    let output = output.map(OutputFile::check).transpose()?;
    let data = context.data()?;
    let stop = StopToken::default();
    signals::watch(stop.clone())?;
    target::clear_leftovers(&site.folder, voice)?;
    let run = RunId::now();
    let opened = target::open(&site, run, arguments.destroy.as_deref())?;
    let environment = target::environment(&site, &opened, data.root());
    if site.length < site.wanted && !matches!(site.named, Named::ExistingFile(_)) {
        voice.say(format!(
            "The scratch file is {} instead of {}: it takes at most 10 % of the free space",
            format::bytes(site.length),
            format::bytes(site.wanted)
        ));
    }
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
    let recorder = Recorder::create(&data, &new)?;
    let Opened { target, scratch, .. } = opened;
    if let Some(scratch) = &scratch {
        write_note(&data, run, SCRATCH_NOTE, &to_json(scratch.claim())?)?;
    }
    if let Some(output) = &output {
        write_note(&data, run, PAGE_NOTE, &to_json(&output.path())?)?;
    }
    let bundle_on_target = environment.bundle_on_same_device.then(|| data.bundle_path(run));
    let start = Start::New(RunStarted { event_version: EVENT_VERSION, run, started, tool, plan, environment });
    let backend = arguments.backend.unwrap_or(context.settings.backend.value).into();
    let care = Care { scratch, bundle_on_target };
    let history = Vec::new();
    execute(
        context,
        &arguments.print,
        Ready { run, data, start, recorder, target, care, backend, output, stop, history },
    )
}

/// As a JSON value for a note.
fn to_json(value: &impl Serialize) -> Result<serde_json::Value> {
    serde_json::to_value(value).map_err(|error| Failure::unexpected(format!("cannot write a note: {error}")))
}

/// What a run would do.
#[derive(Serialize)]
struct DryRun {
    schema: &'static str,
    schema_version: u32,
    method: String,
    form: Form,
    target: PathBuf,
    scratch_file: Bytes,
    steps: usize,
    estimated_time_s: f64,
    estimated_written: Bytes,
    device_capacity: Option<Bytes>,
    drive_writes: Option<f64>,
    endurance: &'static str,
}

const ENDURANCE: &str = "the share of the rated endurance is not known: no probe tells it; divide the bytes written by the TBW on the data sheet";

/// Says what would be done, and touches nothing.
fn dry_run(plan: &Plan, site: &Site, arguments: &MeasureArgs) -> Result {
    let capacity = site.facts.devices.first().map(|device| device.capacity);
    let written = plan.estimated_written();
    let plans = DryRun {
        schema: "drivelab.dry-run",
        schema_version: 1,
        method: plan.methodology.name.clone(),
        form: plan.form,
        target: site.folder.clone(),
        scratch_file: site.length,
        steps: plan.schedule().len(),
        estimated_time_s: plan.estimated_time().as_secs_f64(),
        estimated_written: written,
        device_capacity: capacity,
        drive_writes: capacity.filter(|c| c.get() > 0).map(|capacity| written.as_f64() / capacity.as_f64()),
        endurance: ENDURANCE,
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
         Target   {}, with a file of {}\n\
         Time     about {}\n\
         Written  about {} ({drive_writes})\n\
         Wear     {ENDURANCE}\n",
        plan.methodology.name,
        plan.methodology.version,
        plan.form.name(),
        plans.steps,
        site.folder.display(),
        format::bytes(site.length),
        format::duration(plan.estimated_time()),
        format::bytes(written),
    ))?;
    Ok(ExitCode::Ok)
}
