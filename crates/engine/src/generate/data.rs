//! The bytes that are written: random ones that never repeat, or zeros.
//!
//! A drive that compresses or removes duplicates must gain nothing (research/engine.md, 3.4 and 6 "Data"). Fresh
//! random bytes for each write would cost more than the I/O, so each thread has a pool of random bytes, larger than
//! any window a drive would search, and before each write 8 bytes of every 512-byte sector are replaced by a number
//! that is used once. Distinctness is not left to chance: the numbers are a bijection ([`super::mix`]) of a counter.

use drivelab_core::workload::DataPattern;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{derive, mix};

/// Granularity at which written data never repeats.
pub(crate) const SECTOR: usize = 512;
/// Bits of the counter that belong to one slot: 2^38 sectors are 140 TB written by one slot in one step.
const COUNTER_BITS: u32 = 38;

/// Makes what the slots of a step write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DataSource {
    pattern: DataPattern,
    key: u64,
}

impl DataSource {
    /// The key is different for each execution of a step, so that no round writes again what an earlier one wrote.
    pub(crate) const fn new(pattern: DataPattern, key: u64) -> Self {
        DataSource { pattern, key }
    }

    /// Zeros, for a place that is filled in later.
    pub(crate) const fn plain() -> Self {
        DataSource { pattern: DataPattern::Zero, key: 0 }
    }

    /// Fills the pool that begins with the part of `slot`, before the start.
    pub(crate) fn fill_pool(&self, pool: &mut [u8], slot: u64) {
        match self.pattern {
            DataPattern::Incompressible => {
                Xoshiro256PlusPlus::seed_from_u64(derive(self.key, slot)).fill_bytes(pool);
            }
            _ => pool.fill(0),
        }
    }

    /// Makes each sector of a block unlike any other that this step writes. `counter` belongs to the slot.
    #[inline]
    pub(crate) fn stamp(&self, block: &mut [u8], counter: &mut u64) {
        if self.pattern == DataPattern::Zero {
            return;
        }
        for sector in block.chunks_mut(SECTOR) {
            let stamp = mix(self.key.wrapping_add(*counter)).to_le_bytes();
            *counter += 1;
            if let Some(place) = sector.first_chunk_mut::<8>() {
                *place = stamp;
            } else {
                sector.iter_mut().zip(stamp).for_each(|(byte, stamp)| *byte = stamp);
            }
        }
    }
}

/// First value of the counter of a slot; slots are numbered over all threads.
pub(crate) const fn counter_of(slot: u64) -> u64 {
    slot << COUNTER_BITS
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Sixty-four writes from a pool of four sectors by two slots: without the stamp only eight sectors would differ.
    #[test]
    fn no_sector_repeats_even_when_the_pool_does() {
        let source = DataSource::new(DataPattern::Incompressible, 42);
        let mut seen = HashSet::new();
        for slot in 0..2 {
            let (mut pool, mut counter) = (vec![0; 4 * SECTOR], counter_of(slot));
            source.fill_pool(&mut pool, 0);
            for _ in 0..32 {
                source.stamp(&mut pool, &mut counter);
                assert!(pool.chunks(SECTOR).all(|sector| seen.insert(sector.to_vec())));
            }
        }
    }

    #[test]
    fn two_executions_write_different_bytes_and_the_same_one_the_same() {
        let pool = |key| {
            let mut pool = vec![0; 4096];
            DataSource::new(DataPattern::Incompressible, key).fill_pool(&mut pool, 3);
            pool
        };
        assert_eq!(pool(1), pool(1));
        assert_ne!(pool(1), pool(2));
    }

    #[test]
    fn zeros_stay_zeros() {
        let source = DataSource::new(DataPattern::Zero, 1);
        let mut block = vec![0; 4096];
        source.stamp(&mut block, &mut 0);
        assert!(block.iter().all(|byte| *byte == 0));
    }
}
