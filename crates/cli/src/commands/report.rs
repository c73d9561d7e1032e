//! `drivelab report`: stored runs as a page, Markdown, CSV or JSON.

use drivelab_analysis::{Analysis, analyse};
use drivelab_core::exit::ExitCode;
use drivelab_core::run::RunRecords;
use drivelab_report::ReportInput;
use drivelab_store::Bundle;

use crate::args::{FormatArg, ReportArgs};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::lab::pages::OutputFile;
use crate::say;

/// Runs the command.
///
/// # Errors
/// No such run, a damaged one, or a file that may not be replaced.
pub fn report(context: &Context, arguments: &ReportArgs) -> Result {
    let output = arguments.output.as_deref().map(OutputFile::check).transpose()?;
    let format = if arguments.json { FormatArg::Json } else { format(arguments)? };
    let rows = if arguments.last {
        vec![context.newest(|_| true, "there are no runs yet; `drivelab review` makes one")?]
    } else {
        arguments.runs.iter().map(|name| context.find_named(name)).collect::<Result<Vec<_>>>()?
    };
    let data = context.data()?;
    let runs: Vec<(RunRecords, Analysis)> = rows
        .iter()
        .map(|row| {
            let records = Bundle::open(&data.bundle_path(row.id))?.records()?;
            let analysis = analyse(&records);
            Ok((records, analysis))
        })
        .collect::<Result<_>>()?;
    let inputs: Vec<ReportInput<'_>> =
        runs.iter().map(|(records, analysis)| ReportInput { records, analysis }).collect();
    let text = match format {
        FormatArg::Html => drivelab_report::html(&inputs)?,
        FormatArg::Md => drivelab_report::markdown(&inputs)?,
        FormatArg::Csv => drivelab_report::csv(&inputs)?,
        FormatArg::Json => {
            let document = drivelab_report::json(&inputs)?;
            serde_json::to_string_pretty(&document)
                .map_err(|error| Failure::unexpected(format!("cannot make the JSON document: {error}")))?
        }
    };
    match output {
        Some(output) => {
            output.write(&text)?;
            context.settings.voice.say(format!("Wrote {}", output.path().display()));
        }
        None => say::data(&text)?,
    }
    Ok(ExitCode::Ok)
}

/// What was asked for, or what the ending of the output file says.
fn format(arguments: &ReportArgs) -> Result<FormatArg> {
    if let Some(format) = arguments.format {
        return Ok(format);
    }
    let Some(output) = &arguments.output else { return Ok(FormatArg::Md) };
    match output.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") | None => Ok(FormatArg::Html),
        Some("md" | "markdown") => Ok(FormatArg::Md),
        Some("csv") => Ok(FormatArg::Csv),
        Some("json") => Ok(FormatArg::Json),
        Some(other) => Err(Failure::usage(format!(
            "the ending '.{other}' names no report format; use .html, .md, .csv or .json, or say --format"
        ))),
    }
}
