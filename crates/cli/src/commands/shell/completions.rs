//! `drivelab completions`: a script for the shell, which then asks drivelab what a word can be. Only drivelab knows the
//! methodologies, runs, tags and drives that are here.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Arg, Command, CommandFactory};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{CompleteEnv, Shells};
use drivelab_core::event::RunState;
use drivelab_core::exit::ExitCode;
use drivelab_device::probe::disks;
use drivelab_lab::{Failure, Loudness, Result, Voice};
use drivelab_method::library;
use drivelab_store::{Catalog, RunRow};

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
    // bash then quotes what it inserts: a file may have any name.
    say::data(&String::from_utf8_lossy(&script).replace("-o bashdefault", "-o bashdefault -o filenames"))?;
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
        // Only methodologies that stored runs have, by their names.
        ("rank" | "compare" | "list", "method") => argument.add(ArgValueCandidates::new(methods)),
        (_, "method") => argument.add(ArgValueCompleter::new(methods_and_files)),
        ("remove", "run") => argument.add(ArgValueCandidates::new(ids)),
        ("resume", "run") => argument.add(ArgValueCandidates::new(interrupted)),
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

/// Settings and stored runs. Nothing is said: a prompt is no place for warnings. Without a catalog there is no run, and
/// none is made.
fn here() -> Option<(Context, Vec<RunRow>)> {
    let words: Vec<_> = std::env::args_os().collect();
    let behind = words.iter().position(|word| word == "--data").and_then(|at| words.get(at + 1));
    let joined = || words.iter().find_map(|word| word.to_str()?.strip_prefix("--data=").map(OsStr::new));
    let data = behind.map(OsString::as_os_str).or_else(joined).map(PathBuf::from);
    let mut settings = Settings::read(&Global { data, quiet: true, verbose: false, plain: false, color: None }).ok()?;
    settings.voice = Voice::new(Loudness::Quiet, false, |_| {});
    let context = Context { settings, began: SystemTime::now(), tool: tool() };
    let has_runs = Catalog::exists(&context.settings.data.value);
    let rows = if has_runs { context.catalog().ok()?.list().ok()? } else { Vec::new() };
    Some((context, rows))
}

fn rows() -> Vec<RunRow> {
    here().map(|(_, rows)| rows).unwrap_or_default()
}

fn candidate(value: impl Into<String>, help: &str) -> CompletionCandidate {
    let help = (!help.is_empty()).then(|| help.to_owned().into());
    CompletionCandidate::new(value.into()).help(help)
}

fn runs() -> Vec<CompletionCandidate> {
    runs_of(&rows())
}

fn runs_of(rows: &[RunRow]) -> Vec<CompletionCandidate> {
    let newest = rows.first().map(|_| candidate(LAST, "the newest run"));
    newest.into_iter().chain(ids_of(rows)).collect()
}

fn ids() -> Vec<CompletionCandidate> {
    ids_of(&rows())
}

/// Those that can be resumed.
fn interrupted() -> Vec<CompletionCandidate> {
    let mut rows = rows();
    let all = ids_of(&rows);
    let kept = rows.drain(..).map(|row| row.state == RunState::Interrupted && !row.live);
    all.into_iter().zip(kept).filter_map(|(one, kept)| kept.then_some(one)).collect()
}

/// The ends of ids, as `results list` shows them.
fn ids_of(rows: &[RunRow]) -> Vec<CompletionCandidate> {
    let characters = characters(&rows.iter().map(|row| row.id).collect::<Vec<_>>());
    let about = |row: &RunRow| {
        let day = row.started.get(..16).unwrap_or(&row.started).replace('T', " ");
        let drive = row.drive.as_deref().unwrap_or_else(|| row.place());
        format!("{day}  {} on {}", row.method, drive.trim())
    };
    rows.iter().map(|row| candidate(end_of(row.id, characters), &about(row))).collect()
}

/// Each of these once.
fn distinct(mut words: Vec<(String, String)>) -> Vec<CompletionCandidate> {
    words.sort();
    words.dedup();
    words.into_iter().map(|(word, help)| candidate(word, help.trim())).collect()
}

fn methods() -> Vec<CompletionCandidate> {
    distinct(rows().into_iter().map(|row| (row.method, String::new())).collect())
}

fn tags() -> Vec<CompletionCandidate> {
    tags_of(&rows())
}

fn tags_of(rows: &[RunRow]) -> Vec<CompletionCandidate> {
    distinct(rows.iter().flat_map(|row| &row.label.tags).map(|tag| (tag.clone(), String::new())).collect())
}

fn drives() -> Vec<CompletionCandidate> {
    drives_of(&rows())
}

/// Serial numbers of drives with runs, each with its model.
fn drives_of(rows: &[RunRow]) -> Vec<CompletionCandidate> {
    distinct(rows.iter().filter_map(|row| Some((row.serial.clone()?, row.drive.clone()?))).collect())
}

fn published_names() -> Vec<CompletionCandidate> {
    here().map(|(context, _)| published_of(&context)).unwrap_or_default()
}

fn published_of(context: &Context) -> Vec<CompletionCandidate> {
    let words = published::words(&context.settings.data.value).into_iter();
    words.map(|word| candidate(word, "published figures")).collect()
}

fn sides() -> Vec<CompletionCandidate> {
    let Some((context, rows)) = here() else { return Vec::new() };
    let tags = tags_of(&rows).into_iter().map(|tag| tag.add_prefix("tag="));
    let words = runs_of(&rows).into_iter().chain(drives_of(&rows)).chain(tags);
    words.chain(published_of(&context)).collect()
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
