//! Where the rows of the catalog are kept: what any database has to do for it.

use std::collections::HashMap;
use std::fmt::Debug;

use drivelab_core::ids::RunId;

use super::row::RunRow;
use crate::error::StoreError;

/// Stores rows with their stamps. It is only a cache: if rows are lost, the catalog builds them again from the bundles.
pub(super) trait Index: Debug {
    /// All rows with their stamps, without rows that cannot be decoded.
    fn rows(&self) -> Result<HashMap<RunId, (RunRow, String)>, StoreError>;

    /// Sets one row.
    fn put(&self, row: &RunRow, stamp: &str) -> Result<(), StoreError>;

    /// Sets these rows, all or none.
    fn put_all(&self, rows: &[(RunRow, String)]) -> Result<(), StoreError>;

    /// Drops one row.
    fn forget(&self, run: RunId) -> Result<(), StoreError>;

    /// Sets exactly these rows, all or none.
    fn replace_all(&mut self, rows: &[(RunRow, String)]) -> Result<(), StoreError>;
}
