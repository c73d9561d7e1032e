//! Replay of a trace: operations in their recorded order and, if asked for, at their recorded times.
//!
//! Owns the types: one operation of a trace, the sources of traces, the replay modes, what is known of a trace before
//! the first operation, and what a step records of its replay. Must not know: files, formats, how operations are
//! issued.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::histogram::{LatencySummary, SparseHistogram};
use crate::load::{OpKind, OtherOps};
use crate::units::{Bytes, Nanos, Percent};

/// One operation of a trace, as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceOp {
    /// Arrival time: nanoseconds since the first operation of the trace; never less than that of the operation before.
    pub at_ns: u64,
    /// Kind of operation.
    pub op: OpKind,
    /// First byte on the recorded device; 0 for a flush.
    pub offset: u64,
    /// Bytes; 0 only for a flush.
    pub length: u64,
}

/// The operations of a trace in order, read as they are needed.
pub trait TraceStream: Send {
    /// The next operation; `None` at the end.
    ///
    /// # Errors
    /// A text if it cannot be read: which trace, which line, what was expected.
    fn next_op(&mut self) -> Result<Option<TraceOp>, String>;
}

/// Opens the trace of a replay at its beginning, for the engine that issues it.
pub type TraceOpener = Box<dyn FnMut(&Replay) -> Result<Box<dyn TraceStream>, String> + Send>;

/// A trace generated from counts and volumes: its operations resemble those of an application, but none were recorded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SyntheticTrace {
    /// Reads that begin where the previous read ended.
    pub sequential_reads: u64,
    /// Reads that begin anywhere.
    pub random_reads: u64,
    /// Writes that begin where the previous write ended.
    pub sequential_writes: u64,
    /// Writes that begin anywhere.
    pub random_writes: u64,
    /// Bytes of all reads together; absent if their sizes are uniform from `smallest` to `largest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Bytes>,
    /// Bytes of all writes together; absent if their sizes are uniform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Bytes>,
    /// Smallest operation; sizes and offsets are multiples of 4 KiB.
    pub smallest: Bytes,
    /// Largest operation.
    pub largest: Bytes,
    /// End of the address range, which starts at 0.
    pub footprint: Bytes,
    /// Mean number of operations in a group that arrives at the same time.
    pub burst: u32,
    /// Mean time from one group to the next; the times are exponentially distributed.
    pub gap: Nanos,
    /// Seed; the same seed gives the same trace.
    pub seed: u64,
}

/// Sizes and offsets of synthetic traces are multiples of this many bytes.
pub const SYNTHETIC_UNIT: u64 = 4096;

impl SyntheticTrace {
    /// Number of all operations.
    #[must_use]
    pub const fn operations(&self) -> u64 {
        self.reads().saturating_add(self.writes())
    }

    /// Number of all reads.
    #[must_use]
    pub const fn reads(&self) -> u64 {
        self.sequential_reads.saturating_add(self.random_reads)
    }

    /// Number of all writes.
    #[must_use]
    pub const fn writes(&self) -> u64 {
        self.sequential_writes.saturating_add(self.random_writes)
    }

    /// Bytes of these operations: as stated, otherwise their number times the mean of smallest and largest.
    fn volume(&self, stated: Option<Bytes>, operations: u64) -> Bytes {
        let mean = self.smallest.get().midpoint(self.largest.get());
        stated.unwrap_or_else(|| Bytes::new(mean.saturating_mul(operations)))
    }

    /// What is known of the trace. With uniform sizes, volumes are means; the duration is always a mean.
    #[must_use]
    pub fn facts(&self) -> TraceFacts {
        let groups = self.operations() / u64::from(self.burst.max(1));
        TraceFacts {
            format: "synthetic".to_owned(),
            hash: String::new(),
            reads: self.reads(),
            writes: self.writes(),
            trims: 0,
            flushes: 0,
            read: self.volume(self.read, self.reads()),
            written: self.volume(self.written, self.writes()),
            largest: self.largest,
            end: self.footprint,
            duration: Nanos::new(self.gap.get().saturating_mul(groups)),
            empty: 0,
            out_of_order: 0,
        }
    }
}

/// Source of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceSource {
    /// A recorded trace.
    File {
        /// The file.
        path: PathBuf,
        /// Name of its format; absent if the reader detects it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<String>,
        /// Only operations of this device, volume or file of the trace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        device: Option<String>,
    },
    /// A trace that is generated during the replay.
    Synthetic(SyntheticTrace),
}

/// When the operations of a trace are issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplayMode {
    /// At their recorded times.
    Timed {},
    /// At their recorded times, with all gaps multiplied.
    Scaled {
        /// Gaps in per cent of the recorded ones: 50 is twice as fast.
        percent: u32,
    },
    /// At their recorded times, with longer gaps shortened.
    CappedIdle {
        /// No gap is longer than this.
        cap: Nanos,
    },
    /// As fast as possible, in the recorded order.
    ClosedLoop {},
}

impl ReplayMode {
    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ReplayMode::Timed {} => "timed",
            ReplayMode::Scaled { .. } => "scaled",
            ReplayMode::CappedIdle { .. } => "capped_idle",
            ReplayMode::ClosedLoop {} => "closed_loop",
        }
    }

    /// The mode with its parameter, as shown in results: `timed`, `gaps at 50 %`, `gaps at most 25 ms`, `closed loop`.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            ReplayMode::Timed {} => "timed".to_owned(),
            ReplayMode::Scaled { percent } => format!("gaps at {percent} %"),
            ReplayMode::CappedIdle { cap } => format!("gaps at most {cap}"),
            ReplayMode::ClosedLoop {} => "closed loop".to_owned(),
        }
    }

    /// Whether operations have intended start times.
    #[must_use]
    pub const fn is_timed(self) -> bool {
        !matches!(self, ReplayMode::ClosedLoop {})
    }

    /// The length of a recorded gap in the replay, in nanoseconds.
    #[must_use]
    pub fn gap(self, recorded_ns: u64) -> u64 {
        match self {
            ReplayMode::Timed {} => recorded_ns,
            ReplayMode::Scaled { percent } => {
                u64::try_from(u128::from(recorded_ns) * u128::from(percent) / 100).unwrap_or(u64::MAX)
            }
            ReplayMode::CappedIdle { cap } => recorded_ns.min(cap.get()),
            ReplayMode::ClosedLoop {} => 0,
        }
    }
}

/// Where operations go if their recorded address is outside the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceFit {
    /// Offsets are taken modulo the span.
    Wrap,
    /// Offsets are scaled down so that the whole trace lies in the span.
    Scale,
}

impl TraceFit {
    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TraceFit::Wrap => "wrap",
            TraceFit::Scale => "scale",
        }
    }
}

/// What the replay does with trims of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceTrims {
    /// Left out and counted.
    Skip,
    /// Issued.
    Send,
}

impl TraceTrims {
    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TraceTrims::Skip => "skip",
            TraceTrims::Send => "send",
        }
    }
}

/// What is known of a trace before its first operation is issued, from one pass over the whole trace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct TraceFacts {
    /// Format in which it was read; `synthetic` for a generated trace.
    pub format: String,
    /// BLAKE3 of the file, 64 hexadecimal digits; empty for a generated trace, which its parameters identify.
    pub hash: String,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Trims.
    pub trims: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes of all reads.
    pub read: Bytes,
    /// Bytes of all writes.
    pub written: Bytes,
    /// Bytes of the largest read or write.
    pub largest: Bytes,
    /// First byte after the highest one touched.
    pub end: Bytes,
    /// Time from the first operation to the last, as recorded.
    pub duration: Nanos,
    /// Operations of zero bytes, which are left out.
    pub empty: u64,
    /// Operations with a time earlier than the latest one so far; they are replayed at the latest time.
    pub out_of_order: u64,
}

impl TraceFacts {
    /// Number of operations that a replay issues.
    #[must_use]
    pub const fn issued(&self, trims: TraceTrims) -> u64 {
        let trims = match trims {
            TraceTrims::Skip => 0,
            TraceTrims::Send => self.trims,
        };
        self.reads + self.writes + self.flushes + trims
    }

    /// Mean bytes of reads and writes.
    #[must_use]
    pub fn mean_bytes(&self) -> f64 {
        let moving = self.reads + self.writes;
        #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
        let count = moving.max(1) as f64;
        (self.read.as_f64() + self.written.as_f64()) / count
    }
}

/// A trace as the load of a step.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Replay {
    /// Name of the trace in the methodology.
    pub trace: String,
    /// Source of the trace.
    pub source: TraceSource,
    /// When operations are issued.
    pub mode: ReplayMode,
    /// Where operations go if their recorded address is outside the span.
    pub fit: TraceFit,
    /// What the replay does with trims.
    pub trims: TraceTrims,
    /// What is known of the trace.
    pub facts: TraceFacts,
}

impl Replay {
    /// Shares of the kinds, in whole per cent. A kind that occurs in the trace is never 0, so that a query for the
    /// kinds of a load always finds it. Writes first, then the others.
    #[must_use]
    pub fn shares(&self) -> (Percent, OtherOps) {
        let total = u128::from(self.facts.issued(self.trims).max(1));
        let share = |count: u64| {
            let exact = u64::try_from(u128::from(count) * 100 / total).unwrap_or(100);
            if count == 0 { 0 } else { exact.max(1) }
        };
        let trims = if self.trims == TraceTrims::Send { share(self.facts.trims) } else { 0 };
        let flushes = share(self.facts.flushes);
        let reads = u64::from(self.facts.reads > 0);
        let left = 100_u64.saturating_sub(trims + flushes + reads);
        let writes = if self.facts.writes == 0 {
            0
        } else if self.facts.reads == 0 {
            left
        } else {
            share(self.facts.writes).min(left)
        };
        let percent = |value: u64| Percent::new(value.min(100)).unwrap_or_default();
        let other = OtherOps { trim_percent: percent(trims), flush_percent: percent(flushes), ..OtherOps::default() };
        (percent(writes), other)
    }

    /// Longest time from the first operation to the last in the replay; `None` in a closed loop, where the target
    /// decides.
    #[must_use]
    pub fn longest(&self) -> Option<Nanos> {
        match self.mode {
            ReplayMode::Timed {} => Some(self.facts.duration),
            ReplayMode::Scaled { .. } => Some(Nanos::new(self.mode.gap(self.facts.duration.get()))),
            ReplayMode::CappedIdle { cap } => {
                let capped = cap.get().saturating_mul(self.facts.issued(TraceTrims::Send));
                Some(self.facts.duration.min(Nanos::new(capped)))
            }
            ReplayMode::ClosedLoop {} => None,
        }
    }
}

/// What a step did with its trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayRecord {
    /// Operations taken from the trace, including those left out.
    pub taken: u64,
    /// Whether the whole trace was taken.
    pub complete: bool,
    /// Trims that were left out.
    pub skipped_trims: u64,
    /// Operations whose address was changed because their recorded one is outside the span.
    pub moved: u64,
    /// Operations whose ends were moved to whole logical blocks.
    pub aligned: u64,
    /// Operations that were shortened because they were longer than the span or than the largest operation.
    pub shortened: u64,
    /// Time with at least one operation in flight.
    pub busy: Nanos,
    /// Time in which an operation was due but had not yet been read from the trace.
    pub starved: Nanos,
    /// Operations that were issued late for that reason.
    pub starved_operations: u64,
    /// Time by which operations were submitted late; absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<Lateness>,
}

/// Time by which operations were submitted later than intended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lateness {
    /// Figures of the distribution.
    pub summary: Option<LatencySummary>,
    /// The distribution.
    pub histogram: SparseHistogram,
}

impl Lateness {
    /// With its figures computed.
    #[must_use]
    pub fn new(histogram: SparseHistogram) -> Self {
        Lateness { summary: histogram.summary(), histogram }
    }
}

#[cfg(test)]
mod tests {
    //! Shares and gaps worked out by hand.

    use super::*;

    fn replay(reads: u64, writes: u64, trims: u64, flushes: u64, send: TraceTrims) -> Replay {
        let synthetic = SyntheticTrace {
            sequential_reads: reads,
            random_reads: 0,
            sequential_writes: writes,
            random_writes: 0,
            read: None,
            written: Some(Bytes::new(1 << 20)),
            smallest: Bytes::new(4096),
            largest: Bytes::new(12_288),
            footprint: Bytes::GIB,
            burst: 4,
            gap: Nanos::from_millis(2),
            seed: 1,
        };
        let facts = TraceFacts { trims, flushes, ..synthetic.facts() };
        Replay {
            trace: "t".to_owned(),
            source: TraceSource::Synthetic(synthetic),
            mode: ReplayMode::Timed {},
            fit: TraceFit::Wrap,
            trims: send,
            facts,
        }
    }

    #[test]
    fn a_kind_that_the_trace_has_is_never_without_a_share_and_one_that_it_lacks_is_always() {
        let shares = |replay: Replay| {
            let (write, other) = replay.shares();
            (write.get(), other.trim_percent.get(), other.flush_percent.get())
        };
        assert_eq!(shares(replay(75, 25, 0, 0, TraceTrims::Skip)), (25, 0, 0));
        assert_eq!(shares(replay(1_000_000, 1, 1, 1, TraceTrims::Send)), (1, 1, 1));
        assert_eq!(shares(replay(1, 1_000_000, 0, 0, TraceTrims::Send)), (99, 0, 0), "one read is left");
        assert_eq!(shares(replay(0, 10, 0, 0, TraceTrims::Send)), (100, 0, 0));
        assert_eq!(shares(replay(10, 0, 90, 0, TraceTrims::Skip)), (0, 0, 0), "trims that are not sent");
    }

    #[test]
    fn facts_of_a_made_trace_follow_from_its_parameters() {
        let facts = replay(6, 2, 0, 0, TraceTrims::Skip).facts;
        // Sizes from 4 to 12 KiB are 8 KiB on average; eight operations in groups of four are two groups.
        assert_eq!((facts.read, facts.written), (Bytes::new(6 * 8192), Bytes::new(1 << 20)));
        assert_eq!(facts.duration, Nanos::from_millis(4));
        assert_eq!((facts.issued(TraceTrims::Skip), facts.end), (8, Bytes::GIB));
    }

    #[test]
    fn each_mode_does_to_a_gap_what_its_name_says() {
        assert_eq!(ReplayMode::Timed {}.gap(7), 7);
        assert_eq!(ReplayMode::Scaled { percent: 50 }.gap(1000), 500);
        assert_eq!(ReplayMode::CappedIdle { cap: Nanos::new(25) }.gap(1000), 25);
        assert_eq!(ReplayMode::CappedIdle { cap: Nanos::new(25) }.gap(3), 3);
        assert_eq!(ReplayMode::ClosedLoop {}.gap(1000), 0);
        let capped =
            Replay { mode: ReplayMode::CappedIdle { cap: Nanos::new(10) }, ..replay(6, 2, 0, 0, TraceTrims::Skip) };
        assert_eq!(capped.longest(), Some(Nanos::new(80)), "eight gaps of ten");
    }
}
