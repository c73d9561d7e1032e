//! `drivelab compare`: stored runs side by side, from their digests.

use drivelab_analysis::digest::Digest;
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result, digests};
use drivelab_report::comparison_text;
use drivelab_store::{Filter, RunRow};

use crate::args::CompareArgs;
use crate::context::Context;
use crate::front::width::terminal_width;
use crate::say;

/// Runs the command.
///
/// # Errors
/// No such run, fewer than two of them, or none that may be compared.
pub fn compare(context: &Context, arguments: &CompareArgs) -> Result {
    let rows = chosen(context, arguments)?;
    if rows.len() < 2 {
        let what = if rows.is_empty() { "no run is" } else { "only one run is" };
        return Err(Failure::nothing(format!(
            "{what} meant, and a comparison takes two; `drivelab results list` lists all runs"
        )));
    }
    let (data, catalog) = (context.data()?, context.catalog()?);
    let of = |row: &RunRow| digests::digest(&data, &catalog, row);
    let digests = rows.iter().map(of).collect::<Result<Vec<Digest>>>()?;
    let text = comparison_text(&digests.iter().collect::<Vec<_>>(), terminal_width());
    say::data(&text.map_err(|why| Failure::nothing(why.join("\n")))?)?;
    Ok(ExitCode::Ok)
}

/// The named runs in their order, then those that the filters let through, oldest first.
fn chosen(context: &Context, arguments: &CompareArgs) -> Result<Vec<RunRow>> {
    let mut rows = arguments.runs.iter().map(|name| context.find_named(name)).collect::<Result<Vec<_>>>()?;
    let filter = Filter::from(&arguments.filter);
    if !filter.is_empty() {
        let mut found = context.catalog()?.filtered(&filter)?;
        found.retain(|row| row.damaged.is_none() && rows.iter().all(|named| named.id != row.id));
        found.reverse();
        rows.extend(found);
    }
    Ok(rows)
}
