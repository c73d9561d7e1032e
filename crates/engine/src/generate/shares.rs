//! Splits a number into whole shares.

/// `total` in `parts` shares that differ by one at most.
pub(crate) fn fair_shares(total: u64, parts: u64) -> Box<[u64]> {
    (0..parts).map(|part| total / parts + u64::from(part < total % parts)).collect()
}
