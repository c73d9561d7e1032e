//! Places: a sample of the blocks of a span, chosen so that a drive with less real capacity than it claims is detected.
//!
//! Owns the choice of these blocks: a pure function of span, block size, number and seed, shared by engine, estimate
//! and analysis. Must not know: what is done at the places.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::span::Span;
use crate::units::Bytes;

/// Of every four places, this many are chosen to detect wraps: one run of blocks and one grid.
const GRID_QUARTERS: usize = 3;
/// Most blocks of a stratum that are tried to find one that is not yet a place.
const PROBES: u64 = 64;

/// A sample of the blocks of a span.
///
/// The blocks are chosen in this order until there are enough:
///
/// 1. The first and the last block, and the two blocks on both sides of every power of two (in bytes of the target),
///    the largest power first: counterfeit drives end or wrap at these addresses.
/// 2. For three quarters of the number: half of them are the first blocks without a gap, the other half are at equal
///    distances over the span. If addresses wrap after any number of blocks, some block of the second half overwrites
///    one of the first half, provided that the run is as long as the distance (from `places`² = 7.2 × blocks up).
/// 3. For the rest: one block drawn from each of as many equal parts of the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Places {
    /// Maximum number of blocks; all blocks if the span has no more.
    pub count: u32,
    /// Seed of the draws; equal in steps that must use the same blocks.
    pub seed: u64,
}

impl Places {
    /// Block numbers from the start of the span, ascending, each once. `block` is above zero.
    #[must_use]
    pub fn blocks(self, span: Span, block: Bytes) -> Vec<u64> {
        let size = block.get().max(1);
        let blocks = span.length.get() / size;
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        if blocks <= u64::from(self.count) {
            return (0..blocks).collect();
        }
        let mut chosen: BTreeSet<u64> = special(span, size, blocks).into_iter().take(count).collect();
        let grid = (count * GRID_QUARTERS / 4 / 2) as u64;
        let distance = blocks.div_ceil(grid.max(1));
        for number in 0..grid {
            for block in [number, number * distance] {
                if chosen.len() < count && block < blocks {
                    chosen.insert(block);
                }
            }
        }
        let draws = (count - chosen.len()) as u64;
        for number in 0..draws {
            let edge = |number: u64| {
                u64::try_from(u128::from(blocks) * u128::from(number) / u128::from(draws)).unwrap_or(blocks)
            };
            let (from, to) = (edge(number), edge(number + 1));
            let drawn = mixed(self.seed ^ mixed(number)) % (to - from).max(1);
            let mut probed = (0..PROBES.min(to - from)).map(|probe| from + (drawn + probe) % (to - from));
            let free = probed.find(|block| !chosen.contains(block));
            chosen.extend(free);
        }
        // A part without a free block gives no draw: the lowest free blocks make up the number.
        let mut next = 0;
        while chosen.len() < count {
            chosen.insert(next);
            next += 1;
        }
        chosen.into_iter().collect()
    }

    /// Bytes of one pass over them.
    #[must_use]
    pub fn bytes(self, span: Span, block: Bytes) -> Bytes {
        let blocks = (span.length.get() / block.get().max(1)).min(u64::from(self.count));
        Bytes::new(blocks.saturating_mul(block.get()))
    }
}

/// The blocks that come first: the ends, and both sides of the powers of two.
fn special(span: Span, size: u64, blocks: u64) -> Vec<u64> {
    let mut special = vec![0, blocks - 1];
    for power in (0..u64::BITS).rev().map(|bit| 1_u64 << bit) {
        let Some(inside) = power.checked_sub(span.offset.get()).filter(|at| *at >= size && at / size < blocks) else {
            continue;
        };
        special.extend([inside / size, inside / size - 1]);
    }
    special
}

/// A number that looks random (the finalizer of SplitMix64).
const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn span(offset: u64, blocks: u64) -> Span {
        Span { offset: Bytes::new(offset * MIB), length: Bytes::new(blocks * MIB) }
    }

    fn places(count: u32, blocks: u64) -> Vec<u64> {
        Places { count, seed: 1 }.blocks(span(0, blocks), Bytes::new(MIB))
    }

    #[test]
    fn ends_and_powers_of_two_are_among_them() {
        let found = places(256, 100_000);
        for block in [0, 99_999, 65_535, 65_536, 1023, 1024, 1, 2] {
            assert!(found.binary_search(&block).is_ok(), "{block} of {found:?}");
        }
        assert_eq!(places(2, 100_000), [0, 99_999], "the ends come first");
        let behind = Places { count: 64, seed: 1 }.blocks(span(1000, 4000), Bytes::new(MIB));
        assert!([24, 23, 1048, 1047, 3096].iter().all(|block| behind.binary_search(block).is_ok()), "of the target");
    }

    #[test]
    fn where_there_are_no_more_blocks_all_are_places() {
        assert_eq!(places(10, 10), (0..10).collect::<Vec<u64>>());
        assert_eq!(places(10, 3), [0, 1, 2]);
        assert_eq!(Places { count: 10, seed: 1 }.bytes(span(0, 3), Bytes::new(MIB)), Bytes::new(3 * MIB));
    }

    #[test]
    fn another_seed_draws_others_of_a_quarter_of_them() {
        let other = Places { count: 1024, seed: 2 }.blocks(span(0, 1 << 20), Bytes::new(MIB));
        let one = places(1024, 1 << 20);
        let shared = other.iter().filter(|block| one.binary_search(block).is_ok()).count();
        assert!((700..=850).contains(&shared), "{shared}");
    }

    proptest! {
        /// Any drive whose addresses wrap after a whole number of blocks writes one place over another.
        #[test]
        fn every_wrap_is_met(blocks in 2000_u64..30_000, share in 1_u64..1000) {
            let count = 2.7_f64.mul_add((blocks as f64).sqrt(), 60.0) as u32;
            let real = (blocks * share / 1000).max(64);
            let found = places(count, blocks);
            let mut seen = BTreeSet::new();
            let collides = found.iter().any(|block| !seen.insert(block % real));
            prop_assert!(real >= blocks || collides, "{count} places of {blocks}, {real} really there");
        }

        #[test]
        fn they_ascend_are_inside_and_as_many_as_asked(blocks in 1_u64..1_000_000, count in 2_u32..3000, seed: u64) {
            let found = Places { count, seed }.blocks(span(7, blocks), Bytes::new(MIB));
            prop_assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(found.last().is_some_and(|last| *last < blocks));
            prop_assert_eq!(found.len() as u64, blocks.min(u64::from(count)));
        }
    }
}
