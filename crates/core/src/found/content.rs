//! What a target holds, as far as samples of it tell: which places hold data, and which blocks come again at another
//! address.
//!
//! Taken by `device`, which only reads; what it means is `analysis`'s.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// Bytes of one sample.
pub const SAMPLE: Bytes = Bytes::new(4096);

/// Samples of a target.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ContentSample {
    /// The places that were looked at, in the order of their addresses.
    pub places: Vec<PlaceSample>,
    /// Blocks held against those at other addresses, a row for each distance, the shortest first.
    pub repeats: Vec<RepeatSample>,
}

/// Samples of one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceSample {
    /// Where it begins.
    pub offset: Bytes,
    /// Its length.
    pub length: Bytes,
    /// Blocks of [`SAMPLE`] that were read of it.
    pub blocks: u32,
    /// How many of those hold nothing but the byte 00 or nothing but FF: never written, discarded, or written with it.
    pub empty: u32,
    /// How many could not be read.
    pub unreadable: u32,
}

impl PlaceSample {
    /// Whether most of it holds data: at least half of the blocks that could be read.
    #[must_use]
    pub const fn holds_data(&self) -> bool {
        let readable = self.blocks.saturating_sub(self.unreadable);
        readable > 0 && self.empty * 2 <= readable
    }
}

/// Blocks with data, each held against the block at one distance from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatSample {
    /// The distance in bytes, a power of two.
    pub distance: Bytes,
    /// Pairs that were held against each other.
    pub compared: u32,
    /// How many of them are the same byte for byte.
    pub same: u32,
    /// How many different blocks there are among those that are the same: one pattern all over a drive repeats at every
    /// distance and says nothing.
    pub distinct: u32,
}
