//! The buyer's answer about a target: after a run that read it, or only from what the drive reports.

use drivelab_analysis::Analysis;
use drivelab_analysis::buyer::{self, Known, Read, Standing};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::probe::{NotKnown, TargetProbe};
use drivelab_core::run::RunRecords;
use drivelab_lab::run::sample::facts;
use drivelab_lab::{Lab, Loudness, Result};
use drivelab_report::{CheckInput, check_details, check_document, check_text};

use super::width::terminal_width;
use crate::args::PrintArgs;
use crate::context::Context;
use crate::say;

/// Shows what a run that read the target found; returns the verdict's standing, if there is a verdict.
///
/// # Errors
/// Only if stdout cannot be written.
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

/// Like [`show`], if nothing may be read.
///
/// # Errors
/// The user's own drive facts are wrong.
pub fn without_reading(
    context: &Context,
    lab: &Lab<'_>,
    print: &PrintArgs,
    (probe, why): (&TargetProbe, &NotKnown),
) -> Result {
    let facts = facts(lab, Some(probe))?;
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
