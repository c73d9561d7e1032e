//! Progress of a run.

use drivelab_core::run::RunRecords;

/// Number of finished executions.
pub(crate) fn steps_done(records: &RunRecords) -> u32 {
    u32::try_from(records.finished_count()).unwrap_or(u32::MAX)
}
