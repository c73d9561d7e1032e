//! Counters of sixteen bytes, which JSON numbers cannot hold.

use serde::{Serialize, Serializer};

/// A counter of 128 bits. In JSON it is a number if it fits into 64 bits, otherwise its digits as text: a drive that
/// reports a nonsensical value must not cost the rest of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Counter(u128);

impl Counter {
    /// A counter with this value.
    #[must_use]
    pub const fn new(value: u128) -> Self {
        Counter(value)
    }

    /// Its value.
    #[must_use]
    pub const fn get(self) -> u128 {
        self.0
    }

    /// Its value, or the largest 64-bit number if it is larger.
    #[must_use]
    pub fn to_u64(self) -> u64 {
        u64::try_from(self.0).unwrap_or(u64::MAX)
    }

    /// Its value times `unit`, without overflow.
    #[must_use]
    pub fn times(self, unit: u128) -> Counter {
        Counter(self.0.saturating_mul(unit))
    }
}

impl std::fmt::Display for Counter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.0)
    }
}

impl Serialize for Counter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(value) => serializer.serialize_u64(value),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}
