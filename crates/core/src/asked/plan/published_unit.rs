//! The unit in which a source published its rates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A unit of rates in which something was published. Many programs call MiB/s MB/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PublishedUnit {
    /// 1,000,000 bytes a second: the unit of all tables, which charts of random loads have then too.
    #[serde(rename = "MB/s")]
    MegabytesPerSecond,
    /// 1,048,576 bytes a second.
    #[serde(rename = "MiB/s")]
    MebibytesPerSecond,
    /// Operations per second.
    #[serde(rename = "IOPS")]
    OperationsPerSecond,
}

impl PublishedUnit {
    /// Every one.
    pub const ALL: [PublishedUnit; 3] =
        [PublishedUnit::MegabytesPerSecond, PublishedUnit::MebibytesPerSecond, PublishedUnit::OperationsPerSecond];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PublishedUnit::MegabytesPerSecond => "MB/s",
            PublishedUnit::MebibytesPerSecond => "MiB/s",
            PublishedUnit::OperationsPerSecond => "IOPS",
        }
    }

    /// A rate of 1,000,000 bytes a second in this unit; `None` where it counts no bytes.
    #[must_use]
    pub const fn per_mb_s(self) -> Option<f64> {
        match self {
            PublishedUnit::MegabytesPerSecond => Some(1.0),
            PublishedUnit::MebibytesPerSecond => Some(1e6 / 1_048_576.0),
            PublishedUnit::OperationsPerSecond => None,
        }
    }
}
