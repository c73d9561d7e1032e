//! Another namespace of the drive under test, which loads beside the writing one may read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// A namespace of the same drive as the target, which is only read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct OtherNamespace {
    /// Kernel name of its block device, `nvme0n2`; empty in a plan that was made without looking for a namespace.
    pub name: String,
    /// Its number on the drive (NSID), from 1; 0 if none was looked for.
    pub nsid: u32,
    /// Bytes that it holds.
    pub capacity: Bytes,
    /// Alignment of offsets and lengths for direct I/O.
    pub logical_block: Bytes,
}

impl OtherNamespace {
    /// A placeholder for a plan that is made without a drive: as large as the target.
    #[must_use]
    pub const fn like_target(capacity: Bytes, logical_block: Bytes) -> Self {
        OtherNamespace { name: String::new(), nsid: 0, capacity, logical_block }
    }

    /// Whether it was found on a drive; false for a placeholder.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.nsid != 0
    }

    /// Its name for display: `nvme0n2`, or `another namespace`.
    #[must_use]
    pub fn words(&self) -> &str {
        if self.is_known() { &self.name } else { "another namespace" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_was_not_looked_for_has_no_name() {
        let stand_in = OtherNamespace::like_target(Bytes::MIB, Bytes::new(512));
        assert_eq!((stand_in.is_known(), stand_in.words()), (false, "another namespace"));
        let found = OtherNamespace { name: "nvme0n2".to_owned(), nsid: 2, ..stand_in };
        assert_eq!((found.is_known(), found.words()), (true, "nvme0n2"));
    }
}
