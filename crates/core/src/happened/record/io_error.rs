//! A failed operation, as recorded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::OpKind;
use crate::units::Bytes;

/// An error of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoError {
    /// Time, nanoseconds on the run clock.
    pub at_ns: u64,
    /// Kind of the operation.
    #[serde(alias = "write", deserialize_with = "kind_or_flag")]
    pub op: OpKind,
    /// First byte of the operation.
    pub offset: u64,
    /// Bytes of the operation.
    pub length: Bytes,
    /// The kernel's error number (`EIO` is 5); 0 for an operation that moved fewer bytes than requested.
    pub errno: i32,
}

/// Recordings of the first format version have `"write": true` or `false` instead of a kind.
fn kind_or_flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<OpKind, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum KindOrFlag {
        Kind(OpKind),
        Flag(bool),
    }
    Ok(match KindOrFlag::deserialize(deserializer)? {
        KindOrFlag::Kind(kind) => kind,
        KindOrFlag::Flag(write) => {
            if write {
                OpKind::Write
            } else {
                OpKind::Read
            }
        }
    })
}
