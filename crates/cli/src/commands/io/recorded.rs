//! The run that `--of` names: what it wrote with headers, for `--op verify` to check.

use drivelab_core::units::{Bytes, common_divisor};
use drivelab_core::workload::{Span, Workload};
use drivelab_engine::Written;
use drivelab_lab::run::headers;
use drivelab_lab::{Failure, Result};
use drivelab_store::Bundle;
use toml::{Table, Value};

use super::flags::Defaults;
use crate::args::IoArgs;
use crate::context::Context;

/// Largest block that a check reads at a time, unless stated.
const BLOCK: Bytes = Bytes::MIB;
/// Operations in flight of a check, unless stated.
const QUEUE_DEPTH: u64 = 8;

/// What the recorded run wrote with headers, and what a check of it reads where no flag says otherwise.
pub(super) struct Recorded {
    /// For the engine.
    pub(super) written: Written,
    /// For the flags.
    pub(super) defaults: Defaults,
}

/// Finds the run that `--of` names; `None` where nothing is to be checked.
///
/// # Errors
/// `--op verify` without a run, a run without that, no such run, or one that wrote no headers.
pub(super) fn of(context: &Context, arguments: &IoArgs) -> Result<Option<Recorded>> {
    let checks = arguments.load.typed("op") == Some("verify");
    let run = match (checks, &arguments.beside.of) {
        (false, None) => return Ok(None),
        (true, Some(run)) => run,
        (true, None) => {
            return Err(Failure::usage(
                "--op verify: it is unknown what was written; name the run that wrote it with --of RUN (`drivelab results \
                 list` lists the runs)",
            ));
        }
        (false, Some(run)) => {
            return Err(Failure::usage(format!(
                "--of {run}: only --op verify checks what a run wrote; add it, or leave --of out"
            )));
        }
    };
    let row = context.find_named(run)?;
    let records = Bundle::open(&context.data()?.bundle_path(row.id))?.records()?;
    let written = headers::of_run(&records).map_err(|why| Failure::usage(format!("--of {run}: {why}")))?;
    context.settings.voice.say(format!(
        "Checking  what run {} wrote to {}{}",
        row.id,
        records.environment.target.path.display(),
        if written.positions.is_some() {
            ""
        } else {
            "; it was killed, so the target is searched for where it stopped"
        }
    ));
    let defaults = defaults(&written.workload);
    Ok(Some(Recorded { written, defaults }))
}

/// A check reads the span that was written once, in order, in blocks as large as they may be.
fn defaults(workload: &Workload) -> Defaults {
    let loads = || workload.groups().filter(|load| headers::carries(load));
    let offset = loads().map(|load| load.span.offset).min().unwrap_or_default();
    let end = loads().map(|load| load.span.end()).max().unwrap_or_default();
    let span = Span { offset, length: Bytes::new(end.saturating_sub(offset.get())) };
    let unit = loads().map(Workload::block_unit).reduce(common_divisor).unwrap_or(BLOCK.get());
    let fits = |block: &u64| {
        block.is_multiple_of(unit) && span.length.get().is_multiple_of(*block) && offset.get().is_multiple_of(*block)
    };
    let halved = std::iter::successors(Some(BLOCK.get()), |block| (*block > unit).then_some(block / 2));
    let block = halved.into_iter().find(fits).unwrap_or(unit);
    let bytes = |bytes: Bytes| Value::from(format!("{} B", bytes.get()));
    let part = [("offset".to_owned(), bytes(span.offset)), ("length".to_owned(), bytes(span.length))];
    Defaults {
        block: Bytes::new(block).to_string(),
        pattern: "sequential",
        queue_depth: QUEUE_DEPTH,
        span: Some(Value::Table(part.into_iter().collect::<Table>())),
        one_pass: true,
        direct: (!workload.direct).then_some(false),
        numa: None,
    }
}
