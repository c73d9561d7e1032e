//! The figures of a check of written data.

use super::account::Account;
use crate::values::{Execution, GB};

/// Blocks whose headers were checked.
pub(crate) fn verified_blocks(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.verification.as_ref()?.checked as f64)
}

/// Checked blocks that did not hold what was written there.
pub(crate) fn verified_bad_blocks(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.verification.as_ref()?.faults.values().sum::<u64>() as f64)
}

/// Verified capacity, GB.
pub(crate) fn verified_capacity(execution: Execution<'_>) -> Option<f64> {
    Some(Account::of(execution.workload, execution.record)?.there()? as f64 / GB)
}

/// Smallest missing share that a check of this size overlooks only once in a million, per cent.
pub(crate) fn verified_share_found(execution: Execution<'_>) -> Option<f64> {
    Account::of(execution.workload, execution.record)?.share_found()
}
