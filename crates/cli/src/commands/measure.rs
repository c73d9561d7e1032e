//! `drivelab review` and `drivelab run`: a methodology on a target.

use std::path::{Path, PathBuf};

use crate::args::{ConditionArgs, MeasureArgs, ReviewArgs, RunArgs};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::lab::begin::{self, Order};
use crate::lab::execute::engine as lab_engine;
use crate::lab::outcome::Show;
use crate::lab::{conditions, method, target, together};

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
    match arguments.targets.as_slice() {
        [target] if arguments.together_only => Err(Failure::usage(format!(
            "--together-only is for several targets, and {} is the only one",
            target.display()
        ))),
        [target] => {
            let RunArgs { method, output, measure, conditions, .. } = arguments;
            self::measure(context, method, target, output.as_deref(), (measure, Some(conditions)))
        }
        _ => together::run(context, arguments),
    }
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
        destroy: the_one_named(&arguments.destroy)?,
        planned: None,
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
        part: None,
    };
    match asked.filter(|asked| asked.any()) {
        Some(asked) => {
            let backend = conditions::backend(context, asked, arguments.backend);
            let engine = || lab_engine(context, backend);
            conditions::carry_out(context, &order, asked, &engine)
        }
        None => begin::carry_out(context, order),
    }
}

/// What `--destroy` names, where there is one target.
fn the_one_named(destroy: &[PathBuf]) -> Result<Option<&Path>> {
    match destroy {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [first, second, ..] => Err(Failure::usage(format!(
            "--destroy is given twice ({} and {}), and there is one target; name it once",
            first.display(),
            second.display()
        ))),
    }
}
