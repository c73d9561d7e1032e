//! The parts of a workload that simple loads do not use: other operations, mixed sizes, locality, pace, details of
//! the data, verification, placement.
//!
//! Every part has a default that means "not used"; a default is left out of what is stored.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos, Percent};

/// A kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpKind {
    /// Moves bytes from the target.
    #[default]
    Read,
    /// Moves bytes to the target.
    Write,
    /// Tells the target that blocks are no longer used (discard; on a file, a hole is punched).
    Trim,
    /// Asks the target to zero blocks without sending zeros.
    WriteZeroes,
    /// Asks the target to make acknowledged writes durable (fdatasync).
    Flush,
}

impl OpKind {
    /// All kinds, in the order of records and tables.
    pub const ALL: [OpKind; 5] = [OpKind::Read, OpKind::Write, OpKind::Trim, OpKind::WriteZeroes, OpKind::Flush];

    /// The name in records, tables and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            OpKind::Read => "read",
            OpKind::Write => "write",
            OpKind::Trim => "trim",
            OpKind::WriteZeroes => "write_zeroes",
            OpKind::Flush => "flush",
        }
    }

    /// Whether its bytes count as moved data: discards and flushes have no rate in bytes.
    #[must_use]
    pub const fn moves_data(self) -> bool {
        !matches!(self, OpKind::Trim | OpKind::Flush)
    }
}

/// Operations that neither read nor write, as shares of all operations. The remaining operations are reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OtherOps {
    /// Share of trims. Drawn for each operation.
    pub trim_percent: Percent,
    /// Share of write-zeroes operations. Drawn for each operation.
    pub write_zeroes_percent: Percent,
    /// Share of flushes. Drawn for each operation.
    pub flush_percent: Percent,
    /// A flush after this many writes of a thread, in addition to the shares; 0 for none.
    pub sync_every: u32,
}

impl OtherOps {
    /// Whether there are none of them.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == OtherOps::default()
    }

    /// Their share of all drawn operations, in per cent.
    #[must_use]
    pub const fn percent(&self) -> u8 {
        self.trim_percent.get().saturating_add(self.write_zeroes_percent.get()).saturating_add(self.flush_percent.get())
    }
}

/// One size of a mix of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SizeShare {
    /// Bytes of one operation.
    pub block_size: Bytes,
    /// Weight among the *operations* (a methodology file may state shares of bytes, which are converted when it is
    /// read). Only the ratio of the weights counts.
    pub operations: u32,
}

/// A part of the span and its share of the accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Zone {
    /// Share of the accesses, in per cent.
    pub accesses: Percent,
    /// Share of the span, in per cent; zones follow each other from the start of the span.
    pub span: Percent,
}

/// How random offsets with repetition are distributed over the span.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Locality {
    /// Every block has the same probability.
    #[default]
    Uniform,
    /// The block of rank k is chosen with a probability proportional to k^-theta.
    Zipf {
        /// theta in thousandths: 1100 is 1.1; 1 to 10000.
        theta_thousandths: u32,
        /// Whether ranks are scattered over the span by a fixed permutation; otherwise the hot blocks are at its start.
        scattered: bool,
    },
    /// The first h of the blocks get 1 - h of the accesses, recursively (fio's `pareto:h`; the "80/20 rule" is h =
    /// 0.2). Above 0.5 the hot blocks are the last ones.
    Pareto {
        /// h in thousandths: 200 is 0.2; 1 to 999.
        h_thousandths: u32,
        /// As for `zipf`.
        scattered: bool,
    },
    /// Normal distribution around the middle of the span, cut off at its ends.
    Normal {
        /// Standard deviation as a share of the span, in per cent.
        deviation_percent: Percent,
    },
    /// Shares of the accesses go to shares of the span (SNIA, JEDEC 219). Both add up to 100.
    Zoned {
        /// The zones, from the start of the span.
        zones: Vec<Zone>,
    },
    /// A share of the accesses goes to one band of the span, the rest uniformly to the whole span.
    HotBand {
        /// Share of the accesses to the band, in per cent.
        accesses: Percent,
        /// Start of the band as a share of the span, in per cent.
        from_percent: Percent,
        /// End of the band as a share of the span, in per cent.
        to_percent: Percent,
    },
}

impl Locality {
    /// Whether every block has the same probability.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        *self == Locality::Uniform
    }
}

/// Spacing of the arrivals in an open loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Equal gaps.
    #[default]
    Constant,
    /// Exponential gaps: a Poisson process.
    Exponential,
    /// Gaps uniformly distributed between zero and twice the mean.
    Uniform,
}

impl Arrivals {
    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Arrivals::Constant => "constant",
            Arrivals::Exponential => "exponential",
            Arrivals::Uniform => "uniform",
        }
    }
}

/// An open loop: operations arrive at times fixed in advance, whatever the target does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// Arrivals per 1,000 seconds over all threads of the group, while a burst is on: 10,000 IOPS is 10,000,000.
    pub per_1000_s: u64,
    /// Spacing of the arrivals.
    pub arrivals: Arrivals,
}

impl Rate {
    /// Arrivals per second over all threads of the group.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "rates stay far below 2^53")]
    pub fn iops(self) -> f64 {
        self.per_1000_s as f64 / 1000.0
    }
}

/// Alternating on and off times, from the start of the step. While off, a closed loop submits nothing and an open
/// loop has no arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Bursts {
    /// Active time; greater than zero.
    pub on: Nanos,
    /// Pause after it.
    pub off: Nanos,
}

/// Bursts that end after a volume, each followed by a pause, so that the target is active for a given share of the
/// time. Closed loops only, with one group of threads: all its threads burst and pause together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct VolumeBursts {
    /// Bytes of one burst. With mixed sizes, the number of operations that move this volume on average; with mixed
    /// kinds, all operations count.
    pub volume: Bytes,
    /// Active share of burst and pause together, 1 to 99 per cent. A burst is active from its first submission to its
    /// last completion.
    pub duty_percent: Percent,
    /// Longest time for which a burst submits; absent if only the volume ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_at_most: Option<Nanos>,
}

impl VolumeBursts {
    /// Pause after a burst with this active time.
    #[must_use]
    pub fn pause_after(self, active: Nanos) -> Nanos {
        let (active, percent) = (u128::from(active.get()), u128::from(self.duty_percent.get().clamp(1, 100)));
        Nanos::new(u64::try_from(active * (100 - percent) / percent).unwrap_or(u64::MAX))
    }

    /// Operations of one burst for this mean operation size in bytes; at least one.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a volume by a size of at least one byte"
    )]
    pub fn operations(self, mean_block: f64) -> u64 {
        ((self.volume.as_f64() / mean_block.max(1.0)).round() as u64).max(1)
    }
}

/// When operations are issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pace {
    /// The open loop; absent in a closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Alternating on and off times; absent if there is no pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bursts: Option<Bursts>,
    /// Bursts that end by volume; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_bursts: Option<VolumeBursts>,
    /// In a closed loop, time between the end of an operation and the next one of its slot.
    #[serde(skip_serializing_if = "Nanos::is_zero")]
    pub think_time: Nanos,
    /// In a closed loop with several groups, this group's share of all operations, as a weight; 0 if it runs as fast
    /// as it can.
    #[serde(skip_serializing_if = "is_zero")]
    pub weight: u32,
}

const fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl Pace {
    /// Whether the next operation is submitted as soon as one has ended, with no other pacing.
    #[must_use]
    pub fn is_closed_loop(&self) -> bool {
        *self == Pace::default()
    }
}

/// Default distance, in the order of addresses, within which random bytes do not repeat. It applies if nothing else
/// is asked for and the target does not look back further, and is the smallest pool of a writing thread.
pub const DATA_WINDOW: Bytes = Bytes::MIB;

/// Details of the data that is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Content {
    /// Share of each block that is zero bytes and can be compressed, in per cent.
    #[serde(skip_serializing_if = "Percent::is_zero")]
    pub compress_percent: Percent,
    /// Share of the blocks that repeat an earlier block, in per cent.
    #[serde(skip_serializing_if = "Percent::is_zero")]
    pub dedup_percent: Percent,
    /// Bytes that are repeated, for the data pattern `pattern`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pattern: Vec<u8>,
    /// The file whose bytes are written, for the data pattern `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Distance, in the order of addresses, within which random bytes do not repeat; absent if the target decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Bytes>,
}

impl Content {
    /// Whether nothing differs from the default.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Content::default()
    }
}

/// Whether blocks have headers, and when they are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// No headers.
    #[default]
    Off,
    /// Writes add a header (run, address, generation, seed, checksum), which a later step with `check` checks.
    Headers,
    /// As `headers`, and each block is read back and checked right after it is written.
    AtOnce,
    /// Reads check the headers written by an earlier step with the same parameters.
    Check,
}

impl Verify {
    /// Whether blocks have no headers.
    #[must_use]
    pub fn is_off(&self) -> bool {
        *self == Verify::Off
    }

    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verify::Off => "off",
            Verify::Headers => "headers",
            Verify::AtOnce => "at_once",
            Verify::Check => "check",
        }
    }
}

/// CPUs of the threads, and how the ring is driven.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Placement {
    /// CPUs that threads are pinned to in turn; empty if the scheduler decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<u32>,
    /// Ceiling mode: wait for this many completions at a time, which adds waiting time to the measured latency. With
    /// 0 or 1, each completion is reaped as soon as it arrives.
    #[serde(skip_serializing_if = "is_zero")]
    pub batch: u32,
}

impl Placement {
    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Placement::default()
    }
}
