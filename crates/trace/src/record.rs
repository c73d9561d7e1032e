//! One operation of a trace, as in its line.

use drivelab_core::load::OpKind;

/// One operation as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'l> {
    /// Arrival time in nanoseconds by the clock of the trace, with any origin.
    pub at_ns: u64,
    /// Kind of operation.
    pub op: OpKind,
    /// First byte; 0 for a flush.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub bytes: u64,
    /// Device, volume or file of the operation, as named in the trace.
    pub device: &'l str,
}

/// Kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'l> {
    Record(Record<'l>),
    /// Another part of the format: a header, an event of another kind, a comment.
    Other,
    /// An operation of an unknown kind, which cannot be replayed.
    Unknown,
    /// The rest of the file is not part of the trace.
    End,
}
