//! Measured facts: what happened in an interval and in a whole step. Never edited afterwards.
//!
//! Metrics and findings are made from these by `analysis`, and can be made again by a newer version.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::histogram::{LatencySummary, SparseHistogram};
use crate::ids::StepKey;
use crate::units::{Bytes, BytesPerSecond, Nanos};

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
    /// Bytes per second.
    pub throughput: BytesPerSecond,
    /// Latency figures of the completed operations; absent where there were none.
    pub latency: Option<LatencySummary>,
    /// Latency distribution they come from: submission to completion.
    pub histogram: SparseHistogram,
}

impl OpRecord {
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
            throughput: BytesPerSecond::new(per_second(bytes.as_f64())),
            latency: histogram.summary(),
            histogram,
        }
    }
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
    /// Mean number of operations in flight, over all threads, measured (not copied from the workload).
    pub in_flight_mean: f64,
}

/// An error that one operation ended with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoError {
    /// When, nanoseconds on the run clock.
    pub at_ns: u64,
    /// Read or write.
    pub write: bool,
    /// First byte of the operation.
    pub offset: u64,
    /// Bytes of the operation.
    pub length: Bytes,
    /// The kernel's error number (`EIO` is 5); 0 for an operation that moved fewer bytes than asked.
    pub errno: i32,
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
    /// Its passes over the span were done.
    Passes,
    /// The cap cut it off before its own rule was met.
    Cap,
    /// The run was told to stop (Ctrl-C, recorder behind).
    Stopped,
    /// Errors of the device ended it.
    Errors,
}

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
    /// Mean number of operations in flight in the measured part, measured.
    pub in_flight_mean: f64,
    /// The first errors, at most 64; the counts are in `read` and `write`.
    pub errors: Vec<IoError>,
    /// Where sequential streams went; empty for random patterns.
    pub streams: Vec<StreamExtent>,
    /// Bytes written by the ramp and the measured part together.
    pub written_total: Bytes,
    /// How the engine ran it.
    pub engine: EngineReport,
}

impl StepRecord {
    /// Length of the measured part.
    #[must_use]
    pub const fn elapsed(&self) -> Nanos {
        Nanos::new(self.end_ns.saturating_sub(self.start_ns))
    }

    /// Errors of both kinds. Those of the ramp are not in the counts; a step that never got beyond it still has errors,
    /// as many as are listed.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        (self.read.errors + self.write.errors).max(self.errors.len() as u64)
    }
}
