//! `drivelab compare`: sides of stored runs against a base, from their digests.

mod sides;

use drivelab_analysis::digest::Digest;
use drivelab_analysis::ratios::Limits;
use drivelab_core::exit::ExitCode;
use drivelab_lab::output::pages::{OutputFile, PageFormat, format_of};
use drivelab_lab::{Failure, Result, digests};
use drivelab_report::{Compared, ComparedRun, ReportInput, Sides};
use drivelab_store::{Catalog, DataDir, RunRow};

use crate::args::CompareArgs;
use crate::context::Context;
use crate::front::width::terminal_width;
use crate::say;
use sides::Chosen;

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
    let chosen = sides::choose(context, &catalog.list()?, arguments)?;
    let (chosen, digests) = with_digests(context, &data, &catalog, chosen, !arguments.sides.is_empty())?;
    let runs = digests.iter().map(|(digest, live)| ComparedRun { digest, live: *live });
    let runs: Vec<ComparedRun<'_>> = runs.collect();
    let sides = Sides {
        runs: chosen.places(),
        base: chosen.base(arguments.base.as_deref())?,
        limits: Limits { relevant: arguments.relevant / 100.0, ..Limits::default() },
        all: arguments.all,
    };
    let compared = Compared { runs: &runs, sides: &sides };
    let none = |why: String| Failure::nothing(format!("no two of these runs can be compared\n{why}"));
    let text = match format {
        None => compared.text(terminal_width()).map_err(none)?,
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

/// Fails if a headline figure is worse than the base's.
fn worse(compared: &Compared<'_>) -> Result {
    let worse = compared.document().map_err(Failure::nothing)?.worse();
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

/// The sides with the digests of their runs, and whether each run is still going on. Of runs that were not named, those
/// that cannot be read are left out, with a warning.
fn with_digests(
    context: &Context,
    data: &DataDir,
    catalog: &Catalog,
    mut chosen: Chosen,
    named: bool,
) -> Result<(Chosen, Vec<(Digest, bool)>)> {
    let mut digests: Vec<(Digest, bool)> = Vec::new();
    for side in &mut chosen.sides {
        let mut kept = Vec::new();
        for row in side.rows.drain(..) {
            match digests::digest(data, catalog, &context.tool, row.id) {
                Ok(digest) => {
                    digests.push((digest, row.live));
                    kept.push(row);
                }
                Err(why) if named && !side.selection => return Err(why),
                Err(why) => context.settings.voice.warn(format!("run {} is left out: {}", row.id, why.message)),
            }
        }
        side.rows = kept;
    }
    chosen.sides.retain(|side| !side.rows.is_empty());
    chosen.by_arm(&digests.iter().map(|(digest, _)| digest.condition().arm()).collect::<Vec<_>>());
    match chosen.sides.as_slice() {
        [] => Err(Failure::nothing("none of these runs can be compared")),
        [only] => Err(Failure::nothing(format!(
            "a comparison needs two sides; there is only one: {}",
            only.rows.iter().map(|row: &RunRow| row.id.to_string()).collect::<Vec<_>>().join(", ")
        ))),
        _ => Ok((chosen, digests)),
    }
}
