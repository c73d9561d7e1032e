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

/// What one kind of operation did in an interval or a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OpRecord {
    /// Completed operations without error.
    pub count: u64,
    /// Bytes those moved.
    pub bytes: Bytes,
    /// Operations that ended in an error; counted nowhere else.
    pub errors: u64,
    /// Operations per second.
    pub iops: f64,
    /// Bytes per second; null of a kind that moves no data (discards, flushes).
    pub throughput: Option<BytesPerSecond>,
    /// Latency figures of the completed operations; absent where there were none.
    pub latency: Option<LatencySummary>,
    /// Latency distribution they come from: submission to completion.
    pub histogram: SparseHistogram,
    /// Response time, intended start to completion; only where arrivals were scheduled (open loop).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// The same by size of operation; only where sizes were mixed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeRecord>,
}

/// Response times: from the time at which an operation was meant to start to its completion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// Figures of the distribution; absent where it is empty.
    pub summary: Option<LatencySummary>,
    /// The distribution.
    pub histogram: SparseHistogram,
}

impl Response {
    /// With its figures worked out.
    #[must_use]
    pub fn new(histogram: SparseHistogram) -> Self {
        Response { summary: histogram.summary(), histogram }
    }
}

/// What operations of one size did, among those of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeRecord {
    /// Bytes of one operation.
    pub block_size: Bytes,
    /// Completed operations without error.
    pub count: u64,
    /// Latency figures; absent where there were none.
    pub latency: Option<LatencySummary>,
    /// Latency distribution.
    pub histogram: SparseHistogram,
}

/// What operations of a kind other than read and write did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OtherRecord {
    /// The kind.
    pub op: OpKind,
    /// What they did.
    pub record: OpRecord,
}

impl OtherRecord {
    /// What operations of a kind did; a kind that moves no data has no bytes per second.
    #[must_use]
    pub fn new(op: OpKind, record: OpRecord) -> Self {
        OtherRecord { op, record: OpRecord { throughput: record.throughput.filter(|_| op.moves_data()), ..record } }
    }
}

impl OpRecord {
    /// Bytes per second in MB/s; 0 where nothing is moved.
    #[must_use]
    pub fn mb_s(&self) -> f64 {
        self.throughput.map_or(0.0, BytesPerSecond::as_mb_s)
    }

    /// Works out rates and latency figures; `elapsed` of zero gives rates of zero.
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

/// Figures of an interval over the kinds of operations that count in it; see [`IntervalRecord::latency`].
#[derive(Debug, Clone, PartialEq)]
pub struct Condensed {
    pub(super) latency: Option<LatencySummary>,
    pub(super) response: Option<LatencySummary>,
}

/// What happened in one interval of a step (about a second), between exact bounds on the run clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalRecord {
    /// Which execution of which step.
    pub key: StepKey,
    /// Number in the step, from 0.
    pub index: u32,
    /// Start, nanoseconds on the run clock.
    pub start_ns: u64,
    /// End, nanoseconds on the run clock.
    pub end_ns: u64,
    /// Inside the ramp: recorded, but left out of results. The ramp ends at an interval's border.
    pub ramp: bool,
    /// Reads.
    pub read: OpRecord,
    /// Writes.
    pub write: OpRecord,
    /// Operations of other kinds; only those that the workload issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherRecord>,
    /// Mean number of operations in flight, over all threads, measured (not copied from the workload).
    pub in_flight_mean: f64,
    /// Operations that had arrived and were not yet submitted when the interval ended; only in an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// Operations that have been in flight for longer than the watchdog's time; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck: Option<Stuck>,
    /// Where its figures come from.
    #[serde(default, skip_serializing_if = "Origin::is_measured")]
    pub origin: Origin,
    /// What stands for the distributions where they were let go of ([`IntervalRecord::condense`]); never on disk.
    #[serde(skip)]
    pub condensed: Option<Box<Condensed>>,
}

impl IntervalRecord {
    /// What operations of one kind did; absent for another kind than read and write that the workload does not issue.
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

/// Operations that do not come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stuck {
    /// How many.
    pub operations: u64,
    /// How long the oldest has been in flight.
    pub oldest: Nanos,
    /// First byte of the oldest.
    pub offset: u64,
    /// Kind of the oldest.
    pub op: OpKind,
}

/// Where one thread's sequential stream went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamExtent {
    /// Thread, from 0.
    pub thread: u32,
    /// Lowest byte touched.
    pub lowest: u64,
    /// First byte behind the highest one touched.
    pub highest_end: u64,
}

/// Why a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Its time was over.
    Time,
    /// Its volume was moved.
    Volume,
    /// Its passes over the span were done, or the share of it that was asked for was touched.
    Passes,
    /// Its number of operations was done.
    Operations,
    /// The cap cut it off before its own rule was met.
    Cap,
    /// The run was told to stop (Ctrl-C, recorder behind).
    Stopped,
    /// Errors of the device ended it.
    Errors,
}

/// CPU time of the issuing threads from which its division into user mode and kernel means something. Kernels know the
/// sum to the nanosecond but mostly split it by what ran at their ticks, of 4 ms as a rule: fifty tell a share of a
/// half to 14 points (two standard deviations).
pub const CPU_SPLIT_FROM: Nanos = Nanos::from_millis(200);

/// The engine's own account of how it ran a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineReport {
    /// `io_uring` or `sync`.
    pub backend: String,
    /// Why this backend: asked for, or what was refused.
    pub reason: String,
    /// Features that the kernel refused and the engine went on without.
    pub refused: Vec<String>,
    /// Whether the file was really open with O_DIRECT, read back from the kernel (`fcntl(F_GETFL)`).
    pub direct_verified: bool,
    /// CPU time of the issuing threads in user mode.
    pub cpu_user: Nanos,
    /// CPU time of the issuing threads in the kernel.
    pub cpu_system: Nanos,
    /// Requests that the kernel handed to worker threads were seen (`iou-wrk`).
    pub punted: bool,
    /// How operations reached the kernel; absent in recordings from before it was recorded. Read it with
    /// [`EngineReport::issue_mode`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<IssueMode>,
    /// Another way was to be taken, and this one was what could be had; absent as `mode` is. Read it with
    /// [`EngineReport::is_fallback`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fell_back: Option<bool>,
    /// What the engine measured about its own work; absent in recordings of the first format version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

impl EngineReport {
    /// How operations reached the kernel; for old recordings, as their words say.
    #[must_use]
    pub fn issue_mode(&self) -> IssueMode {
        self.mode.unwrap_or_else(|| match self.backend.as_str() {
            words if words.starts_with("sync") => IssueMode::Threads,
            words if words.contains("SQPOLL") => IssueMode::RingSubmissionPolled,
            words if words.contains("IOPOLL") => IssueMode::RingCompletionPolled,
            _ => IssueMode::Ring,
        })
    }

    /// Whether this way was taken because another could not be had; for old recordings, as their words say.
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
    /// The same, whose submissions a kernel thread fetches (SQPOLL).
    RingSubmissionPolled,
    /// The same, whose completions are asked for instead of announced (IOPOLL).
    RingCompletionPolled,
    /// One system call and one OS thread for each operation in flight.
    Threads,
}

/// What the engine measured about its own work, the ramp included.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Effort {
    /// Operations issued, the ramp's and failed ones included: what the CPU times are divided by.
    pub operations: u64,
    /// System calls that submitted or awaited them.
    pub syscalls: u64,
    /// Time from start to end, summed over the issuing threads.
    pub thread_time: Nanos,
    /// Time in which they were ready to run and had no CPU, because others had it, summed over the threads
    /// (/proc/thread-self/schedstat).
    #[serde(default)]
    pub waited_for_cpu: Nanos,
    /// Time in which drivelab itself stood still: no thread of it ran, the one that only looks on included, and none of
    /// them waited for a CPU. It was stopped or frozen, or the whole machine was.
    #[serde(default, skip_serializing_if = "Nanos::is_zero")]
    pub stood_still: Nanos,
    /// Time in which a CPU quota of its cgroups kept it from a CPU (`throttled_time` in `cpu.stat`), summed over CPUs.
    #[serde(default, skip_serializing_if = "Nanos::is_zero")]
    pub kept_by_quota: Nanos,
    /// Operations in flight that were asked for, over all threads.
    pub depth_asked: u64,
    /// Mean time between two looks for completions that was spent outside the kernel: a completion that comes in
    /// between is noticed that much late at most. Absent for the sync backend, which waits for each operation.
    pub reap_gap_mean: Option<Nanos>,
    /// Longest such time.
    pub reap_gap_max: Option<Nanos>,
    /// Transfers of which the kernel did a part at first, so that the rest was asked for again.
    pub short_transfers: u64,
    /// Transfers that ended with EAGAIN, since a layer below the target would have had to wait, and were asked for
    /// once more where it may (errno(3)). Records of before version 0.1.0 was finished have them among the short ones.
    #[serde(default)]
    pub eagain_retries: u64,
    /// Clock of the time stamps: `tsc` or `CLOCK_MONOTONIC_RAW`, and why.
    pub clock: String,
    /// How far the clock had run from CLOCK_MONOTONIC_RAW by the end of the step, in nanoseconds; 0 for that clock.
    pub clock_error_ns: i64,
    /// Completions waited for at a time; above 1 the latencies contain waiting (ceiling mode).
    pub batch: u32,
    /// Next position of each thread's stream, in the order of the threads of all groups: where a step goes on or how
    /// far it came.
    pub positions: Vec<u64>,
    /// CPUs that threads were pinned to, in the order of the threads; empty where they were not.
    pub cpus: Vec<u32>,
    /// What was done about the page cache before a step that goes through it; absent for direct I/O.
    pub page_cache: Option<String>,
    /// Random data that was written comes again no nearer than this, in the order of addresses: who compresses and
    /// looks back no further finds nothing. Absent where no random data was written, and in recordings from before it
    /// was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_window: Option<Bytes>,
    /// Operations that failed, by error number (errno(3)), those of the ramp included; 0 stands for fewer bytes than
    /// asked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors_by_errno: BTreeMap<i32, u64>,
}

/// The schedule of an open loop against what was done.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenLoop {
    /// Arrivals per second that were asked for, over all threads and groups, pauses of bursts included.
    pub asked_iops: f64,
    /// Arrivals that the schedule put into the measured part.
    pub arrived: u64,
    /// Arrivals that had not been submitted when the step ended; their response times are unknown and longer than any
    /// that was measured for an arrival of the same time.
    pub backlog_at_end: u64,
    /// Largest backlog at an interval's end.
    pub backlog_max: u64,
    /// Operations per second by which the backlog grew over the measured part (least squares over the intervals).
    pub backlog_growth_per_second: f64,
    /// Mean time by which the engine itself submitted later than intended although a slot was free.
    pub lateness_mean: Nanos,
    /// Longest such time.
    pub lateness_max: Nanos,
}

/// Bursts by volume in the measured part. What is left of its length are the pauses between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BurstsDone {
    /// Bursts, one that the end of the step cut off among them.
    pub count: u64,
    /// Time from the first submission of each burst to its last completion, summed.
    pub active: Nanos,
}

/// What a group of threads beside others did in the measured part.
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
    /// What operations of one kind did; absent for another kind than read and write that the group does not issue.
    #[must_use]
    pub fn op(&self, kind: OpKind) -> Option<&OpRecord> {
        of_kind(kind, &self.read, &self.write, &self.others)
    }
}

/// What is wrong with a block whose header was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataFault {
    /// An older write than the last one to this block, of this run or an earlier one: a lost write.
    Stale,
    /// A block that belongs elsewhere.
    Misplaced,
    /// A block that belongs to an address which this one would be on a smaller drive: counterfeit capacity.
    Wrapped,
    /// Parts of two writes.
    Torn,
    /// The header is right and the content is not.
    Corrupt,
    /// All zero bytes.
    Zero,
    /// No header, or one of a later run.
    Foreign,
}

impl DataFault {
    /// All of them, in the order in which tables name them.
    pub const ALL: [DataFault; 7] = [
        DataFault::Stale,
        DataFault::Misplaced,
        DataFault::Wrapped,
        DataFault::Torn,
        DataFault::Corrupt,
        DataFault::Zero,
        DataFault::Foreign,
    ];

    /// The word in records and tables.
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

/// A block that is not what was written there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BadBlock {
    /// First byte.
    pub offset: u64,
    /// What is wrong.
    pub fault: DataFault,
    /// Where the block says it belongs, for misplaced and wrapped ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belongs_at: Option<u64>,
}

/// What checking headers found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// Blocks checked.
    pub checked: u64,
    /// Blocks by fault; only faults that were found.
    pub faults: BTreeMap<DataFault, u64>,
    /// The first bad blocks, at most 64.
    pub first: Vec<BadBlock>,
    /// Where blocks are wrapped: the distance of which all their displacements are multiples, which is what the drive
    /// really has, or a multiple of it where only a part of it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wraps_at: Option<Bytes>,
    /// Bad blocks in each of [`MAP_PARTS`] equal parts of the span of a step that checks; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad_by_part: Vec<u64>,
}

/// Parts into which the span of a step is cut where something is counted by position.
pub const MAP_PARTS: usize = 64;

/// The part of a span in which a byte of the target lies, from 0; `None` outside of it.
#[must_use]
pub fn map_part(span: Span, address: u64) -> Option<usize> {
    let at = address.checked_sub(span.offset.get()).filter(|at| *at < span.length.get())?;
    usize::try_from(u128::from(at) * MAP_PARTS as u128 / u128::from(span.length.get())).ok()
}

/// A whole step: the sum of its intervals without the ramp, and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// Which execution of which step.
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
    /// By group, where several ran at the same time; the figures above are their sums.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupRecord>,
    /// Mean number of operations in flight in the measured part, measured.
    pub in_flight_mean: f64,
    /// Schedule and backlog; only in an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// Bursts and their active time; only where bursts end by volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bursts: Option<BurstsDone>,
    /// What checking headers found; only where they were checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// What was done with the trace; only where one was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayRecord>,
    /// The first errors, at most 64, and the first of each number; the counts are in `read` and `write`, and by number
    /// in the engine's report.
    pub errors: Vec<IoError>,
    /// Where sequential streams went; empty for random patterns.
    pub streams: Vec<StreamExtent>,
    /// Bytes written by the ramp and the measured part together.
    pub written_total: Bytes,
    /// How the engine ran it.
    pub engine: EngineReport,
    /// Where its figures come from.
    #[serde(default, skip_serializing_if = "Origin::is_measured")]
    pub origin: Origin,
}

impl StepRecord {
    /// Length of the measured part.
    #[must_use]
    pub const fn elapsed(&self) -> Nanos {
        Nanos::new(self.end_ns.saturating_sub(self.start_ns))
    }

    /// The time that rates are over: the active time of bursts by volume, else the whole measured part.
    #[must_use]
    pub fn active(&self) -> Nanos {
        self.bursts.map_or(self.elapsed(), |bursts| bursts.active)
    }

    /// Errors of both kinds. Those of the ramp are not in the counts; a step that never got beyond it still has errors,
    /// as many as are listed.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        let others: u64 = self.others.iter().map(|other| other.record.errors).sum();
        (self.read.errors + self.write.errors + others).max(self.errors.len() as u64)
    }

    /// What operations of one kind did; absent for another kind than read and write that the workload does not issue.
    #[must_use]
    pub fn op(&self, kind: OpKind) -> Option<&OpRecord> {
        of_kind(kind, &self.read, &self.write, &self.others)
    }

    /// Every kind that the step issued or may have issued, reads and writes first.
    pub fn kinds(&self) -> impl Iterator<Item = (OpKind, &OpRecord)> {
        let main = [(OpKind::Read, &self.read), (OpKind::Write, &self.write)];
        main.into_iter().chain(self.others.iter().map(|other| (other.op, &other.record)))
    }
}
