//! A random order in which every number comes once, without memory: a keyed permutation of `0..size`.
//!
//! A Feistel network of four rounds permutes the power of two at or above `size` (Luby and Rackoff 1988; halves of
//! unequal width keep that power as small as it can be), and what falls outside is permuted again until it falls
//! inside, "cycle-walking" (Black and Rogaway: "Ciphers with arbitrary finite domains", CT-RSA 2002). The power is less
//! than twice the size, so a number takes less than two walks on average. Not for secrets.

use super::{GOLDEN, derive};

/// Odd, half of its bits set, from the digits of pi (the second word of Blowfish's table).
const MULTIPLIER: u64 = 0xA409_3822_299F_31D1;

/// Permutations of `0..size`, one for each lap.
#[derive(Debug, Clone)]
pub(crate) struct Feistel {
    size: u64,
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    keys: [u64; 4],
}

impl Feistel {
    /// Permutations of `0..size`; `size` is at least 1.
    pub(crate) fn new(size: u64, key: u64) -> Self {
        let bits = u64::BITS - size.saturating_sub(1).leading_zeros();
        let low_bits = bits.div_ceil(2);
        let mask = |bits: u32| (1_u64 << bits) - 1;
        Feistel {
            size: size.max(1),
            low_bits,
            low_mask: mask(low_bits),
            high_mask: mask(bits - low_bits),
            keys: [0, 1, 2, 3].map(|round| derive(key, round)),
        }
    }

    /// Where the permutation of `lap` puts `index`, which is below the size.
    #[inline]
    pub(crate) const fn at(&self, index: u64, lap: u64) -> u64 {
        let tweak = lap.wrapping_mul(GOLDEN);
        let mut value = index;
        loop {
            let (mut high, mut low) = (value >> self.low_bits, value & self.low_mask);
            high ^= fold(low ^ self.keys[0].wrapping_add(tweak)) & self.high_mask;
            low ^= fold(high ^ self.keys[1].wrapping_add(tweak)) & self.low_mask;
            high ^= fold(low ^ self.keys[2].wrapping_add(tweak)) & self.high_mask;
            low ^= fold(high ^ self.keys[3].wrapping_add(tweak)) & self.low_mask;
            value = high << self.low_bits | low;
            if value < self.size {
                return value;
            }
        }
    }
}

/// Mixes by one long multiplication, both halves of which are used.
#[inline]
const fn fold(value: u64) -> u64 {
    let product = value as u128 * MULTIPLIER as u128;
    (product >> 64) as u64 ^ product as u64
}
