//! The figures of one execution, each by one pure function from the recorded facts. [`crate::METRICS`] names them.
//!
//! Rates are worked out from counts, bytes and the bounds of the measured part, not copied from the stored rates;
//! an invariant compares the two. `None` means that the facts give no figure: no operations, or no time passed.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::plan::{Action, Step, StepRole};
use drivelab_core::record::{OpRecord, StepRecord, StopReason};
use drivelab_core::run::RunRecords;
use drivelab_core::workload::Workload;

/// Bytes in a megabyte.
const MB: f64 = 1e6;
/// Bytes in a gigabyte.
const GB: f64 = 1e9;
/// Nanoseconds in a microsecond.
const US: f64 = 1e3;
/// Nanoseconds in a second.
const SECOND: f64 = 1e9;

/// An execution and what was asked of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Execution<'a> {
    /// What happened.
    pub record: &'a StepRecord,
    /// What was asked.
    pub workload: &'a Workload,
    /// Length of the ramp before the measured part, in seconds; the engine's CPU times contain it.
    ramp_s: f64,
}

impl<'a> Execution<'a> {
    /// An execution of a step; `None` where the step issues no I/O.
    pub(crate) const fn new(step: &'a Step, record: &'a StepRecord) -> Option<Self> {
        match &step.action {
            Action::Io { workload, ramp, .. } => {
                Some(Execution { record, workload, ramp_s: ramp.get() as f64 / SECOND })
            }
            Action::Idle { .. } => None,
        }
    }

    /// Operating-system threads that issued I/O: the sync backend needs one for every operation in flight.
    pub(crate) fn issuing_threads(&self) -> f64 {
        if self.record.engine.backend.starts_with("sync") {
            self.workload.total_depth() as f64
        } else {
            f64::from(self.workload.threads.get())
        }
    }
}

/// Whether an execution was stopped before anything completed: it is no measurement, good or bad.
pub(crate) const fn is_empty(record: &StepRecord) -> bool {
    matches!(record.stop_reason, StopReason::Stopped) && record.read.count + record.write.count == 0
}

/// Length of the measured part in seconds; `None` where its end is not behind its start.
pub(crate) fn duration(execution: Execution<'_>) -> Option<f64> {
    let elapsed = execution.record.elapsed().as_secs_f64();
    (elapsed > 0.0).then_some(elapsed)
}

/// An amount per second of the measured part; `None` where nothing was completed or no time passed.
fn per_second(amount: f64, operations: u64, execution: Execution<'_>) -> Option<f64> {
    let elapsed = duration(execution)?;
    (operations > 0).then_some(amount / elapsed)
}

fn throughput(op: &OpRecord, execution: Execution<'_>) -> Option<f64> {
    per_second(op.bytes.as_f64() / MB, op.count, execution)
}

fn iops(op: &OpRecord, execution: Execution<'_>) -> Option<f64> {
    per_second(op.count as f64, op.count, execution)
}

/// Reads, MB/s.
pub(crate) fn read_throughput(execution: Execution<'_>) -> Option<f64> {
    throughput(&execution.record.read, execution)
}

/// Writes, MB/s.
pub(crate) fn write_throughput(execution: Execution<'_>) -> Option<f64> {
    throughput(&execution.record.write, execution)
}

/// Reads and writes together, MB/s.
pub(crate) fn total_throughput(execution: Execution<'_>) -> Option<f64> {
    let (read, write) = (&execution.record.read, &execution.record.write);
    per_second((read.bytes.as_f64() + write.bytes.as_f64()) / MB, read.count + write.count, execution)
}

/// Reads per second.
pub(crate) fn read_iops(execution: Execution<'_>) -> Option<f64> {
    iops(&execution.record.read, execution)
}

/// Writes per second.
pub(crate) fn write_iops(execution: Execution<'_>) -> Option<f64> {
    iops(&execution.record.write, execution)
}

/// Operations per second.
pub(crate) fn total_iops(execution: Execution<'_>) -> Option<f64> {
    let operations = execution.record.read.count + execution.record.write.count;
    per_second(operations as f64, operations, execution)
}

/// Exact mean of a latency distribution, microseconds.
pub(crate) fn latency_mean(histogram: &SparseHistogram) -> Option<f64> {
    histogram.mean_ns().map(|mean| mean / US)
}

/// Median, microseconds.
pub(crate) fn latency_p50(histogram: &SparseHistogram) -> Option<f64> {
    percentile(histogram, 50.0)
}

/// 99th percentile, microseconds.
pub(crate) fn latency_p99(histogram: &SparseHistogram) -> Option<f64> {
    percentile(histogram, 99.0)
}

/// 99.9th percentile, microseconds.
pub(crate) fn latency_p999(histogram: &SparseHistogram) -> Option<f64> {
    percentile(histogram, 99.9)
}

/// Exact maximum, microseconds.
pub(crate) fn latency_max(histogram: &SparseHistogram) -> Option<f64> {
    percentile(histogram, 100.0)
}

/// A percentile in microseconds; `None` where the histogram is empty or contradicts itself.
fn percentile(histogram: &SparseHistogram, per_cent: f64) -> Option<f64> {
    if histogram.min > histogram.max {
        return None;
    }
    histogram.percentile(per_cent).map(|value| value.get() as f64 / US)
}

/// Operations in flight, as the engine measured it.
pub(crate) fn in_flight_mean(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.in_flight_mean)
}

/// Operations that ended in an error.
pub(crate) fn errors(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.error_count() as f64)
}

/// User-mode CPU time of the issuing threads for one completed operation, nanoseconds.
pub(crate) fn cpu_user_per_io(execution: Execution<'_>) -> Option<f64> {
    let operations = execution.record.read.count + execution.record.write.count;
    let elapsed = duration(execution)?;
    let measured_share = elapsed / (elapsed + execution.ramp_s);
    let busy = execution.record.engine.cpu_user.get() as f64 * measured_share;
    (operations > 0).then(|| busy / operations as f64)
}

/// CPU time of the issuing threads, user and kernel, as a share of the time they had, per cent.
pub(crate) fn cpu_share(execution: Execution<'_>) -> Option<f64> {
    let engine = &execution.record.engine;
    share_of_threads(engine.cpu_user.as_secs_f64() + engine.cpu_system.as_secs_f64(), execution)
}

/// CPU seconds as a share of the time that the issuing threads had, ramp included, per cent.
fn share_of_threads(busy_s: f64, execution: Execution<'_>) -> Option<f64> {
    Some(100.0 * busy_s / ((duration(execution)? + execution.ramp_s) * execution.issuing_threads()))
}

/// Run time of the last event, seconds.
pub(crate) fn run_duration(records: &RunRecords) -> Option<f64> {
    Some(records.last_at_ns as f64 / SECOND)
}

/// Bytes that the executions in the record wrote, their ramps included, GB.
pub(crate) fn run_bytes_written(records: &RunRecords) -> Option<f64> {
    let finished: f64 = records.steps.iter().map(|step| step.written_total.as_f64()).sum();
    let running = unfinished_intervals(records).map(|interval| interval.write.bytes.as_f64()).sum::<f64>();
    Some((finished + running) / GB)
}

/// Bytes that the executions in the record read, GB.
pub(crate) fn run_bytes_read(records: &RunRecords) -> Option<f64> {
    let recorded: f64 = records.intervals.iter().map(|interval| interval.read.bytes.as_f64()).sum();
    Some(recorded / GB)
}

/// Intervals of the execution that has not ended.
fn unfinished_intervals(records: &RunRecords) -> impl Iterator<Item = &drivelab_core::record::IntervalRecord> {
    records.intervals.iter().filter(|interval| records.unfinished() == Some(&interval.key))
}

/// Whether the figures of a step are results.
pub(crate) fn is_measured(records: &RunRecords, step: &drivelab_core::ids::StepId) -> bool {
    records.plan.step(step).is_some_and(|step| step.role == StepRole::Measure)
}
