//! What I/O to issue: operation mix, block size, order, span, depth, data.
//!
//! One field, one meaning, end to end: the TOML key, the Rust field, the event and the chart axis have the same
//! name. Whoever consumes a [`Workload`] destructures it without `..`, so that a new field cannot be ignored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Percent, QueueDepth, Threads};

/// Order of offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Ascending, wrapping at the end of the stretch.
    Sequential,
    /// Uniformly random with repetition, aligned to the block size.
    Random,
}

/// How the threads of a sequential workload share the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Streams {
    /// Each thread has its own stretch; no two threads touch the same block.
    Disjoint,
    /// Every thread runs over the whole span with a stream of its own, as some published methods do.
    Overlapping,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataPattern {
    /// Random bytes without repeats at any granularity of 512 bytes and more.
    Incompressible,
    /// All zero bytes.
    Zero,
}

/// Part of the target that is touched, in bytes from its start; both ends are multiples of the block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// First byte.
    pub offset: Bytes,
    /// Length.
    pub length: Bytes,
}

impl Span {
    /// First byte behind the span.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.offset.get() + self.length.get()
    }
}

/// One load, with fixed parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Share of operations that write; 0 is read only, 100 write only. Drawn per operation.
    pub write_percent: Percent,
    /// Bytes of one operation.
    pub block_size: Bytes,
    /// Order of offsets.
    pub pattern: Pattern,
    /// How threads share the span when the pattern is sequential.
    pub streams: Streams,
    /// Part of the target that is touched.
    pub span: Span,
    /// Operations in flight per thread.
    pub queue_depth: QueueDepth,
    /// Threads that issue I/O.
    pub threads: Threads,
    /// What is written.
    pub data: DataPattern,
    /// Past the page cache (O_DIRECT) or through it.
    pub direct: bool,
    /// Seed of offsets, operation draws and data; the same seed gives the same sequence.
    pub seed: u64,
}

impl Workload {
    /// Operations in flight over all threads.
    #[must_use]
    pub const fn total_depth(&self) -> u64 {
        self.queue_depth.get() as u64 * self.threads.get() as u64
    }

    /// Whether any operation can write.
    #[must_use]
    pub const fn writes(&self) -> bool {
        self.write_percent.get() > 0
    }

    /// Whether any operation can read.
    #[must_use]
    pub const fn reads(&self) -> bool {
        self.write_percent.get() < 100
    }
}
