//! What runs the I/O of a step: the engine on real targets, later the model on virtual drives.

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
    /// Which execution.
    pub key: &'a StepKey,
    /// The load.
    pub workload: &'a Workload,
    /// When to stop.
    pub stop_rule: &'a StopRule,
    /// Time at the start that is left out of results.
    pub ramp: Nanos,
    /// Length of an interval; 1 s unless the step is shorter.
    pub interval: Nanos,
    /// The run's time line.
    pub clock: &'a dyn RunClock,
    /// Ends the step early.
    pub stop: &'a StopToken,
}

/// Why a step could not be run. Errors of single operations are not this: they are counted in the record.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// The workload does not fit the target (alignment, span, direct I/O).
    #[error("{0}")]
    Unfit(String),
    /// This host cannot do what was required by name, such as polling for completions.
    #[error("{0}")]
    HostUnfit(String),
    /// The kernel refused what the backend cannot do without.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// The kernel's answer.
        source: std::io::Error,
    },
}

/// Runs steps. Called on the session's thread; makes threads of its own for the I/O and waits for them.
pub trait Backend {
    /// What it is and why it was chosen: `io_uring`, or `sync: io_uring_setup was refused (EPERM)`.
    fn describe(&self) -> String;

    /// Runs one step to its end, handing over each interval as it ends (including the last, shorter one). A step that
    /// was stopped early still returns its record, with [`crate::record::StopReason::Stopped`].
    ///
    /// # Errors
    /// [`BackendError`] where the step cannot be run at all.
    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        interval: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError>;

    /// What a virtual drive knows of its own behaviour since it was last asked; nothing of a real one.
    fn truths(&mut self) -> Vec<GroundTruth> {
        Vec::new()
    }

    /// Makes what was written durable (`fdatasync`). Called between steps, never inside one.
    ///
    /// # Errors
    /// [`BackendError`] where the kernel reports a failed write.
    fn sync(&mut self) -> Result<(), BackendError>;
}
