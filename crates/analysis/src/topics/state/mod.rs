//! The state of the target: whether it is the state that a test needs, and what a load shows about it.

mod demand;
mod dips;
mod recovery;
mod target;

use drivelab_core::finding::Finding;
use drivelab_core::run::RunRecords;

pub use self::target::{foreign_writes, not_emptied, prepared_flat, state_unmet};
pub(crate) use self::target::{judge_one_preparation, not_emptied_steps};

/// Findings about the state of the target that follow from the loads of a run.
pub(crate) fn findings(records: &RunRecords) -> Vec<Finding> {
    let mut findings = dips::findings(records);
    findings.extend(recovery::findings(records));
    findings.extend(demand::findings(records));
    findings
}

#[cfg(test)]
mod tests;
