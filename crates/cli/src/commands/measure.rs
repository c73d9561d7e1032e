//! `drivelab review` and `drivelab run`: a methodology on a target.

use std::path::{Path, PathBuf};

use crate::args::{MeasureArgs, ReviewArgs, RunArgs};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::lab::begin::{self, Order};
use crate::lab::execute::engine;
use crate::lab::outcome::Show;
use crate::lab::{method, target, together};

/// `drivelab review`: the methodology `quick`, and a page.
///
/// # Errors
/// Whatever keeps the run from being done.
pub fn review(context: &Context, arguments: &ReviewArgs) -> Result {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    measure(context, "quick", &path, Some(&arguments.output), &arguments.measure)
}

/// `drivelab run`.
///
/// # Errors
/// Whatever keeps the run from being done.
pub fn run(context: &Context, arguments: &RunArgs) -> Result {
    match arguments.targets.as_slice() {
        [target] if arguments.together_only => Err(Failure::usage(format!(
            "--together-only is for several targets, and {} is the only one",
            target.display()
        ))),
        [target] => measure(context, &arguments.method, target, arguments.output.as_deref(), &arguments.measure),
        _ => together::run(context, arguments),
    }
}

fn measure(context: &Context, name: &str, path: &Path, output: Option<&Path>, arguments: &MeasureArgs) -> Result {
    let engine = engine(context, arguments.backend)?;
    let methodology = method::find(name)?;
    let order = Order {
        methodology: &methodology,
        form: method::form(&methodology, arguments.form),
        target: path,
        size: arguments.size,
        destroy: arguments.destroy.as_deref(),
        engine,
        trace: None,
        page: output.map(|output| (output, arguments.redact)),
        save: true,
        dry_run: arguments.dry_run,
        print: &arguments.print,
        show: Show::Review,
        words: target::Words::OF_FILES,
        part: None,
    };
    begin::carry_out(context, order)
}
