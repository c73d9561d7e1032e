//! Invariants: what must hold in every record of a real measurement. A violation voids the figures it concerns.
//!
//! Each is one pure function over one execution with its threshold as a named constant. The list comes from
//! research/peers.md pain 2: the host, the cache or the generator was measured, not the drive, and nobody noticed.

use drivelab_core::finding::Evidence;
use drivelab_core::record::StreamExtent;
use drivelab_core::workload::{Pattern, Streams};

use crate::check::{Check, Op, Seen, Subject, Voids};
use crate::findings::{evidence, voids as text};
use crate::values;

/// Largest relative difference between a stored rate and the one that counts and bounds give. Both come from the same
/// integers, so only rounding may differ; a tenth of a per cent is far above that and far below what matters.
const RATE_TOLERANCE: f64 = 1e-3;
/// Little's law may be off by this share of the operations in flight: latencies are taken around the system call, the
/// time in flight is integrated between completions. From the issue that asked for the check.
const LITTLE_SHARE: f64 = 0.02;
/// And by this many operations: at the borders of the measured part, an operation may be counted on one side only.
const LITTLE_OPERATIONS: f64 = 1.0;
/// Largest share by which the mean operations in flight may lie above the asked depth. A generator has a slot for each
/// of them and can never have more; the mean is an integral divided by time, both on one clock, so only rounding of
/// very short steps is forgiven.
const DEPTH_TOLERANCE: f64 = 0.01;

/// Every invariant.
pub(crate) static INVARIANTS: &[Check] = &[
    Check { code: "time_order", rule: "A step ends after it began.", check: time_order, finding: text::time_order },
    Check {
        code: "no_operations",
        rule: "A step that asks for reads (writes) completes at least one.",
        check: no_operations,
        finding: text::no_operations,
    },
    Check {
        code: "bytes_not_blocks",
        rule: "Bytes moved are completed operations times block size.",
        check: bytes_not_blocks,
        finding: text::bytes_not_blocks,
    },
    Check {
        code: "rate_mismatch",
        rule: "Stored MB/s are stored IOPS times block size, and stored IOPS are operations divided by time.",
        check: rate_mismatch,
        finding: text::rate_mismatch,
    },
    Check {
        code: "not_direct",
        rule: "Where direct I/O was asked for, the kernel confirms that the file was open with O_DIRECT.",
        check: not_direct,
        finding: text::not_direct,
    },
    Check {
        code: "histogram_count",
        rule: "The latency histogram holds exactly the completed operations.",
        check: histogram_count,
        finding: text::histogram_count,
    },
    Check {
        code: "percentile_order",
        rule: "Median <= 99th <= 99.9th percentile <= maximum, and minimum <= maximum.",
        check: percentile_order,
        finding: text::percentile_order,
    },
    Check {
        code: "little_law",
        rule: "IOPS times mean latency equal the mean operations in flight, within 2 % plus one operation.",
        check: little_law,
        finding: text::little_law,
    },
    Check {
        code: "above_depth",
        rule: "The mean operations in flight do not exceed queue depth times threads, within 1 %.",
        check: above_depth,
        finding: text::above_depth,
    },
    Check {
        code: "interval_sums",
        rule: "The intervals of a step, without its ramp, add up to the step.",
        check: interval_sums,
        finding: text::interval_sums,
    },
    Check {
        code: "streams_overlap",
        rule: "Parallel sequential streams touch disjoint stretches unless the methodology asks for sharing.",
        check: streams_overlap,
        finding: text::streams_overlap,
    },
    Check {
        code: "above_link",
        rule: "Nothing is faster than the link it went through.",
        check: above_link,
        finding: text::above_link,
    },
];

fn time_order(subject: &Subject<'_>) -> Vec<Seen> {
    let record = subject.execution.record;
    if record.end_ns > record.start_ns {
        return Vec::new();
    }
    let (start, end) = (record.start_ns as f64 / 1e9, record.end_ns as f64 / 1e9);
    vec![Seen::new(subject, Voids::Timed, vec![evidence("end on the run clock", end, Some(start), "s")])]
}

fn no_operations(subject: &Subject<'_>) -> Vec<Seen> {
    let workload = subject.execution.workload;
    let asked = |op: &Op| match op {
        Op::Read => workload.reads(),
        Op::Write => workload.writes(),
    };
    let none = |op: &Op| op.of(&subject.execution).count == 0;
    let seen = |op: Op| {
        let failed = op.of(&subject.execution).errors as f64;
        let both_empty = Op::BOTH.iter().all(none);
        let voids = if both_empty { Voids::Results } else { Voids::All(op) };
        Seen::new(subject, voids, vec![evidence(&format!("failed {}s", op.name()), failed, None, "operations")])
    };
    Op::BOTH.into_iter().filter(asked).filter(none).map(seen).collect()
}

fn bytes_not_blocks(subject: &Subject<'_>) -> Vec<Seen> {
    per_op(subject, |op| {
        let (record, block) = (op.of(&subject.execution), subject.execution.workload.block_size.get());
        let expected = u128::from(record.count) * u128::from(block);
        let wrong = u128::from(record.bytes.get()) != expected;
        let what = format!("{} bytes (limit: operations x block size)", op.name());
        wrong.then(|| (Voids::Rates(op), vec![evidence(&what, record.bytes.as_f64(), Some(expected as f64), "B")]))
    })
}

fn rate_mismatch(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(elapsed) = values::duration(subject.execution) else { return Vec::new() };
    let differs = |a: f64, b: f64| (a - b).abs() > RATE_TOLERANCE * a.abs().max(b.abs()) || a.is_nan() || b.is_nan();
    per_op(subject, |op| {
        let record = op.of(&subject.execution);
        let from_iops = record.iops * subject.execution.workload.block_size.as_f64();
        let iops = record.count as f64 / elapsed;
        let mut found = Vec::new();
        if differs(record.throughput.get(), from_iops) {
            let what = format!("stored {} rate (limit: stored IOPS x block size)", op.name());
            found.push(evidence(&what, record.throughput.as_mb_s(), Some(from_iops / 1e6), "MB/s"));
        }
        if differs(record.iops, iops) {
            let what = format!("stored {} IOPS (limit: operations / time)", op.name());
            found.push(evidence(&what, record.iops, Some(iops), "IOPS"));
        }
        (!found.is_empty()).then_some((Voids::Rates(op), found))
    })
}

fn not_direct(subject: &Subject<'_>) -> Vec<Seen> {
    let violated = subject.execution.workload.direct && !subject.execution.record.engine.direct_verified;
    if violated { vec![Seen::new(subject, Voids::Results, Vec::new())] } else { Vec::new() }
}

fn histogram_count(subject: &Subject<'_>) -> Vec<Seen> {
    per_op(subject, |op| {
        let record = op.of(&subject.execution);
        let in_buckets = record.histogram.buckets.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
        let wrong = if record.histogram.count == record.count { in_buckets } else { record.histogram.count };
        let what = format!("{} latencies in the histogram (limit: operations)", op.name());
        let found = || vec![evidence(&what, wrong as f64, Some(record.count as f64), "operations")];
        (wrong != record.count).then(|| (Voids::Latency(op), found()))
    })
}

fn percentile_order(subject: &Subject<'_>) -> Vec<Seen> {
    per_op(subject, |op| {
        let record = op.of(&subject.execution);
        let summary = record.latency.as_ref()?;
        let steps = [
            (record.histogram.min, record.histogram.max, "minimum (limit: maximum)"),
            (summary.p50, summary.p99, "median (limit: 99th percentile)"),
            (summary.p99, summary.p999, "99th percentile (limit: 99.9th)"),
            (summary.p999, summary.max, "99.9th percentile (limit: maximum)"),
        ];
        let wrong = steps.into_iter().filter(|(lower, upper, _)| lower > upper);
        let us = |value: drivelab_core::units::Nanos| value.get() as f64 / 1e3;
        let found: Vec<Evidence> = wrong
            .map(|(lower, upper, what)| evidence(&format!("{} {what}", op.name()), us(lower), Some(us(upper)), "us"))
            .collect();
        (!found.is_empty()).then_some((Voids::Percentiles(op), found))
    })
}

fn little_law(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(elapsed) = values::duration(subject.execution) else { return Vec::new() };
    let record = subject.execution.record;
    // IOPS x mean latency = operations / time x (sum of latencies / operations) = sum of latencies / time.
    let busy = record.read.histogram.sum.as_secs_f64() + record.write.histogram.sum.as_secs_f64();
    let expected = busy / elapsed;
    let measured = record.in_flight_mean;
    let allowed = LITTLE_SHARE * measured.max(expected) + LITTLE_OPERATIONS;
    // Failed operations were in flight and have no latency: they can explain more in flight, never less.
    let explained = record.error_count() > 0 && measured > expected;
    if (expected - measured).abs() <= allowed || explained {
        return Vec::new();
    }
    let what = "operations in flight (limit: IOPS x mean latency)";
    vec![Seen::new(subject, Voids::ResultsAndDepth, vec![evidence(what, measured, Some(expected), "operations")])]
}

/// Voids everything: either more was asked of the target than the step's name says, and no figure is of this step, or
/// times are too long, and latencies with them. The record does not tell which.
fn above_depth(subject: &Subject<'_>) -> Vec<Seen> {
    let measured = subject.execution.record.in_flight_mean;
    let asked = subject.execution.workload.total_depth() as f64;
    if measured <= asked * (1.0 + DEPTH_TOLERANCE) {
        return Vec::new();
    }
    let what = "operations in flight (limit: queue depth x threads)";
    vec![Seen::new(subject, Voids::ResultsAndDepth, vec![evidence(what, measured, Some(asked), "operations")])]
}

fn interval_sums(subject: &Subject<'_>) -> Vec<Seen> {
    per_op(subject, |op| {
        let step = op.of(&subject.execution);
        let measured = subject.intervals.iter().filter(|interval| !interval.ramp);
        let (mut count, mut bytes, mut errors) = (0u64, 0u64, 0u64);
        for interval in measured {
            let part = match op {
                Op::Read => &interval.read,
                Op::Write => &interval.write,
            };
            count = count.saturating_add(part.count);
            bytes = bytes.saturating_add(part.bytes.get());
            errors = errors.saturating_add(part.errors);
        }
        let pairs = [
            (step.count, count, "operations", "operations"),
            (step.bytes.get(), bytes, "bytes", "B"),
            (step.errors, errors, "errors", "operations"),
        ];
        let wrong = pairs.into_iter().filter(|(whole, parts, ..)| whole != parts);
        let found: Vec<Evidence> = wrong
            .map(|(whole, parts, what, unit)| {
                let what = format!("{} {what} of the step (limit: sum of intervals)", op.name());
                evidence(&what, whole as f64, Some(parts as f64), unit)
            })
            .collect();
        (!found.is_empty()).then_some((Voids::All(op), found))
    })
}

fn streams_overlap(subject: &Subject<'_>) -> Vec<Seen> {
    let workload = subject.execution.workload;
    if workload.pattern != Pattern::Sequential || workload.streams != Streams::Disjoint {
        return Vec::new();
    }
    let touched = |stream: &&StreamExtent| stream.lowest < stream.highest_end;
    let mut streams: Vec<&StreamExtent> = subject.execution.record.streams.iter().filter(touched).collect();
    streams.sort_by_key(|stream| stream.lowest);
    let overlap = streams.windows(2).find(|pair| pair[1].lowest < pair[0].highest_end);
    let Some([first, second]) = overlap else { return Vec::new() };
    let what = format!("start of thread {} (limit: end of thread {})", second.thread, first.thread);
    let found = evidence(&what, second.lowest as f64, Some(first.highest_end as f64), "B");
    vec![Seen::new(subject, Voids::Results, vec![found])]
}

fn above_link(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(limit) = subject.link else { return Vec::new() };
    let Some(elapsed) = values::duration(subject.execution) else { return Vec::new() };
    per_op(subject, |op| {
        let rate = op.of(&subject.execution).bytes.as_f64() / elapsed;
        let what = format!("{} rate (limit: the link)", op.name());
        (rate > limit).then(|| (Voids::All(op), vec![evidence(&what, rate / 1e6, Some(limit / 1e6), "MB/s")]))
    })
}

/// Runs a check for reads and for writes.
fn per_op(subject: &Subject<'_>, check: impl Fn(Op) -> Option<(Voids, Vec<Evidence>)>) -> Vec<Seen> {
    let seen = |op| check(op).map(|(voids, found)| Seen::new(subject, voids, found));
    Op::BOTH.into_iter().filter_map(seen).collect()
}

#[cfg(test)]
mod tests;
