//! `drivelab compare`: sides of stored runs against a base, from their digests.

mod published;
mod read;
mod sides;

use drivelab_analysis::ratios::Limits;
use drivelab_core::exit::ExitCode;
use drivelab_lab::output::pages::{OutputFile, PageFormat, format_of};
use drivelab_lab::{Failure, Result};
use drivelab_report::{Compared, ComparedRun, ReportInput, Sides};

use crate::args::CompareArgs;
use crate::context::Context;
use crate::front::width::terminal_width;
use crate::say;
use read::Read;

/// Runs the command.
///
/// # Errors
/// There is no such run or drive, there are fewer than two sides, none that can be compared, or a side is worse and
/// that was to fail.
pub fn compare(context: &Context, arguments: &CompareArgs) -> Result {
    let format = match (&arguments.output, arguments.json) {
        (_, true) => Some(PageFormat::Json),
        (Some(output), false) => Some(format_of(output)?),
        (None, false) => None,
    };
    if format == Some(PageFormat::Cdm) {
        return Err(Failure::usage("the layout of CrystalDiskMark is for one run; use .html, .md, .csv or .json"));
    }
    let output = arguments.output.as_deref().map(OutputFile::check).transpose()?;
    let (data, catalog) = (context.data()?, context.catalog()?);
    let (published, words) = published::split(&context.settings.data.value, &arguments.sides)?;
    let chosen = sides::choose(context, &catalog.list()?, arguments, &words, !published.is_empty())?;
    let least = if published.is_empty() { 2 } else { 1 };
    let read = Read::new(context, &data, &catalog, chosen, least)?;
    let runs: Vec<ComparedRun<'_>> =
        read.runs().map(|run| ComparedRun { digest: &run.digest, live: run.row.live }).collect();
    let sides = Sides {
        runs: read.places(),
        base: read.base(arguments.base.as_deref())?,
        limits: Limits { relevant: arguments.relevant / 100.0, ..Limits::default() },
        all: arguments.all,
        published,
    };
    let compared = Compared { runs: &runs, sides: &sides };
    let none = |why: String| Failure::nothing(format!("no two of these runs can be compared\n{why}"));
    // In every format: without two sides that may be compared there is nothing to write.
    let table = compared.text(terminal_width()).map_err(none)?;
    let text = match format {
        None => table,
        Some(PageFormat::Md | PageFormat::Brief) => compared.markdown().map_err(none)?,
        Some(PageFormat::Csv) => compared.csv().map_err(none)?,
        Some(PageFormat::Html) => page(context, &runs, &sides)?,
        Some(PageFormat::Json | PageFormat::Cdm) => {
            let document = compared.document().map_err(none)?;
            serde_json::to_string_pretty(&document).map_err(|error| Failure::unexpected(error.to_string()))? + "\n"
        }
    };
    match output {
        Some(output) => {
            output.write(&text)?;
            context.settings.voice.say(format!("Wrote {}", output.path().display()));
        }
        None => say::data(&text)?,
    }
    if arguments.fail_if_worse { worse(&compared) } else { Ok(ExitCode::Ok) }
}

/// Fails if a headline figure is worse than the base's, or is missing where the base has one.
fn worse(compared: &Compared<'_>) -> Result {
    let document = compared.document().map_err(Failure::nothing)?;
    let Some(worse) = document.worse() else {
        return Err(Failure::nothing("no run can be compared with the base, so nothing can be said about it"));
    };
    if worse.is_empty() {
        return Ok(ExitCode::Ok);
    }
    let message = format!("worse than the base: {}", worse.join("; "));
    Err(Failure::new(ExitCode::AcceptanceFailed, message))
}

/// The page of all runs, with the comparison first.
fn page(context: &Context, runs: &[ComparedRun<'_>], sides: &Sides) -> Result<String> {
    let loaded = runs.iter().map(|run| context.load(run.digest.run.id)).collect::<Result<Vec<_>>>()?;
    let inputs: Vec<ReportInput<'_>> =
        loaded.iter().map(|(records, analysis)| ReportInput { records, analysis }).collect();
    Ok(drivelab_report::html_of_sides(&inputs, sides)?)
}
