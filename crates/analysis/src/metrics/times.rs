//! The two times of an operation: latency, from its submission, and response time, from its intended start.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::record::OpRecord;

/// The moment from which an operation is timed. The two are never mixed in one figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Times {
    /// Submission to completion.
    Latency,
    /// Intended start to completion; only in an open loop.
    Response,
}

impl Times {
    /// The distribution in a record; `None` if it has none.
    pub(crate) fn of(self, op: &OpRecord) -> Option<&SparseHistogram> {
        match self {
            Times::Latency => Some(&op.histogram),
            Times::Response => op.response.as_ref().map(|response| &response.histogram),
        }
    }
}
