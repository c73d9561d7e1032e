//! `drivelab review` and `drivelab run`: a methodology on a target.

use std::path::{Path, PathBuf};

use drivelab_core::label::Label;
use drivelab_device::BlockNode;
use drivelab_lab::output::pages::{PageFormat, format_of};
use drivelab_lab::plan::{data_sheet, traces};
use drivelab_lab::run::conditions::on_drive;
use drivelab_lab::run::conditions::series::Asked;
use drivelab_lab::run::together::Drives;
use drivelab_lab::run::wiring::engine;
use drivelab_lab::run::{begin, together};
use drivelab_lab::set_up::around::Around;
use drivelab_lab::target::missing::NewFile;
use drivelab_lab::target::naming::place_named;
use drivelab_lab::{Failure, Order, Result, Show, Words};
use drivelab_method::{Diagnostics, Methodology};

use crate::args::{ConditionArgs, MeasureArgs, ReviewArgs, RunArgs};
use crate::context::Context;
use crate::front::method::WORDS_OF_FILES;
use crate::front::terminal::Terminal;
use crate::front::{method, review};

/// `drivelab review`: the methodology `quick`, or with `--time` the part of `review` that fits, and a page.
///
/// # Errors
/// Anything that prevents the run.
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
    let words = Words { wrong: &wrong, ..WORDS_OF_FILES };
    let places = (path.as_path(), None);
    measure(context, (&methodology, words), places, Some(&arguments.output), (&arguments.measure, None))
}

/// Why a review may not write.
const READ_ONLY: &str = "the device may not be written (--destroy would allow it)";

/// The block device, if the target is one and `--destroy` does not name it.
fn unnamed(path: &Path, arguments: &MeasureArgs) -> Result<Option<BlockNode>> {
    let place = place_named(path, NewFile::by(arguments.new_file, true))?;
    Ok(place.device().filter(|_| arguments.destroy.is_empty()).cloned())
}

/// `drivelab run`.
///
/// # Errors
/// Anything that prevents the run.
pub fn run(context: &Context, arguments: &RunArgs) -> Result {
    match arguments.targets.as_slice() {
        [target] if arguments.together_only || arguments.each_only => Err(Failure::usage(format!(
            "--together-only and --each-only are for several targets, and {} is the only target",
            target.display()
        ))),
        [target] => {
            let RunArgs { method, output, measure, conditions, traces, source, .. } = arguments;
            let mut methodology = method::find_set(method, measure.profile.as_deref(), &measure.set)?;
            traces::inform(&mut methodology, &traces.traces, &context.settings.voice)?;
            let places = (target.as_path(), source.as_deref());
            let asked = (measure, Some(conditions));
            self::measure(context, (&methodology, WORDS_OF_FILES), places, output.as_deref(), asked)
        }
        _ if arguments.source.is_some() => {
            Err(Failure::usage("--source is for one target: its files are copied to one drive at a time"))
        }
        _ => several(context, arguments),
    }
}

/// Several targets: each alone, then all of them concurrently.
fn several(context: &Context, arguments: &RunArgs) -> Result {
    let RunArgs { method, targets, output, measure, conditions, traces, .. } = arguments;
    together::refuse(targets, measure.new_file, &measure.destroy)?;
    if measure.print.events.is_some() {
        return Err(Failure::usage(
            "--events is for one target: lines of several runs could not be distinguished. `drivelab replay RUN --events \
             json` prints those of each run afterwards",
        ));
    }
    if conditions.asked().any() {
        return Err(Failure::usage(
            "conditions (--partition, --file-system, --arm, --data-state, --power-state) are set up for one target; leave \
             them out, or measure each drive separately",
        ));
    }
    let terminal = Terminal::new(context, &measure.print);
    let lab = context.lab(&terminal);
    let mut methodology = method::find_set(method, measure.profile.as_deref(), &measure.set)?;
    traces::inform(&mut methodology, &traces.traces, lab.voice)?;
    let form = method::form(&methodology, measure.form)?;
    method::has_figures(&methodology, form, &measure.print.fail_if)?;
    let telemetry = measure.telemetry.asked();
    let label = Label::from(&measure.label);
    let drives = Drives {
        methodology: &methodology,
        form,
        targets,
        each_only: arguments.each_only,
        together_only: arguments.together_only,
        destroy: &measure.destroy,
        new_file: measure.new_file,
        size: measure.size,
        yes: measure.yes,
        dry_run: measure.dry_run,
        guess: measure.assume_rate.unwrap_or_default(),
        backend: measure.backend.map(Into::into),
        telemetry: &telemetry,
        facts: measure.facts.as_deref(),
        page: output.as_deref().map(|output| (output, measure.redact)),
        label: &label,
        words: WORDS_OF_FILES,
    };
    together::run(&lab, &drives)
}

fn measure(
    context: &Context,
    (methodology, words): (&Methodology, Words<'_>),
    (path, source): (&Path, Option<&Path>),
    output: Option<&Path>,
    (arguments, asked): (&MeasureArgs, Option<&ConditionArgs>),
) -> Result {
    let terminal = Terminal::new(context, &arguments.print);
    let lab = context.lab(&terminal);
    let backend = arguments.backend.map(Into::into);
    let engine = engine(&lab, backend)?;
    let facts = data_sheet::named(&lab, arguments.facts.as_deref())?;
    if let Some(output) = output {
        fits_layout(format_of(output)?, methodology)?;
    }
    let form = method::form(methodology, arguments.form)?;
    method::has_figures(methodology, form, &arguments.print.fail_if)?;
    let telemetry = arguments.telemetry.asked();
    let label = Label::from(&arguments.label);
    let order = Order {
        methodology,
        form,
        target: path,
        new_file: arguments.new_file,
        size: arguments.size,
        source,
        destroy: the_one_named(&arguments.destroy)?,
        planned: None,
        yes: arguments.yes,
        engine,
        telemetry: &telemetry,
        trace: None,
        page: output.map(|output| (output, arguments.redact)),
        label: &label,
        save: true,
        sample: false,
        dry_run: arguments.dry_run,
        guess: arguments.assume_rate.unwrap_or_default(),
        show: Show::Review,
        facts: facts.as_ref(),
        words,
        under: None,
        part: None,
    };
    let asked = asked.map(ConditionArgs::asked);
    let around = asked.as_ref().and_then(|asked| Some((Around::of(methodology.conditions(order.form), asked)?, asked)));
    match &around {
        Some((around, asked)) => on_drive::carry_out(&lab, &order, Asked { around, flags: asked, backend }),
        None => begin::carry_out(&lab, order),
    }
}

/// What `--destroy` names, for a single target.
fn the_one_named(destroy: &[PathBuf]) -> Result<Option<&Path>> {
    match destroy {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [first, second, ..] => Err(Failure::usage(format!(
            "--destroy is given twice ({} and {}), and there is only one target; name it once",
            first.display(),
            second.display()
        ))),
    }
}

/// CrystalDiskMark's layout is only for its own methodology; this is reported before the run, not after it.
fn fits_layout(format: PageFormat, methodology: &Methodology) -> Result<()> {
    let name = &methodology.identity().name;
    if format != PageFormat::Cdm || name == "crystaldiskmark" {
        return Ok(());
    }
    let why = drivelab_report::ReportError::NotCrystalDiskMark(name.clone());
    Err(Failure::usage(format!("{why}: name an output that ends in .html, .md, .csv or .json")))
}
