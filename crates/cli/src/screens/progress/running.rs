//! The running step: what its intervals have shown so far.

use std::collections::VecDeque;

use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::record::IntervalRecord;

use crate::screens::figures::Figures;

/// Intervals that a curve of the step can show.
const HISTORY: usize = 512;
/// Time constant of the smoothed rate: long enough for an even estimate, short enough to follow a full write cache.
const SMOOTHING_S: f64 = 2.0;

/// The newest interval, as shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::screens) struct Latest {
    pub(in crate::screens) read: Option<Figures>,
    pub(in crate::screens) write: Option<Figures>,
    /// Trims, write-zeroes operations and flushes.
    pub(in crate::screens) others: [Option<Figures>; 3],
    pub(in crate::screens) ramp: bool,
}

impl Latest {
    /// Every kind, with a name of at most five letters; reads and writes first.
    pub(in crate::screens) const fn kinds(&self) -> [(&'static str, Option<Figures>); 5] {
        let [trim, zero, flush] = self.others;
        [("read", self.read), ("write", self.write), ("trim", trim), ("zero", zero), ("flush", flush)]
    }
}

/// The running execution.
#[derive(Debug)]
pub(in crate::screens) struct Running {
    pub(in crate::screens) key: StepKey,
    pub(super) slot: Option<usize>,
    pub(in crate::screens) started_ns: u64,
    pub(in crate::screens) latest: Option<Latest>,
    /// Bytes per second of each interval, oldest first; `None` for one that was missed.
    pub(in crate::screens) history: VecDeque<Option<u64>>,
    /// Bytes moved after the ramp; missed intervals are filled in at the rate known then.
    pub(super) moved: f64,
    /// Smoothed bytes per second.
    pub(super) rate: Option<f64>,
    /// The first interval that arrived is the step's last one: nothing is left, and its few operations do not show a
    /// rate.
    pub(super) heard_only_the_last: bool,
    /// End of the newest interval; before the first one, the end of the ramp.
    pub(super) seen_until_ns: u64,
    next_index: u32,
}

impl Running {
    pub(super) fn new(key: StepKey, slot: Option<usize>, started_ns: u64, ramp_ns: u64) -> Self {
        Running {
            key,
            slot,
            started_ns,
            latest: None,
            history: VecDeque::new(),
            moved: 0.0,
            rate: None,
            heard_only_the_last: false,
            seen_until_ns: started_ns.saturating_add(ramp_ns),
            next_index: 0,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rates and times of a step stay far below 2^53 and are never negative"
    )]
    pub(super) fn interval(&mut self, record: &IntervalRecord) {
        let seconds = record.end_ns.saturating_sub(record.start_ns) as f64 / 1e9;
        let others: f64 = record.others.iter().map(|other| other.record.bytes.as_f64()).sum();
        let bytes = record.read.bytes.as_f64() + record.write.bytes.as_f64() + others;
        let rate = if seconds > 0.0 { bytes / seconds } else { 0.0 };
        self.heard_only_the_last = self.rate.is_none() && self.is_cut(record);
        let smoothed = self.rate.map_or(rate, |old| old + (rate - old) * (seconds / (seconds + SMOOTHING_S)));
        if !record.ramp {
            let missed_s = record.start_ns.saturating_sub(self.seen_until_ns) as f64 / 1e9;
            self.moved += bytes + missed_s * self.rate.unwrap_or(rate);
            self.seen_until_ns = record.end_ns;
        }
        self.rate = Some(smoothed);
        for _ in 0..record.index.saturating_sub(self.next_index).min(HISTORY as u32) {
            self.remember(None);
        }
        self.remember(Some(rate as u64));
        self.next_index = record.index.saturating_add(1);
        let of = |kind: OpKind| record.op(kind).and_then(|of_kind| Figures::of(kind, of_kind));
        self.latest = Some(Latest {
            read: of(OpKind::Read),
            write: of(OpKind::Write),
            others: [OpKind::Trim, OpKind::WriteZeroes, OpKind::Flush].map(of),
            ramp: record.ramp,
        });
    }

    /// Whether the interval is shorter than half of the earlier ones, which is only true for the last one of a step:
    /// the others end at regular boundaries, and become longer if one is missed.
    #[expect(clippy::cast_precision_loss, reason = "times of a step stay far below 2^53")]
    fn is_cut(&self, record: &IntervalRecord) -> bool {
        let before = record.start_ns.saturating_sub(self.started_ns) as f64 / f64::from(record.index.max(1));
        let length = record.end_ns.saturating_sub(record.start_ns) as f64;
        record.index > 0 && !record.ramp && length < before / 2.0
    }

    fn remember(&mut self, rate: Option<u64>) {
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(rate);
    }
}
