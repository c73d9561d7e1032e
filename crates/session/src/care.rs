//! What the session needs from its caller: a durable mark that the target is being prepared, the group of the run,
//! permission to begin each execution (others of a group may be behind), the host's CPU times around it, and the
//! findings of the begin and the end.

use drivelab_core::clock::StopToken;
use drivelab_core::drive_state::{DriveState, HostCounters};
use drivelab_core::finding::Finding;
use drivelab_core::group::{CoreTime, Group};
use drivelab_core::ids::StepKey;

/// Keeps the target's state on record, so that a run that was killed knows whether it must prepare again; and stands at
/// the border of every execution. Only `preparation_begins`, `preparation_done` and `closing_findings` have no default.
pub trait TargetCare {
    /// A preparation is about to change the target: until it is done, the target is not whole.
    ///
    /// # Errors
    /// What went wrong, for the user; ends the run.
    fn preparation_begins(&mut self) -> Result<(), String>;

    /// All preparation is done and durable on the target.
    ///
    /// # Errors
    /// What went wrong, for the user; ends the run.
    fn preparation_done(&mut self) -> Result<(), String>;

    /// The group that a new run belongs to, where it does. Asked once.
    fn group(&mut self) -> Option<Group> {
        None
    }

    /// An execution is about to begin; `position` counts the executions of the whole schedule from 1. May wait for
    /// others that are measured at the same time, at most until `stop` is set; false where that ended the wait.
    fn step_begins(&mut self, position: u32, stop: &StopToken) -> bool {
        let _ = (position, stop);
        true
    }

    /// All is on record and the first operation comes next. May wait for others that passed [`Self::step_begins`] with
    /// it, so that what each of them recorded falls into nobody's measured time.
    fn step_ready(&mut self, position: u32, stop: &StopToken) {
        let _ = (position, stop);
    }

    /// The execution is over: what the host's CPUs did since [`Self::step_ready`], where that is watched.
    fn step_over(&mut self) -> Vec<CoreTime> {
        Vec::new()
    }

    /// The state of the target as the run or this part of it finds it; nothing for a target that stores nothing. Asked
    /// once.
    fn drive_state(&mut self) -> Option<DriveState> {
        None
    }

    /// What the kernel has counted of the target by now, where it is a device of its own.
    fn counters(&mut self) -> Option<HostCounters> {
        None
    }

    /// Keeps the state on record beyond the run. `running` is the execution that begins now and may change it.
    fn keep_drive_state(&mut self, state: &DriveState, running: Option<&StepKey>) {
        let _ = (state, running);
    }

    /// Findings that are known before the first step and follow from nothing else on record, such as a target that is
    /// smaller than was asked for. Asked once by each process of the run.
    fn opening_findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }

    /// Findings that can only be made at the end, such as how much the bundle itself wrote to the target's device.
    fn closing_findings(&mut self) -> Vec<Finding>;
}
