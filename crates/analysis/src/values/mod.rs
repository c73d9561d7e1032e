//! The figures of an execution and of a run by name: the functions that the table of metrics uses.

mod execution;
mod figures;

pub(crate) use crate::topics::capacity::{
    verified_bad_blocks, verified_blocks, verified_capacity, verified_share_found,
};
pub(crate) use crate::topics::fill::{
    fill_cache_share, fill_cache_size, fill_last_16_gb, fill_late_decline, fill_peak, fill_recoveries,
    fill_recovery_share, fill_sustained,
};
pub(crate) use crate::topics::heat::{
    heat_critical_limit, heat_critical_minutes, heat_first_minute, heat_kept, heat_last_minute, heat_throttle_steps,
    heat_time_to_throttle, heat_warning_limit, heat_warning_minutes,
};
pub(crate) use crate::topics::scores::{weighted_mean, weighted_sum};
pub(crate) use crate::topics::telemetry::values::{
    host_cpu_busy, host_cpu_per_gb, host_cpu_steal, host_power_mean, iops_per_watt, power_energy, power_max,
    power_mean, power_min, power_rest, replay_energy, run_telemetry_cpu, temperature_max, temperature_mean,
    temperature_min, throughput_per_watt, write_amplification,
};
pub(crate) use execution::{Execution, GB, MB, US, active, done, duration, is_empty, is_measured};
pub(crate) use figures::{
    both, bursts_active, bursts_active_share, bursts_count, cpu_share, cpu_user_per_io, engine_depth_kept,
    engine_eagain_retries, engine_kernel_share, engine_operations_per_syscall, engine_reap_gap_max,
    engine_reap_gap_mean, engine_short_transfers, engine_user_share, errors, flush_iops, in_flight_mean, latency_max,
    latency_mean, latency_p50, latency_p99, latency_p999, latency_p9999, open_loop_achieved_iops, open_loop_asked_iops,
    open_loop_backlog_growth, open_loop_backlog_max, open_loop_lateness_max, open_loop_lateness_mean, read_iops,
    read_throughput, replay_busy_throughput, replay_busy_time, replay_bytes, replay_lateness_max, replay_lateness_mean,
    replay_moved_share, run_bytes_read, run_bytes_written, run_duration, total_iops, total_latency_mean,
    total_response_mean, total_throughput, trim_iops, write_iops, write_throughput, write_zeroes_iops,
    write_zeroes_throughput,
};
