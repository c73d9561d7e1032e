//! Words that the flags of several commands take: forms, backends, how events are printed.

use clap::ValueEnum;
use drivelab_core::plan::Form;
use drivelab_core::units::BytesPerSecond;
use drivelab_engine::BackendChoice;
use drivelab_method::SpeedGuess;

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
