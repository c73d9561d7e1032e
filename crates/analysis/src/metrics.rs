//! The table of metrics: name, unit, direction, definition and the one function that computes each.
//!
//! docs/metrics.md is printed from this table ([`metrics_markdown`]) and a test holds the two equal. Must not know how
//! a value is rounded, coloured or drawn.

mod combine;
mod markdown;

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::metric::{Better, MetricDef};
use drivelab_core::run::RunRecords;

use crate::values::{self, Execution};

pub(crate) use combine::{all, round_value, used_rounds};
pub use markdown::metrics_markdown;

/// How a metric is computed and how its rounds are put together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Compute {
    /// From one execution; rounds are put together as the test says.
    Step(fn(Execution<'_>) -> Option<f64>),
    /// From one execution; rounds are added up, whatever the test says.
    Sum(fn(Execution<'_>) -> Option<f64>),
    /// From the latencies of an execution's reads; rounds are put together as the test says.
    ReadMean(fn(&SparseHistogram) -> Option<f64>),
    /// The same of writes.
    WriteMean(fn(&SparseHistogram) -> Option<f64>),
    /// A percentile of the latencies of reads; where the test says mean, it is taken from the merged histogram of all
    /// rounds, because a mean of percentiles is not a percentile of anything.
    ReadTail(fn(&SparseHistogram) -> Option<f64>),
    /// The same of writes.
    WriteTail(fn(&SparseHistogram) -> Option<f64>),
    /// From the whole run.
    Run(fn(&RunRecords) -> Option<f64>),
}

/// A metric's definition and its function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub def: &'static MetricDef,
    pub compute: Compute,
}

/// The whole table, in the order in which metrics are listed.
pub(crate) fn entries() -> impl Iterator<Item = Entry> {
    METRICS.iter().zip(COMPUTE).map(|(def, compute)| Entry { def, compute: *compute })
}

/// The definition of a metric: `metric_def("read.iops")`.
#[must_use]
pub fn metric_def(id: &str) -> Option<&'static MetricDef> {
    METRICS.iter().find(|def| def.id == id)
}

macro_rules! metrics {
    ($($id:literal, $title:literal, $unit:literal, $better:ident, $kind:ident($function:ident),
       $definition:expr;)*) => {
        /// Every metric that drivelab knows, with its definition.
        pub static METRICS: &[MetricDef] = &[$(MetricDef {
            id: $id,
            title: $title,
            unit: $unit,
            better: Better::$better,
            definition: $definition,
            function: concat!("drivelab_analysis::values::", stringify!($function)),
        }),*];
        /// The functions, in the order of [`METRICS`].
        static COMPUTE: &[Compute] = &[$(Compute::$kind(values::$function)),*];
    };
}

macro_rules! throughput_text {
    ($what:literal) => {
        concat!(
            "Bytes that completed ", $what, " moved in the measured part of the step, divided by the time from the \
             first submission to the last counted completion; 1 MB is 10^6 bytes. The ramp and operations that ended \
             in an error are left out. Source: `bytes`, `start_ns` and `end_ns` of the step record."
        )
    };
}

macro_rules! iops_text {
    ($what:literal) => {
        concat!(
            "Completed ",
            $what,
            " in the measured part of the step, divided by the time from the first submission \
             to the last counted completion. The ramp and operations that ended in an error are left out. Source: \
             `count`, `start_ns` and `end_ns` of the step record."
        )
    };
}

macro_rules! latency_mean_text {
    ($what:literal) => {
        concat!(
            "Exact arithmetic mean of the time from submission to completion of every completed ", $what, " in the \
             measured part of the step. Waiting before the submission is not in it: this is latency, not response \
             time. The ramp and operations that ended in an error are left out. Source: sum and count of the step's \
             histogram."
        )
    };
}

macro_rules! latency_share_text {
    ($what:literal, $share:literal) => {
        concat!(
            "The latency (submission to completion) that ", $share, " of all completed ", $what, " in the measured \
             part of the step do not exceed (nearest rank), from the merged histogram of all threads and intervals; \
             buckets are at most 0.78 % wide and stand for their middle, so the figure is off by at most 0.39 %. \
             Where the test takes the mean of rounds, the figure comes from the merged histogram of the rounds, \
             never from averaged percentiles; with best or median it is the best or median of the rounds' own \
             percentiles. The ramp and failed operations are left out. Source: the step's histogram."
        )
    };
}

macro_rules! latency_max_text {
    ($what:literal) => {
        concat!(
            "Exact longest latency (submission to completion) of all completed ", $what, " in the measured part of \
             the step. Where the test takes the mean of rounds, it is the longest of all rounds; with best or median \
             it is the best or median of the rounds' own maxima. A maximum grows with the number of operations: \
             compare only equal durations. The ramp and failed operations are left out. Source: the exact maximum \
             kept beside the step's histogram."
        )
    };
}

metrics! {
    "read.throughput", "Read throughput", "MB/s", Higher, Step(read_throughput), throughput_text!("reads");
    "write.throughput", "Write throughput", "MB/s", Higher, Step(write_throughput), throughput_text!("writes");
    "total.throughput", "Throughput", "MB/s", Higher, Step(total_throughput),
        throughput_text!("reads and writes together");
    "read.iops", "Reads per second", "IOPS", Higher, Step(read_iops), iops_text!("reads");
    "write.iops", "Writes per second", "IOPS", Higher, Step(write_iops), iops_text!("writes");
    "total.iops", "Operations per second", "IOPS", Higher, Step(total_iops), iops_text!("reads and writes together");
    "read.latency_mean", "Mean read latency", "us", Lower, ReadMean(latency_mean), latency_mean_text!("read");
    "read.latency_p50", "Median read latency", "us", Lower, ReadTail(latency_p50),
        latency_share_text!("reads", "50 %");
    "read.latency_p99", "99th percentile of read latency", "us", Lower, ReadTail(latency_p99),
        latency_share_text!("reads", "99 %");
    "read.latency_p999", "99.9th percentile of read latency", "us", Lower, ReadTail(latency_p999),
        latency_share_text!("reads", "99.9 %");
    "read.latency_max", "Longest read latency", "us", Lower, ReadTail(latency_max), latency_max_text!("reads");
    "write.latency_mean", "Mean write latency", "us", Lower, WriteMean(latency_mean), latency_mean_text!("write");
    "write.latency_p50", "Median write latency", "us", Lower, WriteTail(latency_p50),
        latency_share_text!("writes", "50 %");
    "write.latency_p99", "99th percentile of write latency", "us", Lower, WriteTail(latency_p99),
        latency_share_text!("writes", "99 %");
    "write.latency_p999", "99.9th percentile of write latency", "us", Lower, WriteTail(latency_p999),
        latency_share_text!("writes", "99.9 %");
    "write.latency_max", "Longest write latency", "us", Lower, WriteTail(latency_max), latency_max_text!("writes");
    "in_flight_mean", "Operations in flight", "operations", Neutral, Step(in_flight_mean),
        "Mean number of operations submitted and not yet completed, over all threads and the measured part of the \
         step, weighted by time. It is measured by the engine, not copied from the queue depth that was asked for. \
         The ramp is left out. Source: `in_flight_mean` of the step record.";
    "errors", "Failed operations", "operations", Lower, Sum(errors),
        "Operations in the measured part of the step that the kernel ended with an error or that moved fewer bytes \
         than asked. They are in no other figure. Rounds are added up, whatever the test says about rounds. Errors \
         in the ramp are left out. Source: `errors` of reads and writes in the step record.";
    "cpu_user_per_io", "User CPU time per operation", "ns", Lower, Step(cpu_user_per_io),
        "CPU time that the issuing threads spent in user mode, which is drivelab's own code, divided by the completed \
         reads and writes of the measured part; of a step with a ramp, the measured part is given its share of the \
         CPU time by its share of the time. Kernel time and interrupts are left out. Source: `cpu_user` of the \
         engine's report (as the kernel accounts it) and `count` of the step record.";
    "cpu_share", "CPU share of the issuing threads", "%", Lower, Step(cpu_share),
        "CPU time of the issuing threads, user mode and kernel, divided by the length of ramp and measured part and by \
         the number of issuing threads (the sync backend has one for every operation in flight); 100 % means that they \
         never waited. Interrupts, kernel workers and other processes are left out. Source: `cpu_user` and \
         `cpu_system` of the engine's report.";
    "duration", "Measured time", "s", Neutral, Step(duration),
        "Time from the first submission to the last counted completion of the measured part of the step, on the \
         run's monotonic clock. The ramp and the rest after the step are left out. Source: `start_ns` and `end_ns` \
         of the step record.";
    "run.duration", "Run time", "s", Neutral, Run(run_duration),
        "Time on the run clock from the first to the last recorded event: preparation, steps, rests and idle time. \
         Pauses of an interrupted run are left out. Source: the time of the last event.";
    "run.bytes_written", "Data written", "GB", Neutral, Run(run_bytes_written),
        "Bytes written to the target by every execution in the record, ramps and preparation included; 1 GB is 10^9 \
         bytes. Work that was repeated after a break counts once, as its last try. Failed operations, the file \
         system's own writes and the bundle are left out. Source: `written_total` of the step records, and the \
         intervals of a step that has not ended.";
    "run.bytes_read", "Data read", "GB", Neutral, Run(run_bytes_read),
        "Bytes read from the target by every execution in the record, ramps included; 1 GB is 10^9 bytes. Work that \
         was repeated after a break counts once, as its last try. Failed operations are left out. Source: the \
         interval records.";
}

#[cfg(test)]
mod tests;
