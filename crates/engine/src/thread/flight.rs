//! One operation: as it is to be issued, and in flight.

use drivelab_core::load::OpKind;

use crate::generate::stream::Op;

/// An operation to issue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Issue {
    pub(crate) op: Op,
    /// Position of the stream it comes from.
    pub(crate) cursor: u64,
    /// When it was meant to start; 0 in a closed loop.
    pub(crate) intended: u64,
}

/// An operation in flight.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flight {
    pub(crate) submitted: u64,
    /// When it was meant to start; 0 in a closed loop.
    pub(crate) intended: u64,
    pub(crate) offset: u64,
    /// Position in the stream.
    pub(crate) cursor: u64,
    /// Where its buffer starts in the arena.
    pub(crate) at: usize,
    pub(crate) length: u32,
    /// The kernel's result if all went well.
    pub(crate) expected: u32,
    pub(crate) class: u16,
    pub(crate) kind: OpKind,
    /// Number of the operation in its thread.
    pub(crate) number: u64,
    pub(crate) origin: Origin,
}

/// Origin of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Origin {
    /// The stream or the trace: it counts against the thread's share.
    #[default]
    Drawn,
    /// A flush of `sync_every`, in addition to the share.
    InBetween,
    /// It reads back what was just written, in addition to the share.
    ReadsBack,
}
