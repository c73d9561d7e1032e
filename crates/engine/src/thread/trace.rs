//! The built-in tracer: every operation as it was issued, for checks of what the engine did against what was asked.
//!
//! Costs nothing when unused: a meter without room keeps nothing. Each thread writes into memory that was made before
//! the start and hands it over with its interval. Entries that do not fit are counted, never dropped silently.

use drivelab_core::load::OpKind;

/// One operation as it was issued and ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceEntry {
    /// Thread that issued it, from 0 over all groups.
    pub thread: u32,
    /// Position in the thread's stream.
    pub index: u64,
    /// Kind.
    pub op: OpKind,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// When it was meant to start, in an open loop; otherwise when it was submitted. Nanoseconds since the step's
    /// start.
    pub intended_ns: u64,
    /// When it was submitted, in nanoseconds since the step's start.
    pub submit_ns: u64,
    /// Submission to completion, in nanoseconds.
    pub latency_ns: u64,
    /// The kernel's error number; 0 if it succeeded, -1 if it moved fewer bytes than asked.
    pub errno: i32,
    /// The handle of a write that was placed.
    pub placement_handle: Option<u16>,
}

/// Where traces go: called on the session's thread with the entries of one thread's interval and the number of
/// entries that did not fit.
pub type TraceSink = Box<dyn FnMut(&[TraceEntry], u64) + Send>;

/// Room for the entries of one interval, if a trace is kept: 32 MiB.
pub(crate) const ENTRIES: usize = (32 << 20) / size_of::<TraceEntry>();

/// The trace of one interval of one thread.
#[derive(Debug, Default)]
pub(crate) struct TracePart {
    entries: Vec<TraceEntry>,
    /// Entries that did not fit.
    lost: u64,
    room: usize,
}

impl TracePart {
    /// Keeps up to `room` entries; 0 keeps nothing and counts nothing.
    pub(crate) fn with_room(room: usize) -> Self {
        TracePart { entries: Vec::with_capacity(room), lost: 0, room }
    }

    #[inline]
    pub(crate) fn keep(&mut self, entry: TraceEntry) {
        if self.entries.len() < self.room {
            self.entries.push(entry);
        } else if self.room > 0 {
            self.lost += 1;
        }
    }

    /// Entries and the number of lost ones.
    pub(crate) fn kept(&self) -> (&[TraceEntry], u64) {
        (&self.entries, self.lost)
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.lost = 0;
    }
}
