//! `drivelab explain`: from a figure back to its definition, its function and its records.

use drivelab_analysis::explain as explaining;
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result};

use crate::args::ExplainArgs;
use crate::context::Context;
use crate::say;

/// Runs the command.
///
/// # Errors
/// There is no such run or no such figure (similar ones are named).
pub fn explain(context: &Context, arguments: &ExplainArgs) -> Result {
    let (row, address) = match (arguments.last, arguments.words.as_slice()) {
        (true, [address]) => (context.newest_run()?, address),
        (false, [run, address]) => (context.find_named(run)?, address),
        _ => {
            return Err(Failure::usage(
                "explain needs a run and a figure: `drivelab explain RUN METRIC`, or `drivelab explain --last METRIC`\n\
                 `drivelab report RUN --format csv` lists every figure of a run",
            ));
        }
    };
    let bundle = context.data()?.bundle_path(row.id);
    let (records, analysis) = context.load(row.id)?;
    let explanation = explaining::explain(&records, &analysis, address).map_err(|error| {
        Failure::nothing(format!("{error}\n`drivelab report {} --format csv` lists every figure of the run", row.id))
    })?;
    if arguments.json {
        let document = serde_json::json!({
            "schema": "drivelab.explain",
            "schema_version": 1,
            "run": row.id,
            "bundle": bundle,
            "explanation": explanation,
        });
        say::json(&document)?;
    } else {
        say::data(&format!("{}\nBundle: {}\n", explaining::text(&explanation), bundle.display()))?;
    }
    Ok(ExitCode::Ok)
}
