//! Random draws: the shares of kinds and of sizes, compared with the bounds of a binomial distribution.

use drivelab_core::finding::Evidence;
use drivelab_core::load::{OpKind, OtherOps, Verify};
use drivelab_core::record::{OpRecord, StepRecord};
use drivelab_core::replay::{Replay, TraceTrims};
use drivelab_core::workload::Workload;

use crate::check::{Seen, Subject, Voids};
use crate::evidence::evidence;

/// Standard deviations by which a share may be off: chance exceeds 6 in one of 5 x 10^8 checks.
const DEVIATIONS: f64 = 6.0;

/// The operations of one group, by kind.
type Kinds<'r> = Box<dyn Fn(OpKind) -> Option<&'r OpRecord> + 'r>;

/// Each group of the workload with its operations; nothing if several groups ran and were not recorded separately.
fn groups<'r>(workload: &'r Workload, record: &'r StepRecord) -> Vec<(&'r Workload, Kinds<'r>)> {
    if workload.beside.is_empty() {
        return vec![(workload, Box::new(|kind| record.op(kind)))];
    }
    let pair = |(group, part): (&'r Workload, &'r drivelab_core::record::GroupRecord)| {
        let of: Kinds<'r> = Box::new(|kind| part.op(kind));
        (group, of)
    };
    workload.groups().zip(&record.groups).map(pair).collect()
}

/// Operations that ended, with or without an error: those that were drawn.
fn done(op: Option<&OpRecord>) -> f64 {
    op.map_or(0.0, |op| (op.count + op.errors) as f64)
}

/// Operations that the count of one group may miss, or include from before the measured part.
fn at_borders(group: &Workload) -> f64 {
    2.0 * f64::from(group.queue_depth.get()) * f64::from(group.threads.get()) + 1.0
}

/// Kinds with their shares as drawn, without reads that only check what was written and without flushes that may also
/// come after writes: neither can be told from drawn ones.
fn drawn_shares(group: &Workload) -> Vec<(OpKind, f64)> {
    let OtherOps { trim_percent, write_zeroes_percent, flush_percent, sync_every } = group.other;
    let share = |kind: OpKind, percent: u8, counted: bool| (counted && percent > 0).then(|| (kind, f64::from(percent)));
    [
        share(OpKind::Read, group.read_percent(), group.verify != Verify::AtOnce),
        share(OpKind::Write, group.write_percent.get(), true),
        share(OpKind::Trim, trim_percent.get(), true),
        share(OpKind::WriteZeroes, write_zeroes_percent.get(), true),
        share(OpKind::Flush, flush_percent.get(), sync_every == 0),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Operations of a kind that were to be expected, given all operations of a step.
pub(super) fn expected(kind: OpKind, workload: &Workload, record: &StepRecord) -> f64 {
    let of_group = |(group, of): &(&Workload, Kinds<'_>)| {
        if group.replay.is_some() {
            // The kinds of a trace come in its order, not at random.
            return 0.0;
        }
        let shares = drawn_shares(group);
        let all: f64 = shares.iter().map(|(_, share)| share).sum();
        let operations: f64 = shares.iter().map(|(kind, _)| done(of(*kind))).sum();
        shares.iter().find(|(one, _)| *one == kind).map_or(0.0, |(_, share)| operations * share / all)
    };
    groups(workload, record).iter().map(of_group).sum()
}

pub(super) fn mix_not_as_asked(subject: &Subject<'_>) -> Vec<Seen> {
    let mut found = Vec::new();
    for (group, of) in groups(subject.execution.workload, subject.execution.record) {
        if let Some(replay) = &group.replay {
            found.extend(of_a_trace(replay, subject.execution.record));
            continue;
        }
        let name = if group.name.is_empty() { String::new() } else { format!("{}: ", group.name) };
        found.extend(kinds(group, &of, &name));
        found.extend(sizes(group, &of, &name));
        found.extend(flushes(group, &of, &name));
    }
    if found.is_empty() { Vec::new() } else { vec![Seen::new(subject, Voids::Results, found)] }
}

/// Kinds of a complete replay whose number differs from that of its trace; nothing is drawn at random in a replay.
fn of_a_trace(replay: &Replay, record: &StepRecord) -> Vec<Evidence> {
    if !record.replay.as_ref().is_some_and(|replayed| replayed.complete) {
        return Vec::new();
    }
    let facts = &replay.facts;
    let trims = if replay.trims == TraceTrims::Send { facts.trims } else { 0 };
    let counts = [
        (OpKind::Read, facts.reads),
        (OpKind::Write, facts.writes),
        (OpKind::Trim, trims),
        (OpKind::Flush, facts.flushes),
    ];
    let wrong = counts.into_iter().filter(|(kind, count)| done(record.op(*kind)) != *count as f64);
    let told = |(kind, count): (OpKind, u64)| {
        let what = format!("{} operations (limit: those of the trace)", kind.name());
        evidence(&what, done(record.op(kind)), Some(count as f64), "operations")
    };
    wrong.map(told).collect()
}

/// Whether `count` of `operations` is too far from the share `share`, given how many operations are at the borders.
fn is_off(count: f64, operations: f64, share: f64, borders: f64) -> bool {
    let deviation = (operations * share * (1.0 - share)).max(0.0).sqrt();
    (count - operations * share).abs() > DEVIATIONS * deviation + borders
}

/// Shares of the recorded kinds among each other; another check reports a kind that is missing completely.
fn kinds(group: &Workload, of: &Kinds<'_>, name: &str) -> Vec<Evidence> {
    let mut shares = drawn_shares(group);
    shares.retain(|(kind, _)| done(of(*kind)) > 0.0);
    let all: f64 = shares.iter().map(|(_, share)| share).sum();
    let operations: f64 = shares.iter().map(|(kind, _)| done(of(*kind))).sum();
    let off = |(kind, share): &(OpKind, f64)| is_off(done(of(*kind)), operations, share / all, at_borders(group));
    let found = |(kind, share): (OpKind, f64)| {
        let what = format!("{name}share of {} (limit: requested)", kind.name());
        evidence(&what, 100.0 * done(of(kind)) / operations, Some(100.0 * share / all), "%")
    };
    shares.into_iter().filter(off).map(found).collect()
}

/// Shares of sizes among the operations that have one. At the end of a region, a smaller size may replace one that does
/// not fit.
fn sizes(group: &Workload, of: &Kinds<'_>, name: &str) -> Vec<Evidence> {
    let weight: f64 = group.block_size_mix.iter().map(|share| f64::from(share.operations)).sum();
    let with_size = || OpKind::ALL.into_iter().filter(|kind| *kind != OpKind::Flush).filter_map(of);
    let operations: f64 = with_size().flat_map(|op| &op.sizes).map(|size| size.count as f64).sum();
    if weight == 0.0 || operations == 0.0 {
        return Vec::new();
    }
    let failed: f64 = with_size().map(|op| op.errors as f64).sum();
    let span = group.span.length.as_f64().max(1.0);
    let bytes: f64 = with_size().map(|op| op.bytes.as_f64()).sum();
    let ends = f64::from(group.threads.get()) * (1.0 + bytes / span) * group.block_size_mix.len() as f64;
    let no_room = operations * group.block_size.as_f64() / span;
    let slack = at_borders(group) + failed + ends + no_room;
    let mut found = Vec::new();
    for (place, share) in group.block_size_mix.iter().enumerate() {
        if group.block_size_mix.iter().take(place).any(|before| before.block_size == share.block_size) {
            continue;
        }
        let same = group.block_size_mix.iter().filter(|other| other.block_size == share.block_size);
        let asked = same.map(|share| f64::from(share.operations)).sum::<f64>() / weight;
        let own = with_size().flat_map(|op| &op.sizes).filter(|size| size.block_size == share.block_size);
        let count: f64 = own.map(|size| size.count as f64).sum();
        if is_off(count, operations, asked, slack) {
            let what = format!("{name}share of {} (limit: requested)", share.block_size);
            found.push(evidence(&what, 100.0 * count / operations, Some(100.0 * asked), "%"));
        }
    }
    found
}

/// A flush after every N writes of a thread, if no other flushes are drawn.
fn flushes(group: &Workload, of: &Kinds<'_>, name: &str) -> Option<Evidence> {
    let every = f64::from(group.other.sync_every);
    if every == 0.0 || !group.other.flush_percent.is_zero() {
        return None;
    }
    let asked = done(of(OpKind::Write)) / every;
    let flushes = done(of(OpKind::Flush));
    let borders = at_borders(group) + f64::from(group.threads.get());
    let what = format!("{name}flushes (limit: writes / {every})");
    ((flushes - asked).abs() > borders).then(|| evidence(&what, flushes, Some(asked), "operations"))
}
