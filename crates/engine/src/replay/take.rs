//! The loops' end of the line: what to issue next and when, and what was counted.

use super::line::{Item, Line, Taken};

/// How long a loop waits before it checks again for an operation that has not been read yet.
const AGAIN_NS: u64 = 20_000;

/// What one OS thread counted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) issued: u64,
    pub(crate) skipped_trims: u64,
    pub(crate) moved: u64,
    pub(crate) aligned: u64,
    pub(crate) shortened: u64,
    pub(crate) starved_ns: u64,
    pub(crate) starved_operations: u64,
}

/// What a thread takes next.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Due {
    /// This operation, with its number. It was due at this time, which has passed, or 0 in a closed loop.
    Item(u64, Item, u64),
    NotBefore(u64),
    End,
}

/// One OS thread's end of the line.
#[derive(Debug, Default)]
pub(crate) struct Taker {
    /// Taken and not yet due.
    pending: Option<(u64, Item)>,
    /// Since when the line has been empty.
    empty_since: Option<u64>,
    pub(crate) counts: Counts,
}

impl Taker {
    /// The next operation at `now`; `start` is the start of the step, `timed` whether the trace has times.
    #[inline]
    pub(crate) fn next(&mut self, line: &Line, now: u64, start: u64, timed: bool) -> Due {
        let (number, item) = match self.pending.take() {
            Some(pending) => pending,
            None => match line.take() {
                Taken::Item(number, item) => (number, item),
                Taken::End => return Due::End,
                Taken::NotYet => {
                    self.empty_since.get_or_insert(now);
                    return Due::NotBefore(now + AGAIN_NS);
                }
            },
        };
        let intended = if timed { start.saturating_add(item.due_ns) } else { 0 };
        if let Some(since) = self.empty_since.take() {
            self.starved(now, since.max(intended));
        }
        if intended > now {
            self.pending = Some((number, item));
            return Due::NotBefore(intended);
        }
        Due::Item(number, item, intended)
    }

    /// An operation was due at `due` and was read only now.
    #[cold]
    fn starved(&mut self, now: u64, due: u64) {
        if now > due {
            self.counts.starved_ns += now - due;
            self.counts.starved_operations += 1;
        }
    }

    /// The operation goes to the target.
    #[inline]
    pub(crate) fn issued(&mut self, item: &Item) {
        let counts = &mut self.counts;
        counts.issued += 1;
        counts.skipped_trims += u64::from(item.skipped);
        counts.moved += u64::from(item.changed.moved);
        counts.aligned += u64::from(item.changed.aligned);
        counts.shortened += u64::from(item.changed.shortened);
    }
}
