//! A part of the target.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// Part of the target that is touched, in bytes from its start; both ends are multiples of the block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// First byte.
    pub offset: Bytes,
    /// Length.
    pub length: Bytes,
}

impl Span {
    /// First byte after the span.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.offset.get() + self.length.get()
    }
}
