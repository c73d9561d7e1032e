//! The sequence of operations of one thread of a workload.

use drivelab_core::units::Percent;
use drivelab_core::workload::Pattern;

use super::{GOLDEN, mix};

/// One operation to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Op {
    /// First byte in the target.
    pub(crate) offset: u64,
    /// Write, or read.
    pub(crate) write: bool,
}

/// One thread's sequence. Operation `i` is a pure function of the key and `i`.
///
/// A mixed sequential stream has one position: each operation takes the next block and its kind is drawn, so a pass
/// touches every block exactly once, whichever way.
#[derive(Debug, Clone)]
pub(crate) struct Stream {
    pattern: Pattern,
    key: u64,
    /// First byte of the stretch.
    start: u64,
    /// Blocks in the stretch; at least 1.
    blocks: u64,
    block_size: u64,
    write_percent: u64,
}

impl Stream {
    /// A stream over `blocks` blocks from byte `start` on.
    pub(crate) fn new(pattern: Pattern, key: u64, start: u64, blocks: u64, block_size: u64, write: Percent) -> Self {
        Stream { pattern, key, start, blocks, block_size, write_percent: u64::from(write.get()) }
    }

    /// Operation number `index`.
    #[inline]
    pub(crate) const fn op(&self, index: u64) -> Op {
        let block = match self.pattern {
            Pattern::Sequential | Pattern::Reverse | Pattern::RandomOnce => index % self.blocks,
            Pattern::Random => bounded(self.draw(index.wrapping_mul(2)), self.blocks),
        };
        let write = match self.write_percent {
            0 => false,
            100 => true,
            percent => bounded(self.draw(index.wrapping_mul(2).wrapping_add(1)), 100) < percent,
        };
        Op { offset: self.start + block * self.block_size, write }
    }

    /// Number `position` of the SplitMix64 sequence that the key begins.
    #[inline]
    const fn draw(&self, position: u64) -> u64 {
        mix(self.key.wrapping_add(position.wrapping_add(1).wrapping_mul(GOLDEN)))
    }
}

/// Uniform in `0..bound` from 64 random bits by multiply and shift (Lemire 2019); its bias, bound / 2^64, is below
/// 10^-9 for every drive that exists.
#[inline]
const fn bounded(random: u64, bound: u64) -> u64 {
    ((random as u128 * bound as u128) >> 64) as u64
}

#[cfg(test)]
mod tests;
