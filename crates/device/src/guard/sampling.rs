//! The blocks of a device that are read if not all are: the ends, evenly spaced ones, random ones.
//!
//! The check before a device is written and the check after it was wiped use the same rule.

use std::hash::{BuildHasher, Hasher, RandomState};

/// What is read at either end of a large device, in bytes.
pub(crate) const END: u64 = 16 << 20;
/// Number of evenly spaced blocks in between; the same number is chosen at random.
pub(crate) const SAMPLES: u64 = 4096;
/// A block, in bytes.
pub(crate) const BLOCK: u64 = 4096;

/// Whether all bytes are 00 or all are FF: the first one is, and each other byte equals the one before it.
pub(crate) fn is_empty(bytes: &[u8]) -> bool {
    match bytes {
        [] | [0 | 0xff] => true,
        [0 | 0xff, rest @ ..] => *rest == bytes[..rest.len()],
        _ => false,
    }
}

/// An unpredictable number: the standard library seeds its hashers with one.
pub(crate) fn seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) fn random(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

/// Offsets of the samples from `first` on within this many blocks, in ascending order, each once.
fn samples(first: u64, blocks: u64, seed: u64) -> Vec<u64> {
    // Up to 2^64 bytes are 2^52 blocks, times 2^12 samples: no overflow.
    let even = (0..SAMPLES).map(|index| index * blocks / SAMPLES);
    let random = random(seed).take(SAMPLES as usize).map(|value| value % blocks.max(1));
    let mut offsets: Vec<u64> = even.chain(random).map(|block| first + block * BLOCK).collect();
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}

/// Offsets of the samples between the ends of a device that is longer than both ends.
pub(crate) fn between_ends(length: u64, seed: u64) -> Vec<u64> {
    samples(END, length.saturating_sub(2 * END) / BLOCK, seed)
}

/// Offsets of sample blocks on a whole device, including its first and its last block.
pub(crate) fn of_device(length: u64) -> Vec<u64> {
    let blocks = length.div_ceil(BLOCK);
    let mut offsets = samples(0, blocks, seed());
    offsets.extend(blocks.checked_sub(1).map(|last| last * BLOCK));
    offsets.dedup();
    offsets
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_of_one_repeated_byte_are_empty_and_only_of_00_or_ff() {
        assert!(is_empty(&[0; 4096]) && is_empty(&[0xff; 4096]) && is_empty(&[0]) && is_empty(&[]));
        assert!(!is_empty(&[0x5a; 4096]));
        let mut block = [0u8; 4096];
        block[4095] = 1;
        assert!(!is_empty(&block));
        block[4095] = 0xff;
        assert!(!is_empty(&block));
    }

    proptest! {
        #[test]
        fn samples_lie_between_the_ends_evenly(extra in 0u64..1 << 50, seed in any::<u64>()) {
            let length = (1 << 30) + 1 + extra;
            let offsets = between_ends(length, seed);
            prop_assert!(offsets.len() as u64 >= SAMPLES);
            prop_assert!(offsets.iter().all(|offset| *offset >= END && offset + BLOCK <= length - END));
            prop_assert!(offsets.iter().all(|offset| offset % BLOCK == 0));
        }

        #[test]
        fn samples_of_a_device_have_its_ends_and_stay_within_it(length in 1u64..1 << 50) {
            let offsets = of_device(length);
            prop_assert_eq!(offsets.first(), Some(&0));
            prop_assert_eq!(offsets.last().copied(), Some((length.div_ceil(BLOCK) - 1) * BLOCK));
            prop_assert!(offsets.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
