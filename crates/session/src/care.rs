//! What the session asks of whoever owns the target: to remember durably whether it is prepared.

use drivelab_core::finding::Finding;

/// Keeps the target's state on record, so that a run that was killed knows whether it must prepare again.
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

    /// Findings that are known before the first step and follow from nothing else on record, such as a target that is
    /// smaller than was asked for. Asked once, of a new run.
    fn opening_findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }

    /// Findings that can only be made at the end, such as how much the bundle itself wrote to the target's device.
    fn closing_findings(&mut self) -> Vec<Finding>;
}
