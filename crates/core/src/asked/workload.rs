//! The I/O of a load: kinds of operation, sizes, order, span, depth, pace, data.
//!
//! A field has one name and one meaning everywhere: in the TOML file, in Rust, in the event and on the chart axis.
//! Code that consumes a [`Workload`] destructures it without `..`, so that it cannot ignore a new field. Parts that
//! simple loads do not use are in [`crate::load`] and default to "not used".

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::FileLoad;
use crate::load::{Content, Locality, OpKind, OtherOps, Pace, Placement, SizeShare, Verify};
use crate::namespace::OtherNamespace;
use crate::places::Places;
use crate::replay::{Replay, ReplayMode};
pub use crate::span::Span;
use crate::units::{Bytes, Percent, QueueDepth, Threads, common_divisor};

/// Order of offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Ascending, wrapping at the end of the stretch; with [`Workload::stride`] in steps of the stride, with
    /// [`Workload::seek_percent`] interrupted by jumps.
    Sequential,
    /// Descending from the end of the stretch, wrapping at its start.
    Reverse,
    /// Random with repetition, aligned to the block size, distributed by [`Workload::locality`].
    Random,
    /// Random order in which every block of the stretch is touched once before any is touched again.
    RandomOnce,
}

impl Pattern {
    /// Whether offsets follow each other (`sequential`, `reverse`).
    #[must_use]
    pub const fn is_sequential(self) -> bool {
        matches!(self, Pattern::Sequential | Pattern::Reverse)
    }

    /// Whether a pass over the stretch touches each of its blocks exactly once.
    #[must_use]
    pub const fn has_passes(self) -> bool {
        !matches!(self, Pattern::Random)
    }

    /// The name in files, on the command line and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Pattern::Sequential => "sequential",
            Pattern::Reverse => "reverse",
            Pattern::Random => "random",
            Pattern::RandomOnce => "random_once",
        }
    }
}

/// How the threads of a workload share the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Streams {
    /// Each thread has its own stretch; no two threads touch the same block. Random patterns with repetition still
    /// draw from the whole span.
    Disjoint,
    /// Each thread has its own stream over the whole span, as in some published methods.
    Overlapping,
    /// All threads take their blocks from one stream over the whole span.
    Shared,
    /// As `overlapping`, but each thread has two positions: one for reads and one for all other operations.
    ByKind,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataPattern {
    /// Random bytes without repeats at any granularity of 512 bytes or more, unless [`Content`] asks for compressible
    /// or repeated shares.
    Incompressible,
    /// All zero bytes.
    Zero,
    /// One random block for each thread, written again and again, as in some published methods.
    OneBlock,
    /// [`Content::pattern`], repeated.
    Pattern,
    /// The bytes of [`Content::file`], repeated.
    File,
}

impl DataPattern {
    /// The name in files, on the command line and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DataPattern::Incompressible => "incompressible",
            DataPattern::Zero => "zero",
            DataPattern::OneBlock => "one_block",
            DataPattern::Pattern => "pattern",
            DataPattern::File => "file",
        }
    }
}

/// One load, with fixed parameters. The default is the simplest: 4 KiB random reads, one in flight, over an empty span.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Share of operations that write; 0 is read only, 100 write only. Drawn for each operation.
    pub write_percent: Percent,
    /// Operations that neither read nor write.
    #[serde(default, skip_serializing_if = "OtherOps::is_none")]
    pub other: OtherOps,
    /// Bytes of one operation; with mixed sizes, the largest of them.
    pub block_size: Bytes,
    /// Sizes drawn for each operation, with their shares; empty if all operations have `block_size`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block_size_mix: Vec<SizeShare>,
    /// Order of offsets.
    pub pattern: Pattern,
    /// How random offsets are distributed.
    #[serde(default, skip_serializing_if = "Locality::is_uniform")]
    pub locality: Locality,
    /// Distance between the starts of sequential operations; absent if they follow each other without a gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<Bytes>,
    /// Only these blocks of the span are touched, in the order of a sequential pattern; absent if all blocks are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<Places>,
    /// Share of operations of a sequential pattern that jump to a random block and continue from it.
    #[serde(default, skip_serializing_if = "Percent::is_zero")]
    pub seek_percent: Percent,
    /// How the threads share the span.
    pub streams: Streams,
    /// Part of the target that is touched, or of the other namespace if `on` names one.
    pub span: Span,
    /// The namespace of the same drive that is read instead of the target; absent if it is the target. Only a group
    /// beside others can have one, and it only reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Box<OtherNamespace>>,
    /// Operations in flight per thread.
    pub queue_depth: QueueDepth,
    /// Threads that issue I/O.
    pub threads: Threads,
    /// When operations are issued; by default, as soon as one has ended.
    #[serde(default, skip_serializing_if = "Pace::is_closed_loop")]
    pub pace: Pace,
    /// What is written.
    pub data: DataPattern,
    /// Details of what is written.
    #[serde(default, skip_serializing_if = "Content::is_plain")]
    pub content: Content,
    /// Whether blocks have headers that are checked.
    #[serde(default, skip_serializing_if = "Verify::is_off")]
    pub verify: Verify,
    /// Whether I/O bypasses the page cache (O_DIRECT).
    pub direct: bool,
    /// CPUs and how the ring is driven.
    #[serde(default, skip_serializing_if = "Placement::is_plain")]
    pub placement: Placement,
    /// Its writes use this placement handle of an NVMe namespace with Flexible Data Placement; absent if the drive
    /// chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement_handle: Option<u16>,
    /// Seed of offsets, of the draws for operations and of the data; the same seed gives the same sequence.
    pub seed: u64,
    /// Name among the groups of threads that run at the same time; empty if there is only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The trace that is replayed: operations, sizes, addresses and times come from it. The shares above are then
    /// those of the trace in whole per cent, and `block_size` is the largest operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// Groups of threads with their own loads that run at the same time; these have no groups of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Workload>,
    /// Work on a set of files instead of one target: an operation is then a file, `block_size` is the buffer, and
    /// offsets have no meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Box<FileLoad>>,
}

impl Default for Workload {
    fn default() -> Self {
        Workload {
            write_percent: Percent::ZERO,
            other: OtherOps::default(),
            block_size: Bytes::new(4096),
            block_size_mix: Vec::new(),
            pattern: Pattern::Random,
            locality: Locality::Uniform,
            stride: None,
            places: None,
            seek_percent: Percent::ZERO,
            streams: Streams::Disjoint,
            span: Span { offset: Bytes::new(0), length: Bytes::new(0) },
            on: None,
            queue_depth: QueueDepth::ONE,
            threads: Threads::ONE,
            pace: Pace::default(),
            data: DataPattern::Incompressible,
            content: Content::default(),
            verify: Verify::Off,
            direct: true,
            placement: Placement::default(),
            placement_handle: None,
            seed: 1,
            name: String::new(),
            replay: None,
            beside: Vec::new(),
            files: None,
        }
    }
}

impl Workload {
    /// This group and those beside it.
    pub fn groups(&self) -> impl Iterator<Item = &Workload> {
        std::iter::once(self).chain(&self.beside)
    }

    /// The groups that use the target.
    pub fn on_target(&self) -> impl Iterator<Item = &Workload> {
        self.groups().filter(|group| group.on.is_none())
    }

    /// Bytes of one pass over its span, or over its places.
    #[must_use]
    pub fn pass_bytes(&self) -> Bytes {
        self.places.map_or(self.span.length, |places| places.bytes(self.span, self.block_size))
    }

    /// Operations in flight over all threads of all groups.
    #[must_use]
    pub fn total_depth(&self) -> u64 {
        self.groups().map(|group| u64::from(group.queue_depth.get()) * u64::from(group.threads.get())).sum()
    }

    /// The placement handles of the writes of all groups, ascending, each once.
    #[must_use]
    pub fn placement_handles(&self) -> Vec<u16> {
        let named: BTreeSet<u16> = self.groups().filter_map(|group| group.placement_handle).collect();
        named.into_iter().collect()
    }

    /// Share of reads among this group's operations, in per cent.
    #[must_use]
    pub fn read_percent(&self) -> u8 {
        100_u8.saturating_sub(self.write_percent.get()).saturating_sub(self.other.percent())
    }

    /// Whether any operation of any group can change the content of the target (including trims and zeroing).
    #[must_use]
    pub fn writes(&self) -> bool {
        self.groups().any(Workload::changes_itself)
    }

    /// Whether any operation of this group alone can change the content of its target.
    #[must_use]
    pub fn changes_itself(&self) -> bool {
        let OtherOps { trim_percent, write_zeroes_percent, flush_percent: _, sync_every: _ } = self.other;
        [self.write_percent, trim_percent, write_zeroes_percent].iter().any(|share| share.get() > 0)
    }

    /// Whether it can change the content of the target itself. Sets of files do not count, because steps make them
    /// when they need them, and neither does another namespace.
    #[must_use]
    pub fn changes_target(&self) -> bool {
        self.on_target().any(|group| group.files.is_none() && group.changes_itself())
    }

    /// Whether any operation of any group can read.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.groups().any(|group| group.read_percent() > 0)
    }

    /// Whether any operation of any group can be of this kind.
    #[must_use]
    pub fn issues(&self, kind: OpKind) -> bool {
        self.groups().any(|group| group.issues_itself(kind))
    }

    /// Whether any operation of this group alone can be of this kind.
    #[must_use]
    pub fn issues_itself(&self, kind: OpKind) -> bool {
        let OtherOps { trim_percent, write_zeroes_percent, flush_percent, sync_every } = self.other;
        let writes = self.write_percent.get() > 0;
        match kind {
            OpKind::Read => self.read_percent() > 0,
            OpKind::Write => writes,
            OpKind::Trim => trim_percent.get() > 0,
            OpKind::WriteZeroes => write_zeroes_percent.get() > 0,
            OpKind::Flush => flush_percent.get() > 0 || sync_every > 0 && writes,
        }
    }

    /// As [`Self::issues_itself`], including the operations that read back what the group has just written.
    #[must_use]
    pub fn issues_or_reads_back(&self, kind: OpKind) -> bool {
        self.issues_itself(kind) || kind == OpKind::Read && self.verify == Verify::AtOnce
    }

    /// Whether it replays a trace at intended start times.
    #[must_use]
    pub fn replays_at_times(&self) -> bool {
        self.replay.as_ref().is_some_and(|replay| !matches!(replay.mode, ReplayMode::ClosedLoop {}))
    }

    /// Whether any group has arrivals scheduled in advance, whatever the target does.
    #[must_use]
    pub fn is_open_loop(&self) -> bool {
        self.groups().any(|group| group.pace.rate.is_some())
    }

    /// Whether this group goes through its span block by block, up or down, without stride, jumps, fixed places or a
    /// trace.
    #[must_use]
    pub fn goes_in_order(&self) -> bool {
        let jumps = !self.seek_percent.is_zero() || self.stride.is_some() || self.places.is_some();
        self.pattern.is_sequential() && !jumps && self.replay.is_none()
    }

    /// Sizes of the operations of this group, each once; none if operations are files.
    #[must_use]
    pub fn block_sizes(&self) -> Vec<Bytes> {
        if self.files.is_some() {
            return Vec::new();
        }
        if self.block_size_mix.is_empty() {
            return vec![self.block_size];
        }
        self.block_size_mix.iter().map(|share| share.block_size).collect()
    }

    /// Largest number of bytes of which all sizes of this group's operations are a multiple: the unit of blocks with
    /// headers.
    #[must_use]
    pub fn block_unit(&self) -> u64 {
        self.block_sizes().iter().fold(0, |unit, size| common_divisor(unit, size.get()))
    }

    /// Mean bytes of this group's operations that move data.
    #[must_use]
    pub fn mean_block_size(&self) -> f64 {
        if let Some(replay) = &self.replay {
            return replay.facts.mean_bytes();
        }
        let weight: f64 = self.block_size_mix.iter().map(|share| f64::from(share.operations)).sum();
        if weight == 0.0 {
            return self.block_size.as_f64();
        }
        self.block_size_mix.iter().map(|share| share.block_size.as_f64() * f64::from(share.operations)).sum::<f64>()
            / weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_is_what_neither_jumps_nor_leaves_gaps() {
        let upwards = Workload { pattern: Pattern::Sequential, ..Workload::default() };
        assert!(upwards.goes_in_order());
        assert!(Workload { pattern: Pattern::Reverse, ..upwards.clone() }.goes_in_order());
        assert!(!Workload { pattern: Pattern::Random, ..upwards.clone() }.goes_in_order());
        assert!(!Workload { stride: Some(Bytes::new(1 << 20)), ..upwards.clone() }.goes_in_order());
        let jumps = Percent::new(10).unwrap_or_default();
        assert!(!Workload { seek_percent: jumps, ..upwards }.goes_in_order());
    }
}
