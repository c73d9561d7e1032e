//! The words for a load, part by part. Loads on a span and loads on sets of files use the same parts.

/// A load in words, in parts for the columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadWords {
    /// Operations, sizes, order, depth, pace: `4 KiB random reads, queue depth 32, 1 thread`.
    pub load: String,
    /// What is written and checked, and whether with direct I/O: `incompressible, direct I/O`.
    pub data: String,
    /// The part of the target: `32 GiB from 0 B`.
    pub span: String,
    /// The seed.
    pub seed: String,
}
