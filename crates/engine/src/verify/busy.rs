//! Which blocks are being written, so that no two writes to one block are in flight together, and how far a stream
//! may run ahead of its oldest operation.
//!
//! The kernel and the drive complete operations in any order. If two writes to one block are in flight together,
//! nobody knows which is the last; and if one hangs for long, nobody knows how far back it is. So a worker that seals
//! blocks asks before it issues.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::generate::GOLDEN;

/// Cells for each block that can be in flight: one claim in this many is refused without need.
const CELLS_PER_BLOCK: u64 = 64;
/// Most cells: 4 MiB.
const CELLS_MAX: u64 = 1 << 20;

/// Counts the blocks in flight by a hash of their number. A cell that two blocks happen to share can refuse a claim
/// that could be granted, never the reverse.
///
/// One thread claims at a time (the worker, or the one of several threads whose turn it is); any thread releases.
#[derive(Debug)]
pub(crate) struct Busy {
    cells: Box<[AtomicU32]>,
    shift: u32,
}

impl Busy {
    /// For `operations` in flight of at most `blocks` blocks each.
    pub(crate) fn new(operations: u64, blocks: u64) -> Self {
        let wanted = operations.saturating_mul(blocks).saturating_mul(CELLS_PER_BLOCK).clamp(2, CELLS_MAX);
        let cells = wanted.next_power_of_two();
        Busy { cells: (0..cells).map(|_| AtomicU32::new(0)).collect(), shift: u64::BITS - cells.ilog2() }
    }

    #[inline]
    fn cell(&self, block: u64) -> &AtomicU32 {
        // The upper bits of a product by an odd constant (Knuth's multiplicative hashing).
        let index = block.wrapping_mul(GOLDEN) >> self.shift;
        &self.cells[index as usize]
    }

    /// Claims the blocks of an operation, from `first` on, all or none. If it returns no, the operation waits until
    /// others have ended; no later operation of its stream may overtake it.
    #[inline]
    pub(crate) fn try_claim(&self, first: u64, blocks: u64) -> bool {
        let cells = || (first..first.saturating_add(blocks)).map(|block| self.cell(block));
        // Acquire: what is issued now comes after the operation that preceded the release.
        if cells().any(|cell| cell.load(Ordering::Acquire) != 0) {
            return false;
        }
        cells().for_each(|cell| {
            cell.fetch_add(1, Ordering::Relaxed);
        });
        true
    }

    /// Releases what was claimed, after the operation has ended.
    #[inline]
    pub(crate) fn release(&self, first: u64, blocks: u64) {
        for block in first..first.saturating_add(blocks) {
            self.cell(block).fetch_sub(1, Ordering::Release);
        }
    }
}

/// How far a stream may run ahead of its oldest operation in flight. Operations issued before that had ended when a
/// run was cut off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    ahead: u64,
    /// No operation in flight is older; updated when it is reached.
    oldest: u64,
}

impl Window {
    /// Operations, for each one of the depth, by which a stream may be ahead. Working drives reorder completions far
    /// less, so only an operation that hangs is waited for.
    const PER_DEPTH: u32 = 64;

    /// For a worker with `depth` operations in flight.
    pub(crate) fn new(depth: u32) -> Self {
        Window { ahead: u64::from(Self::operations(depth)), oldest: 0 }
    }

    /// Number of operations of a stream, back from where it was cut off, that may or may not have reached the target.
    pub(crate) const fn operations(depth: u32) -> u32 {
        depth.saturating_mul(Self::PER_DEPTH)
    }

    /// Whether operation `number` of the stream, counted from 0, may be issued while those numbers are in flight.
    #[inline]
    pub(crate) fn admits(&mut self, number: u64, in_flight: impl Iterator<Item = u64>) -> bool {
        if number < self.oldest + self.ahead {
            return true;
        }
        self.oldest = in_flight.min().unwrap_or(number);
        number < self.oldest + self.ahead
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compared with a set: a taken block is never granted, everything is free at the end, and a refusal without
        /// need is rare.
        #[test]
        fn no_block_is_claimed_twice(
            asked in proptest::collection::vec((0_u64..500, 1_u64..9), 1..300),
            release in any::<u64>(),
        ) {
            let busy = Busy::new(32, 8);
            let (mut taken, mut flights): (HashSet<u64>, Vec<(u64, u64)>) = Default::default();
            for (number, (first, blocks)) in asked.into_iter().enumerate() {
                let is_free = (first..first + blocks).all(|block| !taken.contains(&block));
                if busy.try_claim(first, blocks) {
                    prop_assert!(is_free);
                    taken.extend(first..first + blocks);
                    flights.push((first, blocks));
                }
                if flights.len() == 32 {
                    let at = (release >> (number % 59)) as usize % flights.len();
                    let (first, blocks) = flights.swap_remove(at);
                    busy.release(first, blocks);
                    (first..first + blocks).for_each(|block| assert!(taken.remove(&block)));
                }
            }
            flights.iter().for_each(|(first, blocks)| busy.release(*first, *blocks));
            prop_assert!(busy.cells.iter().all(|cell| cell.load(Ordering::Relaxed) == 0));
        }
    }

    /// At full depth one claim of a free block in 64 is refused; twice that would be a bad hash. Simple hashes fail
    /// on strides of powers of two.
    #[test]
    fn free_blocks_are_seldom_refused_whatever_their_distance() {
        for stride in [1, 2, 64, 4096, 1 << 20, 1 << 30] {
            let (busy, mut refused) = (Busy::new(128, 1), 0);
            for number in 0..10_000_u64 {
                if !busy.try_claim(number * stride, 1) {
                    refused += 1;
                    continue;
                }
                if let Some(old) = number.checked_sub(127) {
                    // Not all of these were granted: release only those that were.
                    if busy.cell(old * stride).load(Ordering::Relaxed) > 0 {
                        busy.release(old * stride, 1);
                    }
                }
            }
            assert!(refused < 10_000 / 32, "stride {stride}: {refused} of 10000 refused");
        }
    }

    #[test]
    fn a_claim_that_meets_itself_in_a_cell_is_granted() {
        let busy = Busy { cells: [AtomicU32::new(0), AtomicU32::new(0)].into(), shift: 63 };
        assert!(busy.try_claim(0, 100));
        assert!(!busy.try_claim(1000, 1));
        busy.release(0, 100);
        assert!(busy.try_claim(1000, 1));
    }

    #[test]
    fn a_stream_waits_for_an_operation_that_hangs() {
        let mut window = Window::new(1);
        assert!((0..64).all(|number| window.admits(number, [0].into_iter())));
        assert!(!window.admits(64, [0, 60].into_iter()));
        assert!(window.admits(64, [60].into_iter()) && !window.admits(124, [60].into_iter()));
        assert!(window.admits(124, std::iter::empty()));
    }
}
