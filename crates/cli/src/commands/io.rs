//! `drivelab io`: one load without a methodology of one's own.
//!
//! The flags become a methodology of one test, which goes the way of every other: the language's checker and
//! expansion, the guard, the session, the recorder. `--print-method` shows it.

mod flags;
mod load;
mod recorded;
mod values;
mod wrong;

use std::path::Path;

use drivelab_core::exit::ExitCode;
use drivelab_core::label;
use drivelab_core::plan::Form;
use drivelab_core::units::Nanos;
use drivelab_lab::plan::traces;
use drivelab_lab::run::begin;
use drivelab_lab::run::wiring::engine;
use drivelab_lab::target::missing::NewFile;
use drivelab_lab::target::naming::place_named;
use drivelab_lab::target::place::Place;
use drivelab_lab::{Failure, Order, Result, Show, Words};
use drivelab_method::Diagnostics;

use crate::args::{IoArgs, data_kinds};
use crate::context::Context;
use crate::front::method;
use crate::front::terminal::Terminal;
use crate::say;
use flags::Defaults;
use load::{Ground, Written};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the load from being issued.
pub fn io(context: &Context, arguments: &IoArgs) -> Result {
    no_kind_for_the_folder(context)?;
    let new_file = arguments.safety.new_file;
    let place = place_named(&arguments.target, NewFile::by(new_file, true))?;
    can_verify(&*place, arguments)?;
    let recorded = recorded::of(context, arguments)?;
    let (earlier, mut defaults) = recorded.map_or((None, Defaults::default()), |r| (Some(r.written), r.defaults));
    defaults.numa = numa(arguments.beside.numa)?;
    if !place.direct_by_default() {
        defaults.direct = Some(false);
    }
    let ground = ground(&*place)?;
    if earlier.is_some() && ground == Ground::Fresh {
        let target = arguments.target.display();
        return Err(Failure::usage(format!(
            "--op verify: {target} would be a new scratch file, which holds nothing; name the file or device that was written"
        )));
    }
    let written = load::written(arguments, &ground, &defaults)?;
    let mut methodology = wrong::methodology(&written)?;
    if arguments.output.print_method {
        say::data(&printed(&written))?;
        return Ok(ExitCode::Ok);
    }
    traces::inform(&mut methodology, &[], &context.settings.voice)?;
    let terminal = Terminal::new(context, &arguments.output.print);
    let lab = context.lab(&terminal);
    let mut engine = engine(&lab, arguments.engine.backend.map(Into::into))?;
    if let Some(time) = &arguments.engine.watchdog {
        let wrong = |error| Failure::usage(format!("--watchdog {time}: {error}"));
        engine.watchdog = time.parse::<Nanos>().map_err(wrong)?;
    }
    engine.written = earlier;
    if written.new_and_unfilled {
        context.settings.voice.say(
            "Not filled first (--fill does that): the first write of a block includes the time in which the file system \
             allocates it",
        );
    }
    let wrong = |errors: &Diagnostics| wrong::flags(&written, errors);
    method::has_figures(&methodology, Form::Faithful, &arguments.output.print.fail_if)?;
    let telemetry = arguments.telemetry.asked();
    let order = Order {
        methodology: &methodology,
        form: Form::Faithful,
        target: &arguments.target,
        new_file,
        source: None,
        size: written.size,
        destroy: arguments.safety.destroy.as_deref(),
        planned: None,
        yes: arguments.safety.yes,
        engine,
        telemetry: &telemetry,
        trace: arguments.output.trace.as_deref(),
        page: None,
        label: &label::NONE,
        save: !arguments.output.no_save,
        sample: false,
        dry_run: arguments.safety.dry_run,
        guess: arguments.safety.assume_rate.unwrap_or_default(),
        show: Show::Load,
        facts: None,
        words: Words { wrong: &wrong, buffered: "--direct off" },
        under: None,
        part: None,
    };
    begin::carry_out(&lab, order)
}

/// `--data zero` would make a folder called zero for the results: that is not what anybody means.
fn no_kind_for_the_folder(context: &Context) -> Result<()> {
    let data = &context.settings.data;
    let word = data.value.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if data.source != "flag --data" || !data_kinds().iter().any(|kind| kind == word) || data.value.exists() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--data {word}: --data names the folder for results, as for every command. To choose what is written, use \
         --data-kind {word}"
    )))
}

/// What stores nothing holds nothing that could be checked.
fn can_verify(place: &dyn Place, arguments: &IoArgs) -> Result<()> {
    let flag = match (arguments.load.typed("op"), arguments.load.typed("verify")) {
        (Some("verify"), _) => "--op verify",
        (_, Some("at-once")) => "--verify at-once",
        _ => return Ok(()),
    };
    if place.direct_by_default() {
        return Ok(());
    }
    let target = place.path().display();
    Err(Failure::usage(format!(
        "{flag}: {target} stores nothing, so nothing that was written can be read there; name a folder, a file or a block \
         device"
    )))
}

/// What the load meets there.
fn ground(place: &dyn Place) -> Result<Ground> {
    if place.makes_scratch()? {
        return Ok(Ground::Fresh);
    }
    Ok(match place.length()? {
        None => Ground::Nothing,
        Some(_) if place.device().is_some() => Ground::Device,
        Some(length) => Ground::File { length },
    })
}

/// The CPUs of a NUMA node.
fn numa(node: Option<u32>) -> Result<Option<Vec<u32>>> {
    let Some(node) = node else { return Ok(None) };
    let path = format!("/sys/devices/system/node/node{node}/cpulist");
    let no_node = || {
        Failure::new(
            ExitCode::HostNotFit,
            format!("--numa {node}: there is no such node on this host; `ls /sys/devices/system/node` names them"),
        )
    };
    let list = std::fs::read_to_string(Path::new(&path)).map_err(|_| no_node())?;
    let cpus = values::cpu_numbers(list.trim()).map_err(|_| no_node())?;
    Ok(Some(cpus))
}

/// The methodology with a first line that says where it is from.
fn printed(written: &Written) -> String {
    let words = std::env::args().skip(1).filter(|word| word != "--print-method");
    let words: Vec<String> = words.map(|word| quoted(&word)).collect();
    format!("# drivelab {}\n# Run it with: drivelab run FILE TARGET\n{}", words.join(" "), written.text)
}

/// A word as a shell would need it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    let word: String = say::plain(word);
    if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests;
