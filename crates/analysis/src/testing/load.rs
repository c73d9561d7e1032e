//! Made-up records of a step: rates from a small formula, latencies from a fixed shape, all of it consistent.
//!
//! The mean latency follows from Little's law (operations in flight / rate), so that the records contradict nothing.

use drivelab_core::histogram::{SparseHistogram, bucket_of};
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Action, Step};
use drivelab_core::record::{Effort, EngineReport, IntervalRecord, OpRecord, StepRecord, StopReason, StreamExtent};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{Pattern, Workload};

const SECOND_NS: u64 = 1_000_000_000;
/// Share of operations in thousandths, and their latency in thousandths of the mean; the mean of the shape is 1.
const SHAPE: [(u64, u64); 9] =
    [(100, 700), (200, 820), (250, 930), (200, 1_010), (150, 1_120), (80, 1_340), (11, 1_900), (8, 2_660), (1, 5_260)];

/// How fast a step goes: bytes per second at its start and, once `cliff_at` bytes are moved, afterwards.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Before the cliff.
    pub bytes_per_second: f64,
    /// Bytes moved before the rate falls.
    pub cliff_at: u64,
    /// After the cliff.
    pub after: f64,
}

/// A pace for any step of the sample plans: a drive that saturates at depth, and slows when it mostly writes.
#[expect(clippy::cast_precision_loss, reason = "made-up figures")]
pub(super) fn pace_of(step: &Step) -> Pace {
    let Some(load) = step.workload() else { return Pace { bytes_per_second: 1e9, cliff_at: u64::MAX, after: 1e9 } };
    let depth = load.total_depth() as f64;
    let writes = f64::from(load.write_percent.get()) / 100.0;
    if load.pattern == Pattern::Sequential {
        let top = 5.2e9 * (1.0 - writes) + 1.9e9 * writes;
        let rate = top * depth / (depth + 0.6);
        let whole = matches!(&step.action, Action::Io { stop, .. } if stop.passes.is_some());
        return Pace { bytes_per_second: rate, cliff_at: if whole { 20 << 30 } else { u64::MAX }, after: 450e6 };
    }
    let iops_at_one = 13_000.0 + 32_000.0 * writes * writes;
    let rate = iops_at_one * depth / (1.0 + depth / 60.0) * load.block_size.as_f64();
    Pace { bytes_per_second: rate, cliff_at: u64::MAX, after: rate }
}

/// The intervals and the record of one execution that begins at `start_ns`.
///
/// # Panics
/// Where the step issues no I/O.
#[must_use]
#[expect(clippy::expect_used, reason = "for tests: only I/O steps are asked for")]
pub fn step_events(step: &Step, round: u32, start_ns: u64, pace: Pace) -> (Vec<IntervalRecord>, StepRecord) {
    let load = step.workload().expect("a step that issues I/O");
    let key = StepKey { step: step.id.clone(), round };
    let volume = match &step.action {
        Action::Io { stop, .. } if stop.passes.is_some() => load.span.length.get(),
        _ => u64::MAX,
    };
    let seconds = step.estimated_time.get() / SECOND_NS;
    let mut intervals: Vec<IntervalRecord> = Vec::new();
    let (mut at_ns, mut moved) = (start_ns, 0);
    for index in 0..u32::MAX {
        let over = if volume == u64::MAX { u64::from(index) >= seconds } else { moved >= volume };
        if over {
            break;
        }
        let rate = (if moved < pace.cliff_at { pace.bytes_per_second } else { pace.after }) * jitter(&key, index);
        let interval = one_interval(load, &key, index, at_ns, rate, volume - moved);
        (at_ns, moved) = (interval.end_ns, moved + interval.read.bytes.get() + interval.write.bytes.get());
        intervals.push(interval);
    }
    let record = sum_up(load, key, &intervals, if volume == u64::MAX { StopReason::Time } else { StopReason::Passes });
    (intervals, record)
}

/// One second, or less where the volume ends inside it.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made-up figures, all positive and far below 2^53"
)]
fn one_interval(load: &Workload, key: &StepKey, index: u32, at_ns: u64, rate: f64, left: u64) -> IntervalRecord {
    let block = load.block_size.get();
    let full = ((rate / block as f64) as u64).max(1);
    let operations = full.min(left / block).max(1);
    let elapsed = (u128::from(SECOND_NS) * u128::from(operations) / u128::from(full)) as u64;
    let writes = operations * u64::from(load.write_percent.get()) / 100;
    let reads = operations - writes;
    // Reads take 1.3 times as long as writes; together they keep the whole depth in flight.
    let base = load.total_depth() as f64 * elapsed as f64 / (1.3 * reads as f64 + writes as f64);
    let op = |count: u64, mean: f64| {
        let bytes = Bytes::new(count * block);
        OpRecord::new(count, bytes, 0, latencies(count, mean), Nanos::new(elapsed))
    };
    let (read, write) = (op(reads, 1.3 * base), op(writes, base));
    let busy = (read.histogram.sum.get() + write.histogram.sum.get()) as f64;
    let in_flight_mean = busy / elapsed as f64;
    IntervalRecord {
        key: key.clone(),
        index,
        start_ns: at_ns,
        end_ns: at_ns + elapsed,
        ramp: false,
        read,
        write,
        others: Vec::new(),
        backlog: None,
        stuck: None,
        in_flight_mean,
    }
}

/// `count` latencies around a mean, in the fixed shape.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made-up figures, all positive and far below 2^53"
)]
fn latencies(count: u64, mean_ns: f64) -> SparseHistogram {
    let mut all = SparseHistogram::default();
    let mut left = count;
    // The commonest latency last: it takes what rounding left over.
    for (position, index) in [8, 7, 6, 5, 4, 3, 1, 0, 2].into_iter().enumerate() {
        let (share, factor) = SHAPE[index];
        let part = if position == SHAPE.len() - 1 { left } else { count * share / 1000 };
        if part == 0 {
            continue;
        }
        left -= part;
        let value = Nanos::new((mean_ns * factor as f64 / 1000.0) as u64);
        all.merge(&SparseHistogram {
            count: part,
            sum: Nanos::new(value.get() * part),
            min: value,
            max: value,
            buckets: vec![(bucket_of(value.get()) as u32, part)],
        });
    }
    all
}

/// The record that the intervals add up to.
#[expect(clippy::cast_precision_loss, reason = "made-up figures")]
fn sum_up(load: &Workload, key: StepKey, intervals: &[IntervalRecord], stop_reason: StopReason) -> StepRecord {
    let start_ns = intervals.first().map_or(0, |first| first.start_ns);
    let end_ns = intervals.last().map_or(0, |last| last.end_ns);
    let elapsed = Nanos::new(end_ns - start_ns);
    let sum = |of: fn(&IntervalRecord) -> &OpRecord| {
        let mut histogram = SparseHistogram::default();
        let (mut count, mut bytes) = (0, 0);
        for part in intervals.iter().map(of) {
            histogram.merge(&part.histogram);
            (count, bytes) = (count + part.count, bytes + part.bytes.get());
        }
        OpRecord::new(count, Bytes::new(bytes), 0, histogram, elapsed)
    };
    let (read, write) = (sum(|interval| &interval.read), sum(|interval| &interval.write));
    let busy = (read.histogram.sum.get() + write.histogram.sum.get()) as f64;
    let operations = read.count + write.count;
    let streams = match load.pattern {
        Pattern::Random | Pattern::RandomOnce => Vec::new(),
        Pattern::Sequential | Pattern::Reverse => {
            let highest_end = (operations * load.block_size.get()).min(load.span.length.get());
            vec![StreamExtent { thread: 0, lowest: 0, highest_end }]
        }
    };
    StepRecord {
        key,
        start_ns,
        end_ns,
        stop_reason,
        written_total: write.bytes,
        others: Vec::new(),
        groups: Vec::new(),
        open_loop: None,
        verification: None,
        in_flight_mean: if elapsed.get() == 0 { 0.0 } else { busy / elapsed.get() as f64 },
        read,
        write,
        errors: Vec::new(),
        streams,
        engine: EngineReport {
            backend: "io_uring".to_owned(),
            reason: "asked for nothing else".to_owned(),
            refused: Vec::new(),
            direct_verified: true,
            cpu_user: Nanos::new(operations * 150),
            cpu_system: Nanos::new(operations * 500),
            punted: false,
            effort: Some(effort(load, operations, elapsed)),
        },
    }
}

/// What an engine on a quiet machine says of itself.
fn effort(load: &Workload, operations: u64, elapsed: Nanos) -> Effort {
    let threads = u64::from(load.threads.get());
    Effort {
        operations,
        syscalls: operations / 2 + 1,
        thread_time: Nanos::new(elapsed.get() * threads),
        depth_asked: load.total_depth(),
        reap_gap_mean: Some(Nanos::new(900)),
        reap_gap_max: Some(Nanos::new(61_000)),
        clock: "tsc".to_owned(),
        clock_error_ns: 140,
        batch: 1,
        ..Effort::default()
    }
}

/// A factor between 0.985 and 1.015 that depends on the execution and the interval alone (FNV-1a of both).
#[expect(clippy::cast_precision_loss, reason = "made-up figures")]
fn jitter(key: &StepKey, index: u32) -> f64 {
    let text = key.step.as_str().bytes().chain(key.round.to_le_bytes()).chain(index.to_le_bytes());
    let hash =
        text.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    0.985 + 0.03 * ((hash >> 20) % 1_000) as f64 / 1_000.0
}
