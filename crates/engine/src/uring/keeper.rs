//! What a thread that seals blocks keeps track of: which blocks are being written, how far it may run ahead, what is
//! to be read back.

use drivelab_core::load::OpKind;

use crate::load::job::ThreadJob;
use crate::load::sealing::Sealing;
use crate::thread::flight::{Flight, Issue, Origin};
use crate::verify::busy::{Busy, Window};

/// The records of a sealing thread.
#[derive(Debug)]
pub(crate) struct Keeper {
    busy: Busy,
    window: Window,
    /// Bytes of a block with a header.
    unit: u64,
    /// Number of the next operation.
    next: u64,
    pub(crate) at_once: bool,
    /// An operation that waits for others to end; none overtakes it.
    pub(crate) held: Option<Issue>,
    /// Slots whose writes have ended and are to be read back.
    pub(crate) to_read_back: Vec<u32>,
}

impl Keeper {
    /// For a thread that seals.
    pub(crate) fn of(job: &ThreadJob<'_>) -> Option<Self> {
        let Sealing::Seal { sealer, at_once, .. } = &job.sealing else { return None };
        let unit = sealer.unit() as u64;
        let largest = job.layout.classes().iter().map(|class| u64::from(class.length)).max().unwrap_or(unit);
        Some(Keeper {
            busy: Busy::new(u64::from(job.depth), largest.div_ceil(unit)),
            window: Window::new(job.depth),
            unit,
            next: 0,
            at_once: *at_once,
            held: None,
            to_read_back: Vec::with_capacity(job.depth as usize),
        })
    }

    /// The operation's number if it may be issued now; `None` if it is held until others have ended.
    #[inline]
    pub(crate) fn admit(&mut self, issue: Issue, in_flight: impl Iterator<Item = u64>) -> Option<u64> {
        let number = self.next;
        let op = &issue.op;
        let free = self.window.admits(number, in_flight)
            && (!changes(op.kind) || self.busy.try_claim(op.offset / self.unit, u64::from(op.length) / self.unit));
        if !free {
            self.held = Some(issue);
            return None;
        }
        self.next += 1;
        Some(number)
    }

    /// An operation has ended, including its read-back.
    #[inline]
    pub(crate) fn release(&self, flight: &Flight) {
        if changes(flight.kind) || flight.origin == Origin::ReadsBack {
            self.busy.release(flight.offset / self.unit, u64::from(flight.length) / self.unit);
        }
    }
}

/// Whether a kind of operation changes the content of blocks.
const fn changes(kind: OpKind) -> bool {
    matches!(kind, OpKind::Write | OpKind::Trim | OpKind::WriteZeroes)
}
