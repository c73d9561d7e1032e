//! What a thread issues, and when: operations (`stream`), their arrival times in an open loop (`arrivals`), and the
//! bytes of writes (`data`).
//!
//! Nothing here has state. An operation is a pure function of a key and a cursor, an arrival of a key and a position;
//! cursor and position are one integer each. So several OS threads can share one sequence with one compare-and-swap,
//! both backends issue the same operations, a run resumes where it was interrupted, and a test can name any
//! operation.

pub(crate) mod arrivals;
pub(crate) mod build;
pub(crate) mod data;
mod exponential;
mod feistel;
mod kinds;
mod law;
mod order;
pub(crate) mod recall;
pub(crate) mod shares;
mod sizes;
pub(crate) mod stream;
mod zipf;

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

/// The inverse of [`mix`].
pub(crate) const fn unmix(value: u64) -> u64 {
    let value = (value ^ (value >> 31) ^ (value >> 62)).wrapping_mul(0x3196_42B2_D24D_8EC3);
    let value = (value ^ (value >> 27) ^ (value >> 54)).wrapping_mul(0x96DE_1B17_3F11_9089);
    value ^ (value >> 30) ^ (value >> 60)
}

/// A key for a part of whatever has `key`: a thread of a step, a step of a seed.
pub(crate) const fn derive(key: u64, part: u64) -> u64 {
    mix(key ^ mix(part.wrapping_add(1).wrapping_mul(GOLDEN)))
}

/// Number `position` of the SplitMix64 sequence that starts from `key`.
#[inline]
pub(crate) const fn number(key: u64, position: u64) -> u64 {
    mix(key.wrapping_add(position.wrapping_add(1).wrapping_mul(GOLDEN)))
}

/// Uniform in `0..bound` from 64 random bits by multiply and shift (Lemire: "Fast random integer generation in an
/// interval", 2019); its bias, bound / 2^64, is below 10^-9 for every drive that exists.
#[inline]
const fn bounded(random: u64, bound: u64) -> u64 {
    ((random as u128 * bound as u128) >> 64) as u64
}

/// Uniform between 0 and 1, never 0 or 1, in steps of 2^-53.
#[inline]
const fn unit_interval(random: u64) -> f64 {
    ((random >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
}

/// The share `part` of `whole` of all 64-bit numbers lies below this.
fn threshold(part: u64, whole: u64) -> u64 {
    let exact = (u128::from(part) << 64) / u128::from(whole.max(1));
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(test)]
pub(crate) mod testing;
