//! Time in which at least one operation is outstanding, over all OS threads of a step.
//!
//! The number of operations and the time since which any are outstanding share one integer, so that no thread sees
//! one without the other.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of the number of operations, up to a million. The other 44 bits are the time since the start of the step in
/// units of [`UNIT_NS`]: 2^50 ns, 13 days.
const COUNT_BITS: u32 = 20;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;

/// The counts.
#[derive(Debug, Default)]
pub(crate) struct Busy {
    /// Since when, in units of [`UNIT_NS`], and how many. If none are outstanding: until when any were.
    now: AtomicU64,
    total_ns: AtomicU64,
}

/// Times are kept in units of this: in nanoseconds a step of five hours would not fit.
const UNIT_NS: u64 = 1 << UNIT_BITS;
const UNIT_BITS: u32 = 6;

impl Busy {
    /// `operations` begin. A thread may lose its CPU between its look at the clock and this call, and other threads
    /// may end theirs meanwhile: the time that they have counted is not counted again.
    #[inline]
    pub(crate) fn enter(&self, operations: u64, at_ns: u64) {
        let begin = |now: u64| {
            let (since, count) = (now >> COUNT_BITS, now & COUNT_MASK);
            let since = if count == 0 { since.max(at_ns >> UNIT_BITS) } else { since };
            Some(since << COUNT_BITS | (count + operations) & COUNT_MASK)
        };
        let _ = self.now.fetch_update(Ordering::Relaxed, Ordering::Relaxed, begin);
    }

    /// One of them ends.
    #[inline]
    pub(crate) fn leave(&self, at_ns: u64) {
        let end = |now: u64| {
            let (since, count) = (now >> COUNT_BITS, now & COUNT_MASK);
            let since = if count == 1 { since.max(at_ns >> UNIT_BITS) } else { since };
            Some(since << COUNT_BITS | count.saturating_sub(1))
        };
        let (Ok(before) | Err(before)) = self.now.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end);
        if before & COUNT_MASK == 1 {
            let since_ns = (before >> COUNT_BITS) * UNIT_NS;
            self.total_ns.fetch_add(at_ns.saturating_sub(since_ns), Ordering::Relaxed);
        }
    }

    /// Nanoseconds with at least one operation outstanding, in total.
    pub(crate) fn total_ns(&self) -> u64 {
        self.total_ns.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_operations_count_once_and_pauses_not_at_all() {
        let busy = Busy::default();
        // Two from 640 to 1280 and 1920, one of them alone for the second part; nothing until 6400; one for 64 ns.
        busy.enter(2, 640);
        busy.leave(1280);
        busy.leave(1920);
        busy.enter(1, 6400);
        busy.leave(6464);
        assert_eq!(busy.total_ns(), 1280 + 64);
    }

    /// A thread read the clock at 640, but reported it only after another one had begun and ended an operation.
    #[test]
    fn what_was_counted_is_not_counted_again_for_a_thread_that_comes_late() {
        let busy = Busy::default();
        busy.enter(1, 128);
        busy.leave(1280);
        busy.enter(1, 640);
        busy.leave(1920);
        assert_eq!(busy.total_ns(), 1920 - 128);
    }
}
