//! Made-up records of a step: rates from a small formula, latencies from a fixed distribution, all consistent.
//!
//! The mean latency follows from Little's law (operations in flight / rate), so that no records contradict each other.

use drivelab_core::ids::StepKey;
use drivelab_core::load::{OpKind, Verify};
use drivelab_core::plan::{Action, Step};
use drivelab_core::record::{
    Effort, EngineReport, GroupRecord, IntervalRecord, OpRecord, OpenLoop, Origin, OtherRecord, StepRecord, StopReason,
    StreamExtent, Verification,
};
use drivelab_core::units::Nanos;
use drivelab_core::workload::{Pattern, Workload};

use crate::ops::{self, Issued, summed};

pub(super) const SECOND_NS: u64 = 1_000_000_000;
/// Mean latency in an open loop that does not load the target fully, ns.
const AT_EASE_NS: f64 = 60_000.0;
/// Waiting time before submission in an open loop that keeps its schedule, ns.
const WAITED_NS: u64 = 12_000;
/// Arrivals that wait at the end of every interval in an open loop that keeps its schedule.
const WAITING: u64 = 2;

/// Speed of a step: bytes per second at its start and, after `cliff_at` bytes, from then on.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Bytes per second before the cliff.
    pub bytes_per_second: f64,
    /// Bytes moved before the rate falls.
    pub cliff_at: u64,
    /// Bytes per second after the cliff.
    pub after: f64,
}

/// A pace for any step of the sample plans: a drive that saturates at depth, and slows down when it mostly writes.
pub(super) fn pace_of(step: &Step) -> Pace {
    let Some(load) = step.workload() else { return Pace { bytes_per_second: 1e9, cliff_at: u64::MAX, after: 1e9 } };
    let whole = matches!(&step.action, Action::Io { stop, .. } if stop.passes.is_some());
    pace_of_load(load, whole)
}

/// The pace of one group; `whole` if it writes the whole file.
fn pace_of_load(load: &Workload, whole: bool) -> Pace {
    let depth = f64::from(load.queue_depth.get()) * f64::from(load.threads.get());
    let writes = f64::from(load.write_percent.get()) / 100.0;
    if load.pattern == Pattern::Sequential {
        let top = 5.2e9 * (1.0 - writes) + 1.9e9 * writes;
        let rate = top * depth / (depth + 0.6);
        return Pace { bytes_per_second: rate, cliff_at: if whole { 20 << 30 } else { u64::MAX }, after: 450e6 };
    }
    let iops_at_one = 13_000.0 + 32_000.0 * writes * writes;
    let rate = iops_at_one * depth / (1.0 + depth / 60.0) * load.mean_block_size();
    Pace { bytes_per_second: rate, cliff_at: u64::MAX, after: rate }
}

/// The intervals and the record of one execution that begins at `start_ns`.
///
/// # Panics
/// If the step issues no I/O.
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
    let mut tape = Tape::new(load, key, start_ns);
    for index in 0..u32::MAX {
        let over = if volume == u64::MAX { u64::from(index) >= seconds } else { tape.moved >= volume };
        if over {
            break;
        }
        let rate = if tape.moved < pace.cliff_at { pace.bytes_per_second } else { pace.after };
        tape.interval(index, rate, volume - tape.moved);
    }
    tape.sum_up(if volume == u64::MAX { StopReason::Time } else { StopReason::Passes })
}

/// A step that is being generated.
struct Tape<'a> {
    load: &'a Workload,
    key: StepKey,
    at_ns: u64,
    moved: u64,
    /// Waiting arrivals and arrivals so far.
    backlog: u64,
    arrived: u64,
    intervals: Vec<IntervalRecord>,
    /// Operations of each group, by interval.
    groups: Vec<Vec<Issued>>,
}

impl<'a> Tape<'a> {
    fn new(load: &'a Workload, key: StepKey, at_ns: u64) -> Self {
        let (intervals, groups) = (Vec::new(), Vec::new());
        Tape { load, key, at_ns, moved: 0, backlog: 0, arrived: 0, intervals, groups }
    }

    /// One second, or less if the volume ends within it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "made-up figures, all positive and far below 2^53"
    )]
    fn interval(&mut self, index: u32, rate: f64, left: u64) {
        let block = self.load.mean_block_size();
        let full = ((rate * jitter(&self.key, index) / block) as u64).max(1);
        let (elapsed, main) = if self.load.pace.rate.is_some() {
            (SECOND_NS, self.arrivals(full))
        } else {
            let operations = full.min((left as f64 / block) as u64).max(1);
            let elapsed = (u128::from(SECOND_NS) * u128::from(operations) / u128::from(full)) as u64;
            (elapsed, ops::closed(self.load, operations, elapsed))
        };
        let beside = self.load.beside.iter().map(|group| {
            let rate = pace_of_load(group, false).bytes_per_second * jitter(&self.key, index + 1_000);
            ops::closed(group, (rate / group.mean_block_size()) as u64, elapsed)
        });
        let groups: Vec<Issued> = std::iter::once(main).chain(beside).collect();
        let all = Issued::together(&groups);
        let op = |kind| all.record(kind, Nanos::new(elapsed));
        let interval = IntervalRecord {
            key: self.key.clone(),
            index,
            start_ns: self.at_ns,
            end_ns: self.at_ns + elapsed,
            ramp: false,
            read: op(OpKind::Read),
            write: op(OpKind::Write),
            others: others(self.load, op),
            backlog: self.load.is_open_loop().then_some(self.backlog),
            stuck: None,
            origin: Origin::Measured,
            condensed: None,
            in_flight_mean: all.busy_ns() / elapsed as f64,
        };
        (self.at_ns, self.moved) =
            (interval.end_ns, self.moved + interval.read.bytes.get() + interval.write.bytes.get());
        self.intervals.push(interval);
        self.groups.push(groups);
    }

    /// A second of an open loop: all arrivals are done, up to what the target can do.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "made-up figures, all positive and far below 2^53"
    )]
    fn arrivals(&mut self, capacity: u64) -> Issued {
        let arriving = self.load.pace.rate.map_or(0, |rate| rate.iops() as u64);
        let (before, todo) = (self.backlog, self.backlog + arriving);
        let done = todo.saturating_sub(WAITING).min(capacity);
        (self.backlog, self.arrived) = (todo - done, self.arrived + arriving);
        if done < capacity {
            return ops::issued(self.load, done, AT_EASE_NS, Some(WAITED_NS));
        }
        let waited = (before + self.backlog) as f64 / 2.0 / capacity as f64 * SECOND_NS as f64;
        ops::closed(self.load, done, SECOND_NS).after_waiting(waited as u64)
    }

    /// The record that matches the sum of the intervals.
    fn sum_up(self, stop_reason: StopReason) -> (Vec<IntervalRecord>, StepRecord) {
        let load = self.load;
        let start_ns = self.intervals.first().map_or(0, |first| first.start_ns);
        let end_ns = self.intervals.last().map_or(0, |last| last.end_ns);
        let elapsed = Nanos::new(end_ns - start_ns);
        let of = |kind: OpKind| summed(self.intervals.iter().filter_map(|interval| interval.op(kind)), elapsed);
        let (read, write) = (of(OpKind::Read), of(OpKind::Write));
        let others = others(load, of);
        let each = [&read, &write].into_iter().chain(others.iter().map(|other| &other.record));
        let (operations, busy) =
            each.fold((0, 0.0), |(count, busy), op| (count + op.count, busy + op.histogram.sum.get() as f64));
        let checks = load.groups().any(|group| matches!(group.verify, Verify::Check | Verify::AtOnce));
        let record = StepRecord {
            key: self.key.clone(),
            start_ns,
            end_ns,
            stop_reason,
            written_total: write.bytes,
            groups: self.group_records(elapsed),
            open_loop: self.open_loop(),
            bursts: None,
            verification: checks.then(|| Verification { checked: read.count, ..Verification::default() }),
            replay: None,
            in_flight_mean: if elapsed.get() == 0 { 0.0 } else { busy / elapsed.get() as f64 },
            streams: streams(load, operations),
            read,
            write,
            others,
            errors: Vec::new(),
            origin: Origin::Measured,
            engine: EngineReport {
                backend: "io_uring".to_owned(),
                reason: "asked for nothing else".to_owned(),
                refused: Vec::new(),
                direct_verified: true,
                cpu_user: Nanos::new(operations * 150),
                cpu_system: Nanos::new(operations * 500),
                punted: false,
                mode: None,
                fell_back: None,
                effort: Some(effort(load, operations, elapsed)),
            },
        };
        (self.intervals, record)
    }

    fn group_records(&self, elapsed: Nanos) -> Vec<GroupRecord> {
        if self.load.beside.is_empty() {
            return Vec::new();
        }
        let record = |(place, group): (usize, &Workload)| {
            let seconds = || self.groups.iter().filter_map(|groups| groups.get(place));
            let of = |kind: OpKind| {
                let parts: Vec<OpRecord> = seconds().map(|issued| issued.record(kind, elapsed)).collect();
                summed(parts.iter(), elapsed)
            };
            GroupRecord {
                name: group.name.clone(),
                read: of(OpKind::Read),
                write: of(OpKind::Write),
                others: others(group, of),
            }
        };
        self.load.groups().enumerate().map(record).collect()
    }

    fn open_loop(&self) -> Option<OpenLoop> {
        let asked_iops = self.load.pace.rate?.iops();
        let waiting: Vec<f64> = self.intervals.iter().map(|interval| interval.backlog.unwrap_or(0) as f64).collect();
        Some(OpenLoop {
            asked_iops,
            arrived: self.arrived,
            backlog_at_end: self.backlog,
            backlog_max: self.intervals.iter().filter_map(|interval| interval.backlog).max().unwrap_or(0),
            backlog_growth_per_second: slope(&waiting),
            lateness_mean: Nanos::new(300),
            lateness_max: Nanos::new(41_000),
        })
    }
}

/// Slope of the least-squares line through values one second apart.
fn slope(values: &[f64]) -> f64 {
    let centre = values.len().saturating_sub(1) as f64 / 2.0;
    let of = |part: fn(f64, f64) -> f64| -> f64 {
        values.iter().enumerate().map(|(place, value)| part(place as f64 - centre, *value)).sum()
    };
    let squares = of(|x, _| x * x);
    if squares == 0.0 { 0.0 } else { of(|x, y| x * y) / squares }
}

/// Records of the kinds other than read and write that a load issues.
fn others(load: &Workload, of: impl Fn(OpKind) -> OpRecord) -> Vec<OtherRecord> {
    let other = |kind: &OpKind| !matches!(kind, OpKind::Read | OpKind::Write) && load.issues(*kind);
    OpKind::ALL.into_iter().filter(other).map(|op| OtherRecord::new(op, of(op))).collect()
}

fn streams(load: &Workload, operations: u64) -> Vec<StreamExtent> {
    let mut first = 0;
    let mut extents = Vec::new();
    for group in load.groups() {
        if group.pattern.is_sequential() {
            let length = (operations * group.block_size.get()).min(group.span.length.get());
            let lowest = group.span.offset.get();
            extents.push(StreamExtent { thread: first, lowest, highest_end: lowest + length });
        }
        first += group.threads.get();
    }
    extents
}

/// The report of an engine on a quiet machine.
fn effort(load: &Workload, operations: u64, elapsed: Nanos) -> Effort {
    let threads: u64 = load.groups().map(|group| u64::from(group.threads.get())).sum();
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

/// A factor between 0.985 and 1.015 that depends only on the execution and the interval (FNV-1a of both).
#[expect(clippy::cast_precision_loss, reason = "made-up figures")]
fn jitter(key: &StepKey, index: u32) -> f64 {
    let text = key.step.as_str().bytes().chain(key.round.to_le_bytes()).chain(index.to_le_bytes());
    let hash =
        text.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    0.985 + 0.03 * ((hash >> 20) % 1_000) as f64 / 1_000.0
}
