//! The `drivelab` program: arguments, settings, terminals, signals and exit codes. Nothing depends on it.
#![forbid(unsafe_code)]

pub mod args;
pub mod commands;
pub mod context;
pub mod front;
pub mod say;
pub mod screens;
pub mod settings;

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
    if let Some(message) = front::mistyped::reworded(error) {
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
