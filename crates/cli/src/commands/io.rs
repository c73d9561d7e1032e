//! `drivelab io`: one load without a methodology of one's own.
//!
//! The flags become a methodology of one test, which goes the way of every other: the language's checker and
//! expansion, the guard, the session, the recorder. `--print-method` shows it.

mod load;
mod values;
mod wrong;

use std::path::Path;

use drivelab_core::exit::ExitCode;
use drivelab_core::plan::Form;
use drivelab_method::Diagnostics;

use crate::args::IoArgs;
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::lab::begin::{self, Order};
use crate::lab::execute::engine;
use crate::lab::outcome::Show;
use crate::lab::target::{self, Words};
use crate::say;
use load::{Ground, Written};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the load from being issued.
pub fn io(context: &Context, arguments: &IoArgs) -> Result {
    let ground = if target::is_new(&arguments.target)? { Ground::Fresh } else { Ground::Existing };
    let written = load::written(arguments, ground, numa(arguments.depth.numa)?)?;
    let methodology = written.methodology()?;
    if arguments.output.print_method {
        say::data(&printed(&written))?;
        return Ok(ExitCode::Ok);
    }
    if ground == Ground::Fresh && !written.fills {
        context.settings.voice.say(
            "the scratch file is new and is not written first: the first write of a block also makes the file system find \
             room for it; --fill writes it from end to end before",
        );
    }
    let wrong = |errors: &Diagnostics| wrong::flags(&written, errors);
    let order = Order {
        methodology: &methodology,
        form: Form::Faithful,
        target: &arguments.target,
        size: written.size,
        destroy: arguments.safety.destroy.as_deref(),
        backend: engine(context, arguments.engine.backend)?,
        page: None,
        save: !arguments.output.no_save,
        dry_run: arguments.safety.dry_run,
        print: &arguments.output.print,
        show: Show::Load,
        words: Words { wrong: &wrong, buffered: "--direct off" },
    };
    begin::carry_out(context, &order)
}

/// The CPUs of a NUMA node.
fn numa(node: Option<u32>) -> Result<Option<Vec<u32>>> {
    let Some(node) = node else { return Ok(None) };
    let path = format!("/sys/devices/system/node/node{node}/cpulist");
    let no_node = || {
        Failure::usage(format!(
            "--numa {node}: there is no such node on this host; `ls /sys/devices/system/node` names them"
        ))
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
    let word: String = word.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
