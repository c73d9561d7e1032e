//! The parts of a session, and why it may end before its plan does.

use std::sync::Arc;

use drivelab_core::backend::Backend;
use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::run::RunRecords;

use crate::again::Again;
use crate::care::TargetCare;
use crate::emit::Emitter;
use crate::fanout::RecorderLost;
use crate::ledger::Ledger;
use crate::watch::Watch;

/// Why the session ends before its plan does.
pub(crate) enum Halt {
    Stopped,
    Failed(String),
    /// The host cannot do something that the user required.
    HostUnfit(String),
    Recorder(RecorderLost),
}

impl From<RecorderLost> for Halt {
    fn from(lost: RecorderLost) -> Self {
        Halt::Recorder(lost)
    }
}

/// One process's part of a run.
pub struct Session<'a> {
    pub(crate) backend: &'a mut dyn Backend,
    pub(crate) care: &'a mut dyn TargetCare,
    pub(crate) clock: Arc<dyn RunClock>,
    pub(crate) stop: StopToken,
    pub(crate) emitter: Emitter,
    pub(crate) records: RunRecords,
    /// The record of the target's state; `None` for a target that stores nothing.
    pub(crate) ledger: Option<Ledger>,
    /// The telemetry observer.
    pub(crate) watch: Watch,
    /// What is still to be repeated, because the target is not in the state that the remaining steps need.
    pub(crate) again: Again,
    /// Whether the preparation of the current test has changed the target.
    pub(crate) preparing: bool,
    pub(crate) failing_steps: u32,
}
