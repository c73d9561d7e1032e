//! `drivelab completions`: a script that has the shell ask drivelab for the values of a word, because only drivelab
//! knows the stored runs, their tags and drives.

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
use drivelab_lab::{Failure, Result};
use drivelab_method::library;
use drivelab_store::{Catalog, RunRow};

use crate::args::{Cli, Global};
use crate::commands::compare::published;
use crate::context::{Context, LAST, tool};
use crate::front::run_ids::{characters, end_of};
use crate::say;
use crate::settings::Settings;

/// The environment variable that the script sets when it asks.
const VARIABLE: &str = "DRIVELAB_COMPLETE";

/// Bash ends words at `=` and `:`, which are inside words such as `tag=cold` and `published:NAME`. This joins them
/// before they are completed, and leaves out of the answers what stands before the part that bash replaces.
const WHOLE_WORDS: &str = r#"_drivelab() {
    local i word last glued= index=0
    local -a whole=()
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && [[ $2 || $word != [=:] ]] && word=$2
        last=$((${#whole[@]} - 1))
        if ((i > 1)) && [[ ( $glued || $word == [=:]* ) && $COMP_LINE == *"${whole[last]}$word"* ]]; then
            whole[last]+=$word
        else
            whole+=("$word")
        fi
        glued=
        [[ $word == *[=:] ]] && glued=1
        ((i == COMP_CWORD)) && index=$((${#whole[@]} - 1))
    done
    local COMP_CWORD=$index
    local -a COMP_WORDS=("${whole[@]}")
    local before=${whole[index]%"$2"}
    _clap_complete_drivelab "$1" "${whole[index]}" "$3"
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
"#;

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
    let script = String::from_utf8_lossy(&script);
    if shell != clap_complete::Shell::Bash {
        say::data(&script)?;
        return Ok(ExitCode::Ok);
    }
    // Without this option bash inserts a file name such as `a;b` unquoted.
    let script = script.replace("-o bashdefault", "-o bashdefault -o filenames");
    say::data(&format!("{WHOLE_WORDS}{}", script.replace("-F _clap_complete_drivelab", "-F _drivelab")))?;
    Ok(ExitCode::Ok)
}

/// Answers a completion request of a shell; returns whether there was one.
///
/// # Errors
/// The shell is unknown.
pub fn answer() -> std::result::Result<bool, clap::Error> {
    let folder = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(|| with_values(Cli::command())).var(VARIABLE).bin("drivelab");
    asked.try_complete(std::env::args_os(), folder.as_deref())
}

/// The definition of the command line with completions for its values.
fn with_values(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let inner: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let command = inner.iter().fold(command, |command, one| command.mut_subcommand(one, with_values));
    command.mut_args(|argument| with_value(&name, argument))
}

fn with_value(command: &str, argument: Arg) -> Arg {
    type Values = fn(&[RunRow]) -> Vec<CompletionCandidate>;
    let of_runs = |argument: Arg, values: Values| argument.add(ArgValueCandidates::new(move || values(&rows())));
    match (command, argument.get_id().as_str()) {
        // These take a methodology of stored runs, by its name.
        ("rank" | "compare" | "list", "method") => of_runs(argument, methods),
        (_, "method") => argument.add(ArgValueCompleter::new(methods_and_files)),
        ("diff", "first" | "second") | ("new", "from") => argument.add(ArgValueCompleter::new(methods_and_files)),
        ("remove", "run") => of_runs(argument, |rows| ids(rows, |_| true)),
        ("resume", "run") => of_runs(argument, |rows| ids(rows, |row| row.state == RunState::Interrupted && !row.live)),
        (_, "run" | "runs") | ("explain", "words") => of_runs(argument, runs),
        (_, "tag" | "tags") => of_runs(argument, tags),
        (_, "drive") => of_runs(argument, drives),
        (_, "target" | "targets") => argument.add(ArgValueCompleter::new(targets)),
        ("compare", "sides" | "base") | ("new", "against") => argument.add(ArgValueCandidates::new(sides)),
        ("rank", "published") => argument.add(ArgValueCandidates::new(published_names)),
        _ => argument,
    }
}

/// Settings and stored runs. Without a catalog there is no run, and none is created.
fn here() -> Option<(Context, Vec<RunRow>)> {
    let words: Vec<_> = std::env::args_os().collect();
    let behind = words.iter().position(|word| word == "--data").and_then(|at| words.get(at + 1));
    let joined = || words.iter().find_map(|word| word.to_str()?.strip_prefix("--data=").map(OsStr::new));
    let data = behind.map(OsString::as_os_str).or_else(joined).map(PathBuf::from);
    // Quiet: a warning would appear in the middle of the user's prompt.
    let settings = Settings::read(&Global { data, quiet: true, verbose: false, plain: false, color: None }).ok()?;
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

/// `last` and the ids of all runs.
fn runs(rows: &[RunRow]) -> Vec<CompletionCandidate> {
    let newest = rows.first().map(|_| candidate(LAST, "the newest run"));
    newest.into_iter().chain(ids(rows, |_| true)).collect()
}

/// The ends of the ids of these runs, as `results list` shows them.
fn ids(rows: &[RunRow], fits: fn(&RunRow) -> bool) -> Vec<CompletionCandidate> {
    let characters = characters(&rows.iter().map(|row| row.id).collect::<Vec<_>>());
    let about = |row: &RunRow| {
        let day = row.started.get(..16).unwrap_or(&row.started).replace('T', " ");
        let drive = row.drive.as_deref().unwrap_or_else(|| row.place());
        format!("{day}  {} on {}", row.method, drive.trim())
    };
    rows.iter().filter(|row| fits(row)).map(|row| candidate(end_of(row.id, characters), &about(row))).collect()
}

/// Candidates with their help, without duplicates.
fn distinct(mut words: Vec<(String, String)>) -> Vec<CompletionCandidate> {
    words.sort();
    words.dedup();
    words.into_iter().map(|(word, help)| candidate(word, help.trim())).collect()
}

fn methods(rows: &[RunRow]) -> Vec<CompletionCandidate> {
    distinct(rows.iter().map(|row| (row.method.clone(), String::new())).collect())
}

fn tags(rows: &[RunRow]) -> Vec<CompletionCandidate> {
    distinct(rows.iter().flat_map(|row| &row.label.tags).map(|tag| (tag.clone(), String::new())).collect())
}

/// Serial numbers of drives with runs, each with its model.
fn drives(rows: &[RunRow]) -> Vec<CompletionCandidate> {
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
    let tags = tags(&rows).into_iter().map(|tag| tag.add_prefix("tag="));
    runs(&rows).into_iter().chain(drives(&rows)).chain(tags).chain(published_of(&context)).collect()
}

fn methods_and_files(word: &OsStr) -> Vec<CompletionCandidate> {
    let of_built_in = library::all().iter().map(|method| candidate(method.name, "built-in methodology"));
    with_files(word, of_built_in, &PathCompleter::file())
}

fn targets(word: &OsStr) -> Vec<CompletionCandidate> {
    let devices = disks().into_iter().map(|node| candidate(format!("/dev/{}", node.name), "block device"));
    with_files(word, devices, &PathCompleter::any())
}

/// The values and the files that start with the word.
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
