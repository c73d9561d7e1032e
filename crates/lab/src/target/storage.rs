//! An open target as a run uses it: what is asked of it before the first step, and the backend that performs its I/O.
//!
//! Real targets are opened by the engine, on the host's clock. A target of a new kind that performs its own I/O, such
//! as a model of a drive, implements [`Storage`] beside its [`Place`](super::place::Place).

use std::path::Path;
use std::sync::Arc;

use drivelab_core::backend::Backend;
use drivelab_core::clock::{MonotonicClock, RunClock};
use drivelab_core::content::ContentSample;
use drivelab_core::exit::ExitCode;
use drivelab_core::target::{GuardDecision, IoTarget};
use drivelab_core::units::Bytes;
use drivelab_device::guard;
use drivelab_engine::{Engine, EngineError, Options};

use crate::failure::{Failure, Result};

/// An open target.
pub trait Storage: Send {
    /// The file or device, or the word for one that is neither.
    fn path(&self) -> &Path;

    /// Bytes that I/O may use, from offset 0.
    fn length(&self) -> Bytes;

    /// The write guard's decision, if the target may be written.
    fn decision(&self) -> Option<&GuardDecision> {
        None
    }

    /// The last check, immediately before the first write: a device must still be as it was when it was released.
    ///
    /// # Errors
    /// What changed in the meantime.
    fn look_again(&self) -> Result<()> {
        Ok(())
    }

    /// Samples the content of places, each an offset and a length in bytes.
    ///
    /// # Errors
    /// They cannot be read.
    fn sample(&self, _places: &[(Bytes, Bytes)]) -> std::io::Result<ContentSample> {
        Ok(ContentSample::default())
    }

    /// The clock of a run on it, at this time.
    fn clock(&self, at_ns: u64) -> Arc<dyn RunClock> {
        Arc::new(MonotonicClock::starting_at(at_ns))
    }

    /// The backend that performs the I/O of a run.
    ///
    /// # Errors
    /// Exit 9 if the kernel refuses what the options ask for.
    fn backend(self: Box<Self>, options: Options) -> Result<Box<dyn Backend>>;
}

impl Storage for IoTarget {
    fn path(&self) -> &Path {
        self.path()
    }

    fn length(&self) -> Bytes {
        self.length()
    }

    fn decision(&self) -> Option<&GuardDecision> {
        match self {
            IoTarget::Writable(target) => Some(target.decision()),
            IoTarget::ReadOnly(_) | IoTarget::Nop { .. } => None,
        }
    }

    fn look_again(&self) -> Result<()> {
        match self {
            IoTarget::Writable(target) => Ok(guard::look_again(target)?),
            IoTarget::ReadOnly(_) | IoTarget::Nop { .. } => Ok(()),
        }
    }

    fn sample(&self, places: &[(Bytes, Bytes)]) -> std::io::Result<ContentSample> {
        drivelab_device::sample_content(self, places)
    }

    fn backend(self: Box<Self>, options: Options) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Engine::open(*self, options).map_err(engine_failure)?))
    }
}

/// The failure of a host on which the engine cannot run.
pub(crate) fn engine_failure(error: EngineError) -> Failure {
    Failure::new(ExitCode::HostNotFit, error.to_string())
}
