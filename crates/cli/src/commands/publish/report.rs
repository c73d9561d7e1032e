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
    let format = format(arguments)?;
    let output = arguments.output.as_deref().map(OutputFile::check).transpose()?;
    let rows = if arguments.last {
        vec![context.newest_run()?]
    } else {
        arguments.runs.iter().map(|name| context.find_named(name)).collect::<Result<Vec<_>>>()?
    };
    let of_one = matches!(format, PageFormat::Html | PageFormat::Md | PageFormat::Brief);
    if of_one && rows.len() > 1 && !arguments.group {
        return Err(Failure::usage(format!(
            "pages and Markdown are of one run, CSV and JSON of several; to set these runs side by side: `drivelab \
             compare {} -o FILE` (.html or .md)",
            arguments.runs.join(" ")
        )));
    }
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
    let text =
        if arguments.group { group::render(format, &runs, &context.kept_drives())? } else { render(format, &runs)? };
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

/// The format by the flags; a file with the extension of another format is refused.
fn format(arguments: &ReportArgs) -> Result<PageFormat> {
    let asked = if arguments.json { Some(PageFormat::Json) } else { arguments.format.map(Into::into) };
    let (format, output) = match (asked, &arguments.output) {
        (None, None) => return Ok(PageFormat::Md),
        (None, Some(output)) => return format_of(output),
        (Some(format), None) => return Ok(format),
        (Some(format), Some(output)) => (format, output),
    };
    let by_extension = output.extension().and_then(|_| format_of(output).ok());
    let alike = |known: PageFormat| known == format || (known, format) == (PageFormat::Md, PageFormat::Brief);
    if by_extension.is_some_and(|known| !alike(known)) {
        let what = format!("{} does not have the extension of the requested format", output.display());
        return Err(Failure::usage(format!("{what}; leave --format out, or give the file another extension")));
    }
    Ok(format)
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
