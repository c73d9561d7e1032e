//! The parts of a workload that the plainest loads leave alone: other operations, mixed sizes, locality, pace, data
//! in detail, verification, placement.
//!
//! Every part has a default that means "nothing of the kind" and is then absent from what is stored.

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
    /// Tells the target that blocks hold nothing (discard; on a file, a hole is punched).
    Trim,
    /// Asks the target to make blocks zero without sending zeros.
    WriteZeroes,
    /// Asks the target to make durable what it has acknowledged (fdatasync).
    Flush,
}

impl OpKind {
    /// All kinds, in the order in which records and tables name them.
    pub const ALL: [OpKind; 5] = [OpKind::Read, OpKind::Write, OpKind::Trim, OpKind::WriteZeroes, OpKind::Flush];

    /// The word in records, tables and files.
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

    /// Whether its bytes are data that is moved or made: a discard and a flush have no rate in bytes.
    #[must_use]
    pub const fn moves_data(self) -> bool {
        !matches!(self, OpKind::Trim | OpKind::Flush)
    }
}

/// Operations that neither read nor write, as shares of all operations. Reads are what is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OtherOps {
    /// Share of operations that trim. Drawn per operation.
    pub trim_percent: Percent,
    /// Share of operations that write zeroes. Drawn per operation.
    pub write_zeroes_percent: Percent,
    /// Share of operations that flush. Drawn per operation.
    pub flush_percent: Percent,
    /// A flush after every so many writes of a thread; 0 for none. It comes on top of the shares.
    pub sync_every: u32,
}

impl OtherOps {
    /// Whether there are none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == OtherOps::default()
    }

    /// Their share of all drawn operations, per cent.
    #[must_use]
    pub const fn percent(&self) -> u8 {
        self.trim_percent.get().saturating_add(self.write_zeroes_percent.get()).saturating_add(self.flush_percent.get())
    }
}

/// One size of a mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SizeShare {
    /// Bytes of one operation.
    pub block_size: Bytes,
    /// Weight among the *operations* (a file may state shares of bytes; they are converted when it is read). Only the
    /// proportion of the weights counts.
    pub operations: u32,
}

/// A part of the span and its share of the accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Zone {
    /// Share of the accesses, per cent.
    pub accesses: Percent,
    /// Share of the span, per cent; zones follow each other from its start.
    pub span: Percent,
}

/// How random offsets with repetition are distributed over the span.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Locality {
    /// Every block is as likely as any other.
    #[default]
    Uniform,
    /// The block of rank k is chosen in proportion to k^-theta.
    Zipf {
        /// theta in thousandths: 1100 is 1.1; 1 to 10000.
        theta_thousandths: u32,
        /// Ranks are scattered over the span by a fixed permutation; else the hot blocks lie together at its start.
        scattered: bool,
    },
    /// The first h of the blocks get 1 - h of the accesses, and so do the first h of those, and so on (fio's
    /// `pareto:h`; the "80/20 rule" is h = 0.2). Above 0.5 the hot blocks are the last ones.
    Pareto {
        /// h in thousandths: 200 is 0.2; 1 to 999.
        h_thousandths: u32,
        /// As for zipf.
        scattered: bool,
    },
    /// Normal around the middle of the span, cut off at its ends.
    Normal {
        /// Standard deviation as a share of the span, per cent.
        deviation_percent: Percent,
    },
    /// Shares of the accesses go to shares of the span (SNIA, JEDEC 219). Both sum to 100.
    Zoned {
        /// From the start of the span on.
        zones: Vec<Zone>,
    },
    /// A share of the accesses goes to one band of the span, the rest uniformly to all of it.
    HotBand {
        /// Share of the accesses that go to the band, per cent.
        accesses: Percent,
        /// Start of the band as a share of the span, per cent.
        from_percent: Percent,
        /// End of the band as a share of the span, per cent.
        to_percent: Percent,
    },
}

impl Locality {
    /// Whether every block is as likely as any other.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        *self == Locality::Uniform
    }
}

/// How arrivals of an open loop are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Equal gaps.
    #[default]
    Constant,
    /// Exponential gaps: a Poisson process.
    Exponential,
    /// Gaps uniform between zero and twice the mean.
    Uniform,
}

impl Arrivals {
    /// The word in files and on the command line.
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
    /// Arrivals per 1,000 seconds over all threads of the group, while a burst is on: 10,000 IOPS are 10,000,000.
    pub per_1000_s: u64,
    /// Spacing.
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

/// On and off in turn, from the start of the step on. In a closed loop nothing is submitted while it is off; in an
/// open loop nothing arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Bursts {
    /// Time of activity; more than nothing.
    pub on: Nanos,
    /// Pause after it.
    pub off: Nanos,
}

/// Bursts that end when they have moved so much, each with a pause after it, so that the target is active for a share
/// of the time. Closed loops only, and one group of threads: all of its threads burst and pause together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct VolumeBursts {
    /// Bytes of one burst; with mixed sizes as many operations as move so much on average, of mixed kinds all together.
    pub volume: Bytes,
    /// Active share of burst and pause together, 1 to 99 per cent. A burst is active from its first submission to its
    /// last completion.
    pub duty_percent: Percent,
    /// Longest time in which a burst submits; absent where only its volume ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_at_most: Option<Nanos>,
}

impl VolumeBursts {
    /// How long to pause after a burst that was active for so long.
    #[must_use]
    pub fn pause_after(self, active: Nanos) -> Nanos {
        let (active, percent) = (u128::from(active.get()), u128::from(self.duty_percent.get().clamp(1, 100)));
        Nanos::new(u64::try_from(active * (100 - percent) / percent).unwrap_or(u64::MAX))
    }

    /// Operations of one burst, where they have so many bytes on average; at least one.
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
    /// Open loop; absent in a closed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// On and off; absent where there is no pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bursts: Option<Bursts>,
    /// Bursts that end by volume; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_bursts: Option<VolumeBursts>,
    /// In a closed loop, time between the end of an operation and the next one of its slot.
    #[serde(skip_serializing_if = "Nanos::is_zero")]
    pub think_time: Nanos,
    /// In a closed loop with several groups, this group's weight among the operations of all; 0 where it runs as fast
    /// as it can.
    #[serde(skip_serializing_if = "is_zero")]
    pub weight: u32,
}

const fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl Pace {
    /// Whether the next operation is submitted as soon as one has ended, and nothing else is asked.
    #[must_use]
    pub fn is_closed_loop(&self) -> bool {
        *self == Pace::default()
    }
}

/// Random bytes come again no nearer than this, in the order of addresses, where nothing else is asked for and the
/// target does not look back further: the least that a writing thread's pool of them holds.
pub const DATA_WINDOW: Bytes = Bytes::MIB;

/// Details of what is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Content {
    /// Share of each block that is zero bytes and so compresses away, per cent.
    #[serde(skip_serializing_if = "Percent::is_zero")]
    pub compress_percent: Percent,
    /// Share of the blocks that repeat one written before, per cent.
    #[serde(skip_serializing_if = "Percent::is_zero")]
    pub dedup_percent: Percent,
    /// Bytes that are repeated, for the data pattern `pattern`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pattern: Vec<u8>,
    /// The file whose bytes are written, for the data pattern `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Random bytes come again no nearer than this, in the order of addresses; absent where the target decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Bytes>,
}

impl Content {
    /// Whether there is nothing special.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Content::default()
    }
}

/// Whether blocks carry headers, and when they are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// No headers.
    #[default]
    Off,
    /// Writes carry a header (run, address, generation, seed, checksum); checked later by a step with `check`.
    Headers,
    /// As `headers`, and each block is read back and checked as soon as it was written.
    AtOnce,
    /// Reads check the headers that an earlier step with the same parameters wrote.
    Check,
}

impl Verify {
    /// Whether blocks carry no headers.
    #[must_use]
    pub fn is_off(&self) -> bool {
        *self == Verify::Off
    }

    /// The word in files and on the command line.
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
    /// CPUs that threads are pinned to in turn; empty where the scheduler decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<u32>,
    /// Ceiling mode: wait for so many completions at a time, which adds waiting to the measured latency. 0 or 1 is the
    /// honest way: each completion is reaped as soon as it is there.
    #[serde(skip_serializing_if = "is_zero")]
    pub batch: u32,
}

impl Placement {
    /// Whether nothing is asked.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Placement::default()
    }
}
