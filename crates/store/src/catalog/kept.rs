//! The storage that the catalog needs, as a trait: rows and digests of runs.

use std::collections::HashMap;
use std::fmt::Debug;

use drivelab_core::ids::RunId;

use super::row::RunRow;
use crate::error::StoreError;

/// A stored digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptDigest {
    /// Version of the code that made it.
    pub(super) version: String,
    /// Lengths and times of the files that it was made from.
    pub(super) stamp: String,
    /// The document, compressed.
    pub(super) document: Vec<u8>,
}

/// Stores rows with their stamps. It is only a cache: if rows are lost, the catalog builds them again from the bundles.
pub(super) trait Index: Debug {
    /// All rows with their stamps, without rows that cannot be decoded.
    fn rows(&self) -> Result<HashMap<RunId, (RunRow, String)>, StoreError>;

    /// Sets one row.
    fn put(&self, row: &RunRow, stamp: &str) -> Result<(), StoreError>;

    /// Sets these rows, all or none.
    fn put_all(&self, rows: &[(RunRow, String)]) -> Result<(), StoreError>;

    /// Drops one row, and the digest of that run.
    fn forget(&self, run: RunId) -> Result<(), StoreError>;

    /// The digest of a run.
    fn digest(&self, run: RunId) -> Result<Option<KeptDigest>, StoreError>;

    /// Sets the digest of a run.
    fn put_digest(&self, run: RunId, digest: &KeptDigest) -> Result<(), StoreError>;

    /// Sets exactly these rows, all or none, and drops all digests.
    fn replace_all(&mut self, rows: &[(RunRow, String)]) -> Result<(), StoreError>;
}
