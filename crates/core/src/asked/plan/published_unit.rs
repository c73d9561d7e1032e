//! The unit in which a source published its rates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A unit in which a source published rates. Many programs print MiB/s as MB/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PublishedUnit {
    /// 1,000,000 bytes per second: the unit of all tables. Charts of random loads then use it too.
    #[serde(rename = "MB/s")]
    MegabytesPerSecond,
    /// 1,048,576 bytes per second.
    #[serde(rename = "MiB/s")]
    MebibytesPerSecond,
    /// Operations per second.
    #[serde(rename = "IOPS")]
    OperationsPerSecond,
}

impl PublishedUnit {
    /// All units.
    pub const ALL: [PublishedUnit; 3] =
        [PublishedUnit::MegabytesPerSecond, PublishedUnit::MebibytesPerSecond, PublishedUnit::OperationsPerSecond];

    /// The unit as written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PublishedUnit::MegabytesPerSecond => "MB/s",
            PublishedUnit::MebibytesPerSecond => "MiB/s",
            PublishedUnit::OperationsPerSecond => "IOPS",
        }
    }

    /// 1 MB/s (1,000,000 bytes per second) in this unit; `None` if the unit does not count bytes.
    #[must_use]
    pub const fn per_mb_s(self) -> Option<f64> {
        match self {
            PublishedUnit::MegabytesPerSecond => Some(1.0),
            PublishedUnit::MebibytesPerSecond => Some(1e6 / 1_048_576.0),
            PublishedUnit::OperationsPerSecond => None,
        }
    }
}
