//! What is known of what a drive holds, and what each step changes of it.

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

/// Share of something from which it counts as all of it: blocks seldom divide a target without a rest.
const WHOLE: f64 = 0.99;
/// Most pieces that are told apart.
const MOST_PIECES: usize = 64;
/// A preparation writes at most so much more than it asks for: its last operations, and what is rounded up.
const MORE_THAN_ASKED: f64 = 1.05;

/// Whether a part of a target of this length counts as all of it.
#[must_use]
pub fn is_whole(part: Span, length: Bytes) -> bool {
    part.length.as_f64() >= WHOLE * length.as_f64()
}

/// A part of the target and how much of it holds data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Piece {
    /// Where it lies.
    pub span: Span,
    /// Share of its blocks that were written since the target was last empty, 0 to 1; at least this much.
    pub share: f64,
}

/// A load that changed the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastLoad {
    /// What its operations did: `write`, `trim` or `write_zeroes`, the one that moved the most.
    pub op: OpKind,
    /// Order of its offsets.
    pub pattern: Pattern,
    /// Whether random offsets were spread evenly.
    pub uniform: bool,
    /// Bytes of one operation, the largest where they were mixed.
    pub block_size: Bytes,
    /// What was written.
    pub data: DataPattern,
    /// Part of the target that it touched.
    pub span: Span,
    /// Bytes that it changed, without anything else in between; over several executions where they follow each other.
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

    /// Whether it is the same load, however long it went on.
    #[must_use]
    pub fn is_like(&self, other: &LastLoad) -> bool {
        LastLoad { moved: other.moved, ..*self } == *other
    }

    /// In words: `random writes of 4 KiB over 16 GiB, 32 GiB in all`.
    #[must_use]
    pub fn words(&self) -> String {
        let order = self.pattern.name().replace('_', " ");
        let what = match self.op {
            OpKind::Trim => "trims",
            OpKind::WriteZeroes => "zeroing",
            _ => "writes",
        };
        let skewed = if self.uniform { "" } else { " with jumps or hot places" };
        format!("{order} {what} of {} over {}{skewed}, {} in all", self.block_size, self.span.length, self.moved)
    }
}

/// What the kernel counted of a device since it came (Documentation/block/stat.rst): everybody's requests.
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
    /// Why it is not known what was on it before; absent where the target was empty when the account began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Bytes written since the target was last empty (made, discarded or formatted whole); absent where nobody knows
    /// when that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Bytes>,
    /// Where data is known to be, in order, and where none is (a share of 0). Of what is not named nothing is known, or
    /// it is empty where [`DriveState::written`] is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<Piece>,
    /// The last load that changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastLoad>,
    /// Time since anything changed it; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Nanos>,
    /// What the kernel had counted; absent where it counts nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<HostCounters>,
}

/// The state of the target before an execution, as an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateSeen {
    /// Before which execution.
    pub key: StepKey,
    /// The state.
    pub state: DriveState,
}

/// Preparation that was found done already, as an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reused {
    /// The executions that are left out.
    pub keys: Vec<StepKey>,
    /// What the target is in, for the report.
    pub why: String,
}

/// What the data folder keeps of a drive for the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptState {
    /// Which device.
    pub device: DeviceIdentity,
    /// The run that left it so.
    pub run: String,
    /// Runs before that one that left it in this very state, as none changed it since: the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_so_before: Vec<String>,
    /// When, by the host's clock (RFC 3339).
    pub at: String,
    /// Which start of the host (`/proc/sys/kernel/random/boot_id`): counters begin anew with each.
    pub boot: Option<String>,
    /// The execution that was running and may have changed it since; absent between executions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<StepKey>,
    /// The state.
    pub state: DriveState,
}

impl DriveState {
    /// Of a file that was just made, or a device that was just emptied.
    #[must_use]
    pub fn empty(length: Bytes) -> Self {
        DriveState { length, written: Some(Bytes::new(0)), ..DriveState::default() }
    }

    /// Of a target on which anything may be.
    #[must_use]
    pub fn unknown(length: Bytes, why: impl Into<String>) -> Self {
        DriveState { length, unknown: Some(why.into()), ..DriveState::default() }
    }

    /// Somebody else changed it: nothing that was known still holds.
    pub fn forget(&mut self, why: impl Into<String>) {
        *self = DriveState { counters: self.counters, ..DriveState::unknown(self.length, why) };
    }

    /// Share of the target that holds data, 0 to 1; at least this much.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.share_of(Span { offset: Bytes::new(0), length: self.length })
    }

    /// Share of a part of it that holds data, 0 to 1; at least this much. 0 for a part without length.
    #[must_use]
    pub fn share_of(&self, part: Span) -> f64 {
        let held = |piece: &Piece| {
            let from = piece.span.offset.get().max(part.offset.get());
            let to = piece.span.end().min(part.end());
            Bytes::new(to.saturating_sub(from)).as_f64() * piece.share
        };
        if part.length.get() == 0 { 0.0 } else { self.pieces.iter().map(held).sum::<f64>() / part.length.as_f64() }
    }

    /// What an execution did to it. `repeats` where it visited the places that an earlier one did (a later round of the
    /// same step), so that it covers nothing new.
    pub fn after(&mut self, step: &Step, record: &StepRecord) {
        let Action::Io { workload, .. } = &step.action else { return };
        let repeats = record.key.round > 1 && step.role != StepRole::Prepare;
        for (load, changed) in workload.groups().zip(changes(workload, record)) {
            for (op, moved) in changed {
                self.change(load, op, moved, repeats);
            }
        }
    }

    /// A load changed so many bytes.
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

    /// Whether it is known that a part of it was not written since it was last discarded or made.
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

    /// Changes the share of a part of the target; where nothing is known of it, there is none before.
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
                // Of a target that was empty, what is not named is empty.
                _ if now > 0.0 || self.written.is_none() => pieces.push(Piece { span, share: now }),
                _ => {}
            }
        }
        while pieces.len() > MOST_PIECES {
            merge_nearest(&mut pieces);
        }
        self.pieces = pieces;
    }

    /// Whether a part of a load, however large, leaves the target in the state that it is in: the same load has just
    /// written every block of its span, in passes. False where that is not known, and for random writes: each more of
    /// them moves a drive on towards its steady state.
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

    /// Why these steps would not leave the target as it is: nothing where they are done already. Waiting steps are not
    /// looked at.
    #[must_use]
    pub fn lacks(&self, steps: &[Step]) -> Option<String> {
        let loads: Vec<(LastLoad, &Workload)> = steps.iter().filter_map(asked).collect();
        let Some((last_asked, load)) = loads.last() else { return Some("it has no step that writes".to_owned()) };
        if loads.iter().any(|(_, load)| !load.verify.is_off()) {
            return Some("its blocks carry headers of the run that writes them".to_owned());
        }
        let Some(last) = &self.last else {
            let why = self.unknown.as_deref().unwrap_or("nothing was written yet");
            return Some(format!("it is not on record what was written last: {why}"));
        };
        if !last.is_like(last_asked) {
            return Some(format!("the last load was another one: {}", last.words()));
        }
        if last.moved.as_f64() < WHOLE * last_asked.moved.as_f64() {
            return Some(format!("the last load was shorter: {} and not {}", last.words(), last_asked.moved));
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
                    "more was written since the target was last empty, or nobody knows when that was".to_owned(),
                );
            }
        }
        let from = emptied.map_or(0, |at| at + 1);
        let full = |asked: &LastLoad| asked.pattern.has_passes() && asked.op == OpKind::Write;
        let holes = loads[from..].iter().find(|(asked, _)| full(asked) && self.share_of(asked.span) < WHOLE);
        holes.map(|(asked, _)| {
            format!("only {:.0} % of the {} hold data", 100.0 * self.share_of(asked.span), asked.span.length)
        })
    }

    /// What a test needs and the target does not have, a phrase each; empty where it has everything. `parts` are those
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
            unmet.push(format!("{asked} % of what it touches should hold data, and {held:.0} % do as far as is known"));
        }
        if empty && !parts.iter().all(|part| self.is_empty(*part)) {
            let held = match &self.unknown {
                _ if parts.iter().any(|part| self.share_of(*part) > 0.0) => "some of it was".to_owned(),
                Some(why) => why.clone(),
                None => "nobody knows when that was".to_owned(),
            };
            unmet.push(format!(
                "what it touches should not have been written since the target was last discarded or formatted: {held}"
            ));
        }
        if let Some(asked) = pattern.filter(|asked| written.is_none_or(|last| last.pattern != *asked)) {
            unmet.push(format!("the last writes should be {}: {now}", asked.name().replace('_', " ")));
        }
        if let Some(asked) = block_size.filter(|asked| written.is_none_or(|last| last.block_size != *asked)) {
            unmet.push(format!("the last writes should be of {asked}: {now}"));
        }
        if let Some(asked) = idle.filter(|asked| self.idle.is_none_or(|idle| idle < *asked)) {
            let idle = self.idle.map_or_else(|| "since when is not known".to_owned(), |idle| idle.to_string());
            unmet.push(format!("nothing should have been written for {asked}: {idle}"));
        }
        unmet
    }
}

impl HostCounters {
    /// What somebody else changed since an earlier look, where we changed `own` and up to `slack` more of ours may have
    /// been under way: `None` where that is nothing, or where the counters began anew.
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

/// What an execution changed, by group and kind: the ramp of writes is with it.
fn changes(workload: &Workload, record: &StepRecord) -> Vec<Vec<(OpKind, Bytes)>> {
    let others = |of: &[crate::record::OtherRecord]| -> Vec<(OpKind, Bytes)> {
        let changing = of.iter().filter(|other| matches!(other.op, OpKind::Trim | OpKind::WriteZeroes));
        changing.map(|other| (other.op, other.record.bytes)).collect()
    };
    if workload.beside.is_empty() {
        return vec![[others(&record.others), vec![(OpKind::Write, record.written_total)]].concat()];
    }
    // The ramp is known as a sum only: each group gets the part of it that it has of the rest.
    let ramp = record.written_total.as_f64() / record.write.bytes.as_f64().max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes of a step, positive")]
    let with_ramp = |bytes: Bytes| Bytes::new((bytes.as_f64() * ramp) as u64);
    let of = |group: &crate::record::GroupRecord| {
        [others(&group.others), vec![(OpKind::Write, with_ramp(group.write.bytes))]].concat()
    };
    record.groups.iter().map(of).collect()
}

/// Bytes that an execution changed, as the kernel counts them, and how many more may have been under way when it ended;
/// `None` where the two cannot be compared: through the page cache writes reach the device later or in other sizes,
/// zeroing is counted by some kernels as writing, and trims of a ramp are not on record.
#[must_use]
pub fn own_changes(step: &Step, record: &StepRecord) -> Option<(HostCounters, Bytes)> {
    let workload = step.workload()?;
    let Action::Io { ramp, .. } = step.action else { return None };
    let trims = workload.issues(OpKind::Trim);
    // What is placed by handle goes past the block layer, whose counters do not see it (blk_do_io_stat).
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

/// Whether it goes over all of its span, no part of it more than another.
fn evenly(load: &Workload) -> bool {
    let whole = load.stride.is_none() && load.places.is_none();
    whole && load.locality == Locality::Uniform && load.seek_percent.is_zero()
}

/// Share of a span that holds data after so many passes of writes over it; never more than really does.
fn covered(share: f64, passes: f64, load: &Workload, repeats: bool) -> f64 {
    if !evenly(load) {
        // Where it went is not followed; one block of it for certain.
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

/// What a step of a preparation is to change, where it changes anything.
fn asked(step: &Step) -> Option<(LastLoad, &Workload)> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let op = [OpKind::Write, OpKind::Trim, OpKind::WriteZeroes].into_iter().find(|op| workload.issues(*op))?;
    let passes = u64::from(stop.passes.unwrap_or(1));
    let moved = stop.volume.unwrap_or(Bytes::new(workload.pass_bytes().get().saturating_mul(passes)));
    Some((LastLoad::of(workload, op, moved), workload))
}

/// Makes one piece of the two neighbours whose shares differ least; what lies between them becomes part of it.
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
