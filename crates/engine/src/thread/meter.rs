//! Counts of one interval of one thread, by class of operation: kind and size.
//!
//! The classes are settled before the start ([`Layout`]), so that the loop only indexes.

use drivelab_core::histogram::Histogram;
use drivelab_core::load::OpKind;
use drivelab_core::workload::Workload;

use crate::thread::trace::TracePart;

/// One class of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) kind: OpKind,
    /// Bytes of one operation; 0 for flushes.
    pub(crate) length: u32,
}

/// The classes in which a group's threads count.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    classes: Box<[Class]>,
    /// First class of each kind; `None` if the group issues none.
    first: [Option<u16>; OpKind::ALL.len()],
    lengths: Box<[u32]>,
    responses: bool,
    /// Operations of one class differ in length, so that their bytes are counted.
    varies: bool,
    trace_entries: usize,
}

impl Layout {
    /// The classes of a group. `trace_entries` is the room for each interval's trace; 0 if none is kept.
    pub(crate) fn of(workload: &Workload, trace_entries: usize) -> Self {
        let lengths: Box<[u32]> =
            workload.block_sizes().iter().map(|size| u32::try_from(size.get()).unwrap_or(u32::MAX)).collect();
        let mut classes = Vec::new();
        let mut first = [None; OpKind::ALL.len()];
        for (slot, kind) in first.iter_mut().zip(OpKind::ALL) {
            if !workload.issues_or_reads_back(kind) {
                continue;
            }
            *slot = u16::try_from(classes.len()).ok();
            let of_kind: &[u32] = if kind == OpKind::Flush { &[0] } else { &lengths };
            classes.extend(of_kind.iter().map(|length| Class { kind, length: *length }));
        }
        let responses = workload.pace.rate.is_some() || workload.replays_at_times();
        let varies = workload.replay.is_some();
        Layout { classes: classes.into(), first, lengths, responses, varies, trace_entries }
    }

    /// This layout without room for a trace.
    pub(crate) fn without_trace(&self) -> Layout {
        Layout { trace_entries: 0, ..self.clone() }
    }

    /// The classes, in the order of a meter's counts.
    pub(crate) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Whether operations of one class differ in length.
    pub(crate) const fn varies(&self) -> bool {
        self.varies
    }

    /// Class of an operation.
    #[inline]
    pub(crate) fn class_of(&self, kind: OpKind, length: u32) -> usize {
        let first = usize::from(self.first[kind as usize].unwrap_or(0));
        if self.lengths.len() == 1 || kind == OpKind::Flush {
            return first;
        }
        first + self.lengths.iter().position(|known| *known == length).unwrap_or(0)
    }

    /// An empty meter.
    pub(crate) fn meter(&self) -> Box<Meter> {
        let class = || ClassMeter {
            latency: Histogram::default(),
            response: self.responses.then(Histogram::default),
            errors: 0,
            bytes: 0,
        };
        Box::new(Meter {
            classes: self.classes.iter().map(|_| class()).collect(),
            depth_ns: 0,
            arrivals: 0,
            trace: TracePart::with_room(self.trace_entries),
        })
    }
}

/// Counts of one class in one interval.
#[derive(Debug, Default)]
pub(crate) struct ClassMeter {
    /// Latencies of completed operations; their number is the number of operations.
    pub(crate) latency: Histogram,
    /// Response times of the same operations; only in an open loop.
    pub(crate) response: Option<Histogram>,
    /// Operations that failed.
    pub(crate) errors: u64,
    /// Bytes of completed operations, if those of a class differ in length.
    pub(crate) bytes: u64,
}

impl ClassMeter {
    /// Adds the counts of another.
    pub(crate) fn merge(&mut self, other: &ClassMeter) {
        self.errors += other.errors;
        self.bytes += other.bytes;
        if other.latency.count() > 0 {
            self.latency.merge(&other.latency);
        }
        if let (Some(mine), Some(theirs)) = (self.response.as_mut(), &other.response)
            && theirs.count() > 0
        {
            mine.merge(theirs);
        }
    }

    /// Clears everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        (self.errors, self.bytes) = (0, 0);
        if self.latency.count() > 0 {
            self.latency.clear();
        }
        if let Some(response) = self.response.as_mut().filter(|response| response.count() > 0) {
            response.clear();
        }
    }
}

/// Everything counted in one interval.
#[derive(Debug)]
pub(crate) struct Meter {
    /// In the order of [`Layout::classes`].
    pub(crate) classes: Box<[ClassMeter]>,
    /// Operations in flight, integrated over time: operations x nanoseconds.
    pub(crate) depth_ns: u64,
    /// Operations submitted that had arrived by a schedule.
    pub(crate) arrivals: u64,
    pub(crate) trace: TracePart,
}

impl Meter {
    /// Adds the counts of another meter of the same layout; traces are not merged.
    pub(crate) fn merge(&mut self, other: &Meter) {
        self.classes.iter_mut().zip(&other.classes).for_each(|(mine, theirs)| mine.merge(theirs));
        self.depth_ns += other.depth_ns;
        self.arrivals += other.arrivals;
    }

    /// Clears everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.classes.iter_mut().for_each(ClassMeter::clear);
        (self.depth_ns, self.arrivals) = (0, 0);
        self.trace.clear();
    }
}

/// Depth integrated over time, divided by the time.
#[expect(clippy::cast_precision_loss, reason = "a mean depth needs no more than 53 bits")]
pub(crate) fn mean_depth(depth_ns: u128, elapsed_ns: u64) -> f64 {
    if elapsed_ns == 0 { 0.0 } else { depth_ns as f64 / elapsed_ns as f64 }
}
