//! What to issue: offsets and operation kinds (`stream`), and the bytes that are written (`data`).
//!
//! Everything is addressed by index, not by state: operation number `i` of a thread is a pure function of seed and
//! `i`. So several OS threads can share one stream, both backends issue the same operations, and a test can name any
//! of them.

pub(crate) mod data;
pub(crate) mod stream;

/// Increment of SplitMix64: 2^64 divided by the golden ratio, odd.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA
/// 2014; constants of Stafford's variant 13). A bijection on 64 bits: different inputs never give the same output.
#[inline]
pub(crate) const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// A key for a part of something that has `key`: thread of a step, step of a seed.
pub(crate) const fn derive(key: u64, part: u64) -> u64 {
    mix(key ^ mix(part.wrapping_add(1).wrapping_mul(GOLDEN)))
}
