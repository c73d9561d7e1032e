//! Words that flags of several commands take: forms, backends, how events are printed.

use clap::ValueEnum;
use drivelab_core::plan::Form;
use drivelab_engine::BackendChoice;

/// Form on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    /// As published.
    Faithful,
    /// Shortened, same shape.
    Quick,
    /// A moment per step, for tests only: unusable for comparison.
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

/// Engine on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    /// io_uring where the kernel permits it, otherwise sync, said so.
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

/// How events are printed while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventsArg {
    /// One JSON object a line on stdout, nothing else there.
    Json,
}
