//! What the engine reports about a load, over all rounds: the part `engine` of the document of `drivelab io`.

use drivelab_core::record::{CPU_SPLIT_FROM, Effort, StepRecord};
use drivelab_core::workload::Workload;
use schemars::JsonSchema;
use serde::Serialize;

/// How the engine ran the load. CPU times and counts include the ramp and are summed over the rounds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EngineDoc {
    /// `io_uring` or `sync`.
    pub(crate) backend: String,
    /// Why this backend was used: requested, or what the kernel refused.
    pub(crate) reason: String,
    /// Features that the kernel refused and the engine ran without.
    pub(crate) refused: Vec<String>,
    /// Whether the target was open with O_DIRECT, as read back from the kernel.
    pub(crate) direct_verified: bool,
    /// How the page cache was treated before the load; null for direct I/O.
    pub(crate) page_cache: Option<String>,
    /// Smallest distance in bytes, in address order, at which written random data repeats: a compressor with a smaller
    /// window finds no repeats. Null if no random data was written.
    data_window: Option<u64>,
    /// Whether the kernel handed requests to worker threads.
    pub(crate) punted: bool,
    /// CPU time of the issuing threads in user mode per operation, in nanoseconds; null if their CPU time was too short
    /// (below 40 ms) to be split.
    pub(crate) user_ns_per_io: Option<f64>,
    /// CPU time of the issuing threads in the kernel per operation, in nanoseconds; null as above.
    pub(crate) system_ns_per_io: Option<f64>,
    /// CPU time of the issuing threads in user mode, in nanoseconds.
    cpu_user_ns: u64,
    /// CPU time of the issuing threads in the kernel, in nanoseconds.
    cpu_system_ns: u64,
    /// Share of the issuing threads' time in user mode, in per cent; null if unknown.
    pub(crate) cpu_user_percent: Option<f64>,
    /// Share of the issuing threads' time in the kernel, in per cent; null if unknown.
    pub(crate) cpu_system_percent: Option<f64>,
    /// Operations issued, including the ramp and failed ones.
    operations: u64,
    /// Operations per system call that submitted them or waited for them; null if unknown.
    pub(crate) operations_per_syscall: Option<f64>,
    /// Requested operations in flight, over all threads and groups.
    pub(crate) depth_asked: u64,
    /// Measured mean of operations in flight.
    pub(crate) depth_mean: f64,
    /// Mean time outside the kernel between two checks for completions, in nanoseconds; null if this does not apply.
    reap_gap_mean_ns: Option<u64>,
    /// Longest time outside the kernel between two checks for completions, in nanoseconds; null if this does not apply.
    reap_gap_max_ns: Option<u64>,
    /// Transfers that the kernel did only in part at first, so that the rest was submitted again. They count as errors
    /// only if that failed too.
    short_transfers: u64,
    /// Transfers that ended with EAGAIN and were submitted once more in a way that lets the kernel wait. They count as
    /// errors only if that failed too.
    eagain_retries: u64,
    /// Clock of the time stamps, and why it was used.
    clock: String,
    /// Largest deviation of that clock from CLOCK_MONOTONIC_RAW, in nanoseconds.
    clock_error_ns: i64,
    /// Completions that a thread waits for at a time. Above 1 (ceiling mode) the latencies include that waiting.
    pub(crate) batch: u32,
    /// CPUs to which the threads were pinned, in the order of the threads; empty if they were not.
    pub(crate) cpus: Vec<u32>,
}

#[expect(clippy::cast_precision_loss, reason = "counts and times stay below 2^53")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// In-flight operations of the rounds, each weighted by its time.
#[expect(clippy::cast_precision_loss, reason = "times stay below 2^53")]
fn depth_mean(rounds: &[&StepRecord]) -> f64 {
    let time: f64 = rounds.iter().map(|record| record.elapsed().get() as f64).sum();
    let depth: f64 = rounds.iter().map(|record| record.in_flight_mean * record.elapsed().get() as f64).sum();
    if time > 0.0 { depth / time } else { 0.0 }
}

impl EngineDoc {
    /// `None` if no round ended.
    pub(crate) fn of(rounds: &[&StepRecord], workload: &Workload) -> Option<EngineDoc> {
        let last = &rounds.last()?.engine;
        let efforts: Vec<&Effort> = rounds.iter().filter_map(|record| record.engine.effort.as_ref()).collect();
        let sum = |of: fn(&Effort) -> u64| efforts.iter().map(|effort| of(effort)).sum::<u64>();
        let user = rounds.iter().map(|record| record.engine.cpu_user.get()).sum();
        let system = rounds.iter().map(|record| record.engine.cpu_system.get()).sum();
        let can_be_split = user + system >= CPU_SPLIT_FROM.get();
        let operations = sum(|effort| effort.operations);
        let time = sum(|effort| effort.thread_time.get());
        let effort = efforts.last();
        let gaps = || efforts.iter().filter_map(|effort| effort.reap_gap_mean.map(|gap| gap.get()));
        let gap_count = u64::try_from(gaps().count()).unwrap_or(u64::MAX);
        Some(EngineDoc {
            backend: last.backend.clone(),
            reason: last.reason.clone(),
            refused: last.refused.clone(),
            direct_verified: rounds.iter().all(|record| record.engine.direct_verified),
            page_cache: effort.and_then(|effort| effort.page_cache.clone()),
            data_window: efforts.iter().filter_map(|effort| effort.data_window.map(|window| window.get())).min(),
            punted: rounds.iter().any(|record| record.engine.punted),
            user_ns_per_io: ratio(user, operations).filter(|_| can_be_split),
            system_ns_per_io: ratio(system, operations).filter(|_| can_be_split),
            cpu_user_ns: user,
            cpu_system_ns: system,
            cpu_user_percent: ratio(user, time).map(|share| share * 100.0),
            cpu_system_percent: ratio(system, time).map(|share| share * 100.0),
            operations,
            operations_per_syscall: ratio(operations, sum(|effort| effort.syscalls)),
            depth_asked: effort.map_or_else(|| workload.total_depth(), |effort| effort.depth_asked),
            depth_mean: depth_mean(rounds),
            reap_gap_mean_ns: gaps().sum::<u64>().checked_div(gap_count),
            reap_gap_max_ns: efforts.iter().filter_map(|effort| effort.reap_gap_max.map(|gap| gap.get())).max(),
            short_transfers: sum(|effort| effort.short_transfers),
            eagain_retries: sum(|effort| effort.eagain_retries),
            clock: effort.map_or_else(String::new, |effort| effort.clock.clone()),
            clock_error_ns: efforts.iter().map(|effort| effort.clock_error_ns).max_by_key(|n| n.abs()).unwrap_or(0),
            batch: effort.map_or(0, |effort| effort.batch),
            cpus: effort.map_or_else(Vec::new, |effort| effort.cpus.clone()),
        })
    }
}
