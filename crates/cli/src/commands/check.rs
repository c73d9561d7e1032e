//! `drivelab check`: answers a buyer's questions about a drive from its logs and a minute of reading.
//!
//! Owns which device or file is read for what the user named. The reading is the methodology `check`, which runs like
//! any other; `analysis::buyer` gives the answers, and `front::checked` shows them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::exit::ExitCode;
use drivelab_core::label;
use drivelab_core::probe::NotKnown;
use drivelab_core::units::Bytes;
use drivelab_device::probe::{Depth, find, probe};
use drivelab_device::{
    BlockNode, DeviceError, Named, Roots, classify, devices_below, forbidden_to_root, identity_of, open_device_to_read,
};
use drivelab_lab::run::begin;
use drivelab_lab::run::wiring::engine;
use drivelab_lab::target::{largest, unmounted};
use drivelab_lab::{Failure, Order, Result, Show};
use drivelab_method::{Methodology, SpeedGuess};
use drivelab_report::format;

use crate::args::{CheckArgs, PrintArgs};
use crate::context::Context;
use crate::front::method::WORDS_OF_FILES;
use crate::front::terminal::Terminal;
use crate::front::{checked, method};

/// What is checked.
enum Chosen {
    /// This device or file is read.
    Read(PathBuf),
    /// Only the logs of this device are read; the reason why no data are read.
    Ask(BlockNode, NotKnown),
}

/// Runs the command.
///
/// # Errors
/// The target does not exist or is empty; also anything that prevents a run.
pub fn check(context: &Context, arguments: &CheckArgs) -> Result {
    let methodology = method::find_set("check", None, &arguments.set)?;
    let print = PrintArgs { events: None, json: arguments.json, fail_if: Vec::new() };
    unmounted::warn(&arguments.target, &context.settings.voice);
    match choose(context, arguments)? {
        Chosen::Read(path) => {
            large_enough(&path, &methodology).and_then(|()| run(context, arguments, (&methodology, &print), &path))
        }
        Chosen::Ask(node, why) => {
            let terminal = Terminal::new(context, &print);
            let asked = (&probe(&node, Depth::Full), &why);
            let code = checked::without_reading(context, &context.lab(&terminal), &print, asked)?;
            no_page(arguments).map(|()| code)
        }
    }
}

/// Refuses a target that is smaller than the amount to be read; no flag can change its size.
fn large_enough(read: &Path, methodology: &Methodology) -> Result<()> {
    let length = match classify(read)? {
        Named::BlockDevice(node) => identity_of(&node).capacity,
        Named::ExistingFile(file) => Bytes::new(std::fs::metadata(file).map_or(u64::MAX, |facts| facts.len())),
        _ => return Ok(()),
    };
    let least = methodology.minimum_size(method::usual_form(methodology));
    if length >= least {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "{} holds {}, and a check needs at least {}: too little for any conclusion; name a drive or a larger file, \
             or read only the drive's logs with --no-read",
            read.display(),
            format::bytes(length),
            format::bytes(least)
        ),
    ))
}

fn run(
    context: &Context,
    arguments: &CheckArgs,
    (methodology, print): (&Methodology, &PrintArgs),
    read: &Path,
) -> Result {
    let terminal = Terminal::new(context, print);
    let lab = context.lab(&terminal);
    let telemetry = arguments.telemetry.asked();
    let order = Order {
        methodology,
        form: method::usual_form(methodology),
        target: read,
        new_file: false,
        size: None,
        source: None,
        destroy: None,
        planned: None,
        yes: false,
        engine: engine(&lab, arguments.backend.map(Into::into))?,
        telemetry: &telemetry,
        trace: None,
        page: arguments.output.as_deref().map(|output| (output, arguments.redact)),
        label: &label::NONE,
        save: !arguments.no_save,
        sample: true,
        dry_run: false,
        guess: SpeedGuess::default(),
        show: Show::Check,
        words: WORDS_OF_FILES,
        facts: None,
        under: None,
        part: None,
    };
    begin::carry_out(&lab, order)
}

/// What is read for what the user named: a file itself, for everything else the drive. If the drive may not be opened,
/// the largest file of a folder.
fn choose(context: &Context, arguments: &CheckArgs) -> Result<Chosen> {
    let named = arguments.target.as_path();
    let say = |line: &str| context.settings.voice.say(line);
    let folder = match named.exists().then(|| classify(named)).transpose()? {
        Some(Named::ExistingFile(file)) if !arguments.no_read => return Ok(Chosen::Read(file)),
        Some(Named::Folder(folder)) => Some(folder),
        _ => None,
    };
    let node = match folder.as_deref().map(below).transpose()?.flatten() {
        Some(node) => {
            say(&format!("{} lies on {}", named.display(), node.name));
            node
        }
        None => {
            let found = find(named)?;
            found.remark.iter().for_each(|remark| say(remark));
            found.node
        }
    };
    if arguments.no_read {
        let why = "nothing was read, because of --no-read".to_owned();
        return Ok(Chosen::Ask(node, unread(why, "Leave out --no-read.")));
    }
    let source = match open_device_to_read(&node) {
        Err(DeviceError::Unreadable { source, .. }) if source.kind() == ErrorKind::PermissionDenied => source,
        opened => return Ok(opened.map(|_| Chosen::Read(node.path.clone()))?),
    };
    let why = format!("this user may not read {} ({source})", node.path.display());
    let Some(file) = folder.as_deref().and_then(largest::file_below) else {
        let how = forbidden_to_root(&source).unwrap_or("Read it as root: `sudo drivelab check`.");
        return Ok(Chosen::Ask(node, unread(why, how)));
    };
    say(&format!("{why}: drivelab reads the largest readable file instead, {}", file.display()));
    Ok(Chosen::Read(file))
}

/// A page belongs to a run, so there is no page if nothing may be read.
fn no_page(arguments: &CheckArgs) -> Result<()> {
    let Some(output) = &arguments.output else { return Ok(()) };
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!("no page was written to {}: nothing could be read, so there is no run to report", output.display()),
    ))
}

/// States that nothing was read.
fn unread(why: String, how: &str) -> NotKnown {
    NotKnown { what: "what is stored on it".to_owned(), why, how: how.to_owned() }
}

/// The drive below a folder: the lowest device that has a model; for a loop device, the loop device itself.
fn below(folder: &Path) -> Result<Option<BlockNode>> {
    let devices = devices_below(&Named::Folder(folder.to_owned()))?;
    let first = devices.first();
    let drive = |device: &&BlockDeviceFacts| device.model.is_some();
    let lowest = devices.iter().rev().find(drive).filter(|_| first.is_some_and(|first| first.transport != "loop"));
    Ok(lowest.or(first).and_then(|device| BlockNode::by_name(&Roots::default(), &device.name)))
}
