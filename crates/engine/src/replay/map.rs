//! From a recorded operation to the one that is issued: its time by the mode, its place in the span, whole blocks.
//!
//! Pure; runs on the reader's thread.

use drivelab_core::load::OpKind;
use drivelab_core::replay::{Replay, ReplayMode, TraceFit, TraceOp, TraceTrims};
use drivelab_core::workload::Workload;

use super::line::{Changed, Item};

/// Longest trim in one piece.
const TRIM_MAX: u64 = 1 << 30;

/// How a trace is mapped, and how far the mapping has come.
#[derive(Debug)]
pub(crate) struct Mapper {
    start: u64,
    length: u64,
    unit: u64,
    largest: u64,
    /// The recorded addresses end here.
    end: u64,
    fit: TraceFit,
    trims: TraceTrims,
    mode: ReplayMode,
    /// Kinds that the load was set up for, in the order of [`OpKind::ALL`].
    kinds: [bool; OpKind::ALL.len()],
    last_ns: u64,
    due_ns: u64,
    skipped: u64,
    number: u64,
}

impl Mapper {
    pub(crate) fn new(workload: &Workload, replay: &Replay, unit: u64) -> Self {
        let align_down = |bytes: u64| bytes / unit * unit;
        let length = align_down(workload.span.length.get());
        Mapper {
            start: workload.span.offset.get(),
            length,
            unit,
            largest: align_down(workload.block_size.get()).clamp(unit, length.max(unit)),
            end: replay.facts.end.get().max(1),
            fit: replay.fit,
            trims: replay.trims,
            mode: replay.mode,
            kinds: OpKind::ALL.map(|kind| workload.issues_or_reads_back(kind)),
            last_ns: 0,
            due_ns: 0,
            skipped: 0,
            number: 0,
        }
    }

    /// Trims that were left out after the last operation that was issued.
    pub(crate) const fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The operation to issue; `None` for one that is left out.
    ///
    /// # Errors
    /// A kind of operation that the load was not set up for: the trace is not the one that was checked.
    pub(crate) fn map(&mut self, op: TraceOp) -> Result<Option<Item>, String> {
        self.number += 1;
        self.due_ns = match self.mode {
            ReplayMode::CappedIdle { .. } => self.due_ns + self.mode.gap(op.at_ns.saturating_sub(self.last_ns)),
            // Computed from the whole time, so that rounding of single gaps does not add up.
            mode => mode.gap(op.at_ns),
        };
        self.last_ns = op.at_ns;
        if op.op == OpKind::Trim && self.trims == TraceTrims::Skip {
            self.skipped += 1;
            return Ok(None);
        }
        if !self.kinds[op.op as usize] {
            return Err(format!(
                "operation {} of the trace is a {}, but the trace had none when it was checked: it has changed since",
                self.number,
                op.op.name()
            ));
        }
        let skipped = u16::try_from(std::mem::take(&mut self.skipped)).unwrap_or(u16::MAX);
        let (offset, length, changed) =
            if op.op == OpKind::Flush { (self.start, 0, Changed::default()) } else { self.place(&op) };
        Ok(Some(Item { due_ns: self.due_ns, offset, length, kind: op.op, changed, skipped }))
    }

    /// Where an operation goes, and how long it is.
    fn place(&self, op: &TraceOp) -> (u64, u32, Changed) {
        let recorded_end = op.offset.saturating_add(op.length);
        let from = op.offset / self.unit * self.unit;
        let to = recorded_end.checked_next_multiple_of(self.unit).unwrap_or(u64::MAX / self.unit * self.unit);
        let aligned = from != op.offset || to != recorded_end;
        let most = if op.op == OpKind::Trim { TRIM_MAX.min(self.length) } else { self.largest };
        let length = (to - from).max(self.unit).min(most);
        let place = match self.fit {
            TraceFit::Scale if self.end > self.length => {
                let scaled = u128::from(from) * u128::from(self.length) / u128::from(self.end);
                u64::try_from(scaled).unwrap_or(u64::MAX) / self.unit * self.unit
            }
            TraceFit::Scale | TraceFit::Wrap => from % self.length,
        };
        // At the end of the span only whole operations fit.
        let place = place.min(self.length - length);
        let changed = Changed { moved: place != from, aligned, shortened: length < to - from };
        (self.start + place, u32::try_from(length).unwrap_or(u32::MAX), changed)
    }
}
