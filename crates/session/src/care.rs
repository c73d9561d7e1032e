//! What the session needs from its caller: a durable mark that the target is being prepared, the group of the run,
//! permission to begin each execution (other runs of a group may be behind), the host's CPU times around it, and the
//! findings of the start and the end.

use drivelab_core::clock::StopToken;
use drivelab_core::drive_state::{DriveState, HostCounters};
use drivelab_core::finding::Finding;
use drivelab_core::group::{CoreTime, Group};
use drivelab_core::ids::StepKey;

/// Keeps the target's state on record, so that a killed run knows whether it must prepare again, and is called at the
/// start and end of every execution. Only `preparation_begins`, `preparation_done` and `closing_findings` have no
/// default.
pub trait TargetCare {
    /// A preparation is about to change the target: until it is done, the target is not in a usable state.
    ///
    /// # Errors
    /// What went wrong, for the user; the run ends.
    fn preparation_begins(&mut self) -> Result<(), String>;

    /// All preparation is done and durable on the target.
    ///
    /// # Errors
    /// What went wrong, for the user; the run ends.
    fn preparation_done(&mut self) -> Result<(), String>;

    /// The group that a new run belongs to, if any. Called once.
    fn group(&mut self) -> Option<Group> {
        None
    }

    /// An execution is about to begin; `position` counts the executions of the whole schedule from 1. It may wait for
    /// other runs that are measured at the same time, at most until `stop` is set; false if that ended the wait.
    fn step_begins(&mut self, position: u32, stop: &StopToken) -> bool {
        let _ = (position, stop);
        true
    }

    /// Everything is recorded, and the first operation comes next. It may wait for other runs that passed
    /// [`Self::step_begins`], so that no recording of one run falls into the measured time of another.
    fn step_ready(&mut self, position: u32, stop: &StopToken) {
        let _ = (position, stop);
    }

    /// The execution has ended: the time of the host's CPUs since [`Self::step_ready`], if it is watched.
    fn step_over(&mut self) -> Vec<CoreTime> {
        Vec::new()
    }

    /// The state of the target when the run, or this process's part of it, begins; `None` for a target that stores
    /// nothing. Called once.
    fn drive_state(&mut self) -> Option<DriveState> {
        None
    }

    /// The kernel's counters of the target, if it is a device of its own.
    fn counters(&mut self) -> Option<HostCounters> {
        None
    }

    /// Keeps the state beyond the run. `running` is the execution that begins now and may change it.
    fn keep_drive_state(&mut self, state: &DriveState, running: Option<&StepKey>) {
        let _ = (state, running);
    }

    /// Findings that are known before the first step and follow from nothing else in the recording, such as a target
    /// that is smaller than requested. Called once by each process of the run.
    fn opening_findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }

    /// Findings that are only possible at the end, such as how much the bundle itself wrote to the target's device.
    fn closing_findings(&mut self) -> Vec<Finding>;
}
