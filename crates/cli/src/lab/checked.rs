//! The buyer's answer about a target: after a run that read it, or from what the drive says alone.

use drivelab_analysis::Analysis;
use drivelab_analysis::buyer::{self, Known, Read, Standing};
use drivelab_core::content::ContentSample;
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Action, Plan, Step, StepRole};
use drivelab_core::probe::{NotKnown, TargetProbe};
use drivelab_core::run::RunRecords;
use drivelab_core::target::IoTarget;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Pattern;
use drivelab_report::{CheckInput, check_details, check_document, check_text};

use super::outcome::terminal_width;
use crate::args::PrintArgs;
use crate::commands::drives::library;
use crate::context::Context;
use crate::fail::Result;
use crate::say::{self, Loudness, Voice};

/// Shows what a run that read the target found; gives the verdict's standing, where it came to one.
///
/// # Errors
/// Only where stdout cannot be written.
pub fn show(
    context: &Context,
    print: &PrintArgs,
    (records, analysis): (&RunRecords, &Analysis),
    run: Option<RunId>,
) -> Result<Option<Standing>> {
    let Some(checked) = &analysis.checked else { return Ok(None) };
    let read = Read::of_run(records, analysis);
    let environment = &records.environment;
    let (probe, facts) = (environment.probe.as_deref(), environment.drive_facts.as_deref());
    let known = Known { probe, facts, read: Some(&read), not_read: None };
    say_it(context, print, CheckInput { target: &environment.target.path, known, checked, run })?;
    Ok(Some(checked.verdict.standing))
}

/// The same where nothing may be read.
///
/// # Errors
/// Drive facts of the user's own that are wrong.
pub fn without_reading(context: &Context, print: &PrintArgs, probe: &TargetProbe, why: &NotKnown) -> Result {
    let facts = facts(context, Some(probe))?;
    let known = Known { probe: Some(probe), facts: facts.as_ref(), read: None, not_read: Some(why) };
    let checked = buyer::check(&known);
    say_it(context, print, CheckInput { target: &probe.path, known, checked: &checked, run: None })?;
    Ok(code(checked.verdict.standing))
}

/// The exit code of a verdict.
#[must_use]
pub fn code(standing: Standing) -> ExitCode {
    if standing == Standing::Bad { ExitCode::AcceptanceFailed } else { ExitCode::Ok }
}

fn say_it(context: &Context, print: &PrintArgs, input: CheckInput<'_>) -> Result<()> {
    if print.json {
        return say::json(&check_document(&input));
    }
    let details = context.settings.voice.loudness == Loudness::Verbose;
    let text = if details { check_details } else { check_text };
    say::data(&text(&input, terminal_width()))
}

/// What is known of the drive's model.
///
/// # Errors
/// Drive facts of the user's own that are wrong.
pub fn facts(context: &Context, probe: Option<&TargetProbe>) -> Result<Option<DriveFacts>> {
    let Some(device) = probe.and_then(TargetProbe::device) else { return Ok(None) };
    let Some(model) = device.model.as_deref() else { return Ok(None) };
    let library = library(context)?;
    Ok(library.facts_for(model, Some(device.capacity)).map(|known| known.facts.clone()))
}

/// Samples of what the places hold that a plan reads in order, before anything is measured.
#[must_use]
pub fn sample(plan: &Plan, target: &IoTarget, voice: Voice) -> Option<ContentSample> {
    let places: Vec<(Bytes, Bytes)> = plan.steps().filter_map(place).collect();
    match drivelab_device::sample_content(target, &places) {
        Ok(content) => Some(content),
        Err(error) => {
            voice.warn(format!(
                "nobody can say which places hold data: {} cannot be sampled: {error}",
                target.path().display()
            ));
            None
        }
    }
}

/// What a step reads in order: its span, or as much of it as it moves at most.
fn place(step: &Step) -> Option<(Bytes, Bytes)> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let reads = step.role == StepRole::Measure && workload.read_percent() == 100;
    let span = workload.span;
    let length = stop.volume.map_or(span.length, |volume| volume.min(span.length));
    (reads && workload.pattern == Pattern::Sequential).then_some((span.offset, length))
}
