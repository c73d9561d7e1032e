//! `drivelab review` and `drivelab run`: a methodology on a target.

use std::path::{Path, PathBuf};

use drivelab_device::{BlockNode, Named};
use drivelab_method::{Diagnostics, Methodology};

use crate::args::{ConditionArgs, FormatArg, MeasureArgs, ReviewArgs, RunArgs};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::lab::around::Around;
use crate::lab::begin::{self, Order};
use crate::lab::execute::engine as lab_engine;
use crate::lab::missing::NewFile;
use crate::lab::outcome::Show;
use crate::lab::pages::format_of;
use crate::lab::place::Place;
use crate::lab::target::Words;
use crate::lab::{conditions, data_sheet, method, review, together, traces};

/// `drivelab review`: the methodology `quick`, or with `--time` what fits of `review`, and a page.
///
/// # Errors
/// Whatever keeps the run from being done.
pub fn review(context: &Context, arguments: &ReviewArgs) -> Result {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let name = if arguments.time.is_some() { "review" } else { "quick" };
    let methodology = method::find_set(name, arguments.measure.profile.as_deref(), &arguments.measure.set)?;
    let unnamed = arguments.time.map(|_| unnamed(&path, &arguments.measure)).transpose()?.flatten();
    let methodology = match arguments.time {
        Some(_) => methodology.within(arguments.time, unnamed.as_ref().map(|_| READ_ONLY.to_owned())),
        None => methodology,
    };
    let wrong = |errors: &Diagnostics| review::wrong(errors, unnamed.as_ref());
    let words = Words { wrong: &wrong, ..Words::OF_FILES };
    let places = (path.as_path(), None);
    measure(context, (&methodology, words), places, Some(&arguments.output), (&arguments.measure, None))
}

/// Why a review may write nothing.
const READ_ONLY: &str = "the device may not be written (--destroy would permit it)";

/// The block device that nobody released, where the target is one.
fn unnamed(path: &Path, arguments: &MeasureArgs) -> Result<Option<BlockNode>> {
    Ok(match Place::named(path, NewFile::by(arguments.new_file, true))? {
        Place::Named(Named::BlockDevice(node)) if arguments.destroy.is_empty() => Some(node),
        _ => None,
    })
}

/// `drivelab run`.
///
/// # Errors
/// Whatever keeps the run from being done.
pub fn run(context: &Context, arguments: &RunArgs) -> Result {
    match arguments.targets.as_slice() {
        [target] if arguments.together_only || arguments.each_only => Err(Failure::usage(format!(
            "--together-only and --each-only are for several targets, and {} is the only one",
            target.display()
        ))),
        [target] => {
            let RunArgs { method, output, measure, conditions, traces, source, .. } = arguments;
            let mut methodology = method::find_set(method, measure.profile.as_deref(), &measure.set)?;
            traces::inform(&mut methodology, &traces.traces, context.settings.voice)?;
            let places = (target.as_path(), source.as_deref());
            let asked = (measure, Some(conditions));
            self::measure(context, (&methodology, Words::OF_FILES), places, output.as_deref(), asked)
        }
        _ if arguments.source.is_some() => {
            Err(Failure::usage("--source is for one target: its files are copied to one drive at a time"))
        }
        _ => together::run(context, arguments),
    }
}

fn measure(
    context: &Context,
    (methodology, words): (&Methodology, Words<'_>),
    (path, source): (&Path, Option<&Path>),
    output: Option<&Path>,
    (arguments, asked): (&MeasureArgs, Option<&ConditionArgs>),
) -> Result {
    let engine = lab_engine(context, arguments.backend)?;
    let facts = data_sheet::named(context, arguments.facts.as_deref())?;
    if let Some(output) = output {
        fits_layout(format_of(output)?, methodology)?;
    }
    let order = Order {
        methodology,
        form: method::form(methodology, arguments.form),
        target: path,
        new_file: arguments.new_file,
        size: arguments.size,
        source,
        destroy: the_one_named(&arguments.destroy)?,
        planned: None,
        yes: arguments.yes,
        engine,
        telemetry: &arguments.telemetry,
        trace: None,
        page: output.map(|output| (output, arguments.redact)),
        save: true,
        sample: false,
        dry_run: arguments.dry_run,
        guess: arguments.assume_rate.unwrap_or_default(),
        print: &arguments.print,
        show: Show::Review,
        facts: facts.as_ref(),
        words,
        under: None,
        part: None,
    };
    let around = asked.and_then(|asked| Some((Around::of(methodology.conditions(order.form), asked)?, asked)));
    match &around {
        Some((around, asked)) => conditions::carry_out(context, &order, (around, asked, arguments.backend)),
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

/// CrystalDiskMark's layout is for its own methodology; said before the run, not after it.
fn fits_layout(format: FormatArg, methodology: &Methodology) -> Result<()> {
    let name = &methodology.identity().name;
    if format != FormatArg::Cdm || name == "crystaldiskmark" {
        return Ok(());
    }
    let why = drivelab_report::ReportError::NotCrystalDiskMark(name.clone());
    Err(Failure::usage(format!("{why}: name an output that ends in .html, .md, .csv or .json")))
}
