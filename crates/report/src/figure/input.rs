//! What is drawn: the records of a run and their analysis.

use drivelab_analysis::Analysis;
use drivelab_core::run::RunRecords;

/// A run and its analysis.
#[derive(Debug, Clone, Copy)]
pub struct ReportInput<'a> {
    /// The records.
    pub records: &'a RunRecords,
    /// Their analysis.
    pub analysis: &'a Analysis,
}
