//! Words that the flags of several commands take: forms, backends, how events are printed, stated conditions.

use clap::ValueEnum;
use drivelab_core::plan::Form;
use drivelab_core::units::BytesPerSecond;
use drivelab_engine::BackendChoice;
use drivelab_method::SpeedGuess;

/// Most characters of the name of a condition.
const LONGEST_NAME: usize = 40;
/// Most characters of its text.
const LONGEST_TEXT: usize = 200;
/// Most characters of a title.
const LONGEST_TITLE: usize = 120;

/// Form on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    /// As published.
    Faithful,
    /// Shortened, with the same tests.
    Quick,
    /// A moment for each step, to try things out; the figures mean nothing.
    Smoke,
}

impl From<FormArg> for Form {
    fn from(form: FormArg) -> Self {
        match form {
            FormArg::Faithful => Form::Faithful,
            FormArg::Quick => Form::Quick,
            FormArg::Smoke => Form::Smoke,
        }
    }
}

/// The rate that an estimate assumes.
///
/// # Errors
/// The text is not a rate, or the rate is zero.
pub(super) fn assumed_rate(text: &str) -> Result<SpeedGuess, String> {
    let rate = text.parse::<BytesPerSecond>().map_err(|error| error.to_string())?;
    if rate.get() < 1.0 {
        return Err("expected a rate above zero, such as 500MB/s".to_owned());
    }
    Ok(SpeedGuess::of_rate(rate))
}

/// Engine on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    /// io_uring if the kernel allows it, otherwise sync.
    Auto,
    /// io_uring.
    Uring,
    /// Threads with pread and pwrite.
    Sync,
    /// io_uring with a kernel thread that submits; not yet tried on hardware.
    UringSqpoll,
    /// io_uring that polls for completions (needs a driver with poll queues); not yet tried on hardware.
    UringPolled,
}

impl From<BackendArg> for BackendChoice {
    fn from(backend: BackendArg) -> Self {
        match backend {
            BackendArg::Auto => BackendChoice::Auto,
            BackendArg::Uring => BackendChoice::Uring,
            BackendArg::Sync => BackendChoice::Sync,
            BackendArg::UringSqpoll => BackendChoice::UringSqpoll,
            BackendArg::UringPolled => BackendChoice::UringPolled,
        }
    }
}

/// How events are printed during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventsArg {
    /// One JSON object per line on stdout.
    Json,
}

/// A condition that the user states, such as `cooling=heatsink`; the text may be empty, which removes it.
///
/// # Errors
/// No name, or one that is too long.
pub(super) fn condition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = one_line(name);
    let good = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    if !text.contains('=') || name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(good) {
        return Err(format!(
            "expected NAME=TEXT, such as cooling=heatsink; a name has 1 to {LONGEST_NAME} letters, digits, spaces, '-' or '_'"
        ));
    }
    Ok((name, at_most(value, LONGEST_TEXT)?))
}

/// A title.
///
/// # Errors
/// It is too long.
pub(super) fn title(text: &str) -> Result<String, String> {
    at_most(text, LONGEST_TITLE)
}

/// A text in one line of at most this many characters.
fn at_most(text: &str, most: usize) -> Result<String, String> {
    let text = one_line(text);
    let length = text.chars().count();
    if length > most { Err(format!("it has {length} characters; at most {most} are allowed")) } else { Ok(text) }
}

/// The same, with a text that is not empty.
///
/// # Errors
/// As for [`condition`]; also no text.
pub(super) fn stated(text: &str) -> Result<(String, String), String> {
    let (name, value) = condition(text)?;
    if value.is_empty() {
        return Err(format!("'{name}=' has no text; expected NAME=TEXT, such as cooling=heatsink"));
    }
    Ok((name, value))
}

/// A text in one line, without control characters.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}
