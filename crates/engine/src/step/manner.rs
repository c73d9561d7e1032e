//! How a step is run, as opposed to what it does: by which backend, and why.

use drivelab_core::record::IssueMode;
use drivelab_core::target::PlacementHandles;
use drivelab_core::units::Nanos;

use crate::uring::setup::Mode;

/// Which backend issues the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Uring(Mode),
    Sync,
}

impl Kind {
    /// Its value in the record.
    pub(crate) const fn mode(self) -> IssueMode {
        match self {
            Kind::Uring(Mode::Plain) => IssueMode::Ring,
            Kind::Uring(Mode::SubmissionPolled) => IssueMode::RingSubmissionPolled,
            Kind::Uring(Mode::CompletionPolled) => IssueMode::RingCompletionPolled,
            Kind::Sync => IssueMode::Threads,
        }
    }

    /// Its name for people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Uring(Mode::Plain) => "io_uring",
            Kind::Uring(Mode::SubmissionPolled) => "io_uring, submission polled (SQPOLL; not yet tried on hardware)",
            Kind::Uring(Mode::CompletionPolled) => "io_uring, completion polled (IOPOLL; not yet tried on hardware)",
            Kind::Sync => "sync",
        }
    }
}

/// How a step is run, as opposed to what it does.
#[derive(Debug)]
pub(crate) struct Manner<'a> {
    pub(crate) kind: Kind,
    pub(crate) reason: &'a str,
    /// If a ring cannot be made, the sync backend runs the step, and the record says so.
    pub(crate) may_fall_back: bool,
    /// This kind was chosen because another one was not available.
    pub(crate) fell_back: bool,
    /// Operations in flight for longer than this are listed.
    pub(crate) watchdog: Nanos,
    /// The handles by which writes can be placed, if known.
    pub(crate) placement: Option<&'a PlacementHandles>,
}
