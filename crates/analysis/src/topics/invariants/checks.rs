//! Invariants: what must hold in every record of a real measurement. A violation voids the figures concerned.
//!
//! Each is one pure function over one execution with its threshold as a named constant. The list comes from
//! research notes, peers pain 2 (the host, the cache or the generator was measured, not the drive, and nobody noticed)
//! and from the loads of the engine: what was issued must be what was requested. Sums are in [`sums`], random draws in
//! [`draws`], the schedule of an open loop in [`schedule`].

use drivelab_core::finding::Evidence;
use drivelab_core::histogram::{LatencySummary, SparseHistogram};
use drivelab_core::load::{OpKind, Verify};
use drivelab_core::record::StreamExtent;
use drivelab_core::units::Nanos;
use drivelab_core::workload::{Pattern, Streams, Workload};

use super::kinds::per_kind;
use super::{draws, schedule, sums, words as text};
use crate::check::{Check, Seen, Subject, Voids};
use crate::evidence::evidence;
use crate::values;

/// Little's law may be off by this share of the operations in flight: latencies are measured around the system call,
/// the time in flight is integrated between completions. From the issue that requested the check.
const LITTLE_SHARE: f64 = 0.02;
/// And by this many operations: at the start and end of the measured part, an operation may be counted on one side
/// only.
const LITTLE_OPERATIONS: f64 = 1.0;
/// Largest share by which the mean operations in flight may be above the requested depth. A generator has a slot for
/// each of them and can never have more. The mean is an integral divided by time, both on one clock, so only rounding
/// in very short steps is tolerated.
const DEPTH_TOLERANCE: f64 = 0.01;
/// Operations of a kind that must have been expected before their absence is more than chance: none of 20 expected
/// happens once in 5 x 10^8.
const EXPECTED_AT_LEAST: f64 = 20.0;
/// Share of the operations of a kind that may end in errors before their rate is void: below it, the time that errors
/// took or saved is less than the differences by which rates are compared.
const ERRORS_SHARE: f64 = 0.01;
/// Share by which a response time may be below the latency of the same rank: both are the middle of a bucket at most
/// 0.78 % wide.
const BUCKET_WIDTH: f64 = 0.0079;

/// Every invariant.
pub(crate) static INVARIANTS: &[Check] = &[
    Check { finding: &text::TIME_ORDER, rule: "A step ends after it began.", check: time_order },
    Check {
        finding: &text::NO_OPERATIONS,
        rule: "A step completes operations of every kind that it requests, if 20 or more are expected.",
        check: no_operations,
    },
    Check {
        finding: &text::MASS_ERRORS,
        rule: "At most 1 % of the operations of a kind end in errors. Above that, the rate of the rest is not that of the \
               target, because errors took its time.",
        check: mass_errors,
    },
    Check {
        finding: &text::BYTES_NOT_BLOCKS,
        rule: "Bytes moved are completed operations times block size, summed over the sizes if they are mixed.",
        check: sums::bytes_not_blocks,
    },
    Check {
        finding: &text::RATE_MISMATCH,
        rule: "Stored MB/s are stored IOPS times (mean) block size, and stored IOPS are operations divided by time.",
        check: sums::rate_mismatch,
    },
    Check {
        finding: &text::NOT_DIRECT,
        rule: "If direct I/O was requested, the kernel confirms that the file was open with O_DIRECT.",
        check: not_direct,
    },
    Check {
        finding: &text::HISTOGRAM_COUNT,
        rule: "The histograms of latency and of response time hold exactly the completed operations.",
        check: histogram_count,
    },
    Check {
        finding: &text::PERCENTILE_ORDER,
        rule: "Median <= 99th <= 99.9th percentile <= maximum, and minimum <= maximum.",
        check: percentile_order,
    },
    Check {
        finding: &text::RESPONSE_BELOW_LATENCY,
        rule: "No rank of the response times is below that of the latencies (buckets are 0.78 % wide).",
        check: response_below_latency,
    },
    Check {
        finding: &text::LITTLE_LAW,
        rule: "IOPS times mean latency, summed over the kinds, are the mean operations in flight, within 2 % plus one.",
        check: little_law,
    },
    Check {
        finding: &text::ABOVE_DEPTH,
        rule: "The mean operations in flight do not exceed queue depth times threads, within 1 %.",
        check: above_depth,
    },
    Check {
        finding: &text::INTERVAL_SUMS,
        rule: "The intervals of a step, without its ramp, add up to the step: every kind, latencies, response times.",
        check: sums::interval_sums,
    },
    Check {
        finding: &text::GROUP_SUMS,
        rule: "If several groups of threads ran, they add up to the step.",
        check: sums::group_sums,
    },
    Check {
        finding: &text::SIZE_SUMS,
        rule: "If sizes are mixed, the requested sizes add up to the operations of their kind.",
        check: sums::size_sums,
    },
    Check {
        finding: &text::MIX_NOT_AS_ASKED,
        rule: "Kinds and sizes were drawn with the requested shares, within 6 standard deviations of chance, and flushes \
               came after the requested number of writes.",
        check: draws::mix_not_as_asked,
    },
    Check {
        finding: &text::SCHEDULE_MISSED,
        rule: "An open loop has as many arrivals as its rate requires, within 0.5 %, or 1 % and 4 standard deviations if \
               arrivals are random.",
        check: schedule::schedule_missed,
    },
    Check {
        finding: &text::ARRIVALS_LOST,
        rule: "In an open loop, arrivals are completed or still waiting: none is lost, none is invented.",
        check: schedule::arrivals_lost,
    },
    Check {
        finding: &text::STREAMS_OVERLAP,
        rule: "Parallel sequential streams touch disjoint regions, unless the methodology requests sharing.",
        check: streams_overlap,
    },
    Check { finding: &text::ABOVE_LINK, rule: "No rate is above that of the link.", check: above_link },
];

fn time_order(subject: &Subject<'_>) -> Vec<Seen> {
    let record = subject.execution.record;
    if record.end_ns > record.start_ns {
        return Vec::new();
    }
    let (start, end) = (record.start_ns as f64 / 1e9, record.end_ns as f64 / 1e9);
    vec![Seen::new(subject, Voids::Timed, vec![evidence("end on the run clock", end, Some(start), "s")])]
}

/// Requested kinds of which nothing was completed: all of them if nothing at all was, else those that failed or of
/// which enough operations were expected.
fn no_operations(subject: &Subject<'_>) -> Vec<Seen> {
    let (workload, record) = (subject.execution.workload, subject.execution.record);
    let count = |kind: OpKind| record.op(kind).map_or(0, |op| op.count);
    let failed = |kind: OpKind| record.op(kind).map_or(0, |op| op.errors);
    let nothing = OpKind::ALL.into_iter().all(|kind| count(kind) == 0);
    let missed = |kind: &OpKind| {
        let expected = draws::expected(*kind, workload, record);
        count(*kind) == 0 && (nothing || failed(*kind) > 0 || expected >= EXPECTED_AT_LEAST)
    };
    let seen = |kind: OpKind| {
        let voids = if nothing { Voids::Results } else { Voids::All(kind) };
        let what = format!("failed operations of kind {}", kind.name());
        Seen::new(subject, voids, vec![evidence(&what, failed(kind) as f64, None, "operations")])
    };
    OpKind::ALL.into_iter().filter(|kind| workload.issues(*kind)).filter(missed).map(seen).collect()
}

fn mass_errors(subject: &Subject<'_>) -> Vec<Seen> {
    per_kind(subject, |kind, op| {
        let share = op.errors as f64 / (op.errors + op.count).max(1) as f64;
        let what = format!("share of {}s that ended in errors", kind.name());
        let found = || vec![evidence(&what, share, Some(ERRORS_SHARE), "")];
        (op.count > 0 && share > ERRORS_SHARE).then(|| (Voids::Rates(kind), found()))
    })
}

fn not_direct(subject: &Subject<'_>) -> Vec<Seen> {
    let violated = subject.execution.workload.direct && !subject.execution.record.engine.direct_verified;
    if violated { vec![Seen::new(subject, Voids::Results, Vec::new())] } else { Vec::new() }
}

fn histogram_count(subject: &Subject<'_>) -> Vec<Seen> {
    let differing = |histogram: &SparseHistogram, count: u64, what: &str| {
        let in_buckets = histogram.buckets.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
        let wrong = if histogram.count == count { in_buckets } else { histogram.count };
        let found = || vec![evidence(what, wrong as f64, Some(count as f64), "operations")];
        (wrong != count).then(found)
    };
    per_kind(subject, |kind, op| {
        let latencies = format!("{} latencies in the histogram (limit: operations)", kind.name());
        if let Some(found) = differing(&op.histogram, op.count, &latencies) {
            return Some((Voids::Latency(kind), found));
        }
        if !all_were_scheduled(subject) {
            return None;
        }
        let responses = format!("{} response times in the histogram (limit: operations)", kind.name());
        let found = differing(&op.response.as_ref()?.histogram, op.count, &responses)?;
        Some((Voids::Response(kind), found))
    })
}

/// Whether every operation has a response time: not if another group is a closed loop, nor if writes are read back,
/// which no schedule contains.
fn all_were_scheduled(subject: &Subject<'_>) -> bool {
    let timed = |group: &Workload| group.replay.as_ref().is_some_and(|replay| replay.mode.is_timed());
    let scheduled = |group: &Workload| (group.pace.rate.is_some() || timed(group)) && group.verify != Verify::AtOnce;
    subject.execution.workload.groups().all(scheduled)
}

fn percentile_order(subject: &Subject<'_>) -> Vec<Seen> {
    per_kind(subject, |kind, op| {
        let found = out_of_order(kind.name(), &op.histogram, op.latency.as_ref());
        if !found.is_empty() {
            return Some((Voids::Percentiles(kind), found));
        }
        let response = op.response.as_ref()?;
        let name = format!("{} response", kind.name());
        let found = out_of_order(&name, &response.histogram, response.summary.as_ref());
        (!found.is_empty()).then_some((Voids::Response(kind), found))
    })
}

/// Pairs of figures of a distribution in which the lower one is above the higher one.
fn out_of_order(name: &str, histogram: &SparseHistogram, summary: Option<&LatencySummary>) -> Vec<Evidence> {
    let Some(summary) = summary else { return Vec::new() };
    // Percentiles with too few operations are absent.
    let known = [(summary.p50, "median"), (summary.p99, "99th percentile"), (summary.p999, "99.9th percentile")];
    let mut rising: Vec<(Nanos, &str)> = known.into_iter().filter_map(|(time, what)| Some((time?, what))).collect();
    rising.push((summary.max, "maximum"));
    let ends = ((histogram.min, "minimum"), (histogram.max, "maximum"));
    let steps = std::iter::once(ends).chain(rising.iter().copied().zip(rising.iter().skip(1).copied()));
    let wrong = steps.filter(|((lower, _), (upper, _))| lower > upper);
    let one = |((lower, what), (upper, limit)): ((Nanos, &str), (Nanos, &str))| {
        evidence(&format!("{name} {what} (limit: {limit})"), us(lower), Some(us(upper)), "us")
    };
    wrong.map(one).collect()
}

fn us(time: Nanos) -> f64 {
    time.get() as f64 / 1e3
}

/// A response time counts from an earlier moment than the latency of the same operation, so every rank of the response
/// times is at least that of the latencies.
fn response_below_latency(subject: &Subject<'_>) -> Vec<Seen> {
    if !all_were_scheduled(subject) {
        return Vec::new();
    }
    per_kind(subject, |kind, op| {
        let response = &op.response.as_ref()?.histogram;
        let latency = &op.histogram;
        let name = kind.name();
        let mut found = Vec::new();
        if response.sum < latency.sum {
            let what = format!("sum of the {name} response times (limit: of the latencies)");
            found.push(evidence(&what, us(response.sum), Some(us(latency.sum)), "us"));
        }
        for rank in [0.0, 50.0, 90.0, 99.0, 99.9, 100.0] {
            let (Some(whole), Some(part)) = (response.percentile(rank), latency.percentile(rank)) else { continue };
            if us(whole) < us(part) * (1.0 - BUCKET_WIDTH) {
                let what = format!("{rank} % of the {name} response times (limit: of the latencies)");
                found.push(evidence(&what, us(whole), Some(us(part)), "us"));
            }
        }
        (!found.is_empty()).then_some((Voids::Response(kind), found))
    })
}

fn little_law(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(elapsed) = values::duration(subject.execution) else { return Vec::new() };
    let record = subject.execution.record;
    // IOPS x mean latency = operations / time x (sum of latencies / operations) = sum of latencies / time.
    let busy: f64 = record.kinds().map(|(_, op)| op.histogram.sum.as_secs_f64()).sum();
    let expected = busy / elapsed;
    let measured = record.in_flight_mean;
    let allowed = LITTLE_SHARE * measured.max(expected) + LITTLE_OPERATIONS;
    // Failed operations were in flight and have no latency: they can explain more operations in flight, never fewer.
    let explained = record.error_count() > 0 && measured > expected;
    if (expected - measured).abs() <= allowed || explained {
        return Vec::new();
    }
    let what = "operations in flight (limit: IOPS x mean latency)";
    vec![Seen::new(subject, Voids::ResultsAndDepth, vec![evidence(what, measured, Some(expected), "operations")])]
}

/// Voids everything: either the load was higher than the step's name says, and no figure is that of this step, or times
/// are too long, and latencies with them. The record does not show which.
fn above_depth(subject: &Subject<'_>) -> Vec<Seen> {
    let measured = subject.execution.record.in_flight_mean;
    let asked = subject.execution.workload.total_depth() as f64;
    if measured <= asked * (1.0 + DEPTH_TOLERANCE) {
        return Vec::new();
    }
    let what = "operations in flight (limit: queue depth x threads)";
    vec![Seen::new(subject, Voids::ResultsAndDepth, vec![evidence(what, measured, Some(asked), "operations")])]
}

/// Streams of consecutive blocks are recorded as regions. Random ones that touch each block once share the span block
/// by block and leave no regions to compare, unless headers make each thread keep to one.
fn streams_overlap(subject: &Subject<'_>) -> Vec<Seen> {
    let mut thread = 0;
    let groups = subject.execution.workload.groups().map(|group| {
        let threads = thread..thread + group.threads.get();
        thread = threads.end;
        (group, threads)
    });
    let own = |group: &Workload| {
        let stretches = match group.pattern {
            Pattern::Sequential | Pattern::Reverse => true,
            Pattern::RandomOnce | Pattern::Random => group.verify != Verify::Off,
        };
        stretches && group.streams == Streams::Disjoint
    };
    let touched = |stream: &&StreamExtent| stream.lowest < stream.highest_end;
    let mut found = Vec::new();
    for (_, threads) in groups.filter(|(group, _)| own(group)) {
        let all = subject.execution.record.streams.iter();
        let mut streams: Vec<&StreamExtent> =
            all.filter(touched).filter(|stream| threads.contains(&stream.thread)).collect();
        streams.sort_by_key(|stream| stream.lowest);
        let overlap = streams.windows(2).find(|pair| pair[1].lowest < pair[0].highest_end);
        if let Some([first, second]) = overlap {
            let what = format!("start of thread {} (limit: end of thread {})", second.thread, first.thread);
            found.push(evidence(&what, second.lowest as f64, Some(first.highest_end as f64), "B"));
        }
    }
    if found.is_empty() { Vec::new() } else { vec![Seen::new(subject, Voids::Results, found)] }
}

fn above_link(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(limit) = subject.link else { return Vec::new() };
    let Some(elapsed) = values::active(subject.execution) else { return Vec::new() };
    let moving = |kind: OpKind| matches!(kind, OpKind::Read | OpKind::Write);
    per_kind(subject, |kind, op| {
        let rate = op.bytes.as_f64() / elapsed;
        let what = format!("{} rate (limit: the link)", kind.name());
        let found = || vec![evidence(&what, rate / 1e6, Some(limit / 1e6), "MB/s")];
        (moving(kind) && rate > limit).then(|| (Voids::All(kind), found()))
    })
}

#[cfg(test)]
mod tests;
