//! How far a run came.

use drivelab_core::run::RunRecords;

/// Executions that finished.
pub(crate) fn steps_done(records: &RunRecords) -> u32 {
    u32::try_from(records.finished_count()).unwrap_or(u32::MAX)
}
