//! The figures of one execution, each by one pure function from the recorded facts. [`crate::METRICS`] names them.
//!
//! Rates are worked out from counts, bytes and the bounds of the measured part, not copied from the stored rates;
//! an invariant compares the two. `None` means that the facts give no figure: no operations, or no time passed.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Action, Step, StepRole};
use drivelab_core::record::{CPU_SPLIT_FROM, Effort, IntervalRecord, IssueMode, OpRecord, StepRecord, StopReason};
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::Recorded;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

use crate::capacity::Account;
use crate::fill::{self, FillShape};
use crate::metrics::Times;
use crate::tails;

pub(crate) mod fills;
pub(crate) mod heat;
pub(crate) mod scores;
pub(crate) mod telemetry;

pub(crate) use fills::{
    fill_cache_share, fill_cache_size, fill_last_16_gb, fill_late_decline, fill_peak, fill_recoveries,
    fill_recovery_share, fill_sustained,
};
pub(crate) use heat::{
    heat_critical_limit, heat_critical_minutes, heat_first_minute, heat_kept, heat_last_minute, heat_throttle_steps,
    heat_time_to_throttle, heat_warning_limit, heat_warning_minutes,
};
pub(crate) use scores::{weighted_mean, weighted_sum};
pub(crate) use telemetry::{
    host_cpu_busy, host_cpu_steal, host_power_mean, iops_per_watt, power_energy, power_max, power_mean, power_min,
    power_rest, replay_energy, run_telemetry_cpu, temperature_max, temperature_mean, temperature_min,
    throughput_per_watt, write_amplification,
};

/// Bytes in a megabyte.
const MB: f64 = 1e6;
/// Bytes in a gigabyte.
const GB: f64 = 1e9;
/// Nanoseconds in a microsecond.
pub(crate) const US: f64 = 1e3;
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
    /// What was watched beside it, where that is known.
    pub watched: Option<&'a Recorded>,
    /// Bytes of the target, where they are known.
    target: Option<Bytes>,
    /// What the step asked for.
    step: &'a Step,
    /// The intervals of the run, those of other executions too; none where they are not known.
    intervals: &'a [IntervalRecord],
    /// The executions of the run and the time of its last event, in nanoseconds; none where they are not known.
    run: (&'a [StepRecord], u64),
}

impl<'a> Execution<'a> {
    /// An execution of a step; `None` where the step issues no I/O.
    pub(crate) const fn new(step: &'a Step, record: &'a StepRecord) -> Option<Self> {
        match &step.action {
            Action::Io { workload, ramp, .. } => Some(Execution {
                record,
                workload,
                ramp_s: ramp.get() as f64 / SECOND,
                watched: None,
                target: None,
                step,
                intervals: &[],
                run: (&[], 0),
            }),
            Action::Idle { .. } | Action::CoolDown(_) => None,
        }
    }

    /// The same with what its run recorded beside it.
    pub(crate) fn within(self, records: &'a RunRecords) -> Self {
        let target = Some(records.environment.target.length);
        let run = (&records.steps[..], records.last_at_ns);
        Execution { watched: Some(&records.telemetry), target, intervals: &records.intervals, run, ..self }
    }

    /// The executions of the whole run; none where they are not known.
    pub(crate) const fn of_run(&self) -> &'a [StepRecord] {
        self.run.0
    }

    /// What it shows of the drive's cache, where it is a fill.
    pub(crate) fn fill(&self) -> Option<FillShape> {
        let (intervals, span) = fill::course(self.step, &self.record.key, self.intervals)?;
        fill::shape(&intervals, span)
    }

    /// The rest after it, where it was taken whole: its start and end on the run clock, nanoseconds.
    fn rest(&self) -> Option<(u64, u64)> {
        let from = self.record.end_ns;
        let length = self.step.rest.after(self.record.elapsed()).get();
        let to = from.checked_add(length)?;
        let (steps, last) = self.run;
        let undisturbed = !steps.iter().any(|other| (from..to).contains(&other.start_ns));
        (length > 0 && undisturbed && last >= to).then_some((from, to))
    }

    /// Operating-system threads that issued I/O: the sync backend needs one for every operation in flight.
    fn issuing_threads(&self) -> f64 {
        if self.record.engine.issue_mode() == IssueMode::Threads {
            self.workload.total_depth() as f64
        } else {
            self.workload.groups().map(|group| f64::from(group.threads.get())).sum()
        }
    }

    /// Time that the issuing threads had, their sum, the ramp included: as the engine measured it, or where it did
    /// not (recordings of the first format version), worked out. `None` where no time passed.
    fn thread_seconds(&self) -> Option<f64> {
        let measured = self.record.engine.effort.as_ref().map(|effort| effort.thread_time.as_secs_f64());
        let time = match measured {
            Some(time) => time,
            None => (duration(*self)? + self.ramp_s) * self.issuing_threads(),
        };
        (time > 0.0).then_some(time)
    }

    /// The engine's account of its own work.
    fn effort(&self) -> Option<&'a Effort> {
        self.record.engine.effort.as_ref()
    }
}

/// Whether an execution was stopped before anything completed: it is no measurement, good or bad.
pub(crate) fn is_empty(record: &StepRecord) -> bool {
    matches!(record.stop_reason, StopReason::Stopped) && record.kinds().all(|(_, op)| op.count == 0)
}

/// Length of the measured part in seconds; `None` where its end is not behind its start.
pub(crate) fn duration(execution: Execution<'_>) -> Option<f64> {
    let elapsed = execution.record.elapsed().as_secs_f64();
    (elapsed > 0.0).then_some(elapsed)
}

/// The time that rates are over, in seconds: that of activity where bursts end by volume, else [`duration`]. `None`
/// where there is none.
pub(crate) fn active(execution: Execution<'_>) -> Option<f64> {
    let active = execution.record.active().as_secs_f64();
    (duration(execution).is_some() && active > 0.0).then_some(active)
}

/// An amount per second of the measured part; `None` where nothing was completed or no time passed.
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

/// Operations of one kind, MB/s; `None` where the step has none of it.
fn kind_throughput(kind: OpKind, execution: Execution<'_>) -> Option<f64> {
    throughput(execution.record.op(kind)?, execution)
}

/// Operations of one kind per second; `None` where the step has none of it.
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

/// Exact maximum, microseconds.
pub(crate) fn latency_max(histogram: &SparseHistogram) -> Option<f64> {
    percentile(histogram, 100.0)
}

/// A percentile in microseconds; `None` where too few operations tell it ([`tails`]).
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

/// CPU time of the issuing threads, user and kernel, as a share of the time they had, per cent.
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

/// Operations in flight as a share of those asked for, per cent.
pub(crate) fn engine_depth_kept(execution: Execution<'_>) -> Option<f64> {
    let asked = execution.effort()?.depth_asked;
    (asked > 0).then(|| 100.0 * execution.record.in_flight_mean / asked as f64)
}

/// Mean time between two looks for completions, microseconds.
pub(crate) fn engine_reap_gap_mean(execution: Execution<'_>) -> Option<f64> {
    Some(execution.effort()?.reap_gap_mean?.get() as f64 / US)
}

/// Longest time between two looks for completions, microseconds.
pub(crate) fn engine_reap_gap_max(execution: Execution<'_>) -> Option<f64> {
    Some(execution.effort()?.reap_gap_max?.get() as f64 / US)
}

/// How often the kernel did a part of a transfer and was asked for the rest.
pub(crate) fn engine_short_transfers(execution: Execution<'_>) -> Option<f64> {
    Some(execution.effort()?.short_transfers as f64)
}

/// How often a transfer ended with EAGAIN and was asked for once more.
pub(crate) fn engine_eagain_retries(execution: Execution<'_>) -> Option<f64> {
    Some(execution.effort()?.eagain_retries as f64)
}

/// Arrivals per second that the schedule asked for.
pub(crate) fn open_loop_asked_iops(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.open_loop?.asked_iops)
}

/// Arrivals per second that were done, failed ones among them.
pub(crate) fn open_loop_achieved_iops(execution: Execution<'_>) -> Option<f64> {
    execution.record.open_loop?;
    Some(done(execution.record) as f64 / duration(execution)?)
}

/// Operations of all kinds that ended in the measured part, with or without an error.
pub(crate) fn done(record: &StepRecord) -> u64 {
    record.kinds().map(|(_, op)| op.count + op.errors).sum()
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

/// Longest such time, microseconds.
pub(crate) fn open_loop_lateness_max(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.open_loop?.lateness_max.get() as f64 / US)
}

/// Bytes of reads and writes by the time with at least one operation outstanding, MB/s.
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

/// Longest such time, microseconds.
pub(crate) fn replay_lateness_max(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.replay.as_ref()?.lateness.as_ref()?.summary?.max.get() as f64 / US)
}

/// Share of the issued operations of a replay that went elsewhere than recorded, per cent.
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

/// That time as a share of the measured part, per cent.
pub(crate) fn bursts_active_share(execution: Execution<'_>) -> Option<f64> {
    Some(100.0 * bursts_active(execution)? / duration(execution)?)
}

/// Blocks whose headers were checked.
pub(crate) fn verified_blocks(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.verification.as_ref()?.checked as f64)
}

/// Checked blocks that did not hold what was written there.
pub(crate) fn verified_bad_blocks(execution: Execution<'_>) -> Option<f64> {
    Some(execution.record.verification.as_ref()?.faults.values().sum::<u64>() as f64)
}

/// Capacity that a check found, GB.
pub(crate) fn verified_capacity(execution: Execution<'_>) -> Option<f64> {
    Some(Account::of(execution.workload, execution.record)?.there()? as f64 / GB)
}

/// Smallest missing share that a check as large would find but for one case in a million, per cent.
pub(crate) fn verified_share_found(execution: Execution<'_>) -> Option<f64> {
    Account::of(execution.workload, execution.record)?.share_found()
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
