//! A random order in which every number comes once, without memory: a keyed permutation of `0..size`.
//!
//! A number is split into a low half of some bits and a high half with just as many values as the size needs, and a
//! Feistel network of four rounds mixes the halves (Luby and Rackoff 1988; with a sum in place of XOR if a half is
//! not a power of two: Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). A result outside the
//! size is permuted again until it falls inside ("cycle-walking", same paper). The halves together cover at most one
//! low half more than the size, so above a thousand or so a number hardly ever needs a second walk. Not for secrets.

use super::{GOLDEN, derive};

/// Permutations of `0..size`, one for each lap.
#[derive(Debug, Clone)]
pub(crate) struct Feistel {
    size: u64,
    low_bits: u32,
    low_mask: u64,
    /// Values of the high half; below 2^32.
    highs: u64,
    keys: [u64; 4],
}

impl Feistel {
    /// Permutations of `0..size`; `size` is at least 1 and below 2^63.
    pub(crate) fn new(size: u64, key: u64) -> Self {
        let size = size.max(1);
        let low_bits = (u64::BITS - (size - 1).leading_zeros()).div_ceil(2);
        Feistel {
            size,
            low_bits,
            low_mask: (1 << low_bits) - 1,
            highs: size.div_ceil(1 << low_bits),
            keys: [0, 1, 2, 3].map(|round| derive(key, round)),
        }
    }

    /// Where the permutation of `lap` puts `index`, which is below the size.
    #[inline]
    pub(crate) const fn at(&self, index: u64, lap: u64) -> u64 {
        let tweak = lap.wrapping_mul(GOLDEN);
        let mut value = index;
        loop {
            let mut high = value >> self.low_bits;
            // Indices with the same low half would be alike in the first round; they are a power of two apart, and
            // threads take every n-th index. So the low half is sheared first.
            let mut low = value.wrapping_add(high.wrapping_mul(self.keys[0] | 1)) & self.low_mask;
            high = self.raised(high, blur(low, self.keys[0].wrapping_add(tweak)));
            low ^= blur(high, self.keys[1].wrapping_add(tweak)) & self.low_mask;
            high = self.raised(high, blur(low, self.keys[2].wrapping_add(tweak)));
            low ^= blur(high, self.keys[3].wrapping_add(tweak)) & self.low_mask;
            value = high << self.low_bits | low;
            if value < self.size {
                return value;
            }
        }
    }

    /// The index that the permutation of `lap` puts at `value`, which is below the size: the inverse of
    /// [`Feistel::at`].
    pub(crate) const fn index_of(&self, value: u64, lap: u64) -> u64 {
        let tweak = lap.wrapping_mul(GOLDEN);
        let mut index = value;
        loop {
            let (mut high, mut low) = (index >> self.low_bits, index & self.low_mask);
            low ^= blur(high, self.keys[3].wrapping_add(tweak)) & self.low_mask;
            high = self.lowered(high, blur(low, self.keys[2].wrapping_add(tweak)));
            low ^= blur(high, self.keys[1].wrapping_add(tweak)) & self.low_mask;
            high = self.lowered(high, blur(low, self.keys[0].wrapping_add(tweak)));
            low = low.wrapping_sub(high.wrapping_mul(self.keys[0] | 1)) & self.low_mask;
            index = high << self.low_bits | low;
            if index < self.size {
                return index;
            }
        }
    }

    /// The sum of a high half and a random one, modulo the number of high values.
    #[inline]
    const fn raised(&self, high: u64, random: u64) -> u64 {
        let sum = high + (((random & 0xFFFF_FFFF) * self.highs) >> 32);
        if sum >= self.highs { sum - self.highs } else { sum }
    }

    /// The inverse of [`Feistel::raised`].
    const fn lowered(&self, high: u64, random: u64) -> u64 {
        let part = ((random & 0xFFFF_FFFF) * self.highs) >> 32;
        if high >= part { high - part } else { high + self.highs - part }
    }
}

/// A random function of a half: a wide product of two numbers that both depend on half and key, folded.
#[inline]
const fn blur(half: u64, key: u64) -> u64 {
    let product = (half ^ key) as u128 * (half.wrapping_mul(GOLDEN) ^ key.rotate_left(32)) as u128;
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests;
