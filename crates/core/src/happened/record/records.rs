//! The records of intervals and executions, and their parts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::histogram::{LatencySummary, SparseHistogram};
use crate::ids::StepKey;
use crate::load::OpKind;
use crate::replay::ReplayRecord;
use crate::units::{Bytes, BytesPerSecond, Nanos};
use crate::workload::Span;

use super::io_error::IoError;
use super::origin::Origin;

/// Results of one kind of operation in an interval or a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OpRecord {
    /// Completed operations without error.
    pub count: u64,
    /// Bytes that these operations moved.
    pub bytes: Bytes,
    /// Operations that ended in an error; they are not part of the other figures.
    pub errors: u64,
    /// Operations per second.
    pub iops: f64,
    /// Bytes per second; null for a kind that moves no data (discards, flushes).
    pub throughput: Option<BytesPerSecond>,
    /// Latency figures of the completed operations; absent if there were none.
    pub latency: Option<LatencySummary>,
    /// Latency distribution behind these figures: submission to completion.
    pub histogram: SparseHistogram,
    /// Response time, intended start to completion; only if arrivals were scheduled (open loop).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// The same by operation size; only if sizes were mixed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeRecord>,
}

/// Response times: from the intended start of an operation to its completion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// Figures of the distribution; absent if it is empty.
    pub summary: Option<LatencySummary>,
    /// The distribution.
    pub histogram: SparseHistogram,
}

impl Response {
    /// With its figures computed.
    #[must_use]
    pub fn new(histogram: SparseHistogram) -> Self {
        Response { summary: histogram.summary(), histogram }
    }
}

/// Results of operations of one size, among those of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeRecord {
    /// Bytes of one operation.
    pub block_size: Bytes,
    /// Completed operations without error.
    pub count: u64,
    /// Latency figures; absent if there were none.
    pub latency: Option<LatencySummary>,
    /// Latency distribution.
    pub histogram: SparseHistogram,
}

/// Results of operations of a kind other than read and write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OtherRecord {
    /// The kind.
    pub op: OpKind,
    /// The results.
    pub record: OpRecord,
}

impl OtherRecord {
    /// Results of a kind; a kind that moves no data has no bytes per second.
    #[must_use]
    pub fn new(op: OpKind, record: OpRecord) -> Self {
        OtherRecord { op, record: OpRecord { throughput: record.throughput.filter(|_| op.moves_data()), ..record } }
    }
}

impl OpRecord {
    /// Throughput in MB/s; 0 if nothing is moved.
    #[must_use]
    pub fn mb_s(&self) -> f64 {
        self.throughput.map_or(0.0, BytesPerSecond::as_mb_s)
    }

    /// Computes rates and latency figures; `elapsed` of zero gives rates of zero.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub fn new(count: u64, bytes: Bytes, errors: u64, histogram: SparseHistogram, elapsed: Nanos) -> Self {
        let per_second = |amount: f64| if elapsed.get() == 0 { 0.0 } else { amount / elapsed.as_secs_f64() };
        OpRecord {
            count,
            bytes,
            errors,
            iops: per_second(count as f64),
            throughput: Some(BytesPerSecond::new(per_second(bytes.as_f64()))),
            latency: histogram.summary(),
            histogram,
            response: None,
            sizes: Vec::new(),
        }
    }
}

/// Figures of an interval over the kinds of operations that count; see [`IntervalRecord::latency`].
#[derive(Debug, Clone, PartialEq)]
pub struct Condensed {
    pub(super) latency: Option<LatencySummary>,
    pub(super) response: Option<LatencySummary>,
}

/// Record of one interval of a step (about a second), between exact bounds on the run clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalRecord {
    /// The execution.
    pub key: StepKey,
    /// Number in the step, from 0.
    pub index: u32,
    /// Start, nanoseconds on the run clock.
    pub start_ns: u64,
    /// End, nanoseconds on the run clock.
    pub end_ns: u64,
    /// Whether it is inside the ramp: recorded, but not part of the results. The ramp ends at an interval's boundary.
    pub ramp: bool,
    /// Reads.
    pub read: OpRecord,
    /// Writes.
    pub write: OpRecord,
    /// Operations of other kinds; only those that the workload issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherRecord>,
    /// Mean number of operations in flight over all threads, measured (not copied from the workload).
    pub in_flight_mean: f64,
    /// Operations that had arrived but were not yet submitted when the interval ended; only in an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// Operations in flight for longer than the watchdog's time; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck: Option<Stuck>,
    /// Source of its figures.
    #[serde(default, skip_serializing_if = "Origin::is_measured")]
    pub origin: Origin,
    /// Figures that replace the distributions after [`IntervalRecord::condense`]; never on disk.
    #[serde(skip)]
    pub condensed: Option<Box<Condensed>>,
}

impl IntervalRecord {
    /// Results of one kind of operation; absent for kinds other than read and write that the workload does not issue.
    #[must_use]
    pub fn op(&self, kind: OpKind) -> Option<&OpRecord> {
        of_kind(kind, &self.read, &self.write, &self.others)
    }
}

fn of_kind<'r>(
    kind: OpKind,
    read: &'r OpRecord,
    write: &'r OpRecord,
    others: &'r [OtherRecord],
) -> Option<&'r OpRecord> {
    match kind {
        OpKind::Read => Some(read),
        OpKind::Write => Some(write),
        other => others.iter().find(|one| one.op == other).map(|one| &one.record),
    }
}

/// Operations that do not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stuck {
    /// Number of operations.
    pub operations: u64,
    /// Time that the oldest has been in flight.
    pub oldest: Nanos,
    /// First byte of the oldest.
    pub offset: u64,
    /// Kind of the oldest.
    pub op: OpKind,
}

/// Range of one thread's sequential stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamExtent {
    /// Thread, from 0.
    pub thread: u32,
    /// Lowest byte touched.
    pub lowest: u64,
    /// First byte after the highest one touched.
    pub highest_end: u64,
}

/// Why a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Its time was reached.
    Time,
    /// Its volume was moved.
    Volume,
    /// Its passes over the span were done, or the requested share of the span was touched.
    Passes,
    /// Its number of operations was done.
    Operations,
    /// The cap ended it before its own rule was met.
    Cap,
    /// The run was stopped (Ctrl-C, recorder behind).
    Stopped,
    /// Device errors ended it.
    Errors,
}

/// CPU time of the issuing threads from which its split into user mode and kernel is meaningful. Kernels know the sum
/// to the nanosecond, but mostly split it by what ran at their ticks, usually every 4 ms: fifty ticks give a share of
/// one half with an error of 14 points (two standard deviations).
pub const CPU_SPLIT_FROM: Nanos = Nanos::from_millis(200);

/// The engine's report on how it ran a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineReport {
    /// `io_uring` or `sync`.
    pub backend: String,
    /// Why this backend was used: asked for, or what was refused.
    pub reason: String,
    /// Features that the kernel refused; the engine continued without them.
    pub refused: Vec<String>,
    /// Whether the file was open with O_DIRECT, read back from the kernel (`fcntl(F_GETFL)`).
    pub direct_verified: bool,
    /// CPU time of the issuing threads in user mode.
    pub cpu_user: Nanos,
    /// CPU time of the issuing threads in the kernel.
    pub cpu_system: Nanos,
    /// Whether requests that the kernel handed to worker threads were seen (`iou-wrk`).
    pub punted: bool,
    /// How operations reached the kernel; absent in older recordings. Read it with [`EngineReport::issue_mode`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<IssueMode>,
    /// Whether another mode was intended, but only this one was available; absent if `mode` is. Read it with
    /// [`EngineReport::is_fallback`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fell_back: Option<bool>,
    /// Measurements of the engine's own work; absent in recordings of the first format version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

impl EngineReport {
    /// How operations reached the kernel; for old recordings, derived from their texts.
    #[must_use]
    pub fn issue_mode(&self) -> IssueMode {
        self.mode.unwrap_or_else(|| match self.backend.as_str() {
            words if words.starts_with("sync") => IssueMode::Threads,
            words if words.contains("SQPOLL") => IssueMode::RingSubmissionPolled,
            words if words.contains("IOPOLL") => IssueMode::RingCompletionPolled,
            _ => IssueMode::Ring,
        })
    }

    /// Whether this mode was used because another was not available; for old recordings, derived from their texts.
    #[must_use]
    pub fn is_fallback(&self) -> bool {
        self.fell_back.unwrap_or_else(|| self.issue_mode() == IssueMode::Threads && self.reason != "asked for")
    }
}

/// How operations reach the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueMode {
    /// An io_uring for each thread, entered by system calls.
    Ring,
    /// A ring whose submissions are fetched by a kernel thread (SQPOLL).
    RingSubmissionPolled,
    /// A ring whose completions are polled instead of signalled (IOPOLL).
    RingCompletionPolled,
    /// One system call and one OS thread for each operation in flight.
    Threads,
}

/// Measurements of the engine's own work, including the ramp.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Effort {
    /// Operations issued, including those of the ramp and failed ones; the CPU times are divided by this number.
    pub operations: u64,
    /// System calls that submitted or awaited them.
    pub syscalls: u64,
    /// Time from start to end, summed over the issuing threads.
    pub thread_time: Nanos,
    /// Time in which the threads were ready to run but had no CPU, because other tasks used it, summed over the
    /// threads (/proc/thread-self/schedstat).
    #[serde(default)]
    pub waited_for_cpu: Nanos,
    /// Time in which drivelab itself did not run: none of its threads ran, including the observing one, and none of
    /// them waited for a CPU. It, or the whole machine, was stopped or frozen.
    #[serde(default, skip_serializing_if = "Nanos::is_zero")]
    pub stood_still: Nanos,
    /// Time in which a CPU quota of its cgroups kept it from running (`throttled_time` in `cpu.stat`), summed over
    /// CPUs.
    #[serde(default, skip_serializing_if = "Nanos::is_zero")]
    pub kept_by_quota: Nanos,
    /// Queue depth asked for, over all threads.
    pub depth_asked: u64,
    /// Mean time outside the kernel between two checks for completions: a completion in between is noticed at most
    /// this much later. Absent for the sync backend, which waits for each operation.
    pub reap_gap_mean: Option<Nanos>,
    /// Longest such time.
    pub reap_gap_max: Option<Nanos>,
    /// Transfers that the kernel first did only in part, so that the rest was requested again.
    pub short_transfers: u64,
    /// Transfers that ended with EAGAIN, because a layer below the target would have had to wait, and were requested
    /// again in a way that may wait (errno(3)). Records from before version 0.1.0 was finished count them among the
    /// short transfers.
    #[serde(default)]
    pub eagain_retries: u64,
    /// Clock of the timestamps: `tsc` or `CLOCK_MONOTONIC_RAW`, and why.
    pub clock: String,
    /// Difference of the clock from CLOCK_MONOTONIC_RAW at the end of the step, in nanoseconds; 0 for that clock.
    pub clock_error_ns: i64,
    /// Completions waited for at a time; above 1 the latencies include waiting time (ceiling mode).
    pub batch: u32,
    /// Next position of each thread's stream, in the order of the threads of all groups: where a step continues, or
    /// how far it got.
    pub positions: Vec<u64>,
    /// CPUs that threads were pinned to, in the order of the threads; empty if they were not pinned.
    pub cpus: Vec<u32>,
    /// What was done with the page cache before a step that uses it; absent for direct I/O.
    pub page_cache: Option<String>,
    /// Distance, in the order of addresses, within which written random data does not repeat: a compressor that looks
    /// back no further finds no repeats. Absent if no random data was written, and in older recordings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_window: Option<Bytes>,
    /// Failed operations by error number (errno(3)), including those of the ramp; 0 means fewer bytes than requested.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors_by_errno: BTreeMap<i32, u64>,
}

/// The schedule of an open loop, compared with what was done.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenLoop {
    /// Arrivals per second asked for, over all threads and groups, including pauses of bursts.
    pub asked_iops: f64,
    /// Arrivals that the schedule had in the measured part.
    pub arrived: u64,
    /// Arrivals that were not yet submitted when the step ended. Their response times are unknown and longer than any
    /// measured for an arrival at the same time.
    pub backlog_at_end: u64,
    /// Largest backlog at the end of an interval.
    pub backlog_max: u64,
    /// Growth of the backlog over the measured part, in operations per second (least squares over the intervals).
    pub backlog_growth_per_second: f64,
    /// Mean time by which the engine itself submitted late although a slot was free.
    pub lateness_mean: Nanos,
    /// Longest such time.
    pub lateness_max: Nanos,
}

/// Bursts by volume in the measured part. The rest of its length is the pauses between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BurstsDone {
    /// Bursts, including one that the end of the step cut off.
    pub count: u64,
    /// Time from the first submission of each burst to its last completion, summed.
    pub active: Nanos,
}

/// Results of one of several groups of threads in the measured part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupRecord {
    /// Its name in the workload.
    pub name: String,
    /// Reads.
    pub read: OpRecord,
    /// Writes.
    pub write: OpRecord,
    /// Operations of other kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherRecord>,
}

impl GroupRecord {
    /// Results of one kind of operation; absent for kinds other than read and write that the group does not issue.
    #[must_use]
    pub fn op(&self, kind: OpKind) -> Option<&OpRecord> {
        of_kind(kind, &self.read, &self.write, &self.others)
    }
}

/// The fault of a block whose header was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataFault {
    /// An older write than the last one to this block, from this run or an earlier one: a lost write.
    Stale,
    /// A block that belongs to another address.
    Misplaced,
    /// A block that belongs to an address that maps to this one on a smaller drive: counterfeit capacity.
    Wrapped,
    /// Parts of two writes.
    Torn,
    /// The header is right, but the content is not.
    Corrupt,
    /// All zero bytes.
    Zero,
    /// No header, or one of a later run.
    Foreign,
}

impl DataFault {
    /// All faults, in the order of tables.
    pub const ALL: [DataFault; 7] = [
        DataFault::Stale,
        DataFault::Misplaced,
        DataFault::Wrapped,
        DataFault::Torn,
        DataFault::Corrupt,
        DataFault::Zero,
        DataFault::Foreign,
    ];

    /// The name in records and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DataFault::Stale => "stale",
            DataFault::Misplaced => "misplaced",
            DataFault::Wrapped => "wrapped",
            DataFault::Torn => "torn",
            DataFault::Corrupt => "corrupt",
            DataFault::Zero => "zero",
            DataFault::Foreign => "foreign",
        }
    }
}

/// A block that does not hold what was written to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BadBlock {
    /// First byte.
    pub offset: u64,
    /// The fault.
    pub fault: DataFault,
    /// The address that the block names, for misplaced and wrapped blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belongs_at: Option<u64>,
}

/// Result of checking headers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// Blocks checked.
    pub checked: u64,
    /// Blocks by fault; only faults that were found.
    pub faults: BTreeMap<DataFault, u64>,
    /// The first bad blocks, at most 64.
    pub first: Vec<BadBlock>,
    /// If blocks are wrapped: the largest distance of which all their displacements are multiples. This is the real
    /// capacity of the drive, or a multiple of it if only a part of the drive was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wraps_at: Option<Bytes>,
    /// Bad blocks in each of [`MAP_PARTS`] equal parts of the span of a step that checks; empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad_by_part: Vec<u64>,
}

/// Number of parts of a step's span for counts by position.
pub const MAP_PARTS: usize = 64;

/// The part of a span that contains a byte of the target, from 0; `None` outside the span.
#[must_use]
pub fn map_part(span: Span, address: u64) -> Option<usize> {
    let at = address.checked_sub(span.offset.get()).filter(|at| *at < span.length.get())?;
    usize::try_from(u128::from(at) * MAP_PARTS as u128 / u128::from(span.length.get())).ok()
}

/// A whole step: the sum of its intervals without the ramp, and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// The execution.
    pub key: StepKey,
    /// First submission of the measured part (after the ramp), nanoseconds on the run clock.
    pub start_ns: u64,
    /// Last completion counted, nanoseconds on the run clock.
    pub end_ns: u64,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// Reads of the measured part.
    pub read: OpRecord,
    /// Writes of the measured part.
    pub write: OpRecord,
    /// Operations of other kinds; only those that the workload issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherRecord>,
    /// Results of each group, if several ran at the same time; the figures above are their sums.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupRecord>,
    /// Mean number of operations in flight in the measured part, measured.
    pub in_flight_mean: f64,
    /// Schedule and backlog; only in an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// Bursts and their active time; only if bursts end by volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bursts: Option<BurstsDone>,
    /// Result of checking headers; only if they were checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// What the step did with its trace; only if one was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayRecord>,
    /// The first errors, at most 64, and the first of each error number. The counts are in `read` and `write`, and by
    /// number in the engine's report.
    pub errors: Vec<IoError>,
    /// Range of each sequential stream; empty for random patterns.
    pub streams: Vec<StreamExtent>,
    /// Bytes written in the ramp and the measured part together.
    pub written_total: Bytes,
    /// The engine's report.
    pub engine: EngineReport,
    /// Source of its figures.
    #[serde(default, skip_serializing_if = "Origin::is_measured")]
    pub origin: Origin,
}

impl StepRecord {
    /// Length of the measured part.
    #[must_use]
    pub const fn elapsed(&self) -> Nanos {
        Nanos::new(self.end_ns.saturating_sub(self.start_ns))
    }

    /// The time that rates are divided by: the active time of bursts by volume, otherwise the whole measured part.
    #[must_use]
    pub fn active(&self) -> Nanos {
        self.bursts.map_or(self.elapsed(), |bursts| bursts.active)
    }

    /// Number of errors of all kinds. The counts do not include the ramp: for a step that did not get past it, the
    /// number of listed errors.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        let others: u64 = self.others.iter().map(|other| other.record.errors).sum();
        (self.read.errors + self.write.errors + others).max(self.errors.len() as u64)
    }

    /// Results of one kind of operation; absent for kinds other than read and write that the workload does not issue.
    #[must_use]
    pub fn op(&self, kind: OpKind) -> Option<&OpRecord> {
        of_kind(kind, &self.read, &self.write, &self.others)
    }

    /// Every kind that the step issued or may have issued; reads and writes first.
    pub fn kinds(&self) -> impl Iterator<Item = (OpKind, &OpRecord)> {
        let main = [(OpKind::Read, &self.read), (OpKind::Write, &self.write)];
        main.into_iter().chain(self.others.iter().map(|other| (other.op, &other.record)))
    }
}
