//! Errors of the command line that clap words in its own terms, in the words of whoever typed it.

use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ErrorKind};

use crate::args::Cli;

/// A message of our own, for the errors that have one.
#[must_use]
pub fn reworded(error: &clap::Error) -> Option<String> {
    negative(error).or_else(|| fios_flag(error)).or_else(|| no_number(error))
}

/// The error about a value below zero: clap takes it for an unknown flag and gives advice that does not help.
fn negative(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let value = error.get(ContextKind::InvalidArg)?.to_string();
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
    let source = std::error::Error::source(error)?;
    let (flag, value) = (error.get(ContextKind::InvalidArg)?.to_string(), error.get(ContextKind::InvalidValue)?);
    let below_zero = value.to_string().strip_prefix('-').is_some_and(|rest| rest.parse::<f64>().is_ok());
    let why = match (source.downcast_ref::<ParseIntError>(), source.downcast_ref::<ParseFloatError>()) {
        (Some(_), _) if below_zero => "the value must not be negative",
        (Some(integer), _) => match integer.kind() {
            IntErrorKind::PosOverflow => "the number is too large",
            IntErrorKind::Empty => "a number is missing",
            _ => "not a whole number",
        },
        (None, Some(_)) => "not a number",
        (None, None) => return None,
    };
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
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let unknown = error.get(ContextKind::InvalidArg)?.to_string();
    let flag = unknown.split_once('=').map_or(unknown.as_str(), |(flag, _)| flag);
    let (_, ours) = FIOS_FLAGS.iter().find(|(theirs, _)| *theirs == flag)?;
    Some(format!("{flag} is fio's flag; here it is {ours} (`drivelab io --help` has all of them)"))
}
