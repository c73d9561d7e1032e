//! How written data is made unique: a number in every sector.

/// Granularity at which written data never repeats.
pub(crate) const SECTOR: usize = 512;
/// Bytes of a sector's stamp.
pub(super) const STAMP: usize = size_of::<u64>();
