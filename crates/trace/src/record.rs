//! One operation of a trace, as its line has it.

use drivelab_core::load::OpKind;

/// One operation as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'l> {
    /// When it arrived, in nanoseconds by the clock of the trace, whatever that begins with.
    pub at_ns: u64,
    /// What it does.
    pub op: OpKind,
    /// First byte; 0 for a flush.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub bytes: u64,
    /// Device, volume or file that it goes to, as the trace calls it.
    pub device: &'l str,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'l> {
    Record(Record<'l>),
    /// Something else that the format has: a head, an event of another kind, a comment.
    Other,
    /// An operation of a kind that nobody here knows, so that it cannot be replayed.
    Unknown,
    /// The rest of the file is no trace any more.
    End,
}
