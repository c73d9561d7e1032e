//! The engine as the session sees it: a backend on one writable target.

use std::fmt;

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::record::{IntervalRecord, StepRecord};
use drivelab_core::target::WritableTarget;

use crate::step::{self, Kind, Manner};
use crate::uring;

/// Which backend to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendChoice {
    /// io_uring where the kernel allows it, else sync.
    #[default]
    Auto,
    /// io_uring or nothing.
    Uring,
    /// pread and pwrite, one thread for each operation in flight.
    Sync,
}

/// The engine could not be made.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// io_uring was asked for by name and is not to be had.
    #[error(
        "the io_uring backend was asked for, but {refusal}: kernel.io_uring_disabled or a container's seccomp filter \
         is the usual cause; allow it there, or use the sync backend"
    )]
    UringRefused {
        /// What the kernel refused.
        refusal: String,
    },
}

/// Whether this choice can be had here, for whoever wants to know before a target is made. Asks the kernel as
/// [`Engine::open`] does.
///
/// # Errors
/// [`EngineError::UringRefused`] where io_uring was asked for by name and the kernel refuses it.
pub fn check(choice: BackendChoice) -> Result<(), EngineError> {
    choose(choice).map(drop)
}

/// The backend for a choice, and why it is that one.
fn choose(choice: BackendChoice) -> Result<(Kind, String), EngineError> {
    match choice {
        BackendChoice::Sync => Ok((Kind::Sync, "asked for".to_owned())),
        BackendChoice::Uring => match uring::probe() {
            Ok(()) => Ok((Kind::Uring, "asked for".to_owned())),
            Err(refusal) => Err(EngineError::UringRefused { refusal }),
        },
        BackendChoice::Auto => match uring::probe() {
            Ok(()) => Ok((Kind::Uring, "the kernel allows it".to_owned())),
            Err(refusal) => Ok((Kind::Sync, refusal)),
        },
    }
}

/// Issues I/O on one target.
pub struct Engine {
    target: WritableTarget,
    choice: BackendChoice,
    kind: Kind,
    reason: String,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("target", &self.target.path()).field("backend", &self.describe()).finish()
    }
}

impl Engine {
    /// Chooses the backend, asking the kernel once where io_uring is wanted.
    ///
    /// # Errors
    /// [`EngineError::UringRefused`] where io_uring was asked for by name and the kernel refuses it.
    pub fn open(target: WritableTarget, choice: BackendChoice) -> Result<Engine, EngineError> {
        let (kind, reason) = choose(choice)?;
        Ok(Engine { target, choice, kind, reason })
    }

    /// What it works on.
    #[must_use]
    pub const fn target(&self) -> &WritableTarget {
        &self.target
    }
}

impl Backend for Engine {
    fn describe(&self) -> String {
        match self.kind {
            Kind::Uring => self.kind.name().to_owned(),
            Kind::Sync => format!("{}: {}", self.kind.name(), self.reason),
        }
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        interval: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        // Rings need memory and file descriptors, and an administrator may withdraw the permission during a run: where
        // the choice was ours, a step that gets no ring is done without.
        let may_fall_back = self.choice == BackendChoice::Auto;
        let manner = Manner { kind: self.kind, reason: &self.reason, may_fall_back };
        step::run(&self.target, &manner, &request, interval)
    }

    /// `fdatasync` on the handle; one is enough, since both handles name the same file.
    fn sync(&mut self) -> Result<(), BackendError> {
        let handle = self.target.handle(true).or_else(|| self.target.handle(false));
        handle.map_or(Ok(()), rustix::fs::fdatasync).map_err(|error| BackendError::System {
            what: format!("making '{}' durable (fdatasync)", self.target.path().display()),
            source: error.into(),
        })
    }
}
