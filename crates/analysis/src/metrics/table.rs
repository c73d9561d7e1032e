//! The table of metrics: name, unit, direction, definition and the one function that computes each.
//!
//! docs/metrics.md is printed from this table ([`super::metrics_markdown`]) and a test checks that the two are equal.
//! Must not know how a value is rounded, coloured or drawn.

use drivelab_core::load::OpKind;
use drivelab_core::metric::{AsAsked, Better, Class, MetricDef};

use crate::metrics::entry::Compute;
use crate::metrics::meaning::{
    Applies, COURSE_OF_FILL, COURSE_OF_HEAT, CPU_PER_BYTE, DATA, FLUSH, LIMIT_OF_HEAT, PER_WATT, RATE_OF_FILL,
    RATE_OF_HEAT, READ, RUN, SCORE, Sort, TRIM, WRITE, ZEROES, always, both_or_on_curve, bursts, effort, host_cpu,
    host_power, media_writes, open_loop, open_loop_on_curve, power, reaping, replay, replay_or_on_curve, temperature,
    timed_replay, verification,
};
use crate::metrics::times::Times;
use crate::values;

macro_rules! metrics {
    ($($id:literal, $title:literal, $unit:literal, $better:ident, $compute:ident($($operand:ident),*)
       $(: $sort:expr)?, $definition:expr;)*) => {
        /// Every metric that drivelab knows, with its definition.
        pub static METRICS: &[MetricDef] = &[$(MetricDef {
            id: $id,
            title: $title,
            unit: $unit,
            better: Better::$better,
            meaning: sort!($compute, ($($operand),*) $(, $sort)?).meaning,
            definition: $definition,
            function: function!($($operand),*),
        }),*];
        /// The functions, in the order of [`METRICS`].
        pub(super) static COMPUTE: &[Compute] = &[$(compute!($compute, $($operand),*)),*];
        /// Which steps have them, in the same order.
        pub(super) static APPLIES: &[Applies] = &[$(sort!($compute, ($($operand),*) $(, $sort)?).applies),*];
    };
}

/// What a row states about its metric. For latencies and response times of one kind of operation it follows from the
/// function.
macro_rules! sort {
    ($compute:ident, $operands:tt, $sort:expr) => {
        $sort
    };
    (Mean, ($kind:ident, $times:ident, $function:ident)) => {
        Sort::times(kinds!($kind), Times::$times, false)
    };
    (Tail, ($kind:ident, $times:ident, $function:ident)) => {
        Sort::times(kinds!($kind), Times::$times, true)
    };
    (Score, $operands:tt) => {
        SCORE
    };
    (Run, $operands:tt) => {
        RUN
    };
}

macro_rules! kinds {
    (Read) => {
        READ
    };
    (Write) => {
        WRITE
    };
    (Trim) => {
        TRIM
    };
    (WriteZeroes) => {
        ZEROES
    };
    (Flush) => {
        FLUSH
    };
}

/// The path of the function: the last operand.
macro_rules! function {
    ($kind:ident, $times:ident, $function:ident) => {
        function!($function)
    };
    ($times:ident, $function:ident) => {
        function!($function)
    };
    ($function:ident) => {
        concat!("drivelab_analysis::values::", stringify!($function))
    };
}

macro_rules! compute {
    ($compute:ident, $kind:ident, $times:ident, $function:ident) => {
        Compute::$compute(OpKind::$kind, Times::$times, values::$function)
    };
    ($compute:ident, $times:ident, $function:ident) => {
        Compute::$compute(Times::$times, values::$function)
    };
    ($compute:ident, $function:ident) => {
        Compute::$compute(values::$function)
    };
}

metrics! {
    "read.throughput", "Read throughput", "MB/s", Higher,
        Step(read_throughput): Sort::rate(READ), throughput_text!("reads");
    "write.throughput", "Write throughput", "MB/s", Higher,
        Step(write_throughput): Sort::rate(WRITE), throughput_text!("writes");
    "total.throughput", "Throughput", "MB/s", Higher, Step(total_throughput): Sort::rate(DATA),
        throughput_text!("reads and writes together");
    "read.iops", "Reads per second", "IOPS", Higher, Step(read_iops): Sort::rate(READ), iops_text!("reads");
    "write.iops", "Writes per second", "IOPS", Higher, Step(write_iops): Sort::rate(WRITE), iops_text!("writes");
    "total.iops", "Operations per second", "IOPS", Higher,
        Step(total_iops): Sort::rate(DATA), iops_text!("reads and writes together");
    "total.latency_mean", "Mean latency", "us", Lower,
        Step(total_latency_mean): Sort::of(Class::MeanLatency, both_or_on_curve).about(DATA),
        latency_mean_text!("reads and writes together");
    "total.latency_p99", "99th percentile of latency", "us", Lower,
        TailOfBoth(Latency, latency_p99): Sort::of(Class::TailLatency, replay_or_on_curve).about(DATA),
        latency_share_text!("reads and writes of a curve's step or a replay", "99 %");
    "total.response_mean", "Mean response time", "us", Lower,
        Step(total_response_mean): Sort::of(Class::Response, open_loop_on_curve).about(DATA),
        response_mean_text!("reads and writes of a curve's step");
    "total.response_p99", "99th percentile of response time", "us", Lower,
        TailOfBoth(Response, latency_p99): Sort::of(Class::Response, open_loop_on_curve).about(DATA),
        response_share_text!("reads and writes of a curve's step", "99 %");
    "read.latency_mean", "Mean read latency", "us", Lower, Mean(Read, Latency, latency_mean),
        latency_mean_text!("reads");
    "read.latency_p50", "Median read latency", "us", Lower, Tail(Read, Latency, latency_p50),
        latency_share_text!("reads", "50 %");
    "read.latency_p99", "99th percentile of read latency", "us", Lower, Tail(Read, Latency, latency_p99),
        latency_share_text!("reads", "99 %");
    "read.latency_p999", "99.9th percentile of read latency", "us", Lower, Tail(Read, Latency, latency_p999),
        latency_share_text!("reads", "99.9 %");
    "read.latency_p9999", "99.99th percentile of read latency", "us", Lower, Tail(Read, Latency, latency_p9999):
        Sort::times(READ, Times::Latency, true).sparse(),
        latency_share_text!("reads", "99.99 %");
    "read.latency_max", "Longest read latency", "us", Lower, Tail(Read, Latency, latency_max),
        latency_max_text!("reads");
    "write.latency_mean", "Mean write latency", "us", Lower, Mean(Write, Latency, latency_mean),
        latency_mean_text!("writes");
    "write.latency_p50", "Median write latency", "us", Lower, Tail(Write, Latency, latency_p50),
        latency_share_text!("writes", "50 %");
    "write.latency_p99", "99th percentile of write latency", "us", Lower, Tail(Write, Latency, latency_p99),
        latency_share_text!("writes", "99 %");
    "write.latency_p999", "99.9th percentile of write latency", "us", Lower, Tail(Write, Latency, latency_p999),
        latency_share_text!("writes", "99.9 %");
    "write.latency_p9999", "99.99th percentile of write latency", "us", Lower, Tail(Write, Latency, latency_p9999):
        Sort::times(WRITE, Times::Latency, true).sparse(),
        latency_share_text!("writes", "99.99 %");
    "write.latency_max", "Longest write latency", "us", Lower, Tail(Write, Latency, latency_max),
        latency_max_text!("writes");
    "read.response_mean", "Mean read response time", "us", Lower, Mean(Read, Response, latency_mean),
        response_mean_text!("reads");
    "read.response_p50", "Median read response time", "us", Lower, Tail(Read, Response, latency_p50),
        response_share_text!("reads", "50 %");
    "read.response_p99", "99th percentile of read response time", "us", Lower, Tail(Read, Response, latency_p99),
        response_share_text!("reads", "99 %");
    "read.response_p999", "99.9th percentile of read response time", "us", Lower, Tail(Read, Response, latency_p999),
        response_share_text!("reads", "99.9 %");
    "read.response_p9999", "99.99th percentile of read response time", "us", Lower, Tail(Read, Response, latency_p9999):
        Sort::times(READ, Times::Response, true).sparse(),
        response_share_text!("reads", "99.99 %");
    "read.response_max", "Longest read response time", "us", Lower, Tail(Read, Response, latency_max),
        response_max_text!("reads");
    "write.response_mean", "Mean write response time", "us", Lower, Mean(Write, Response, latency_mean),
        response_mean_text!("writes");
    "write.response_p50", "Median write response time", "us", Lower, Tail(Write, Response, latency_p50),
        response_share_text!("writes", "50 %");
    "write.response_p99", "99th percentile of write response time", "us", Lower, Tail(Write, Response, latency_p99),
        response_share_text!("writes", "99 %");
    "write.response_p999", "99.9th percentile of write response time", "us", Lower, Tail(Write, Response, latency_p999),
        response_share_text!("writes", "99.9 %");
    "write.response_p9999", "99.99th percentile of write response time", "us", Lower, Tail(Write, Response, latency_p9999):
        Sort::times(WRITE, Times::Response, true).sparse(),
        response_share_text!("writes", "99.99 %");
    "write.response_max", "Longest write response time", "us", Lower, Tail(Write, Response, latency_max),
        response_max_text!("writes");
    "trim.iops", "Trims per second", "IOPS", Higher, Step(trim_iops): Sort::rate(TRIM), other_iops_text!("trims");
    "trim.latency_mean", "Mean trim latency", "us", Lower, Mean(Trim, Latency, latency_mean),
        latency_mean_text!("trims");
    "trim.latency_p50", "Median trim latency", "us", Lower, Tail(Trim, Latency, latency_p50),
        latency_share_text!("trims", "50 %");
    "trim.latency_p99", "99th percentile of trim latency", "us", Lower, Tail(Trim, Latency, latency_p99),
        latency_share_text!("trims", "99 %");
    "trim.latency_p999", "99.9th percentile of trim latency", "us", Lower, Tail(Trim, Latency, latency_p999),
        latency_share_text!("trims", "99.9 %");
    "trim.latency_max", "Longest trim latency", "us", Lower, Tail(Trim, Latency, latency_max),
        latency_max_text!("trims");
    "trim.response_mean", "Mean trim response time", "us", Lower, Mean(Trim, Response, latency_mean),
        response_mean_text!("trims");
    "trim.response_p50", "Median trim response time", "us", Lower, Tail(Trim, Response, latency_p50),
        response_share_text!("trims", "50 %");
    "trim.response_p99", "99th percentile of trim response time", "us", Lower, Tail(Trim, Response, latency_p99),
        response_share_text!("trims", "99 %");
    "trim.response_p999", "99.9th percentile of trim response time", "us", Lower, Tail(Trim, Response, latency_p999),
        response_share_text!("trims", "99.9 %");
    "trim.response_max", "Longest trim response time", "us", Lower, Tail(Trim, Response, latency_max),
        response_max_text!("trims");
    "write_zeroes.iops", "Write-zeroes operations per second", "IOPS", Higher,
        Step(write_zeroes_iops): Sort::rate(ZEROES),
        other_iops_text!("write-zeroes operations");
    "write_zeroes.throughput", "Bytes zeroed per second", "MB/s", Higher,
        Step(write_zeroes_throughput): Sort::rate(ZEROES),
        covered_text!("write-zeroes operations");
    "write_zeroes.latency_mean", "Mean write-zeroes latency", "us", Lower, Mean(WriteZeroes, Latency, latency_mean),
        latency_mean_text!("write-zeroes operations");
    "write_zeroes.latency_p50", "Median write-zeroes latency", "us", Lower, Tail(WriteZeroes, Latency, latency_p50),
        latency_share_text!("write-zeroes operations", "50 %");
    "write_zeroes.latency_p99", "99th percentile of write-zeroes latency", "us", Lower, Tail(WriteZeroes, Latency, latency_p99),
        latency_share_text!("write-zeroes operations", "99 %");
    "write_zeroes.latency_p999", "99.9th percentile of write-zeroes latency", "us", Lower, Tail(WriteZeroes, Latency, latency_p999),
        latency_share_text!("write-zeroes operations", "99.9 %");
    "write_zeroes.latency_max", "Longest write-zeroes latency", "us", Lower, Tail(WriteZeroes, Latency, latency_max),
        latency_max_text!("write-zeroes operations");
    "write_zeroes.response_mean", "Mean write-zeroes response time", "us", Lower, Mean(WriteZeroes, Response, latency_mean),
        response_mean_text!("write-zeroes operations");
    "write_zeroes.response_p50", "Median write-zeroes response time", "us", Lower, Tail(WriteZeroes, Response, latency_p50),
        response_share_text!("write-zeroes operations", "50 %");
    "write_zeroes.response_p99", "99th percentile of write-zeroes response time", "us", Lower, Tail(WriteZeroes, Response, latency_p99),
        response_share_text!("write-zeroes operations", "99 %");
    "write_zeroes.response_p999", "99.9th percentile of write-zeroes response time", "us", Lower, Tail(WriteZeroes, Response, latency_p999),
        response_share_text!("write-zeroes operations", "99.9 %");
    "write_zeroes.response_max", "Longest write-zeroes response time", "us", Lower, Tail(WriteZeroes, Response, latency_max),
        response_max_text!("write-zeroes operations");
    "flush.iops", "Flushes per second", "IOPS", Higher,
        Step(flush_iops): Sort::rate(FLUSH), other_iops_text!("flushes");
    "flush.latency_mean", "Mean flush latency", "us", Lower, Mean(Flush, Latency, latency_mean),
        latency_mean_text!("flushes");
    "flush.latency_p50", "Median flush latency", "us", Lower, Tail(Flush, Latency, latency_p50),
        latency_share_text!("flushes", "50 %");
    "flush.latency_p99", "99th percentile of flush latency", "us", Lower, Tail(Flush, Latency, latency_p99),
        latency_share_text!("flushes", "99 %");
    "flush.latency_p999", "99.9th percentile of flush latency", "us", Lower, Tail(Flush, Latency, latency_p999),
        latency_share_text!("flushes", "99.9 %");
    "flush.latency_max", "Longest flush latency", "us", Lower, Tail(Flush, Latency, latency_max),
        latency_max_text!("flushes");
    "flush.response_mean", "Mean flush response time", "us", Lower, Mean(Flush, Response, latency_mean),
        response_mean_text!("flushes");
    "flush.response_p50", "Median flush response time", "us", Lower, Tail(Flush, Response, latency_p50),
        response_share_text!("flushes", "50 %");
    "flush.response_p99", "99th percentile of flush response time", "us", Lower, Tail(Flush, Response, latency_p99),
        response_share_text!("flushes", "99 %");
    "flush.response_p999", "99.9th percentile of flush response time", "us", Lower, Tail(Flush, Response, latency_p999),
        response_share_text!("flushes", "99.9 %");
    "flush.response_max", "Longest flush response time", "us", Lower, Tail(Flush, Response, latency_max),
        response_max_text!("flushes");
    "in_flight_mean", "Operations in flight", "operations", Neutral,
        Step(in_flight_mean): Sort::of(Class::Depth, always),
        "Mean number of operations submitted and not yet completed, over all threads and the measured part of the \
         step, weighted by time. The engine measures it; it is not copied from the requested queue depth. \
         The ramp is left out. Source: `in_flight_mean` of the step record.";
    "errors", "Failed operations", "operations", Lower, Sum(errors): Sort::of(Class::Failures, always),
        "Operations of any kind in the measured part of the step that the kernel ended with an error or that moved \
         fewer bytes than requested. They are in no other figure. Rounds are always added up, whatever `combine` \
         says. Errors in the ramp are left out. Source: `errors` of every kind in the step record.";
    "verified.blocks", "Blocks checked", "blocks", Neutral, Sum(verified_blocks): Sort::of(Class::Check, verification),
        "Blocks of the measured part whose header and content were compared with what was written. Rounds are added \
         up. Blocks of failed reads are left out. Source: `verification.checked` of the step record.";
    "verified.bad_blocks", "Bad blocks", "blocks", Lower,
        Sum(verified_bad_blocks): Sort::of(Class::Check, verification),
        "Checked blocks that do not hold what was written: stale, misplaced, wrapped, torn, corrupt, zero or foreign. \
         Rounds are added up. Blocks of failed reads are left out. Source: `verification.faults` of the step record.";
    "verified.capacity", "Verified capacity", "GB", Higher,
        Step(verified_capacity): Sort::of(Class::Check, verification).sparse(),
        "Capacity that a check has confirmed; the check begins at the start of the target and visits no block twice. \
         If addresses wrap, it is the distance after which they do. If at least 90 % of the blocks from the lowest \
         fault on are bad or unreadable, it is the end of the checked block before that fault. Otherwise it is the \
         span of the step. 1 GB is 10^9 bytes. Single bad blocks do not reduce it, and blocks between those that were \
         checked are left out. Source: `verification` and `errors` of the step record.";
    "verified.share_found", "Smallest missing share that a sample finds", "%", Lower,
        Step(verified_share_found): Sort::of(Class::Check, verification).sparse(),
        "If this share of the span's blocks were missing, at random places, the check would have overlooked all of \
         them with a probability of one in a million: 1 - (10^-6)^(1/n) with n blocks checked; 0 if all \
         were checked. The true probability is lower, because the places of a sample are spread and a missing part is \
         usually one piece; that is left out. Source: `verification.checked` and `read.errors` of the step record.";
    "open_loop.asked_iops", "Requested arrivals", "IOPS", Neutral,
        Step(open_loop_asked_iops): Sort::of(Class::Schedule, open_loop),
        "Arrivals per second in the schedule of an open loop, over all threads and groups; the time includes the \
         pauses of bursts. The ramp is left out. Source: `open_loop.asked_iops` of the step record.";
    "open_loop.achieved_iops", "Achieved arrivals", "IOPS", Higher,
        Step(open_loop_achieved_iops): Sort::of(Class::ArrivalRate, open_loop),
        "Operations of every kind that ended in the measured part of an open loop, including failed ones, divided by \
         its length. If it is below the requested rate by more than rounding, arrivals waited. The ramp is left out. \
         Source: `count` and `errors` of every kind, `start_ns` and `end_ns` of the step record.";
    "open_loop.backlog_growth", "Growth of the backlog", "operations/s", Lower,
        Step(open_loop_backlog_growth): Sort::of(Class::Schedule, open_loop),
        "Slope of the least-squares line through the number of arrivals that were waiting at the end of each interval. \
         If it is more than noise, more is requested than the target can do, and its response times have no \
         steady value. The ramp is left out. Source: `open_loop.backlog_growth_per_second` of the step record.";
    "open_loop.backlog_max", "Largest backlog", "operations", Lower,
        Step(open_loop_backlog_max): Sort::of(Class::Schedule, open_loop),
        "Largest number of arrivals that were waiting at the end of an interval of the measured part. Peaks within an \
         interval are left out. Source: `open_loop.backlog_max` of the step record.";
    "open_loop.lateness_mean", "Mean lateness of the generator", "us", Lower,
        Step(open_loop_lateness_mean): Sort::of(Class::Schedule, open_loop),
        "Mean time by which the engine itself submitted an operation later than intended although a slot was free. \
         Waiting for a slot is left out: that is the backlog. Source: `open_loop.lateness_mean` of the step record.";
    "open_loop.lateness_max", "Longest lateness of the generator", "us", Lower,
        Step(open_loop_lateness_max): Sort::of(Class::Schedule, open_loop),
        "Longest time by which the engine itself submitted an operation later than intended although a slot was free. \
         Waiting for a slot is left out: that is the backlog. Source: `open_loop.lateness_max` of the step record.";
    "replay.busy_throughput", "Throughput over busy time", "MB/s", Higher,
        Step(replay_busy_throughput): Sort::rate(DATA).only(replay).as_asked(AsAsked::No),
        "Bytes moved by completed reads and writes of a replayed trace, divided by the time in which at least one \
         operation was outstanding; 1 MB is 10^6 bytes. The pauses of the trace are left out, so a replay at recorded \
         times shows how fast the target is while it has work. Operations that ended in an error count in the time \
         but not in the bytes. Source: `bytes` of the step record and `replay.busy`.";
    "replay.bytes", "Data moved by the replay", "MB", Neutral,
        Step(replay_bytes): Sort::of(Class::Amount, replay).as_asked(AsAsked::Always),
        "Bytes moved by completed reads and writes of a replayed trace; 1 MB is 10^6 bytes. Together with the busy \
         time they give one bandwidth over several traces. Trims are left out, as are operations that ended in an \
         error. Source: `bytes` of the step record.";
    "replay.busy_time", "Busy time", "s", Lower, Step(replay_busy_time): Sort::of(Class::Amount, replay).timed(),
        "Time of a replay in which at least one operation was outstanding, over all threads. The pauses of the trace \
         are left out. Source: `replay.busy` of the step record.";
    "replay.energy", "Energy of the drive for the replay", "Wh", Lower,
        Step(replay_energy): Sort::of(Class::Amount, replay).sparse(),
        "`power.energy` of a replay in watt-hours, 3,600 J each: the energy that the drive used for the whole trace, \
         including its pauses as replayed. The host's energy and the rest after the step are left out; absent if \
         nothing measured the drive's power. Source: as `power.energy`.";
    "replay.lateness_mean", "Mean lateness of the replay", "us", Lower,
        Step(replay_lateness_mean): Sort::of(Class::Amount, timed_replay),
        "Exact mean time by which operations of a replay at recorded times were submitted later than intended, \
         including waiting for a free slot. If it is above the latency, the target could not follow the trace. \
         Operations that were never submitted are left out. Source: `replay.lateness` of the step record.";
    "replay.lateness_max", "Longest lateness of the replay", "us", Lower,
        Step(replay_lateness_max): Sort::of(Class::Amount, timed_replay),
        "Exact longest time by which an operation of a replay at recorded times was submitted later than intended, \
         including waiting for a free slot. Operations that were never submitted are left out. Source: \
         `replay.lateness` of the step record.";
    "replay.moved_share", "Operations at another address", "%", Neutral,
        Step(replay_moved_share): Sort::of(Class::Amount, replay),
        "Share of the issued operations of a replay that went to another address than recorded, because the span does \
         not contain the recorded one. Operations that were only widened to whole logical blocks are left out. Source: \
         `replay.moved`, `replay.taken` and `replay.skipped_trims` of the step record.";
    "bursts.count", "Bursts", "bursts", Neutral, Step(bursts_count): Sort::of(Class::Amount, bursts),
        "Bursts by volume in the measured part, including one that its end cut off. Bursts of the ramp are left out. \
         Source: `bursts.count` of the step record.";
    "bursts.active", "Active time of the bursts", "s", Neutral, Step(bursts_active): Sort::of(Class::Amount, bursts),
        "Time from the first submission of each burst by volume to its last completion, summed over the bursts of the \
         measured part. The rates of such a step are over this time. The pauses are left out. Source: `bursts.active` \
         of the step record.";
    "bursts.active_share", "Active share of the time", "%", Neutral,
        Step(bursts_active_share): Sort::of(Class::Amount, bursts),
        "Active time of the bursts as a share of the measured part, pauses included: the achieved duty cycle, \
         a little above the requested one because no pause follows the last burst. The ramp is left out. Source: \
         `bursts.active`, `start_ns` and `end_ns` of the step record.";
    "cpu_user_per_io", "User CPU time per operation", "ns", Lower,
        Step(cpu_user_per_io): Sort::of(Class::Account, always),
        "CPU time that the issuing threads spent in user mode, which is drivelab's own code, divided by the operations \
         that they issued; both include the ramp and failed operations. Kernel time and interrupts are left out. For \
         recordings of the first format version, the share of the measured part is divided by its operations. The \
         kernel knows the sum of both modes to the nanosecond and splits it by what ran at its timer ticks (100 to \
         1,000 a second): over one second the figure is accurate to about 5 %, over ten to 2 %, and with less than \
         200 ms of both together there is none. Source: `cpu_user` and `effort.operations` of the engine's report.";
    "cpu_share", "CPU share of the issuing threads", "%", Lower,
        Step(cpu_share): Sort::of(Class::Account, always).timed(),
        "CPU time of the issuing threads, user mode and kernel, divided by their time, ramp included, summed \
         over the threads (the sync backend has one for every operation in flight); 100 % means that they never \
         waited. Interrupts, kernel workers and other processes are left out. Source: `cpu_user`, `cpu_system` and \
         `effort.thread_time` of the engine's report.";
    "engine.user_share", "User share of the issuing threads' time", "%", Lower,
        Step(engine_user_share): Sort::of(Class::Account, effort),
        "CPU time of the issuing threads in user mode, divided by their time, ramp included. Above 50 % the \
         load generator is the limit and rates are lower bounds. Kernel time is left out. Source: `cpu_user` and \
         `effort.thread_time` of the engine's report.";
    "engine.kernel_share", "Kernel share of the issuing threads' time", "%", Lower,
        Step(engine_kernel_share): Sort::of(Class::Account, effort),
        "CPU time of the issuing threads in the kernel, divided by their time, ramp included. Above 50 % the \
         host's CPU is the limit and rates are lower bounds. Interrupts and kernel workers are left out. Source: \
         `cpu_system` and `effort.thread_time` of the engine's report.";
    "engine.operations_per_syscall", "Operations per system call", "operations", Neutral,
        Step(engine_operations_per_syscall): Sort::of(Class::Account, effort),
        "Operations issued, divided by the system calls that submitted or awaited them, ramp and failed operations \
         included; 1 for the sync backend. System calls before the start and after the end are left out. Source: \
         `effort.operations` and `effort.syscalls` of the engine's report.";
    "engine.depth_kept", "Depth reached", "%", Neutral, Step(engine_depth_kept): Sort::of(Class::Account, effort),
        "Mean operations in flight in the measured part, divided by the requested number. Below 90 % in a closed loop \
         without pauses, the load on the target was not the one that the step's name says. The ramp is left out. \
         Source: `in_flight_mean` of the step record and `effort.depth_asked` of the engine's report.";
    "engine.reap_gap_mean", "Mean gap between checks for completions", "us", Lower,
        Step(engine_reap_gap_mean): Sort::of(Class::Account, reaping),
        "Mean time outside the kernel between two checks for completions. A completion in between is noticed late by \
         at most that time, so this bounds what the engine adds to a latency. Time in the kernel is left \
         out; absent for the sync backend. Source: `effort.reap_gap_mean` of the engine's report.";
    "engine.reap_gap_max", "Longest gap between checks for completions", "us", Lower,
        Step(engine_reap_gap_max): Sort::of(Class::Account, reaping),
        "Longest time outside the kernel between two checks for completions. Time in the kernel is left \
         out; absent for the sync backend. Source: `effort.reap_gap_max` of the engine's report.";
    "engine.short_transfers", "Short transfers", "operations", Lower,
        Sum(engine_short_transfers): Sort::of(Class::Account, effort),
        "How often the kernel moved only part of a transfer and drivelab issued the rest; the operation's latency is \
         that of the whole. Failed operations are left out; the ramp is included, and rounds are added up. \
         Source: `effort.short_transfers` of the engine's report.";
    "engine.eagain_retries", "EAGAIN retries", "operations", Lower,
        Sum(engine_eagain_retries): Sort::of(Class::Account, effort),
        "How often a transfer ended with EAGAIN, because a layer below the target would have had to wait, and was \
         issued again in a way that lets it wait; the operation's latency is that of both. Short transfers and what \
         the kernel repeated by itself are left out; operations that failed all the same and the ramp are included, \
         and rounds are added up. Source: `effort.eagain_retries` of the engine's report.";
    "duration", "Measured time", "s", Neutral, Step(duration): Sort::of(Class::Length, always),
        "Time from the first submission to the last counted completion of the measured part of the step, on the \
         run's monotonic clock. The ramp and the rest after the step are left out. Source: `start_ns` and `end_ns` \
         of the step record.";
    "fill.peak", "Rate before the end of the write cache", "MB/s", Higher, Step(fill_peak): RATE_OF_FILL,
        "Bytes over time of a fill up to the end of the write cache (see `fill.cache_size`), without the intervals of \
         a burst at its start and without a gap just at the end of the cache; of the whole fill if no end was seen. A \
         fill is a step in which one thread writes the whole span sequentially; what it writes after it wraps is left \
         out. Absent if the span was not filled or has fewer than 20 intervals. Source: bytes and bounds of the step's \
         intervals.";
    "fill.cache_size", "Write cache used", "GB", Neutral, Step(fill_cache_size): COURSE_OF_FILL,
        "Bytes written when the rate fell permanently, by the rule under *The end of a write cache* above. 1 GB is \
         10^9 bytes. The position within an interval follows from the mean of that interval and the rates before and \
         after it. What was written after the end is left out. Absent if no end was seen; a burst, a gap, a slow \
         decline and a fall from which the rate recovered are not an end. Source: bytes and bounds of the step's \
         intervals.";
    "fill.cache_share", "Share of the span that the write cache took", "%", Neutral,
        Step(fill_cache_share): COURSE_OF_FILL,
        "`fill.cache_size` divided by the span of the step. If the span is only part of the drive, the rest is left \
         out. Source: as for `fill.cache_size`.";
    "fill.sustained", "Rate after the end of the write cache", "MB/s", Higher, Step(fill_sustained): RATE_OF_FILL,
        "Bytes over time after the end of the cache; of the whole fill if no end was seen. The fill is judged in parts \
         of half a per cent of the span. Recoveries are left out: parts whose rate is above the middle between the \
         levels before and after the end. If they are more than two fifths of what follows, it is not an end. If a \
         drive is fast in bursts so short that more of the parts are above the middle, pieces of 2 % of the span are \
         used. Source: as for `fill.cache_size`.";
    "fill.last_16_gb", "Rate of the last 16 GB", "MB/s", Higher, Step(fill_last_16_gb): RATE_OF_FILL,
        "Bytes over time of the last 16 GB of a fill (see `fill.peak`), 1 GB being 10^9 bytes: the rate of a drive \
         that is nearly full. The rate within an interval counts as constant. What was written after the stream \
         wrapped is left out; absent for spans below 32 GB. Source: bytes and bounds of the step's intervals.";
    "fill.recoveries", "Recoveries after the write cache", "times", Neutral, Step(fill_recoveries): COURSE_OF_FILL,
        "How often the rate rose above the middle (see `fill.sustained`) again after the end of the cache. Bursts \
         shorter than half a per cent of the span are left out. Source: as for `fill.cache_size`.";
    "fill.recovery_share", "Share written in recoveries", "%", Neutral, Step(fill_recovery_share): COURSE_OF_FILL,
        "Share of the bytes after the end of the cache that were written in recoveries. Writes before the end are \
         left out. Source: as for `fill.cache_size`.";
    "fill.late_decline", "Late decline", "%", Lower, Step(fill_late_decline): COURSE_OF_FILL,
        "By how much the last quarter of what was written after the end of the cache was slower than its first half; 0 \
         if it was not slower by at least a tenth. Recoveries are left out. Source: as for `fill.cache_size`.";
    "heat.first_minute", "Rate of the first minute", "MB/s", Higher, Step(heat_first_minute): RATE_OF_HEAT,
        "Bytes moved by reads and writes in the first minute of the measured part, divided by its time. Given for \
         executions of two minutes and more that run as fast as they can; sequential fills are left out, because their \
         falls are those of the write cache. Source: `bytes` and the times of the interval records.";
    "heat.last_minute", "Rate of the last minute", "MB/s", Higher, Step(heat_last_minute): RATE_OF_HEAT,
        "`heat.first_minute` for the last minute: the rate when the drive is as warm as it gets in this time. The time \
         between the two is left out. Source: as for `heat.first_minute`.";
    "heat.kept", "Share of the first minute's rate kept", "%", Higher, Step(heat_kept): COURSE_OF_HEAT,
        "`heat.last_minute` as a share of `heat.first_minute`. `heat.throttle_steps` shows whether heat is the reason; \
         without a thermometer that is unknown. Falls and recoveries between the two minutes are left out. Source: as \
         for `heat.first_minute`.";
    "heat.throttle_steps", "Throttling steps", "steps", Lower, Step(heat_throttle_steps): COURSE_OF_HEAT,
        "How often the rate stepped down by a tenth or more for at least 5 s while the drive was no cooler than when \
         it fell, by the rule under *Heat over minutes* above. Falls while the drive cooled down are left out. Absent \
         without a thermometer. Source: as for `heat.first_minute`, and the samples of the \
         `telemetry` events.";
    "heat.time_to_throttle", "Time to throttle", "s", Higher, Step(heat_time_to_throttle): COURSE_OF_HEAT,
        "Time from the start of the measured part to the first throttling step. Absent if there was none. Falls in \
         the first 30 s, whose rate is the reference, are left out. Source: as for `heat.throttle_steps`.";
    "heat.warning_minutes", "Time at or above the warning limit", "min", Lower,
        Step(heat_warning_minutes): LIMIT_OF_HEAT,
        "Time of the measured part in which the drive was at or above its own warning limit, by the temperature at \
         the end of each interval. Times without readings are left out. Source: as for `heat.throttle_steps`.";
    "heat.critical_minutes", "Time at or above the critical limit", "min", Lower,
        Step(heat_critical_minutes): LIMIT_OF_HEAT,
        "`heat.warning_minutes` for the limit that the drive calls critical. Times without readings are left out. \
         Source: as for `heat.throttle_steps`.";
    "heat.warning_limit", "Warning limit", "°C", Neutral, Step(heat_warning_limit): LIMIT_OF_HEAT,
        "Temperature from which the drive warns, as reported by the thermometer that the figures come from (WCTEMP of \
         an NVMe drive). Limits of other sensors are left out. Source: the description of the `telemetry` source.";
    "heat.critical_limit", "Critical limit", "°C", Neutral, Step(heat_critical_limit): LIMIT_OF_HEAT,
        "Temperature that the drive calls critical (CCTEMP of an NVMe drive). Limits of other sensors are left out. \
         Source: the description of the `telemetry` source.";
    "temperature.min", "Lowest temperature of the drive", "°C", Neutral,
        Step(temperature_min): Sort::of(Class::Readings, temperature),
        "Lowest temperature of the drive in the measured part. It comes from the first of these that was read: the \
         user's thermometer, the drive's SMART log (composite), the kernel's sensors. At the start and end of the \
         part the value is on the line between the readings around them. Times without readings are left out; absent \
         without readings in 90 % of the part. Source: the samples of the `telemetry` events.";
    "temperature.mean", "Mean temperature of the drive", "°C", Neutral,
        Step(temperature_mean): Sort::of(Class::Readings, temperature),
        "Mean temperature of the drive in the measured part, weighted by time along the lines between consecutive \
         readings of the sensor that `temperature.min` uses. Times without readings are left out; absent without \
         readings in 90 % of the part. Source: the samples of the `telemetry` events.";
    "temperature.max", "Highest temperature of the drive", "°C", Lower,
        Step(temperature_max): Sort::of(Class::Readings, temperature),
        "Highest temperature of the drive in the measured part, from the sensor that `temperature.min` uses. Peaks \
         between two readings and times without readings are left out. Source: the samples of the `telemetry` events.";
    "power.min", "Lowest power of the drive", "W", Lower, Step(power_min): Sort::of(Class::Readings, power),
        "Lowest reading of the drive's power in the measured part, from the meter that `power.mean` uses. Dips between \
         two readings, which the meter may average, are left out. Source: the samples of the `telemetry` events.";
    "power.mean", "Average power of the drive", "W", Lower, Step(power_mean): Sort::of(Class::Readings, power),
        "Mean power of the drive in the measured part, weighted by time along the lines between consecutive readings. \
         It comes from the first of these that was read: the user's meter, the drive's own power \
         measurement (`--power-log`), the interval power of its SMART log, a kernel sensor that belongs to \
         the drive. Times without readings are left out; absent without readings in 90 % of the part. It never \
         includes the host's power. Source: the samples of the \
         `telemetry` events.";
    "power.max", "Highest power of the drive", "W", Lower, Step(power_max): Sort::of(Class::Readings, power),
        "Highest reading of the drive's power in the measured part, from the meter that `power.mean` uses. Peaks \
         between two readings, which the meter may average, are left out. Source: the samples of the `telemetry` \
         events.";
    "power.energy", "Energy of the drive", "J", Lower, Step(power_energy): Sort::of(Class::Readings, power),
        "Average power of the drive times the measured time. The ramp and the rest after the step are left out. \
         Source: the samples of the `telemetry` events, `start_ns` and `end_ns` of the step record.";
    "power.rest", "Power of the drive at rest", "W", Lower, Step(power_rest): Sort::of(Class::Readings, power).sparse(),
        "Mean power of the drive in the second half of the rest after the step, from the meter that `power.mean` uses. \
         The first half, in which a drive finishes its work, is left out. The idle state of the drive then \
         depends on what the host allows (APST, ASPM, link power management). Absent if the step has no \
         rest or the next step began during it. Source: the samples of the `telemetry` events, `end_ns` of the step \
         record.";
    "power.throughput_per_watt", "Throughput per watt", "MB/s/W", Higher, Step(throughput_per_watt): PER_WATT,
        "Throughput of reads and writes together divided by the average power of the drive; equal to MB per joule. \
         Absent for bursts by volume: their rate is over the active time, the power over the whole time. The ramp, \
         failed operations and the host's power are left out. Source: `bytes`, `start_ns` and `end_ns` of the step \
         record, the samples of the `telemetry` events.";
    "power.iops_per_watt", "Operations per second and watt", "IOPS/W", Higher, Step(iops_per_watt): PER_WATT,
        "Reads and writes per second divided by the average power of the drive; equal to operations per joule. The \
         ramp, failed operations and the host's power are left out. Source: `count`, `start_ns` and `end_ns` of the \
         step record, the samples of the `telemetry` events.";
    "media.write_amplification", "Write amplification", "times", Lower,
        Step(write_amplification): Sort::of(Class::Amount, media_writes).sparse(),
        "Bytes that the drive wrote to its media for each byte that hosts wrote to it, by its own counters: its FDP \
         statistics (log page 22h), else its OCP log (C0h) together with its data units written, else the log of its \
         endurance group (09h). Counted from the last reading before the measured part to the first one after it, so \
         the ramp is included. Steps in which hosts wrote less than 1,000 data units of 512,000 bytes or less than 1 % \
         of the target are left out, because drives count coarsely and hold data back; both limits are drivelab's own. \
         Source: the samples of the `telemetry` events.";
    "host_power.mean", "Average power of the host's processor", "W", Lower,
        Step(host_power_mean): Sort::of(Class::Readings, host_power),
        "Energy of all processor packages in the measured part (RAPL) divided by its time, with straight lines between \
         readings. The drive and the rest of the machine are left out. Source: the samples of the \
         `telemetry` events.";
    "host_cpu.busy", "Host CPU busy", "%", Neutral, Step(host_cpu_busy): Sort::of(Class::Readings, host_cpu),
        "Share of the time of all CPUs together in the measured part that any program used: user mode, kernel and \
         interrupts. Idle time, waiting for I/O and time that a hypervisor gave to other machines are left out. \
         Source: the samples of `/proc/stat` in the `telemetry` events.";
    "host_cpu.per_gb", "Host CPU time per GB", "s/GB", Lower, Step(host_cpu_per_gb): CPU_PER_BYTE,
        "CPU time of all CPUs together that any program used in the measured part (user mode, kernel and interrupts) \
         for each 10^9 bytes read or written. Absent below 100 ms of CPU time, where the kernel's ticks are too \
         coarse, and for bursts by volume: their rate is over the active time. The ramp and failed operations are left \
         out; the CPU time of arms (docs/guide/conditions.md) includes the ramp. Source: the samples of `/proc/stat` \
         in the `telemetry` events, `bytes`, `start_ns` and `end_ns` of the step record.";
    "host_cpu.steal", "Host CPU stolen", "%", Lower, Step(host_cpu_steal): Sort::of(Class::Readings, host_cpu),
        "Share of the time of all CPUs together in the measured part in which they had work but the hypervisor ran \
         other machines. Work of the hypervisor itself is left out. Source: the samples of `/proc/stat` in the \
         `telemetry` events.";
    "score.sum", "Score: a weighted sum", "points", Higher, Score(weighted_sum),
        "Figures of several steps, each times its weight, added up. The methodology defines the formula (`[[scores]]`) \
         and names its source. Throughputs are counted in MB/s, or in MiB/s if the formula says so; the methodology \
         sets the unit. If a step is missing or its figure is void, there is no score. If the formula \
         divides by another score, the sum is divided by that. Steps that the formula does not name are left out. \
         Source: the figures of these steps.";
    "score.mean", "Score: a weighted mean", "points", Higher, Score(weighted_mean),
        "Figures of several steps, each times its weight, added up and divided by the sum of the weights; otherwise as \
         `score.sum`. With equal weights it is the arithmetic mean. Steps that the formula does not name \
         are left out. Source: the figures of these steps.";
    "run.telemetry_cpu", "CPU time of telemetry", "%", Lower, Run(run_telemetry_cpu): RUN.sparse(),
        "CPU time of the thread that reads temperature, power, CPU and the other series, divided by the run time; 100 \
         % is one CPU. The user's programs that feed a meter, and the work of the drive to answer, are left out. \
         Source: `cpu` of the `telemetry` events.";
    "run.duration", "Run time", "s", Neutral, Run(run_duration),
        "Time on the run clock from the first to the last recorded event: preparation, steps, rests and idle time. \
         Pauses of an interrupted run are left out. Source: the time of the last event.";
    "run.bytes_written", "Data written", "GB", Neutral, Run(run_bytes_written),
        "Bytes written to the target by every execution in the record, ramps and preparation included; 1 GB is 10^9 \
         bytes. Work that was repeated after an interruption counts once, by its last attempt. Failed operations, the \
         file system's own writes and the bundle are left out. Source: `written_total` of the step records, and the \
         intervals of a step that has not ended.";
    "run.bytes_read", "Data read", "GB", Neutral, Run(run_bytes_read),
        "Bytes read from the target by every execution in the record, ramps included; 1 GB is 10^9 bytes. Work that \
         was repeated after an interruption counts once, by its last attempt. Failed operations are left out. Source: \
         the interval records.";
}
