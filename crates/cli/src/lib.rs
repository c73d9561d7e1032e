//! The `drivelab` program: arguments, settings, terminals, signals and exit codes. Nothing depends on it.
#![forbid(unsafe_code)]

pub mod args;
pub mod commands;
pub mod context;
pub mod front;
pub mod say;
pub mod screens;
pub mod settings;

use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::Parser;
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result};

use args::{Cli, Color, Command};
use context::{Context, tool};
use settings::Settings;

/// Runs the program and returns its exit code.
#[must_use]
pub fn main() -> u8 {
    // The handlers come first: a signal has the same meaning from here to the end.
    let done = front::signals::begin().and_then(|()| match commands::shell::completions::answer() {
        Ok(false) => parsed(),
        Ok(true) => Ok(ExitCode::Ok),
        Err(error) => not_parsed(&error),
    });
    let code = done.unwrap_or_else(|Failure { code, message, .. }| {
        let word = if code == ExitCode::Interrupted { "interrupted" } else { "error" };
        say::cut(&format!("{word}: {message}"));
        code
    });
    code as u8
}

fn parsed() -> Result {
    match Cli::try_parse() {
        Ok(cli) => command(&cli),
        Err(error) => not_parsed(&error),
    }
}

/// A command line that is wrong, or that asks for help or the version, which go to stdout.
fn not_parsed(error: &clap::Error) -> Result {
    if let Some(message) = negative(error).or_else(|| fios_flag(error)).or_else(|| no_number(error)) {
        return Err(Failure::usage(message));
    }
    if error.use_stderr() {
        // clap takes an unknown flag for a value that begins like one.
        let text = error.render().ansi().to_string();
        let mut lines: Vec<&str> =
            text.lines().filter(|line| !(line.contains("tip:") && line.contains(" to pass "))).collect();
        lines.dedup_by(|next, line| next.is_empty() && line.is_empty());
        say::cut(lines.join("\n").trim_end());
        return Ok(ExitCode::Usage);
    }
    say::printed(error.print().and_then(|()| std::io::Write::flush(&mut std::io::stdout())))?;
    Ok(ExitCode::Ok)
}

/// The error about a value below zero: clap takes it for an unknown flag and gives advice that does not help.
fn negative(error: &clap::Error) -> Option<String> {
    if error.kind() != clap::error::ErrorKind::UnknownArgument {
        return None;
    }
    let value = error.get(clap::error::ContextKind::InvalidArg)?.to_string();
    value.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?;
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    // clap names the word without what follows its first letter.
    let at = words.iter().position(|word| word.starts_with(&value))?;
    let flag = words.get(at.checked_sub(1)?).filter(|before| before.starts_with("--"));
    let value = &words[at];
    Some(match flag {
        Some(flag) => format!("{flag} {value}: the value must not be negative{}", expected(flag)),
        None => format!(
            "{value} is neither a flag nor a valid value: nothing here is below zero (a file of that \
                         name: ./{value})"
        ),
    })
}

/// The error about a word that is not a number, or one that is too large for its type, which clap reports in terms of
/// types.
fn no_number(error: &clap::Error) -> Option<String> {
    use clap::error::ContextKind;
    let source = std::error::Error::source(error)?;
    let why = match (source.downcast_ref::<ParseIntError>(), source.downcast_ref::<ParseFloatError>()) {
        (Some(integer), _) => match integer.kind() {
            IntErrorKind::PosOverflow => "the number is too large",
            IntErrorKind::Empty => "a number is missing",
            _ => "not a whole number",
        },
        (None, Some(_)) => "not a number",
        (None, None) => return None,
    };
    let (flag, value) = (error.get(ContextKind::InvalidArg)?.to_string(), error.get(ContextKind::InvalidValue)?);
    let flag = flag.split(' ').next().unwrap_or_default();
    Some(format!("{flag} {value}: {why}{}", expected(flag)))
}

/// What the help of the typed command states about a flag; empty if the command does not have it.
fn expected(flag: &str) -> String {
    let (mut command, mut path) = (<Cli as clap::CommandFactory>::command(), String::from("drivelab"));
    for word in std::env::args_os().skip(1).filter_map(|word| word.into_string().ok()) {
        let Some(inner) = command.find_subcommand(&word) else { continue };
        path = format!("{path} {word}");
        command = inner.clone();
    }
    let name = flag.trim_start_matches('-');
    let is_it = |argument: &&clap::Arg| {
        argument.get_long() == Some(name) || argument.get_all_aliases().is_some_and(|all| all.contains(&name))
    };
    let help = command.get_arguments().find(is_it).and_then(|argument| argument.get_help().map(ToString::to_string));
    help.map_or_else(String::new, |help| format!(". {flag}: {} (`{path} --help`)", help.trim_end_matches('.')))
}

/// fio's flags with their counterparts here, for people who are used to fio.
const FIOS_FLAGS: [(&str, &str); 16] = [
    ("--bs", "--block"),
    ("--blocksize", "--block"),
    ("--rw", "--op and --pattern"),
    ("--readwrite", "--op and --pattern"),
    ("--rwmixread", "--op mix=70"),
    ("--rwmixwrite", "--op mix=70"),
    ("--iodepth", "--qd"),
    ("--numjobs", "--threads"),
    ("--runtime", "--time"),
    ("--ramp_time", "--ramp"),
    ("--ioengine", "--backend"),
    ("--filename", "TARGET, the first word"),
    ("--rate_iops", "--rate"),
    ("--fsync", "--sync-every"),
    ("--time_based", "--time, which always applies"),
    ("--thinktime", "--think-time"),
];

/// The error about a flag of fio, for which clap would suggest any similarly spelt flag.
fn fios_flag(error: &clap::Error) -> Option<String> {
    if error.kind() != clap::error::ErrorKind::UnknownArgument {
        return None;
    }
    let unknown = error.get(clap::error::ContextKind::InvalidArg)?.to_string();
    let flag = unknown.split_once('=').map_or(unknown.as_str(), |(flag, _)| flag);
    let (_, ours) = FIOS_FLAGS.iter().find(|(theirs, _)| *theirs == flag)?;
    Some(format!("{flag} is fio's flag; here it is {ours} (`drivelab io --help` has all of them)"))
}

fn command(cli: &Cli) -> Result {
    let began = std::time::SystemTime::now();
    let settings = Settings::read(&cli.global)?;
    match settings.color.value {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    let context = Context { settings, began, tool: tool() };
    let done = run(&context, cli);
    context.give_to_caller();
    done
}

fn run(context: &Context, cli: &Cli) -> Result {
    match &cli.command {
        Command::Review(arguments) => commands::measure::review(context, arguments),
        Command::Run(arguments) => commands::measure::run(context, arguments),
        Command::Check(arguments) => commands::check::check(context, arguments),
        Command::Io(arguments) => commands::io::io(context, arguments),
        Command::Watch(arguments) => commands::watch::watch(context, arguments),
        Command::Doctor(arguments) => commands::doctor::doctor(context, arguments),
        Command::Targets(arguments) => commands::show::targets(context, arguments),
        Command::Show(arguments) => commands::show::show(context, arguments),
        Command::Wipe(arguments) => commands::wipe::wipe(context, arguments),
        Command::Methods { command } => commands::methods::methods(context, command),
        Command::Trace { command } => commands::trace::trace(command),
        Command::Drives(arguments) => commands::drives::drives(context, arguments),
        Command::Results { command } => commands::results::results(context, command),
        Command::Testbed { command } => commands::testbed::testbed(context, command.as_ref()),
        Command::Rank(arguments) => commands::compare::rank::rank(context, arguments),
        Command::Compare(arguments) => commands::compare::compare(context, arguments),
        Command::Report(arguments) => commands::publish::report::report(context, arguments),
        Command::Article { command } => commands::publish::article::article(context, command),
        Command::Resume(arguments) => commands::resume::resume(context, arguments),
        Command::Replay(arguments) => commands::replay::replay(context, arguments),
        Command::Explain(arguments) => commands::explain::explain(context, arguments),
        Command::Version { build, json } => commands::version::version(*build, *json),
        Command::Config { explain, json } => commands::config::config(&context.settings, *explain, *json),
        Command::Completions { shell } => commands::shell::completions::script(*shell),
        Command::Man { folder, dry_run } => commands::shell::man::man(folder, *dry_run),
    }
}
