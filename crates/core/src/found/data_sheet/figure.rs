//! The figures that vendors publish.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::OpKind;

/// A figure of a data sheet that a test can measure. Its name is the key in a drive facts file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrintedFigure {
    /// Sequential reads, MB/s.
    SequentialRead,
    /// Sequential writes, MB/s.
    SequentialWrite,
    /// Random reads per second.
    RandomRead,
    /// Random writes per second.
    RandomWrite,
    /// Latency of one read, µs.
    ReadLatency,
    /// Latency of one write, µs.
    WriteLatency,
    /// Size of the write cache, GB.
    SlcCache,
    /// Active power, W.
    PowerActive,
    /// Idle power, W; measured in the idle steps of a preparation, so no test is compared with it.
    PowerIdle,
}

impl PrintedFigure {
    /// All figures, in the order of data sheets.
    pub const ALL: [PrintedFigure; 9] = [
        PrintedFigure::SequentialRead,
        PrintedFigure::SequentialWrite,
        PrintedFigure::RandomRead,
        PrintedFigure::RandomWrite,
        PrintedFigure::ReadLatency,
        PrintedFigure::WriteLatency,
        PrintedFigure::SlcCache,
        PrintedFigure::PowerActive,
        PrintedFigure::PowerIdle,
    ];

    /// The key in a drive facts file and in a methodology.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PrintedFigure::SequentialRead => "sequential_read",
            PrintedFigure::SequentialWrite => "sequential_write",
            PrintedFigure::RandomRead => "random_read",
            PrintedFigure::RandomWrite => "random_write",
            PrintedFigure::ReadLatency => "read_latency",
            PrintedFigure::WriteLatency => "write_latency",
            PrintedFigure::SlcCache => "slc_cache",
            PrintedFigure::PowerActive => "power_active",
            PrintedFigure::PowerIdle => "power_idle",
        }
    }

    /// The figure with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        PrintedFigure::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// Title for display.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            PrintedFigure::SequentialRead => "Sequential read",
            PrintedFigure::SequentialWrite => "Sequential write",
            PrintedFigure::RandomRead => "Random read",
            PrintedFigure::RandomWrite => "Random write",
            PrintedFigure::ReadLatency => "Read latency",
            PrintedFigure::WriteLatency => "Write latency",
            PrintedFigure::SlcCache => "SLC cache",
            PrintedFigure::PowerActive => "Power, active",
            PrintedFigure::PowerIdle => "Power, idle",
        }
    }

    /// Unit in which it is shown and measured.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            PrintedFigure::SequentialRead | PrintedFigure::SequentialWrite => "MB/s",
            PrintedFigure::RandomRead | PrintedFigure::RandomWrite => "IOPS",
            PrintedFigure::ReadLatency | PrintedFigure::WriteLatency => "us",
            PrintedFigure::SlcCache => "GB",
            PrintedFigure::PowerActive | PrintedFigure::PowerIdle => "W",
        }
    }

    /// Base units of the drive facts (B/s, IOPS, ns, B, W) in one [`PrintedFigure::unit`].
    #[must_use]
    pub const fn base_units(self) -> f64 {
        match self {
            PrintedFigure::SequentialRead | PrintedFigure::SequentialWrite => 1e6,
            PrintedFigure::ReadLatency | PrintedFigure::WriteLatency => 1e3,
            PrintedFigure::SlcCache => 1e9,
            PrintedFigure::RandomRead
            | PrintedFigure::RandomWrite
            | PrintedFigure::PowerActive
            | PrintedFigure::PowerIdle => 1.0,
        }
    }

    /// Whether a lower value is better than the published one.
    #[must_use]
    pub const fn less_is_better(self) -> bool {
        matches!(
            self,
            PrintedFigure::ReadLatency
                | PrintedFigure::WriteLatency
                | PrintedFigure::PowerActive
                | PrintedFigure::PowerIdle
        )
    }

    /// The kind of operation that it describes; none if any load shows it.
    #[must_use]
    pub const fn op(self) -> Option<OpKind> {
        match self {
            PrintedFigure::SequentialRead | PrintedFigure::RandomRead | PrintedFigure::ReadLatency => {
                Some(OpKind::Read)
            }
            PrintedFigure::SequentialWrite
            | PrintedFigure::RandomWrite
            | PrintedFigure::WriteLatency
            | PrintedFigure::SlcCache => Some(OpKind::Write),
            PrintedFigure::PowerActive | PrintedFigure::PowerIdle => None,
        }
    }
}
