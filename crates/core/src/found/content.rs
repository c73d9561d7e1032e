//! The content of a target, estimated from samples: which places hold data, and which blocks are repeated at another
//! address.
//!
//! Taken by `device`, which only reads; `analysis` interprets it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// Bytes of one sample.
pub const SAMPLE: Bytes = Bytes::new(4096);

/// Samples of a target.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ContentSample {
    /// The sampled places, in the order of their addresses.
    pub places: Vec<PlaceSample>,
    /// Blocks compared with blocks at other addresses, one row for each distance, the shortest first.
    pub repeats: Vec<RepeatSample>,
}

/// Samples of one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceSample {
    /// Where it begins.
    pub offset: Bytes,
    /// Its length.
    pub length: Bytes,
    /// Number of blocks of [`SAMPLE`] bytes read from it.
    pub blocks: u32,
    /// Blocks that contain only the byte 00 or only FF: never written, discarded, or written with that byte.
    pub empty: u32,
    /// Blocks that could not be read.
    pub unreadable: u32,
}

impl ContentSample {
    /// Whether the place that begins here holds data; `None` if none that begins here was sampled.
    #[must_use]
    pub fn holds_data_at(&self, offset: Bytes) -> Option<bool> {
        self.places.iter().find(|place| place.offset == offset).map(PlaceSample::holds_data)
    }
}

impl PlaceSample {
    /// Whether most of it holds data: at least half of the blocks that could be read.
    #[must_use]
    pub const fn holds_data(&self) -> bool {
        let readable = self.blocks.saturating_sub(self.unreadable);
        readable > 0 && self.empty * 2 <= readable
    }
}

/// Blocks with data, each compared with the block at one distance from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatSample {
    /// The distance in bytes, a power of two.
    pub distance: Bytes,
    /// Number of pairs that were compared.
    pub compared: u32,
    /// Pairs that are identical byte for byte.
    pub same: u32,
    /// Different blocks among the identical pairs. If one pattern fills the whole drive, it repeats at every distance
    /// and proves nothing.
    pub distinct: u32,
}
