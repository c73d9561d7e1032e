//! `drivelab review` and `drivelab run`: a methodology on a target.

use std::path::{Path, PathBuf};

use crate::args::{ConditionArgs, MeasureArgs, ReviewArgs, RunArgs};
use crate::context::Context;
use crate::fail::Result;
use crate::lab::begin::{self, Order};
use crate::lab::execute::engine as lab_engine;
use crate::lab::outcome::Show;
use crate::lab::{conditions, method, target};

/// `drivelab review`: the methodology `quick`, and a page.
///
/// # Errors
/// Whatever keeps the run from being done.
pub fn review(context: &Context, arguments: &ReviewArgs) -> Result {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    measure(context, "quick", &path, Some(&arguments.output), (&arguments.measure, None))
}

/// `drivelab run`.
///
/// # Errors
/// Whatever keeps the run from being done.
pub fn run(context: &Context, arguments: &RunArgs) -> Result {
    let RunArgs { method, target, output, measure, conditions } = arguments;
    self::measure(context, method, target, output.as_deref(), (measure, Some(conditions)))
}

fn measure(
    context: &Context,
    name: &str,
    path: &Path,
    output: Option<&Path>,
    (arguments, asked): (&MeasureArgs, Option<&ConditionArgs>),
) -> Result {
    let engine = lab_engine(context, arguments.backend)?;
    let methodology = method::find(name)?;
    let order = Order {
        methodology: &methodology,
        form: method::form(&methodology, arguments.form),
        target: path,
        size: arguments.size,
        destroy: arguments.destroy.as_deref(),
        yes: arguments.yes,
        engine,
        telemetry: &arguments.telemetry,
        trace: None,
        page: output.map(|output| (output, arguments.redact)),
        save: true,
        dry_run: arguments.dry_run,
        print: &arguments.print,
        show: Show::Review,
        words: target::Words::OF_FILES,
        under: None,
    };
    match asked.filter(|asked| asked.any()) {
        Some(asked) => {
            let engine = || lab_engine(context, arguments.backend);
            conditions::carry_out(context, &order, asked, &engine)
        }
        None => begin::carry_out(context, order),
    }
}
