//! The result of a group of runs: found through any of its runs, on the terminal, as JSON, as a page.

use drivelab_analysis::Analysis;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_lab::output::pages::{OutputFile, PageFormat, format_of, redacted};
use drivelab_lab::{Analysed, Failure, Result};
use drivelab_report::{GroupInput, ReportInput};

use super::width::terminal_width;
use crate::args::PrintArgs;
use crate::context::Context;
use crate::say;

/// Shows what came of the runs: on stdout, and as a page where one is wanted, without names where that is asked for.
///
/// # Errors
/// Nothing was measured together, or the page cannot be written.
pub fn show(context: &Context, print: &PrintArgs, runs: Analysed, page: Option<(&OutputFile, bool)>) -> Result<()> {
    let voice = context.settings.voice;
    let text = with(&runs, |input| {
        if print.json {
            say::json(&drivelab_report::together_json(input)?)?;
        } else {
            say::data(&drivelab_report::together_terminal(input, terminal_width()))?;
        }
        Ok(())
    });
    text?;
    if let Some((page, redact)) = page {
        let format = format_of(page.path())?;
        let runs = if redact { without_names(runs.clone()) } else { runs.clone() };
        page.write(&render(format, &runs)?)?;
        voice.say(format!("The page: {}", page.path().display()));
    }
    if let Some((records, _)) = runs.last() {
        voice.say(format!("`drivelab report {} --group` makes reports of all drives", records.run));
    }
    Ok(())
}

/// The runs of the group that a run belongs to; those that are not there any more are left out.
///
/// # Errors
/// The run is in no group.
pub fn of_member(context: &Context, run: RunId) -> Result<Vec<(RunRecords, Analysis)>> {
    let (records, _) = context.load(run)?;
    let Some(group) = records.group else {
        return Err(Failure::nothing(format!(
            "run {run} was measured by itself, so there is no group to report; several targets behind `drivelab run METHOD` \
             make one"
        )));
    };
    let ids: Vec<RunId> = group.runs.iter().map(|one| one.run).collect();
    Ok(load(context, &ids))
}

fn load(context: &Context, runs: &[RunId]) -> Vec<(RunRecords, Analysis)> {
    runs.iter().filter_map(|run| context.load(*run).ok()).collect()
}

/// The same without serial numbers and folder names.
#[must_use]
pub fn without_names(runs: Vec<(RunRecords, Analysis)>) -> Vec<(RunRecords, Analysis)> {
    runs.into_iter().map(|(records, _)| redacted(records)).collect()
}

/// The report of a group.
///
/// # Errors
/// Nothing was measured together, or a document cannot be made.
pub fn render(format: PageFormat, runs: &[(RunRecords, Analysis)]) -> Result<String> {
    with(runs, |input| {
        Ok(match format {
            PageFormat::Html => drivelab_report::together_html(input)?,
            // A group's text has one table a test already.
            PageFormat::Md | PageFormat::Brief => drivelab_report::together_markdown(input),
            PageFormat::Csv => drivelab_report::together_csv(input)?,
            PageFormat::Cdm => {
                return Err(Failure::usage(
                    "several drives at once have no CrystalDiskMark layout; take one run of them",
                ));
            }
            PageFormat::Json => {
                let document = drivelab_report::together_json(input)?;
                serde_json::to_string_pretty(&document)
                    .map_err(|error| Failure::unexpected(format!("cannot make the JSON document: {error}")))?
            }
        })
    })
}

fn with<T>(runs: &[(RunRecords, Analysis)], make: impl FnOnce(&GroupInput<'_>) -> Result<T>) -> Result<T> {
    let members: Vec<ReportInput<'_>> =
        runs.iter().map(|(records, analysis)| ReportInput { records, analysis }).collect();
    let input = GroupInput::new(&members).map_err(|error| Failure::nothing(error.to_string()))?;
    make(&input)
}
