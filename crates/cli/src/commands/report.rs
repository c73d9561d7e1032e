//! `drivelab report`: stored runs as a page, Markdown, CSV or JSON.

use drivelab_analysis::Analysis;
use drivelab_core::exit::ExitCode;
use drivelab_core::run::RunRecords;
use drivelab_lab::output::group;
use drivelab_lab::output::pages::{OutputFile, PageFormat, format_of, render, without_names};
use drivelab_lab::{Failure, Result};
use drivelab_report::ReportInput;

use crate::args::ReportArgs;
use crate::context::Context;
use crate::front::group_pages;
use crate::say;

/// Runs the command.
///
/// # Errors
/// There is no such run, it is damaged, or the file may not be replaced.
pub fn report(context: &Context, arguments: &ReportArgs) -> Result {
    let format = match (arguments.json, arguments.format, &arguments.output) {
        (true, ..) => PageFormat::Json,
        (_, Some(format), _) => format.into(),
        (_, None, Some(output)) => format_of(output)?,
        (_, None, None) => PageFormat::Md,
    };
    let output = arguments.output.as_deref().map(OutputFile::check).transpose()?;
    let rows = if arguments.last {
        vec![context.newest_run()?]
    } else {
        arguments.runs.iter().map(|name| context.find_named(name)).collect::<Result<Vec<_>>>()?
    };
    let mut runs = match rows.as_slice() {
        [row] if arguments.group => group_pages::of_member(context, row.id)?,
        _ if arguments.group => {
            return Err(Failure::usage("--group takes one run: any of a group leads to all of it"));
        }
        rows => rows.iter().map(|row| context.load(row.id)).collect::<Result<Vec<_>>>()?,
    };
    if arguments.redact {
        runs = without_names(runs);
    }
    if format == PageFormat::Json && !arguments.group && !arguments.dry_run {
        return json(context, output.as_ref(), &runs);
    }
    let text = if arguments.group { group::render(format, &runs)? } else { render(format, &runs)? };
    match output {
        Some(output) if arguments.dry_run => {
            say::data(&format!("Dry run: would write {} bytes to {}\n", text.len(), output.path().display()))?;
        }
        Some(output) => {
            output.write(&text)?;
            context.settings.voice.say(format!("Wrote {}", output.path().display()));
        }
        None => say::data(&text)?,
    }
    Ok(ExitCode::Ok)
}

/// The document with all records; for a long run it is too large to be held in memory.
fn json(context: &Context, output: Option<&OutputFile>, runs: &[(RunRecords, Analysis)]) -> Result {
    let inputs: Vec<ReportInput<'_>> =
        runs.iter().map(|(records, analysis)| ReportInput { records, analysis }).collect();
    let document = drivelab_report::document(&inputs)?;
    match output {
        Some(output) => {
            output.write_with(|out| Ok(serde_json::to_writer_pretty(out, &document)?))?;
            context.settings.voice.say(format!("Wrote {}", output.path().display()));
        }
        None => say::json(&document)?,
    }
    Ok(ExitCode::Ok)
}
