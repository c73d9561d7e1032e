//! The engine as the session sees it: a backend on one writable target.

use std::fmt;

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::record::{IntervalRecord, StepRecord};
use drivelab_core::target::WritableTarget;

use crate::faults::ErrorPolicy;
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

/// Issues I/O on one target.
pub struct Engine {
    target: WritableTarget,
    kind: Kind,
    reason: String,
    policy: ErrorPolicy,
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
        let (kind, reason) = match choice {
            BackendChoice::Sync => (Kind::Sync, "asked for".to_owned()),
            BackendChoice::Uring => {
                uring::probe().map_err(|refusal| EngineError::UringRefused { refusal })?;
                (Kind::Uring, "asked for".to_owned())
            }
            BackendChoice::Auto => match uring::probe() {
                Ok(()) => (Kind::Uring, "the kernel allows it".to_owned()),
                Err(refusal) => (Kind::Sync, refusal),
            },
        };
        Ok(Engine { target, kind, reason, policy: ErrorPolicy::default() })
    }

    /// What it works on.
    #[must_use]
    pub const fn target(&self) -> &WritableTarget {
        &self.target
    }

    /// Sets when errors end a step.
    pub const fn set_error_policy(&mut self, policy: ErrorPolicy) {
        self.policy = policy;
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
        let manner = Manner { kind: self.kind, reason: &self.reason, policy: self.policy };
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
