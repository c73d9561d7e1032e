//! `drivelab compare`: stored runs side by side, from their digests.

use drivelab_analysis::digest::Digest;
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result, digests};
use drivelab_report::{ComparedRun, comparison_text};
use drivelab_store::{Catalog, DataDir, Filter, RunRow};

use crate::args::CompareArgs;
use crate::context::{Context, NO_MATCH, NO_RUNS};
use crate::front::width::terminal_width;
use crate::say;

/// Runs the command.
///
/// # Errors
/// There is no such run, there are fewer than two runs, or none that can be compared.
pub fn compare(context: &Context, arguments: &CompareArgs) -> Result {
    let (data, catalog, filter) = (context.data()?, context.catalog()?, Filter::from(&arguments.filter));
    let runs = match (arguments.runs.is_empty(), filter.is_empty()) {
        (true, true) => return Err(Failure::usage("name two runs or more, or a filter such as --method NAME")),
        (false, false) => {
            return Err(Failure::usage("name runs or give filters, not both: filters do not apply to named runs"));
        }
        (false, true) => named(context, &data, &catalog, &arguments.runs)?,
        (true, false) => filtered(context, &data, &catalog, &filter)?,
    };
    let all: Vec<ComparedRun<'_>> = runs.iter().map(|(digest, row)| ComparedRun { digest, live: row.live }).collect();
    let text = comparison_text(&all, terminal_width());
    say::data(&text.map_err(|why| Failure::nothing(format!("no two of these runs can be compared\n{why}")))?)?;
    Ok(ExitCode::Ok)
}

/// The runs with these names, in the order of the names.
fn named(context: &Context, data: &DataDir, catalog: &Catalog, names: &[String]) -> Result<Vec<(Digest, RunRow)>> {
    let rows = catalog.list()?;
    let mut runs: Vec<(Digest, RunRow)> = Vec::new();
    for name in names {
        let row = context.find_among(&rows, name)?;
        if runs.iter().any(|(_, known)| known.id == row.id) {
            let what = format!("'{name}' names run {}, which was named before; name another run", row.id);
            return Err(Failure::usage(what));
        }
        runs.push((digests::digest(data, catalog, &context.tool, row.id)?, row));
    }
    match runs.as_slice() {
        [(_, only)] => Err(Failure::usage(format!("a comparison needs at least two runs; only {} is named", only.id))),
        _ => Ok(runs),
    }
}

/// The runs that match a filter, oldest first: those that have ended and can be read.
fn filtered(context: &Context, data: &DataDir, catalog: &Catalog, filter: &Filter) -> Result<Vec<(Digest, RunRow)>> {
    let all = catalog.list()?;
    if all.is_empty() {
        return Err(Failure::nothing(NO_RUNS));
    }
    let rows: Vec<RunRow> = all.into_iter().filter(|row| filter.fits(row)).rev().collect();
    if rows.is_empty() {
        return Err(Failure::nothing(NO_MATCH));
    }
    let mut runs = Vec::new();
    for row in rows {
        match readable(context, data, catalog, &row) {
            Ok(digest) => runs.push((digest, row)),
            Err(why) => context.settings.voice.warn(format!("run {} is left out: {why}", row.id)),
        }
    }
    match runs.as_slice() {
        [] => Err(Failure::nothing("none of the runs that match these filters can be compared")),
        [(_, only)] => Err(Failure::nothing(format!(
            "of the runs that match these filters only {} can be compared; a comparison needs two",
            only.id
        ))),
        _ => Ok(runs),
    }
}

/// The digest of a run that has ended and is complete, or the reason why there is none.
fn readable(context: &Context, data: &DataDir, catalog: &Catalog, row: &RunRow) -> std::result::Result<Digest, String> {
    if row.live {
        return Err("it is still running".to_owned());
    }
    if let Some(damage) = &row.damaged {
        return Err(damage.clone());
    }
    digests::digest(data, catalog, &context.tool, row.id).map_err(|error| error.message)
}
