//! `drivelab completions`: a script for the shell, which then asks drivelab what a word can be. Only drivelab knows the
//! methodologies, runs, tags and drives that are here.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Arg, Command, CommandFactory};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{CompleteEnv, Shells};
use drivelab_core::exit::ExitCode;
use drivelab_device::probe::disks;
use drivelab_lab::{Failure, Loudness, Result, Voice};
use drivelab_method::library;
use drivelab_store::RunRow;

use crate::args::{Cli, Global};
use crate::commands::compare::published;
use crate::commands::results::list::{characters, end_of};
use crate::context::{Context, LAST, tool};
use crate::say;
use crate::settings::Settings;

/// What the script sets when it asks.
const VARIABLE: &str = "DRIVELAB_COMPLETE";

/// Prints the script of a shell.
///
/// # Errors
/// Only if stdout cannot be written.
pub fn script(shell: clap_complete::Shell) -> Result {
    let shells = Shells::builtins();
    let name = shell.to_string();
    let unknown = || Failure::usage(format!("there are no completions for {name}"));
    let completer = shells.completer(&name).ok_or_else(unknown)?;
    let mut script = Vec::new();
    completer
        .write_registration(VARIABLE, "drivelab", "drivelab", "drivelab", &mut script)
        .map_err(|error| Failure::usage(format!("the completions of {name} cannot be printed: {error}")))?;
    say::data(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::Ok)
}

/// Prints what the word at the cursor can be, if a shell asks for it; returns whether one did.
///
/// # Errors
/// The shell is unknown.
pub fn answer() -> std::result::Result<bool, clap::Error> {
    let folder = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(|| with_values(Cli::command())).var(VARIABLE).bin("drivelab");
    asked.try_complete(std::env::args_os(), folder.as_deref())
}

/// The definition of the command line, and what its words can be.
fn with_values(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let inner: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let command = inner.iter().fold(command, |command, one| command.mut_subcommand(one, with_values));
    command.mut_args(|argument| with_value(&name, argument))
}

fn with_value(command: &str, argument: Arg) -> Arg {
    match (command, argument.get_id().as_str()) {
        (_, "method") => argument.add(ArgValueCompleter::new(methods_and_files)),
        ("diff", "first" | "second") | ("new", "from") => argument.add(ArgValueCompleter::new(methods_and_files)),
        (_, "run" | "runs") | ("explain", "words") => argument.add(ArgValueCandidates::new(runs)),
        (_, "tag" | "tags") => argument.add(ArgValueCandidates::new(tags)),
        (_, "target" | "targets") => argument.add(ArgValueCompleter::new(targets)),
        ("compare", "sides" | "base") => argument.add(ArgValueCandidates::new(sides)),
        ("rank", "published") => argument.add(ArgValueCandidates::new(published_names)),
        (_, "drive") => argument.add(ArgValueCandidates::new(drives)),
        _ => argument,
    }
}

/// Settings and stored runs. Nothing is created, and nothing is said: a prompt is no place for warnings.
fn here() -> Option<(Context, Vec<RunRow>)> {
    let words: Vec<_> = std::env::args_os().collect();
    let flag = words.iter().position(|word| word == "--data").and_then(|at| words.get(at + 1));
    let data = flag.map(PathBuf::from);
    let mut settings = Settings::read(&Global { data, quiet: true, verbose: false, plain: false, color: None }).ok()?;
    settings.voice = Voice::new(Loudness::Quiet, false, |_| {});
    let context = Context { settings, began: SystemTime::now(), tool: tool() };
    let rows = if context.settings.data.value.is_dir() { context.catalog().ok()?.list().ok()? } else { Vec::new() };
    Some((context, rows))
}

fn rows() -> Vec<RunRow> {
    here().map(|(_, rows)| rows).unwrap_or_default()
}

fn candidate(value: impl Into<String>, help: &str) -> CompletionCandidate {
    let help = (!help.is_empty()).then(|| help.to_owned().into());
    CompletionCandidate::new(value.into()).help(help)
}

/// The ends of ids, as `results list` shows them.
fn runs() -> Vec<CompletionCandidate> {
    let rows = rows();
    let characters = characters(&rows.iter().map(|row| row.id).collect::<Vec<_>>());
    let newest = rows.first().map(|_| candidate(LAST, "the newest run"));
    let about = |row: &RunRow| {
        let day = row.started.get(..16).unwrap_or(&row.started).replace('T', " ");
        let drive = row.drive.as_deref().unwrap_or_else(|| row.place());
        format!("{day}  {} on {}", row.method, drive.trim())
    };
    newest.into_iter().chain(rows.iter().map(|row| candidate(end_of(row.id, characters), &about(row)))).collect()
}

fn tags() -> Vec<CompletionCandidate> {
    let mut tags: Vec<String> = rows().into_iter().flat_map(|row| row.label.tags).collect();
    tags.sort();
    tags.dedup();
    tags.into_iter().map(|tag| candidate(tag, "")).collect()
}

/// Serial numbers of drives with runs, each with its model.
fn drives() -> Vec<CompletionCandidate> {
    let known = |row: RunRow| Some((row.serial?, row.drive?));
    let mut drives: Vec<(String, String)> = rows().into_iter().filter_map(known).collect();
    drives.sort();
    drives.dedup();
    drives.into_iter().map(|(serial, model)| candidate(serial, model.trim())).collect()
}

fn published_names() -> Vec<CompletionCandidate> {
    let Some((context, _)) = here() else { return Vec::new() };
    let words = published::words(&context.settings.data.value).into_iter();
    words.map(|word| candidate(word, "published figures")).collect()
}

fn sides() -> Vec<CompletionCandidate> {
    let tags = tags().into_iter().map(|tag| tag.add_prefix("tag="));
    let drives = drives().into_iter();
    runs().into_iter().chain(drives).chain(tags).chain(published_names()).collect()
}

fn methods_and_files(word: &OsStr) -> Vec<CompletionCandidate> {
    let of_built_in = library::all().iter().map(|method| candidate(method.name, "built-in methodology"));
    with_files(word, of_built_in, &PathCompleter::file())
}

fn targets(word: &OsStr) -> Vec<CompletionCandidate> {
    let devices = disks().into_iter().map(|node| candidate(format!("/dev/{}", node.name), "block device"));
    with_files(word, devices, &PathCompleter::any())
}

/// Those of these values that begin with the word, and the files that do.
fn with_files(
    word: &OsStr,
    values: impl Iterator<Item = CompletionCandidate>,
    files: &PathCompleter,
) -> Vec<CompletionCandidate> {
    let begun = word.to_string_lossy();
    let mut fitting: Vec<_> =
        values.filter(|value| value.get_value().to_string_lossy().starts_with(begun.as_ref())).collect();
    fitting.extend(files.complete(word));
    fitting
}
