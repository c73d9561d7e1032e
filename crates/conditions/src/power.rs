//! Power states of an NVMe controller: not reachable yet, so a power state is refused.

use std::path::Path;

use drivelab_core::condition::PowerStateFacts;
use drivelab_device::BlockNode;

use crate::error::ConditionsError;
use crate::ledger::Deed;
use crate::opal::Answer;

pub(crate) fn plan(_: &BlockNode, _: u8) -> Result<(PowerStateFacts, Deed), ConditionsError> {
    Err(ConditionsError::Host("only NVMe drives have power states".to_owned()))
}
pub(crate) fn set(_: PowerStateFacts) -> Result<PowerStateFacts, ConditionsError> {
    Err(ConditionsError::Host("only NVMe drives have power states".to_owned()))
}
pub(crate) fn restore(_: &Path, _: &str, _: u8) -> Result<Option<String>, ConditionsError> {
    Err(ConditionsError::Host("only NVMe drives have power states".to_owned()))
}

/// What the drive says of TCG Opal.
pub(crate) fn says_of_opal(node: &BlockNode) -> Answer {
    Answer::No(format!("the drive ({} is no NVMe drive that says it knows security commands)", node.whole))
}

/// The power states of a drive's controller.
///
/// # Errors
/// Where it has none.
pub fn power_states(node: &BlockNode) -> Result<Vec<u8>, ConditionsError> {
    plan(node, 0).map(|_| vec![0])
}
