//! `drivelab compare`: stored runs side by side, from their digests.

use drivelab_analysis::digest::Digest;
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result, digests};
use drivelab_report::{ComparedRun, comparison_text};
use drivelab_store::{Catalog, DataDir, Filter, RunRow};

use crate::args::CompareArgs;
use crate::context::{Context, NO_RUNS};
use crate::front::width::terminal_width;
use crate::say;

/// Runs the command.
///
/// # Errors
/// No such run, fewer than two of them, or none that may be compared.
pub fn compare(context: &Context, arguments: &CompareArgs) -> Result {
    let (data, catalog, filter) = (context.data()?, context.catalog()?, Filter::from(&arguments.filter));
    let runs = match (arguments.runs.is_empty(), filter.is_empty()) {
        (true, true) => return Err(Failure::usage("name two runs or more, or a filter such as --method NAME")),
        (false, false) => {
            return Err(Failure::usage(
                "name runs or give filters, not both: a filter would not hold for the named runs",
            ));
        }
        (false, true) => named(context, &data, &catalog, &arguments.runs)?,
        (true, false) => filtered(context, &data, &catalog, &filter)?,
    };
    let all: Vec<ComparedRun<'_>> = runs.iter().map(|(digest, row)| ComparedRun { digest, live: row.live }).collect();
    let text = comparison_text(&all, terminal_width());
    say::data(&text.map_err(|why| Failure::nothing(format!("no two of these runs may be compared\n{why}")))?)?;
    Ok(ExitCode::Ok)
}

/// The runs of these names, in their order.
fn named(context: &Context, data: &DataDir, catalog: &Catalog, names: &[String]) -> Result<Vec<(Digest, RunRow)>> {
    let mut runs: Vec<(Digest, RunRow)> = Vec::new();
    for name in names {
        let row = context.find_named(name)?;
        if runs.iter().any(|(_, known)| known.id == row.id) {
            return Err(Failure::usage(format!(
                "'{name}' is run {} once more; a comparison takes different runs",
                row.id
            )));
        }
        runs.push((digests::digest(data, catalog, &context.tool, row.id)?, row));
    }
    match runs.as_slice() {
        [(_, only)] => Err(Failure::usage(format!("a comparison takes two runs or more; only {} is named", only.id))),
        _ => Ok(runs),
    }
}

/// The runs that a filter lets through, oldest first: those that have ended and can be read.
fn filtered(context: &Context, data: &DataDir, catalog: &Catalog, filter: &Filter) -> Result<Vec<(Digest, RunRow)>> {
    let voice = &context.settings.voice;
    let mut rows = catalog.filtered(filter)?;
    if rows.is_empty() {
        let none = if catalog.list()?.is_empty() {
            NO_RUNS
        } else {
            "no run matches these filters; `drivelab results list` lists all runs"
        };
        return Err(Failure::nothing(none));
    }
    rows.reverse();
    let mut runs = Vec::new();
    for row in rows {
        match digests::digest(data, catalog, &context.tool, row.id) {
            _ if row.live => voice.say(format!("run {} is left out: it is still running", row.id)),
            Ok(digest) if row.damaged.is_none() => runs.push((digest, row)),
            Ok(_) => voice.warn(format!("run {} is left out: it is damaged", row.id)),
            Err(error) => voice.warn(format!("run {} is left out: {}", row.id, error.message)),
        }
    }
    match runs.as_slice() {
        [] => Err(Failure::nothing("none of the runs that match these filters can be compared")),
        [(_, only)] => {
            Err(Failure::nothing(format!("only run {} matches these filters; a comparison takes two", only.id)))
        }
        _ => Ok(runs),
    }
}
