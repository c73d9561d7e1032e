//! The figures of one execution, each by one pure function from the recorded facts.
//!
//! Rates are computed from counts, bytes and the times of the measured part, not copied from the stored rates;
//! an invariant compares the two. `None` means that the facts give no figure: no operations, or no time passed.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::load::OpKind;
use drivelab_core::record::{CPU_SPLIT_FROM, IntervalRecord, OpRecord};
use drivelab_core::run::RunRecords;

use super::execution::{Execution, GB, MB, SECOND, US, active, done, duration};
use crate::metrics::Times;
use crate::tails;

/// An amount per second of the measured part; `None` if nothing was completed or no time passed.
fn per_second(amount: f64, operations: u64, execution: Execution<'_>) -> Option<f64> {
    let elapsed = active(execution)?;
    (operations > 0).then_some(amount / elapsed)
}

fn throughput(op: &OpRecord, execution: Execution<'_>) -> Option<f64> {
    per_second(op.bytes.as_f64() / MB, op.count, execution)
}

fn iops(op: &OpRecord, execution: Execution<'_>) -> Option<f64> {
    per_second(op.count as f64, op.count, execution)
}

/// Operations of one kind, MB/s; `None` if the step has none.
fn kind_throughput(kind: OpKind, execution: Execution<'_>) -> Option<f64> {
    throughput(execution.record.op(kind)?, execution)
}

/// Operations of one kind per second; `None` if the step has none.
fn kind_iops(kind: OpKind, execution: Execution<'_>) -> Option<f64> {
    iops(execution.record.op(kind)?, execution)
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

/// The times of reads and writes in one distribution.
pub(crate) fn both(execution: Execution<'_>, times: Times) -> SparseHistogram {
    let mut all = SparseHistogram::default();
    let kinds = [&execution.record.read, &execution.record.write];
    kinds.into_iter().filter_map(|op| times.of(op)).for_each(|part| all.merge(part));
    all
}

/// Mean latency of reads and writes together, microseconds.
pub(crate) fn total_latency_mean(execution: Execution<'_>) -> Option<f64> {
    latency_mean(&both(execution, Times::Latency))
}

/// Mean response time of reads and writes together, microseconds.
pub(crate) fn total_response_mean(execution: Execution<'_>) -> Option<f64> {
    latency_mean(&both(execution, Times::Response))
}

/// Trims per second.
pub(crate) fn trim_iops(execution: Execution<'_>) -> Option<f64> {
    kind_iops(OpKind::Trim, execution)
}

/// Write-zeroes, MB/s of the bytes they cover.
pub(crate) fn write_zeroes_throughput(execution: Execution<'_>) -> Option<f64> {
    kind_throughput(OpKind::WriteZeroes, execution)
}

/// Write-zeroes per second.
pub(crate) fn write_zeroes_iops(execution: Execution<'_>) -> Option<f64> {
    kind_iops(OpKind::WriteZeroes, execution)
}

/// Flushes per second.
pub(crate) fn flush_iops(execution: Execution<'_>) -> Option<f64> {
    kind_iops(OpKind::Flush, execution)
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

/// 99.99th percentile, microseconds.
pub(crate) fn latency_p9999(histogram: &SparseHistogram) -> Option<f64> {
    percentile(histogram, 99.99)
}

/// Exact maximum, microseconds.
pub(crate) fn latency_max(histogram: &SparseHistogram) -> Option<f64> {
    percentile(histogram, 100.0)
}

/// A percentile in microseconds; `None` if it has too few operations ([`tails`]).
fn percentile(histogram: &SparseHistogram, per_cent: f64) -> Option<f64> {
    tails::percentile(histogram, per_cent).map(|value| value.get() as f64 / US)
}

/// Operations in flight, as the engine measured it.
pub(crate) fn in_flight_mean(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.in_flight_mean)
}

/// Operations that ended in an error.
pub(crate) fn errors(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.error_count() as f64)
}

/// User-mode CPU time of the issuing threads for one operation, nanoseconds.
pub(crate) fn cpu_user_per_io(execution: Execution<'_>) -> Option<f64> {
    let engine = &execution.record.engine;
    let user = engine.cpu_user.get() as f64;
    if engine.cpu_user.get() + engine.cpu_system.get() < CPU_SPLIT_FROM.get() {
        return None;
    }
    if let Some(effort) = execution.effort() {
        return (effort.operations > 0).then(|| user / effort.operations as f64);
    }
    let operations = execution.record.read.count + execution.record.write.count;
    let elapsed = duration(execution)?;
    let measured_share = elapsed / (elapsed + execution.ramp_s);
    (operations > 0).then(|| user * measured_share / operations as f64)
}

/// CPU time of the issuing threads, user and kernel, as a share of their time, per cent.
pub(crate) fn cpu_share(execution: Execution<'_>) -> Option<f64> {
    let engine = &execution.record.engine;
    let busy = engine.cpu_user.as_secs_f64() + engine.cpu_system.as_secs_f64();
    Some(100.0 * busy / execution.thread_seconds()?)
}

/// User-mode part of [`cpu_share`], per cent.
pub(crate) fn engine_user_share(execution: Execution<'_>) -> Option<f64> {
    Some(100.0 * execution.record.engine.cpu_user.as_secs_f64() / execution.thread_seconds()?)
}

/// Kernel part of [`cpu_share`], per cent.
pub(crate) fn engine_kernel_share(execution: Execution<'_>) -> Option<f64> {
    Some(100.0 * execution.record.engine.cpu_system.as_secs_f64() / execution.thread_seconds()?)
}

/// Operations for one system call of the engine.
pub(crate) fn engine_operations_per_syscall(execution: Execution<'_>) -> Option<f64> {
    let effort = execution.effort()?;
    (effort.syscalls > 0).then(|| effort.operations as f64 / effort.syscalls as f64)
}

/// Operations in flight as a share of the requested number, per cent.
pub(crate) fn engine_depth_kept(execution: Execution<'_>) -> Option<f64> {
    let asked = execution.effort()?.depth_asked;
    (asked > 0).then(|| 100.0 * execution.record.in_flight_mean / asked as f64)
}

/// Mean time between two checks for completions, microseconds.
pub(crate) fn engine_reap_gap_mean(execution: Execution<'_>) -> Option<f64> {
    Some(execution.effort()?.reap_gap_mean?.get() as f64 / US)
}

/// Longest time between two checks for completions, microseconds.
pub(crate) fn engine_reap_gap_max(execution: Execution<'_>) -> Option<f64> {
    Some(execution.effort()?.reap_gap_max?.get() as f64 / US)
}

/// How often the kernel moved only part of a transfer and the rest was issued again.
pub(crate) fn engine_short_transfers(execution: Execution<'_>) -> Option<f64> {
    Some(execution.effort()?.short_transfers as f64)
}

/// How often a transfer ended with EAGAIN and was issued again.
pub(crate) fn engine_eagain_retries(execution: Execution<'_>) -> Option<f64> {
    Some(execution.effort()?.eagain_retries as f64)
}

/// Arrivals per second in the schedule.
pub(crate) fn open_loop_asked_iops(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.open_loop?.asked_iops)
}

/// Arrivals per second that ended, including failed ones.
pub(crate) fn open_loop_achieved_iops(execution: Execution<'_>) -> Option<f64> {
    execution.record.open_loop?;
    Some(done(execution.record) as f64 / duration(execution)?)
}

/// Operations per second by which the backlog grew.
pub(crate) fn open_loop_backlog_growth(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.open_loop?.backlog_growth_per_second)
}

/// Largest backlog at the end of an interval, operations.
pub(crate) fn open_loop_backlog_max(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.open_loop?.backlog_max as f64)
}

/// Mean time by which the generator itself was late, microseconds.
pub(crate) fn open_loop_lateness_mean(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.open_loop?.lateness_mean.get() as f64 / US)
}

/// Longest time by which the generator itself was late, microseconds.
pub(crate) fn open_loop_lateness_max(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.open_loop?.lateness_max.get() as f64 / US)
}

/// Bytes of reads and writes divided by the time with at least one operation outstanding, MB/s.
pub(crate) fn replay_busy_throughput(execution: Execution<'_>) -> Option<f64> {
    let busy = replay_busy_time(execution)?;
    let moved = replay_bytes(execution)?;
    (busy > 0.0).then(|| moved / busy)
}

/// Bytes of a replay's reads and writes, MB.
pub(crate) fn replay_bytes(execution: Execution<'_>) -> Option<f64> {
    let record = execution.record;
    record.replay.as_ref()?;
    Some((record.read.bytes.as_f64() + record.write.bytes.as_f64()) / MB)
}

/// Time with at least one operation of a replay outstanding, seconds.
pub(crate) fn replay_busy_time(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.replay.as_ref()?.busy.as_secs_f64())
}

/// Mean time by which operations of a replay were late, microseconds.
pub(crate) fn replay_lateness_mean(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.replay.as_ref()?.lateness.as_ref()?.histogram.mean_ns()? / US)
}

/// Longest time by which an operation of a replay was late, microseconds.
pub(crate) fn replay_lateness_max(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.replay.as_ref()?.lateness.as_ref()?.summary?.max.get() as f64 / US)
}

/// Share of the issued operations of a replay that went to another address than recorded, per cent.
pub(crate) fn replay_moved_share(execution: Execution<'_>) -> Option<f64> {
    let replay = execution.record.replay.as_ref()?;
    let issued = replay.taken.saturating_sub(replay.skipped_trims);
    (issued > 0).then(|| 100.0 * replay.moved as f64 / issued as f64)
}

/// Bursts by volume.
pub(crate) fn bursts_count(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.bursts?.count as f64)
}

/// Time from first submission to last completion of each burst by volume, summed, seconds.
pub(crate) fn bursts_active(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.bursts?.active.as_secs_f64())
}

/// [`bursts_active`] as a share of the measured part, per cent.
pub(crate) fn bursts_active_share(execution: Execution<'_>) -> Option<f64> {
    Some(100.0 * bursts_active(execution)? / duration(execution)?)
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
fn unfinished_intervals(records: &RunRecords) -> impl Iterator<Item = &IntervalRecord> {
    records.intervals.iter().filter(|interval| records.unfinished() == Some(&interval.key))
}
