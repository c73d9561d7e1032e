//! What a session is made of, and why it may end before its plan does.

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

/// Why the walk through the plan ends before the plan does.
pub(crate) enum Halt {
    Stopped,
    Failed(String),
    /// The host cannot do what was required by name.
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
    /// The account of the target's state; none of a target that stores nothing.
    pub(crate) ledger: Option<Ledger>,
    /// Who watches beside the I/O.
    pub(crate) watch: Watch,
    /// What is still to be done once more, since the target is not in the state that the steps left rest on.
    pub(crate) again: Again,
    /// The preparation of the test that is going on has changed the target.
    pub(crate) preparing: bool,
    pub(crate) failing_steps: u32,
}
