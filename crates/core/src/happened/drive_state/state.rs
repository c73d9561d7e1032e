//! What is known about the content of a drive, and how each step changes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::needs::StateNeeds;
use crate::ids::StepKey;
use crate::load::{Locality, OpKind};
use crate::plan::{Action, Step, StepRole};
use crate::record::StepRecord;
use crate::target::DeviceIdentity;
use crate::units::{Bytes, Nanos};
use crate::workload::{DataPattern, Pattern, Span, Workload};

/// Share from which a part counts as the whole: blocks seldom divide a target without a remainder.
const WHOLE: f64 = 0.99;
/// Most pieces that are tracked separately.
const MOST_PIECES: usize = 64;
/// A preparation writes at most this factor of what it asks for, because of its last operations and rounding.
const MORE_THAN_ASKED: f64 = 1.05;

/// Whether a part of a target of this length counts as the whole target.
#[must_use]
pub fn is_whole(part: Span, length: Bytes) -> bool {
    part.length.as_f64() >= WHOLE * length.as_f64()
}

/// A part of the target, and how much of it holds data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Piece {
    /// The part.
    pub span: Span,
    /// Share of its blocks that were written since the target was last empty, 0 to 1; a lower bound.
    pub share: f64,
}

/// A load that changed the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastLoad {
    /// The operation that moved the most: `write`, `trim` or `write_zeroes`.
    pub op: OpKind,
    /// Pattern of its offsets.
    pub pattern: Pattern,
    /// Whether random offsets were uniformly distributed.
    pub uniform: bool,
    /// Bytes of one operation; with mixed sizes, the largest.
    pub block_size: Bytes,
    /// Data that was written.
    pub data: DataPattern,
    /// Part of the target that it touched.
    pub span: Span,
    /// Bytes that it changed without another load in between, summed over consecutive executions.
    pub moved: Bytes,
}

impl LastLoad {
    fn of(load: &Workload, op: OpKind, moved: Bytes) -> Self {
        LastLoad {
            op,
            pattern: load.pattern,
            uniform: evenly(load),
            block_size: load.block_size,
            data: load.data,
            span: load.span,
            moved,
        }
    }

    /// Whether it is the same load, regardless of its length.
    #[must_use]
    pub fn is_like(&self, other: &LastLoad) -> bool {
        LastLoad { moved: other.moved, ..*self } == *other
    }

    /// The load as text: `random writes of 4 KiB over 16 GiB, 32 GiB in all`.
    #[must_use]
    pub fn words(&self) -> String {
        let order = self.pattern.name().replace('_', " ");
        let what = match self.op {
            OpKind::Trim => "trims",
            OpKind::WriteZeroes => "zeroing",
            _ => "writes",
        };
        let skewed = if self.uniform { "" } else { " with jumps or hot spots" };
        format!("{order} {what} of {} over {}{skewed}, {} in all", self.block_size, self.span.length, self.moved)
    }
}

/// The kernel's counters of a device since it appeared (Documentation/block/stat.rst), for the requests of all
/// programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostCounters {
    /// Bytes written.
    pub written: Bytes,
    /// Bytes discarded.
    pub discarded: Bytes,
}

/// The state of a target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DriveState {
    /// Length of the target.
    pub length: Bytes,
    /// Why the earlier content is unknown; absent if the target was empty when the record began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Bytes written since the target was last empty (made, discarded or formatted as a whole); absent if that time
    /// is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Bytes>,
    /// Parts that are known to hold data, in order, and parts that are known to hold none (a share of 0). The other
    /// parts are empty if [`DriveState::written`] is known, otherwise unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<Piece>,
    /// The last load that changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastLoad>,
    /// Time since the last change; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Nanos>,
    /// The kernel's counters; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<HostCounters>,
}

/// The state of the target before an execution, as an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateSeen {
    /// The execution.
    pub key: StepKey,
    /// The state.
    pub state: DriveState,
}

/// Preparation that was already done, as an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reused {
    /// The executions that are left out.
    pub keys: Vec<StepKey>,
    /// The state of the target, for the report.
    pub why: String,
}

/// The state of a drive that the data folder keeps for the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptState {
    /// The device.
    pub device: DeviceIdentity,
    /// The run that left this state.
    pub run: String,
    /// Earlier runs that left this same state, because no run since has changed it; the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_so_before: Vec<String>,
    /// Time, by the host's clock (RFC 3339).
    pub at: String,
    /// Boot of the host (`/proc/sys/kernel/random/boot_id`): counters start again at each boot.
    pub boot: Option<String>,
    /// The execution that was running and may have changed the state since; absent between executions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<StepKey>,
    /// The state.
    pub state: DriveState,
}

impl DriveState {
    /// State of a file that was just made, or a device that was just discarded as a whole.
    #[must_use]
    pub fn empty(length: Bytes) -> Self {
        DriveState { length, written: Some(Bytes::new(0)), ..DriveState::default() }
    }

    /// State of a target with unknown content.
    #[must_use]
    pub fn unknown(length: Bytes, why: impl Into<String>) -> Self {
        DriveState { length, unknown: Some(why.into()), ..DriveState::default() }
    }

    /// Another program changed the target: nothing known is valid any more.
    pub fn forget(&mut self, why: impl Into<String>) {
        *self = DriveState { counters: self.counters, ..DriveState::unknown(self.length, why) };
    }

    /// Share of the target that holds data, 0 to 1; a lower bound.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.share_of(Span { offset: Bytes::new(0), length: self.length })
    }

    /// Share of a part of the target that holds data, 0 to 1; a lower bound. 0 for an empty part.
    #[must_use]
    pub fn share_of(&self, part: Span) -> f64 {
        let held = |piece: &Piece| {
            let from = piece.span.offset.get().max(part.offset.get());
            let to = piece.span.end().min(part.end());
            Bytes::new(to.saturating_sub(from)).as_f64() * piece.share
        };
        if part.length.get() == 0 { 0.0 } else { self.pieces.iter().map(held).sum::<f64>() / part.length.as_f64() }
    }

    /// Applies the changes of an execution. An execution that uses the same places as an earlier one (a later round
    /// of the same step) covers nothing new.
    pub fn after(&mut self, step: &Step, record: &StepRecord) {
        let Action::Io { workload, .. } = &step.action else { return };
        let repeats = record.key.round > 1 && step.role != StepRole::Prepare;
        for (load, changed) in workload.groups().zip(changes(workload, record)) {
            for (op, moved) in changed {
                self.change(load, op, moved, repeats);
            }
        }
    }

    /// Applies the changes of a load: this many bytes. `repeats` if it uses the same places as before.
    fn change(&mut self, load: &Workload, op: OpKind, moved: Bytes, repeats: bool) {
        if moved.get() == 0 {
            return;
        }
        let done = LastLoad::of(load, op, moved);
        let passes = if load.span.length.get() == 0 { 0.0 } else { moved.as_f64() / load.span.length.as_f64() };
        let whole = is_whole(load.span, self.length);
        let orderly = done.uniform && load.pattern.has_passes();
        if op == OpKind::Write {
            self.cover(load.span, |share| Some(covered(share.unwrap_or(0.0), passes, load, repeats)));
            self.written = self.written.map(|before| Bytes::new(before.get().saturating_add(moved.get())));
        } else if op == OpKind::Trim && orderly && whole && passes >= WHOLE {
            *self = DriveState { counters: self.counters, ..DriveState::empty(self.length) };
        } else {
            let emptied = op == OpKind::Trim && orderly && passes >= WHOLE;
            self.cover(load.span, |share| share.map(|share| share - passes).or(emptied.then_some(0.0)));
            let all = Span { offset: Bytes::new(0), length: self.length };
            if emptied && self.written.is_none() && self.is_empty(all) {
                *self = DriveState { counters: self.counters, ..DriveState::empty(self.length) };
            }
        }
        let before = self.last.filter(|last| last.is_like(&done)).map_or(0, |last| last.moved.get());
        self.last = Some(LastLoad { moved: Bytes::new(before.saturating_add(moved.get())), ..done });
        self.idle = Some(Nanos::new(0));
    }

    /// Whether a part of the target is known to be unwritten since the target was last discarded or made.
    fn is_empty(&self, part: Span) -> bool {
        if self.written.is_some() {
            return self.share_of(part) == 0.0;
        }
        let emptied = DriveState {
            pieces: self.pieces.iter().map(|piece| Piece { share: f64::from(piece.share == 0.0), ..*piece }).collect(),
            ..DriveState::default()
        };
        emptied.share_of(part) >= WHOLE
    }

    /// Changes the share of a part of the target; the earlier share is `None` if it is unknown.
    fn cover(&mut self, part: Span, share: impl Fn(Option<f64>) -> Option<f64>) {
        let ends = self.pieces.iter().flat_map(|piece| [piece.span.offset.get(), piece.span.end()]);
        let mut borders: Vec<u64> = ends.chain([part.offset.get(), part.end()]).collect();
        borders.sort_unstable();
        borders.dedup();
        let mut pieces: Vec<Piece> = Vec::new();
        for pair in borders.windows(2) {
            let &[from, to] = pair else { continue };
            let span = Span { offset: Bytes::new(from), length: Bytes::new(to - from) };
            let known = self.pieces.iter().any(|piece| piece.span.offset.get() <= from && to <= piece.span.end());
            let before = (known || self.written.is_some()).then(|| self.share_of(span));
            let inside = part.offset.get() <= from && to <= part.end();
            let Some(now) = (if inside { share(before) } else { before }) else { continue };
            let now = now.clamp(0.0, 1.0);
            match pieces.last_mut() {
                Some(last) if last.span.end() == from && (last.share - now).abs() < 1e-9 => {
                    last.span.length = Bytes::new(to - last.span.offset.get());
                }
                // If the target was empty, parts that are not listed are empty.
                _ if now > 0.0 || self.written.is_none() => pieces.push(Piece { span, share: now }),
                _ => {}
            }
        }
        while pieces.len() > MOST_PIECES {
            merge_nearest(&mut pieces);
        }
        self.pieces = pieces;
    }

    /// Whether any part of this load leaves the state as it is: the same load has just written every block of its
    /// span, in passes. False if that is not known, and for random writes, because each of them moves a drive further
    /// towards its steady state.
    #[must_use]
    pub fn is_kept_by(&self, load: &Workload) -> bool {
        let changing = load.on_target().filter(|group| group.changes_itself());
        changing.into_iter().all(|group| {
            let own = LastLoad::of(group, OpKind::Write, Bytes::new(0));
            let passed =
                |last: LastLoad| last.is_like(&own) && last.moved.as_f64() >= WHOLE * group.span.length.as_f64();
            !group.issues_itself(OpKind::Trim)
                && !group.issues_itself(OpKind::WriteZeroes)
                && group.pattern.has_passes()
                && self.share_of(group.span) >= WHOLE
                && self.last.is_some_and(passed)
        })
    }

    /// Why these steps would change the state of the target; nothing if they are already done. Waiting steps are
    /// ignored.
    #[must_use]
    pub fn lacks(&self, steps: &[Step]) -> Option<String> {
        let loads: Vec<(LastLoad, &Workload)> = steps.iter().filter_map(asked).collect();
        let Some((last_asked, load)) = loads.last() else { return Some("it has no step that writes".to_owned()) };
        if loads.iter().any(|(_, load)| !load.verify.is_off()) {
            return Some("its blocks contain headers of the run that writes them".to_owned());
        }
        let Some(last) = &self.last else {
            let why = self.unknown.as_deref().unwrap_or("nothing was written yet");
            return Some(format!("the last write is not on record: {why}"));
        };
        if !last.is_like(last_asked) {
            return Some(format!("the last load was a different one: {}", last.words()));
        }
        if last.moved.as_f64() < WHOLE * last_asked.moved.as_f64() {
            return Some(format!("the last load was shorter: {}, not {}", last.words(), last_asked.moved));
        }
        if !load.beside.is_empty() {
            return Some("it has several groups of threads".to_owned());
        }
        let earlier = &loads[..loads.len() - 1];
        let emptied = earlier.iter().rposition(|(asked, _)| asked.op == OpKind::Trim);
        if let Some(at) = emptied {
            let allowed: f64 = loads[at + 1..].iter().map(|(asked, _)| asked.moved.as_f64()).sum();
            let fits = self.written.is_some_and(|written| written.as_f64() <= MORE_THAN_ASKED * allowed);
            if !fits {
                return Some(
                    "more was written since the target was last empty, or it is unknown when that was".to_owned(),
                );
            }
        }
        let from = emptied.map_or(0, |at| at + 1);
        let full = |asked: &LastLoad| asked.pattern.has_passes() && asked.op == OpKind::Write;
        let holes = loads[from..].iter().find(|(asked, _)| full(asked) && self.share_of(asked.span) < WHOLE);
        holes.map(|(asked, _)| {
            format!("only {:.0} % of the {} holds data", 100.0 * self.share_of(asked.span), asked.span.length)
        })
    }

    /// The needs of a test that the target does not meet, a phrase each; empty if it meets all. `parts` are the parts
    /// that the test touches.
    #[must_use]
    pub fn unmet(&self, needs: &StateNeeds, parts: &[Span]) -> Vec<String> {
        let least = parts.iter().map(|part| self.share_of(*part)).fold(1.0, f64::min);
        let StateNeeds { fill, empty, pattern, block_size, idle, media_writes: _, temperature: _ } = *needs;
        let mut unmet = Vec::new();
        let written = self.last.filter(|last| last.op == OpKind::Write);
        let now = written.map_or_else(|| "nothing on record".to_owned(), |last| last.words());
        if let Some(asked) = fill.filter(|asked| least < f64::from(*asked) / 100.0 * WHOLE) {
            let held = 100.0 * least;
            unmet.push(format!("{asked} % of its area should hold data, but only {held:.0} % is known to"));
        }
        if empty && !parts.iter().all(|part| self.is_empty(*part)) {
            let held = match &self.unknown {
                _ if parts.iter().any(|part| self.share_of(*part) > 0.0) => "some of it was".to_owned(),
                Some(why) => why.clone(),
                None => "it is unknown when that was".to_owned(),
            };
            unmet.push(format!(
                "the area that it uses should not have been written since the target was last discarded or formatted: {held}"
            ));
        }
        if let Some(asked) = pattern.filter(|asked| written.is_none_or(|last| last.pattern != *asked)) {
            unmet.push(format!("the last writes should be {}: {now}", asked.name().replace('_', " ")));
        }
        if let Some(asked) = block_size.filter(|asked| written.is_none_or(|last| last.block_size != *asked)) {
            unmet.push(format!("the last writes should be of {asked}: {now}"));
        }
        if let Some(asked) = idle.filter(|asked| self.idle.is_none_or(|idle| idle < *asked)) {
            let idle = self.idle.map_or_else(|| "unknown".to_owned(), |idle| idle.to_string());
            unmet.push(format!("nothing should have been written for {asked}; time since last write: {idle}"));
        }
        unmet
    }
}

impl HostCounters {
    /// What other programs changed since the counters `before`, if drivelab itself changed `own` and up to `slack`
    /// more of its own bytes may have been in flight. `None` if nothing, or if the counters were reset.
    #[must_use]
    pub fn foreign(self, before: HostCounters, own: HostCounters, slack: Bytes) -> Option<HostCounters> {
        let more = |now: Bytes, before: Bytes, own: Bytes| {
            let moved = now.get().checked_sub(before.get())?;
            Some(moved.saturating_sub(own.get().saturating_add(slack.get())))
        };
        let written = more(self.written, before.written, own.written)?;
        let discarded = more(self.discarded, before.discarded, own.discarded)?;
        (written > 0 || discarded > 0)
            .then_some(HostCounters { written: Bytes::new(written), discarded: Bytes::new(discarded) })
    }
}

/// What an execution changed, by group and kind, including writes of the ramp.
fn changes(workload: &Workload, record: &StepRecord) -> Vec<Vec<(OpKind, Bytes)>> {
    let others = |of: &[crate::record::OtherRecord]| -> Vec<(OpKind, Bytes)> {
        let changing = of.iter().filter(|other| matches!(other.op, OpKind::Trim | OpKind::WriteZeroes));
        changing.map(|other| (other.op, other.record.bytes)).collect()
    };
    if workload.beside.is_empty() {
        return vec![[others(&record.others), vec![(OpKind::Write, record.written_total)]].concat()];
    }
    // The ramp is known only as a sum: it is divided among the groups in proportion to their other writes.
    let ramp = record.written_total.as_f64() / record.write.bytes.as_f64().max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes of a step, positive")]
    let with_ramp = |bytes: Bytes| Bytes::new((bytes.as_f64() * ramp) as u64);
    let of = |group: &crate::record::GroupRecord| {
        [others(&group.others), vec![(OpKind::Write, with_ramp(group.write.bytes))]].concat()
    };
    record.groups.iter().map(of).collect()
}

/// Bytes that an execution changed, as the kernel counts them, and the bytes that may still have been in flight when
/// it ended. `None` if the two cannot be compared: writes through the page cache reach the device later or in other
/// sizes, some kernels count zeroing as writing, and trims of a ramp are not recorded.
#[must_use]
pub fn own_changes(step: &Step, record: &StepRecord) -> Option<(HostCounters, Bytes)> {
    let workload = step.workload()?;
    let Action::Io { ramp, .. } = step.action else { return None };
    let trims = workload.issues(OpKind::Trim);
    // Placed writes bypass the block layer, whose counters do not see them (blk_do_io_stat).
    if workload.groups().any(|group| !group.direct || group.placement_handle.is_some())
        || workload.issues(OpKind::WriteZeroes)
        || (trims && (ramp.get() > 0 || record.error_count() > 0))
    {
        return None;
    }
    let discarded = record.op(OpKind::Trim).map_or(Bytes::new(0), |op| op.bytes);
    let failed = record.error_count().saturating_mul(workload.block_size.get());
    let under_way = workload
        .groups()
        .map(|group| u64::from(group.queue_depth.get()) * u64::from(group.threads.get()) * group.block_size.get());
    let slack = if workload.writes() { under_way.sum::<u64>().saturating_add(failed) } else { 0 };
    Some((HostCounters { written: record.written_total, discarded }, Bytes::new(slack)))
}

/// Whether it touches its whole span evenly.
fn evenly(load: &Workload) -> bool {
    let whole = load.stride.is_none() && load.places.is_none();
    whole && load.locality == Locality::Uniform && load.seek_percent.is_zero()
}

/// Share of a span that holds data after this many passes of writes over it; a lower bound.
fn covered(share: f64, passes: f64, load: &Workload, repeats: bool) -> f64 {
    if !evenly(load) {
        // The places are not tracked; at least one block was written.
        return share.max(load.block_size.as_f64() / load.span.length.as_f64());
    }
    let only_writes = load.write_percent.get() == 100;
    let (alone, with) = match load.pattern {
        // It begins at the same place each time.
        Pattern::Sequential | Pattern::Reverse if only_writes => (passes.min(1.0), share.max(passes.min(1.0))),
        Pattern::RandomOnce if only_writes => (passes.min(1.0), 1.0 - (1.0 - share) * (1.0 - passes.min(1.0))),
        _ => (1.0 - (-passes).exp(), 1.0 - (1.0 - share) * (-passes).exp()),
    };
    if repeats { share.max(alone) } else { with }
}

/// The change that a step of a preparation asks for, if any.
fn asked(step: &Step) -> Option<(LastLoad, &Workload)> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let op = [OpKind::Write, OpKind::Trim, OpKind::WriteZeroes].into_iter().find(|op| workload.issues(*op))?;
    let passes = u64::from(stop.passes.unwrap_or(1));
    let moved = stop.volume.unwrap_or(Bytes::new(workload.pass_bytes().get().saturating_mul(passes)));
    Some((LastLoad::of(workload, op, moved), workload))
}

/// Merges the two neighbouring pieces with the smallest difference of shares; the space between them becomes part of
/// the piece.
fn merge_nearest(pieces: &mut Vec<Piece>) {
    let difference = |pair: &[Piece]| match pair {
        [one, other] => (one.share - other.share).abs(),
        _ => f64::INFINITY,
    };
    let pairs = pieces.windows(2).enumerate();
    let Some((at, _)) = pairs.min_by(|(_, one), (_, other)| difference(one).total_cmp(&difference(other))) else {
        return;
    };
    let (one, other) = (pieces[at], pieces.remove(at + 1));
    let length = other.span.end() - one.span.offset.get();
    let held = one.span.length.as_f64() * one.share + other.span.length.as_f64() * other.share;
    let length = Bytes::new(length);
    pieces[at] = Piece { span: Span { offset: one.span.offset, length }, share: held / length.as_f64() };
}

#[cfg(test)]
mod tests;
