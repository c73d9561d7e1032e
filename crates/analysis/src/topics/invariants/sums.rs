//! Sums that must match: bytes and operations times sizes, rates and counts, a step and its intervals, groups and
//! sizes.

use drivelab_core::load::OpKind;
use drivelab_core::record::{GroupRecord, IntervalRecord, OpRecord, SizeRecord};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

use super::kinds::per_kind;
use crate::check::{Seen, Subject, Voids};
use crate::evidence::evidence;
use crate::values;

/// Largest relative difference between a stored rate and the one computed from counts and times. Both come from the
/// same integers, so only rounding may differ; a tenth of a per cent is far above that and far below what matters.
const RATE_TOLERANCE: f64 = 1e-3;

/// Sizes that any of the groups may issue, each once.
fn sizes_of<'w>(groups: impl Iterator<Item = &'w Workload>) -> Vec<Bytes> {
    let mut sizes: Vec<Bytes> = groups.flat_map(Workload::block_sizes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The bytes that the operations of a kind must have moved; `None` if their sizes are not recorded.
fn expected_bytes(kind: OpKind, op: &OpRecord, sizes: &[Bytes]) -> Option<u128> {
    let times = |count: u64, size: Bytes| u128::from(count) * u128::from(size.get());
    match sizes {
        _ if kind == OpKind::Flush => Some(0),
        _ if !op.sizes.is_empty() => Some(op.sizes.iter().map(|size| times(size.count, size.block_size)).sum()),
        [only] => Some(times(op.count, *only)),
        _ => None,
    }
}

/// [`expected_bytes`] for the whole step: from the groups if only these are known.
fn expected_of_step(kind: OpKind, op: &OpRecord, subject: &Subject<'_>) -> Option<u128> {
    let (workload, record) = (subject.execution.workload, subject.execution.record);
    if workload.replay.is_some() {
        // Each operation of a trace has a size of its own.
        return None;
    }
    expected_bytes(kind, op, &sizes_of(workload.groups())).or_else(|| {
        let pairs = workload.groups().zip(&record.groups);
        let of_group = |(group, part): (&Workload, &GroupRecord)| {
            part.op(kind).map_or(Some(0), |op| expected_bytes(kind, op, &group.block_sizes()))
        };
        if record.groups.is_empty() { None } else { pairs.map(of_group).sum() }
    })
}

pub(super) fn bytes_not_blocks(subject: &Subject<'_>) -> Vec<Seen> {
    per_kind(subject, |kind, op| {
        let expected = expected_of_step(kind, op, subject)?;
        let wrong = u128::from(op.bytes.get()) != expected;
        let what = format!("{} bytes (limit: operations x block size)", kind.name());
        wrong.then(|| (Voids::Rates(kind), vec![evidence(&what, op.bytes.as_f64(), Some(expected as f64), "B")]))
    })
}

pub(super) fn rate_mismatch(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(elapsed) = values::active(subject.execution) else { return Vec::new() };
    let differs = |a: f64, b: f64| (a - b).abs() > RATE_TOLERANCE * a.abs().max(b.abs()) || a.is_nan() || b.is_nan();
    per_kind(subject, |kind, op| {
        let bytes = expected_of_step(kind, op, subject).map_or(op.bytes.as_f64(), |bytes| bytes as f64);
        let from_iops = if op.count == 0 { 0.0 } else { op.iops * bytes / op.count as f64 };
        let iops = op.count as f64 / elapsed;
        let mut found = Vec::new();
        if let Some(rate) = op.throughput.filter(|rate| differs(rate.get(), from_iops)) {
            let what = format!("stored {} rate (limit: stored IOPS x block size)", kind.name());
            found.push(evidence(&what, rate.as_mb_s(), Some(from_iops / 1e6), "MB/s"));
        }
        if differs(op.iops, iops) {
            let what = format!("stored {} IOPS (limit: operations / time)", kind.name());
            found.push(evidence(&what, op.iops, Some(iops), "IOPS"));
        }
        (!found.is_empty()).then_some((Voids::Rates(kind), found))
    })
}

/// The figures of a kind that add up over parts.
#[derive(Default)]
struct Sum {
    count: u64,
    bytes: u64,
    errors: u64,
    latency_ns: u64,
    response_ns: u64,
}

impl Sum {
    fn of<'r>(parts: impl Iterator<Item = &'r OpRecord>) -> Self {
        let mut sum = Sum::default();
        for op in parts {
            let response = op.response.as_ref().map_or(0, |response| response.histogram.sum.get());
            sum.count = sum.count.saturating_add(op.count);
            sum.bytes = sum.bytes.saturating_add(op.bytes.get());
            sum.errors = sum.errors.saturating_add(op.errors);
            sum.latency_ns = sum.latency_ns.saturating_add(op.histogram.sum.get());
            sum.response_ns = sum.response_ns.saturating_add(response);
        }
        sum
    }

    fn figures(&self) -> [(u64, &'static str, &'static str); 5] {
        [
            (self.count, "operations", "operations"),
            (self.bytes, "bytes", "B"),
            (self.errors, "errors", "operations"),
            (self.latency_ns, "sum of latencies", "ns"),
            (self.response_ns, "sum of response times", "ns"),
        ]
    }
}

/// Compares the whole of a kind with its parts.
fn add_up<'r>(subject: &Subject<'r>, of_what: &str, parts: impl Fn(OpKind) -> Vec<&'r OpRecord>) -> Vec<Seen> {
    let mut seen = Vec::new();
    for kind in OpKind::ALL {
        let step = Sum::of(subject.execution.record.op(kind).into_iter());
        let sum = Sum::of(parts(kind).into_iter());
        let pairs = step.figures().into_iter().zip(sum.figures());
        let wrong = pairs.filter(|((whole, ..), (parts, ..))| whole != parts);
        let found: Vec<_> = wrong
            .map(|((whole, what, unit), (parts, ..))| {
                let what = format!("{} {what} of the step (limit: sum of {of_what})", kind.name());
                evidence(&what, whole as f64, Some(parts as f64), unit)
            })
            .collect();
        if !found.is_empty() {
            seen.push(Seen::new(subject, Voids::All(kind), found));
        }
    }
    seen
}

pub(super) fn interval_sums(subject: &Subject<'_>) -> Vec<Seen> {
    let measured: Vec<&IntervalRecord> = subject.intervals.iter().copied().filter(|interval| !interval.ramp).collect();
    add_up(subject, "intervals", |kind| measured.iter().filter_map(|interval| interval.op(kind)).collect())
}

pub(super) fn group_sums(subject: &Subject<'_>) -> Vec<Seen> {
    let groups = &subject.execution.record.groups;
    if groups.is_empty() {
        return Vec::new();
    }
    add_up(subject, "groups", |kind| groups.iter().filter_map(|group| group.op(kind)).collect())
}

pub(super) fn size_sums(subject: &Subject<'_>) -> Vec<Seen> {
    let asked = sizes_of(subject.execution.workload.groups());
    per_kind(subject, |kind, op| {
        if op.sizes.is_empty() {
            return None;
        }
        let of = |part: fn(&SizeRecord) -> u64| op.sizes.iter().map(part).fold(0u64, u64::saturating_add);
        let pairs = [
            (op.count, of(|size| size.count), "operations", "operations"),
            (op.histogram.count, of(|size| size.histogram.count), "latencies", "operations"),
            (op.histogram.sum.get(), of(|size| size.histogram.sum.get()), "sum of latencies", "ns"),
        ];
        let wrong = pairs.into_iter().filter(|(whole, parts, ..)| whole != parts);
        let mut found: Vec<_> = wrong
            .map(|(whole, parts, what, unit)| {
                let what = format!("{} {what} of the kind (limit: sum of sizes)", kind.name());
                evidence(&what, whole as f64, Some(parts as f64), unit)
            })
            .collect();
        let foreign = op.sizes.iter().find(|size| size.count > 0 && !asked.contains(&size.block_size));
        found.extend(foreign.map(|size| {
            let what = format!("{} of {}, a size that was not requested", kind.name(), size.block_size);
            evidence(&what, size.count as f64, Some(0.0), "operations")
        }));
        (!found.is_empty()).then_some((Voids::All(kind), found))
    })
}
