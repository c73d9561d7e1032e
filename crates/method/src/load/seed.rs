//! Seeds that follow from the stated one: each step and each file set has its own.

/// A seed for one step, so that two steps do not visit the same offsets in the same order. It is below 2^53, so that
/// every JSON reader keeps it exactly.
pub(crate) fn derived_seed(seed: u64, name: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(name.as_bytes());
    let mut bytes = [0u8; 8];
    hasher.finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes) >> 11
}
