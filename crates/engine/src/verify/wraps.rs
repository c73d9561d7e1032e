//! Whether misplaced blocks show a drive that is smaller than it reports.
//!
//! Counterfeit drives take the address modulo their real capacity. The block read at an address was then written to
//! an address that differs by a multiple of the real capacity, and so were its neighbours. Single misplaced blocks
//! have distances that no other block shares: three of them have a common divisor of 256 blocks by chance once in
//! 100,000.

use drivelab_core::units::common_divisor;

/// Blocks that must share a distance before it counts.
const BLOCKS_LEAST: u64 = 3;
/// Smallest distance in bytes that is taken for a capacity; a smaller one more likely comes from confused addresses.
const CAPACITY_LEAST: u64 = 1 << 20;
/// The same limit in blocks: all distances are multiples of one block, so a few blocks are a common divisor of any of
/// them.
const BLOCKS_IN_CAPACITY: u64 = 256;
/// Distances that are counted at the same time.
const DISTANCES: usize = 64;

/// Counts the distances of misplaced blocks.
#[derive(Debug)]
pub(super) struct Wraps {
    /// Distances that are not multiples of the capacity, with their counts.
    distances: Vec<(u64, u64)>,
    /// All distances that were seen often are multiples of this; 0 until there is one.
    capacity: u64,
    /// Blocks misplaced by a multiple of the capacity.
    wrapped: u64,
    /// All misplaced blocks, and the greatest common divisor of their distances.
    all: u64,
    common: u64,
    /// Bytes of the largest block that was misplaced.
    block: u64,
}

impl Wraps {
    /// Allocates all that it will ever need.
    pub(super) fn new() -> Self {
        Wraps { distances: Vec::with_capacity(DISTANCES), capacity: 0, wrapped: 0, all: 0, common: 0, block: 0 }
    }

    /// A block of `block` bytes was misplaced by `distance` bytes.
    pub(super) fn note(&mut self, distance: u64, block: u64) {
        self.block = self.block.max(block);
        self.all += 1;
        self.common = common_divisor(self.common, distance);
        self.add(distance, 1);
    }

    /// Merges what another thread counted.
    pub(super) fn merge(&mut self, other: Wraps) {
        self.all += other.all;
        self.block = self.block.max(other.block);
        self.common = common_divisor(self.common, other.common);
        if other.capacity > 0 {
            self.add(other.capacity, other.wrapped);
        }
        other.distances.into_iter().for_each(|(distance, count)| self.add(distance, count));
    }

    /// The distance of which all wraps are multiples, and how many blocks are wrapped.
    pub(super) const fn found(&self) -> Option<(u64, u64)> {
        if self.all >= BLOCKS_LEAST && self.common >= self.least() {
            Some((self.common, self.all))
        } else if self.capacity > 0 {
            Some((self.capacity, self.wrapped))
        } else {
            None
        }
    }

    /// Smallest distance that is taken for a capacity.
    const fn least(&self) -> u64 {
        let blocks = BLOCKS_IN_CAPACITY.saturating_mul(self.block);
        if blocks > CAPACITY_LEAST { blocks } else { CAPACITY_LEAST }
    }

    fn add(&mut self, distance: u64, blocks: u64) {
        if self.capacity > 0 && distance.is_multiple_of(self.capacity) {
            self.wrapped += blocks;
            return;
        }
        let known = self.distances.iter().position(|(known, _)| *known == distance);
        if known.is_none() && self.distances.len() == DISTANCES {
            return;
        }
        let place = known.unwrap_or_else(|| {
            self.distances.push((distance, 0));
            self.distances.len() - 1
        });
        self.distances[place].1 += blocks;
        let count = self.distances[place].1;
        let capacity = common_divisor(self.capacity, distance);
        if count >= BLOCKS_LEAST && capacity >= self.least() {
            self.capacity = capacity;
            let Wraps { distances, wrapped, .. } = self;
            distances.retain(|(distance, count)| {
                let is_wrap = distance.is_multiple_of(capacity);
                *wrapped += if is_wrap { *count } else { 0 };
                !is_wrap
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// Blocks of a MiB are always misplaced by whole MiB: that alone does not show a capacity. For blocks of 4 KiB,
    /// 256 of them do.
    #[test]
    fn a_few_large_blocks_are_no_capacity() {
        let found = |block: u64| {
            let mut wraps = Wraps::new();
            [3, 5, 7].into_iter().for_each(|distance| wraps.note(distance * MIB, block));
            wraps.found()
        };
        assert_eq!(found(MIB), None);
        assert_eq!(found(4096), Some((MIB, 3)));
    }
}
