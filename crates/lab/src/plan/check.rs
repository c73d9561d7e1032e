//! Reasons to refuse an order before its target is opened.

use std::path::Path;

use drivelab_core::exit::ExitCode;
use drivelab_core::plan::{Plan, Step};
use drivelab_core::workload::Workload;

use crate::failure::{Failure, Result};
use crate::order::measurement::Order;
use crate::output::pages::{OutputFile, Wish, format_of};
use crate::run::trace_file::TraceFile;

/// Refuses an order before its target is opened; returns the page that is wanted.
///
/// # Errors
/// CPUs that this process may not use (exit 9), or files that cannot be written.
pub(crate) fn check(order: &Order<'_>, plan: &Plan) -> Result<Option<Wish>> {
    check_cpus(plan)?;
    order.trace.map_or(Ok(()), TraceFile::check)?;
    order.page.map(|(output, redact)| wish(output, redact)).transpose()
}

/// Refuses CPUs that this process may not run on, before anything is created: a refusal must not come after the
/// target was filled.
fn check_cpus(plan: &Plan) -> Result<()> {
    let mut loads = plan.steps().filter_map(Step::workload).flat_map(Workload::groups);
    loads
        .try_for_each(|load| drivelab_engine::check_cpus(&load.placement.cpus))
        .map_err(|why| Failure::new(ExitCode::HostNotFit, why))
}

/// The page that is wanted, checked before time is spent on measuring for it.
pub(crate) fn wish(output: &Path, redact: bool) -> Result<Wish> {
    format_of(output)?;
    let path = OutputFile::check(output)?.path().to_owned();
    Ok(Wish { path, redact })
}
