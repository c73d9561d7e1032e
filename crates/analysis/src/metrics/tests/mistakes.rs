//! The known answers distinguish each metric from plausible mistakes: a test that cannot fail shows nothing.
//!
//! Each entry is a wrong way to compute the figure, kept as code. A metric without one fails the test, so that a new
//! metric comes with the mistake that its known answer would catch.

use std::collections::BTreeSet;

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::load::OpKind;
use drivelab_core::record::StepRecord;

use super::*;

/// A metric, the mistake, and the wrong figure.
type Mistake = (&'static str, &'static str, fn(&Facts) -> f64);

/// The parts of the hand-made run that mistakes are made of.
struct Facts {
    run: RunRecords,
    step: StepRecord,
    ramp: drivelab_core::record::IntervalRecord,
}

/// Length of the measured part, seconds.
const MEASURED_S: f64 = 2.0;
/// The same with the ramp.
const WITH_RAMP_S: f64 = 4.0;
const MB: f64 = 1e6;
const MIB: f64 = 1_048_576.0;
const GB: f64 = 1e9;
const GIB: f64 = 1_073_741_824.0;

impl Facts {
    fn new() -> Self {
        let run = hand_made();
        Facts { step: run.steps[0].clone(), ramp: run.intervals[0].clone(), run }
    }

    /// Operations of both kinds.
    fn operations(&self) -> f64 {
        (self.step.read.count + self.step.write.count) as f64
    }

    /// Bytes of both kinds.
    fn bytes(&self) -> f64 {
        bytes(&self.step.read) + bytes(&self.step.write)
    }

    /// Operations that the engine reports as issued.
    fn issued(&self) -> f64 {
        self.step.engine.effort.as_ref().expect("an account").operations as f64
    }

    /// Operations of all kinds that ended.
    fn done(&self) -> f64 {
        self.step.kinds().map(|(_, op)| (op.count + op.errors) as f64).sum()
    }

    /// CPU times in seconds: user mode, kernel.
    fn cpu(&self) -> (f64, f64) {
        (self.step.engine.cpu_user.as_secs_f64(), self.step.engine.cpu_system.as_secs_f64())
    }
}

fn bytes(op: &OpRecord) -> f64 {
    op.bytes.as_f64()
}

/// Mean of a histogram in nanoseconds.
fn mean_ns(op: &OpRecord) -> f64 {
    op.histogram.mean_ns().expect("latencies")
}

/// A percentile in microseconds.
fn us(op: &OpRecord, per_cent: f64) -> f64 {
    op.histogram.percentile(per_cent).expect("latencies").get() as f64 / 1e3
}

/// A percentile that the ramp's latencies are part of, microseconds.
fn us_with_ramp(op: &OpRecord, ramp: &OpRecord, per_cent: f64) -> f64 {
    let mut all = op.clone();
    all.histogram.merge(&ramp.histogram);
    us(&all, per_cent)
}

const THROUGHPUT: &[Mistake] = &[
    ("read.throughput", "MiB for MB", |f| bytes(&f.step.read) / MEASURED_S / MIB),
    ("read.throughput", "ramp in the bytes", |f| (bytes(&f.step.read) + bytes(&f.ramp.read)) / MEASURED_S / MB),
    ("read.throughput", "ramp in the time", |f| bytes(&f.step.read) / WITH_RAMP_S / MB),
    ("read.throughput", "bytes of both kinds", |f| f.bytes() / MEASURED_S / MB),
    ("write.throughput", "MiB for MB", |f| bytes(&f.step.write) / MEASURED_S / MIB),
    ("write.throughput", "ramp in the bytes", |f| f.step.written_total.as_f64() / MEASURED_S / MB),
    ("write.throughput", "bytes of the reads", |f| bytes(&f.step.read) / MEASURED_S / MB),
    ("total.throughput", "MiB for MB", |f| f.bytes() / MEASURED_S / MIB),
    ("total.throughput", "the larger kind", |f| bytes(&f.step.read) / MEASURED_S / MB),
    ("total.throughput", "mean of both kinds", |f| f.bytes() / 2.0 / MEASURED_S / MB),
    ("read.iops", "operations of both kinds", |f| f.operations() / MEASURED_S),
    ("read.iops", "failed ones counted", |f| (f.step.read.count + f.step.read.errors) as f64 / MEASURED_S),
    ("read.iops", "ramp counted", |f| (f.step.read.count + f.ramp.read.count) as f64 / MEASURED_S),
    ("write.iops", "operations of both kinds", |f| f.operations() / MEASURED_S),
    ("write.iops", "failed ones counted", |f| (f.step.write.count + f.step.write.errors) as f64 / MEASURED_S),
    ("write.iops", "ramp in the time", |f| f.step.write.count as f64 / WITH_RAMP_S),
    ("total.iops", "reads alone", |f| f.step.read.count as f64 / MEASURED_S),
    ("total.iops", "failed ones counted", |f| (f.operations() + f.step.error_count() as f64) / MEASURED_S),
    ("total.iops", "ramp in the time", |f| f.operations() / WITH_RAMP_S),
];

const LATENCY: &[Mistake] = &[
    ("read.latency_mean", "ns for us", |f| mean_ns(&f.step.read)),
    ("read.latency_mean", "median for mean", |f| us(&f.step.read, 50.0)),
    ("read.latency_mean", "failed ones in the divisor", |f| {
        f.step.read.histogram.sum.get() as f64 / (f.step.read.count + f.step.read.errors) as f64 / 1e3
    }),
    ("read.latency_mean", "both kinds", |f| {
        (f.step.read.histogram.sum.get() + f.step.write.histogram.sum.get()) as f64 / f.operations() / 1e3
    }),
    ("read.latency_p50", "mean for median", |f| mean_ns(&f.step.read) / 1e3),
    ("read.latency_p50", "ns for us", |f| us(&f.step.read, 50.0) * 1e3),
    ("read.latency_p50", "middle of minimum and maximum", |f| us(&f.step.read, 0.0).midpoint(us(&f.step.read, 100.0))),
    ("read.latency_p99", "99.9th for 99th", |f| us(&f.step.read, 99.9)),
    ("read.latency_p99", "the rank after the nearest", |f| us(&f.step.read, 100.0 * 6_931.0 / 7_000.0)),
    ("read.latency_p99", "ns for us", |f| us(&f.step.read, 99.0) * 1e3),
    ("read.latency_p999", "99th for 99.9th", |f| us(&f.step.read, 99.0)),
    ("read.latency_p999", "maximum for 99.9th", |f| us(&f.step.read, 100.0)),
    ("read.latency_p9999", "99.9th for 99.99th", |f| us(&f.step.read, 99.9)),
    ("read.latency_max", "99.9th for maximum", |f| us(&f.step.read, 99.9)),
    ("read.latency_max", "maximum of the writes", |f| us(&f.step.write, 100.0)),
    ("write.latency_mean", "ns for us", |f| mean_ns(&f.step.write)),
    ("write.latency_mean", "median for mean", |f| us(&f.step.write, 50.0)),
    ("write.latency_mean", "mean of the reads", |f| mean_ns(&f.step.read) / 1e3),
    ("write.latency_p50", "mean for median", |f| mean_ns(&f.step.write) / 1e3),
    ("write.latency_p50", "median of the reads", |f| us(&f.step.read, 50.0)),
    ("write.latency_p99", "ramp included", |f| us_with_ramp(&f.step.write, &f.ramp.write, 99.0)),
    ("write.latency_p99", "median for 99th", |f| us(&f.step.write, 50.0)),
    ("write.latency_p99", "99.9th for 99th", |f| us(&f.step.write, 99.9)),
    ("write.latency_p999", "99th for 99.9th", |f| us(&f.step.write, 99.0)),
    ("write.latency_p999", "maximum for 99.9th", |f| us(&f.step.write, 100.0)),
    ("write.latency_p9999", "99.9th for 99.99th", |f| us(&f.step.write, 99.9)),
    ("write.latency_max", "99.9th for maximum", |f| us(&f.step.write, 99.9)),
    ("write.latency_max", "maximum of the reads", |f| us(&f.step.read, 100.0)),
    ("read.response_p9999", "99.9th for 99.99th", |f| response_us(&f.step.read, 99.9)),
    ("write.response_p9999", "99.9th for 99.99th", |f| response_us(&f.step.write, 99.9)),
];

/// Reads and writes in one distribution.
fn of_both(f: &Facts, of: fn(&OpRecord) -> &SparseHistogram) -> SparseHistogram {
    let mut all = of(&f.step.read).clone();
    all.merge(of(&f.step.write));
    all
}

const BOTH: &[Mistake] = &[
    ("total.latency_mean", "mean of the two means", |f| mean_ns(&f.step.read).midpoint(mean_ns(&f.step.write)) / 1e3),
    ("total.latency_mean", "reads alone", |f| mean_ns(&f.step.read) / 1e3),
    ("total.latency_mean", "response for latency", response_mean_us),
    ("total.latency_p99", "mean of the two", |f| us(&f.step.read, 99.0).midpoint(us(&f.step.write, 99.0))),
    ("total.latency_p99", "writes alone", |f| us(&f.step.write, 99.0)),
    ("total.response_mean", "latency for response", |f| {
        of_both(f, |op| &op.histogram).mean_ns().expect("latencies") / 1e3
    }),
    ("total.response_mean", "reads alone", |f| 0.1 + mean_ns(&f.step.read) / 1e3),
    ("total.response_p99", "latency for response", |f| {
        of_both(f, |op| &op.histogram).percentile(99.0).expect("latencies").get() as f64 / 1e3
    }),
    ("total.response_p99", "writes alone", |f| response_us(&f.step.write, 99.0)),
];

fn response_mean_us(f: &Facts) -> f64 {
    let of = |op: &'_ OpRecord| op.response.as_ref().map(|response| response.histogram.clone()).expect("responses");
    let mut all = of(&f.step.read);
    all.merge(&of(&f.step.write));
    all.mean_ns().expect("responses") / 1e3
}

const CONDUCT: &[Mistake] = &[
    ("in_flight_mean", "the requested depth", |_| 4.0),
    ("in_flight_mean", "ramp included", |f| f.step.in_flight_mean.midpoint(f.ramp.in_flight_mean)),
    ("in_flight_mean", "from Little's law", |f| {
        (f.step.read.histogram.sum.get() + f.step.write.histogram.sum.get()) as f64 / 1e9 / MEASURED_S
    }),
    ("errors", "those of the reads alone", |f| f.step.read.errors as f64),
    ("errors", "those of reads and writes", |f| (f.step.read.errors + f.step.write.errors) as f64),
    ("errors", "mean of both kinds", |f| f.step.error_count() as f64 / 2.0),
    ("errors", "ramp included", |f| (f.step.error_count() + f.ramp.read.errors + f.ramp.write.errors) as f64),
    ("errors", "the errors that were kept in full", |f| f.step.errors.len() as f64),
    ("cpu_user_per_io", "kernel time in it", |f| (f.cpu().0 + f.cpu().1) / f.issued() * 1e9),
    ("cpu_user_per_io", "divided by the measured part's", |f| f.cpu().0 / f.operations() * 1e9),
    ("cpu_user_per_io", "us for ns", |f| f.cpu().0 / f.issued() * 1e6),
    ("cpu_user_per_io", "divided by the reads", |f| f.cpu().0 / f.step.read.count as f64 * 1e9),
    ("cpu_share", "user mode alone", |f| 100.0 * f.cpu().0 / WITH_RAMP_S),
    ("cpu_share", "ramp not in the divisor", |f| 100.0 * (f.cpu().0 + f.cpu().1) / MEASURED_S),
    ("cpu_share", "of all CPUs of the testbed", |f| {
        100.0 * (f.cpu().0 + f.cpu().1) / WITH_RAMP_S / f64::from(f.run.environment.testbed.cpus)
    }),
    ("cpu_share", "a share for per cent", |f| (f.cpu().0 + f.cpu().1) / WITH_RAMP_S),
    ("duration", "ramp included", |f| (f.step.end_ns - f.ramp.start_ns) as f64 / 1e9),
    ("duration", "ms for s", |f| (f.step.end_ns - f.step.start_ns) as f64 / 1e6),
    ("duration", "end for length", |f| f.step.end_ns as f64 / 1e9),
    ("run.duration", "end of the last step", |f| f.step.end_ns as f64 / 1e9),
    ("run.duration", "sum of the measured parts", |_| MEASURED_S),
    ("run.bytes_written", "ramp left out", |f| bytes(&f.step.write) / GB),
    ("run.bytes_written", "GiB for GB", |f| f.step.written_total.as_f64() / GIB),
    ("run.bytes_written", "bytes read", |f| bytes(&f.step.read) / GB),
    ("run.bytes_read", "ramp left out", |f| bytes(&f.step.read) / GB),
    ("run.bytes_read", "GiB for GB", |f| (bytes(&f.step.read) + bytes(&f.ramp.read)) / GIB),
];

const ENGINE: &[Mistake] = &[
    ("engine.user_share", "kernel time in it", |f| 100.0 * (f.cpu().0 + f.cpu().1) / WITH_RAMP_S),
    ("engine.user_share", "ramp not in the divisor", |f| 100.0 * f.cpu().0 / MEASURED_S),
    ("engine.user_share", "share of the CPU time", |f| 100.0 * f.cpu().0 / (f.cpu().0 + f.cpu().1)),
    ("engine.kernel_share", "user time in it", |f| 100.0 * (f.cpu().0 + f.cpu().1) / WITH_RAMP_S),
    ("engine.kernel_share", "ramp not in the divisor", |f| 100.0 * f.cpu().1 / MEASURED_S),
    ("engine.operations_per_syscall", "the measured part's alone", |f| f.operations() / 4_000.0),
    ("engine.operations_per_syscall", "upside down", |f| 4_000.0 / f.issued()),
    ("engine.depth_kept", "a share for per cent", |f| f.step.in_flight_mean / 4.0),
    ("engine.depth_kept", "operations for per cent", |f| f.step.in_flight_mean),
    ("engine.depth_kept", "ramp included", |f| 25.0 * f.step.in_flight_mean.midpoint(f.ramp.in_flight_mean)),
    ("engine.reap_gap_mean", "ns for us", |_| 1_500.0),
    ("engine.reap_gap_mean", "the longest", |_| 80.0),
    ("engine.reap_gap_max", "ns for us", |_| 80_000.0),
    ("engine.reap_gap_max", "the mean", |_| 1.5),
    ("engine.short_transfers", "all errors of the ramp", |f| (f.ramp.read.errors + f.ramp.write.errors) as f64),
    ("engine.short_transfers", "EAGAIN retries in it", |_| 17.0),
    ("engine.eagain_retries", "short transfers in it", |_| 17.0),
    ("engine.eagain_retries", "short transfers", |_| 6.0),
    ("verified.blocks", "blocks read", |f| f.step.read.count as f64),
    ("verified.blocks", "good blocks alone", |_| 897.0),
    ("verified.bad_blocks", "kinds of fault", |_| 2.0),
    ("verified.bad_blocks", "the listed ones", |_| 64.0),
    ("total.latency_mean", "the mean of the two means", |f| (mean_ns(&f.step.read) + mean_ns(&f.step.write)) / 2e3),
    ("total.latency_mean", "reads alone", |f| mean_ns(&f.step.read) / 1e3),
    ("bursts.count", "the arrivals", |_| 17_200.0),
    ("bursts.active", "with the ramp", |_| WITH_RAMP_S),
    ("bursts.active", "ms for s", |f| f.step.active().as_secs_f64() * 1e3),
    ("bursts.active_share", "of the ramp too", |f| 100.0 * f.step.active().as_secs_f64() / WITH_RAMP_S),
    ("bursts.active_share", "not per cent", |f| f.step.active().as_secs_f64() / MEASURED_S),
    ("open_loop.asked_iops", "what was done", |f| f.done() / MEASURED_S),
    ("open_loop.achieved_iops", "without the failed ones", |f| (f.done() - 6.0) / MEASURED_S),
    ("open_loop.achieved_iops", "reads and writes alone", |f| f.operations() / MEASURED_S),
    ("open_loop.achieved_iops", "what arrived", |_| 17_200.0 / MEASURED_S),
    ("open_loop.backlog_growth", "backlog at the end / time", |_| 4.0 / MEASURED_S),
    ("open_loop.backlog_growth", "what is missing", |f| 8_600.0 - f.done() / MEASURED_S),
    ("open_loop.backlog_max", "at the end", |_| 4.0),
    ("open_loop.lateness_mean", "ns for us", |_| 700.0),
    ("open_loop.lateness_mean", "the longest", |_| 52.0),
    ("open_loop.lateness_max", "ns for us", |_| 52_000.0),
    ("open_loop.lateness_max", "the mean", |_| 0.7),
    ("replay.busy_throughput", "over the whole time", |f| f.bytes() / MEASURED_S / MB),
    ("replay.busy_throughput", "MiB for MB", |f| f.bytes() / 0.5 / MIB),
    ("replay.busy_throughput", "reads alone", |f| bytes(&f.step.read) / 0.5 / MB),
    ("replay.bytes", "MiB for MB", |f| f.bytes() / MIB),
    ("replay.bytes", "reads alone", |f| bytes(&f.step.read) / MB),
    ("replay.busy_time", "ms for s", |_| 500.0),
    ("replay.busy_time", "the measured time", |_| MEASURED_S),
    ("replay.energy", "J for Wh", |_| 14.5),
    ("replay.energy", "over the busy time", |_| 7.25 * 0.5 / 3_600.0),
    ("replay.lateness_mean", "ns for us", |_| 2_000.0),
    ("replay.lateness_mean", "mean of the two values", |_| 3.0),
    ("replay.lateness_max", "ns for us", |_| 5_000.0),
    ("replay.lateness_max", "the mean", |_| 2.0),
    ("replay.moved_share", "of all that were taken", |_| 100.0 * 50.0 / 210.0),
    ("replay.moved_share", "a share for per cent", |_| 0.25),
    ("replay.moved_share", "widened ones in it", |_| 28.5),
    ("trim.iops", "failed ones in it", |f| (other(f, OpKind::Trim).count + 1) as f64 / MEASURED_S),
    ("trim.iops", "a count for a rate", |f| other(f, OpKind::Trim).count as f64),
    ("write_zeroes.iops", "of the trims", |f| other(f, OpKind::Trim).count as f64 / MEASURED_S),
    ("write_zeroes.iops", "writes in it", |f| {
        (other(f, OpKind::WriteZeroes).count + f.step.write.count) as f64 / MEASURED_S
    }),
    ("write_zeroes.throughput", "MiB for MB", |f| bytes(other(f, OpKind::WriteZeroes)) / MEASURED_S / MIB),
    ("write_zeroes.throughput", "writes in it", |f| {
        (bytes(other(f, OpKind::WriteZeroes)) + bytes(&f.step.write)) / MEASURED_S / MB
    }),
    ("flush.iops", "of the writes", |f| f.step.write.count as f64 / MEASURED_S),
    ("flush.iops", "ramp in the time", |f| other(f, OpKind::Flush).count as f64 / WITH_RAMP_S),
];

const WATCHED: &[Mistake] = &[
    ("temperature.min", "readings before the step", |_| 40.0),
    ("temperature.min", "readings inside alone", |_| 50.0),
    ("temperature.mean", "mean of the readings, not of the time", |_| (40.0 + 50.0 + 45.0) / 3.0),
    ("temperature.mean", "middle of lowest and highest", |_| 47.5),
    ("temperature.max", "kelvin", |_| 323.0),
    ("temperature.max", "the value at the end", |_| 47.5),
    ("power.min", "readings before the step", |_| 4.0),
    ("power.min", "readings inside alone", |_| 8.0),
    ("power.min", "with what follows the step", |_| 2.0),
    ("power.mean", "mean of the readings, not of the time", |_| (4.0 + 8.0 + 8.0 + 2.0) / 4.0),
    ("power.mean", "readings inside alone", |_| 8.0),
    ("power.mean", "each value held until the next", |_| (4.0 * 1.0 + 8.0 * 1.0) / 2.0),
    ("power.max", "the mean", |_| 7.25),
    ("power.energy", "average power for energy", |_| 7.25),
    ("power.energy", "with the ramp", |_| 7.25 * WITH_RAMP_S),
    ("power.rest", "the whole rest", |_| 4.0),
    ("power.rest", "the measured part", |_| 7.25),
    ("power.rest", "the last reading", |_| 2.0),
    ("power.energy", "the run's time", |f| 7.25 * f.run.last_at_ns as f64 / 1e9),
    ("power.throughput_per_watt", "MiB for MB", |f| f.bytes() / MEASURED_S / MIB / 7.25),
    ("power.throughput_per_watt", "per joule of the step", |f| f.bytes() / MEASURED_S / MB / 14.5),
    ("power.throughput_per_watt", "reads alone", |f| bytes(&f.step.read) / MEASURED_S / MB / 7.25),
    ("power.iops_per_watt", "operations per watt", |f| f.operations() / 7.25),
    ("power.iops_per_watt", "the host's power in it", |f| f.operations() / MEASURED_S / 27.25),
    ("media.write_amplification", "what was added for what was written", |_| 0.5),
    ("media.write_amplification", "the counters of a life", |_| (9e12 + 3e9) / (7e12 + 2e9)),
    ("host_power.mean", "joules for watts", |_| 40.0),
    ("host_cpu.busy", "waiting for I/O in it", |_| 40.0),
    ("host_cpu.busy", "stolen time in it", |_| 47.5),
    ("host_cpu.busy", "user mode alone", |_| 25.0),
    ("host_cpu.per_gb", "of all time", |_| 1.0 / 0.02048),
    ("host_cpu.per_gb", "per GiB", |_| 0.375 / 0.02048 * 1.073_741_824),
    ("host_cpu.per_gb", "user mode alone", |_| 0.25 / 0.02048),
    ("host_cpu.steal", "a share for per cent", |_| 0.1),
    ("host_cpu.steal", "of the busy time", |_| 100.0 * 0.4 / 1.5),
    ("score.sum", "without weights", |_| 8_500.0),
    ("score.sum", "the weight for the other", |_| 4_000.0),
    ("score.sum", "divided by the weights", |_| 5_350.0 / 1.1),
    ("score.mean", "divided by the number of terms", |_| 2_675.0),
    ("score.mean", "without weights", |_| 4_250.0),
    ("run.telemetry_cpu", "of the measured part", |_| 2.5),
    ("run.telemetry_cpu", "a share for per cent", |_| 0.004),
];

/// The record of a kind.
fn other(facts: &Facts, kind: OpKind) -> &OpRecord {
    facts.step.op(kind).expect("the hand-made run has every kind")
}

/// A percentile of the response times, microseconds.
fn response_us(op: &OpRecord, per_cent: f64) -> f64 {
    let histogram = &op.response.as_ref().expect("response times").histogram;
    histogram.percentile(per_cent).expect("response times").get() as f64 / 1e3
}

/// Mistakes in the times of one kind: another unit, the neighbouring figure, another kind's, latency for response.
macro_rules! times {
    ($name:literal, $kind:ident, $wrong:ident) => {
        &[
            (concat!($name, ".latency_mean"), "ns for us", |f| mean_ns(other(f, OpKind::$kind))),
            (concat!($name, ".latency_mean"), "median for mean", |f| us(other(f, OpKind::$kind), 50.0)),
            (concat!($name, ".latency_mean"), "of another kind", |f| mean_ns(other(f, OpKind::$wrong)) / 1e3),
            (concat!($name, ".latency_p50"), "of another kind", |f| us(other(f, OpKind::$wrong), 50.0)),
            (concat!($name, ".latency_p50"), "response for latency", |f| response_us(other(f, OpKind::$kind), 50.0)),
            (concat!($name, ".latency_p99"), "99.9th for 99th", |f| us(other(f, OpKind::$kind), 99.9)),
            (concat!($name, ".latency_p999"), "99th for 99.9th", |f| us(other(f, OpKind::$kind), 99.0)),
            (concat!($name, ".latency_p999"), "maximum for 99.9th", |f| us(other(f, OpKind::$kind), 100.0)),
            (concat!($name, ".latency_max"), "99.9th for maximum", |f| us(other(f, OpKind::$kind), 99.9)),
            (concat!($name, ".response_mean"), "latency for response", |f| mean_ns(other(f, OpKind::$kind)) / 1e3),
            (concat!($name, ".response_mean"), "median for mean", |f| response_us(other(f, OpKind::$kind), 50.0)),
            (concat!($name, ".response_p50"), "latency for response", |f| us(other(f, OpKind::$kind), 50.0)),
            (concat!($name, ".response_p50"), "of another kind", |f| response_us(other(f, OpKind::$wrong), 50.0)),
            (concat!($name, ".response_p99"), "latency for response", |f| us(other(f, OpKind::$kind), 99.0)),
            (concat!($name, ".response_p99"), "99.9th for 99th", |f| response_us(other(f, OpKind::$kind), 99.9)),
            (concat!($name, ".response_p999"), "latency for response", |f| us(other(f, OpKind::$kind), 99.9)),
            (concat!($name, ".response_p999"), "maximum for 99.9th", |f| response_us(other(f, OpKind::$kind), 100.0)),
            (concat!($name, ".response_max"), "latency for response", |f| us(other(f, OpKind::$kind), 100.0)),
            (concat!($name, ".response_max"), "99.9th for maximum", |f| response_us(other(f, OpKind::$kind), 99.9)),
        ]
    };
}

const TIMES: [&[Mistake]; 5] = [
    times!("read", Read, Write),
    times!("write", Write, Read),
    times!("trim", Trim, WriteZeroes),
    times!("write_zeroes", WriteZeroes, Flush),
    times!("flush", Flush, Trim),
];

fn mistakes() -> impl Iterator<Item = Mistake> {
    [THROUGHPUT, LATENCY, BOTH, CONDUCT, ENGINE, WATCHED].into_iter().chain(TIMES).flatten().copied()
}

#[test]
fn every_metric_has_a_mistake_to_be_told_from() {
    let of_others = filled::MISTAKES.iter().chain(heated::MISTAKES).chain(capacities::MISTAKES).map(|(id, ..)| *id);
    let covered: BTreeSet<&str> = mistakes().map(|(id, ..)| id).chain(of_others).collect();
    let all: BTreeSet<&str> = METRICS.iter().map(|def| def.id).collect();
    assert_eq!(covered, all);
}

#[test]
fn the_known_answer_tells_every_mistake_from_the_right_figure() {
    let (facts, known) = (Facts::new(), known_answers());
    let of_run = mistakes().map(|(id, what, wrong)| (id, what, wrong(&facts)));
    let of_others = filled::MISTAKES.iter().chain(heated::MISTAKES).chain(capacities::MISTAKES).copied();
    for (id, what, wrong) in of_run.chain(of_others) {
        let right = known[id];
        assert!(wrong.is_finite() && wrong != 0.0 || id == "errors", "{id}, {what}: {wrong} tells nothing");
        assert!(!agrees(wrong, right), "{id}: the hand-made run does not tell {wrong} ({what}) from {right}");
    }
}
