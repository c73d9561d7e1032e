//! The backend that runs the I/O of a step: the engine on real targets, a model on virtual drives.

use crate::clock::{RunClock, StopToken};
use crate::ids::StepKey;
use crate::plan::StopRule;
use crate::record::{IntervalRecord, StepRecord};
use crate::truth::GroundTruth;
use crate::units::Nanos;
use crate::workload::Workload;

/// One step, ready to run.
#[derive(Clone, Copy)]
pub struct StepRequest<'a> {
    /// The execution.
    pub key: &'a StepKey,
    /// The load.
    pub workload: &'a Workload,
    /// When the step stops.
    pub stop_rule: &'a StopRule,
    /// Time at the start that is not included in the results.
    pub ramp: Nanos,
    /// Length of an interval; 1 s unless the step is shorter.
    pub interval: Nanos,
    /// The run clock.
    pub clock: &'a dyn RunClock,
    /// Ends the step early.
    pub stop: &'a StopToken,
}

/// Why a step could not run. Errors of single operations are counted in the record instead.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// The workload does not fit the target (alignment, span, direct I/O).
    #[error("{0}")]
    Unfit(String),
    /// This host cannot do something that the user required, such as polling for completions.
    #[error("{0}")]
    HostUnfit(String),
    /// The kernel refused something that the backend needs.
    #[error("{what}: {source}")]
    System {
        /// The action that was tried.
        what: String,
        /// The kernel's error.
        source: std::io::Error,
    },
}

/// Runs steps. Called on the session's thread; it creates its own threads for the I/O and waits for them.
pub trait Backend {
    /// Name of the backend and why it was chosen: `io_uring`, or `sync: io_uring_setup was refused (EPERM)`.
    fn describe(&self) -> String;

    /// Runs one step to its end and passes on each interval as it ends (including the last, shorter one). A step that
    /// was stopped early still returns its record, with [`crate::record::StopReason::Stopped`].
    ///
    /// # Errors
    /// [`BackendError`] if the step cannot be run at all.
    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        interval: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError>;

    /// Changes in a virtual drive's behaviour since the last call; empty for a real drive.
    fn truths(&mut self) -> Vec<GroundTruth> {
        Vec::new()
    }

    /// Makes written data durable (`fdatasync`). Called between steps, never inside one.
    ///
    /// # Errors
    /// [`BackendError`] if the kernel reports a failed write.
    fn sync(&mut self) -> Result<(), BackendError>;
}
