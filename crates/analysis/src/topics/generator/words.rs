//! Findings from the engine's own account of a step: its limits, its modes, its clock.

use crate::evidence::{FindingDef, executions, named};

pub(super) static OPEN_LOOP_OVERLOADED: FindingDef = FindingDef::void(
    "open_loop_overloaded",
    |seen| {
        format!(
            "The response times of {} are not shown as results: operations arrived faster than they were completed, \
             so the backlog, and with it the mean and the percentiles of the response time, grew until the step ended.",
            executions(seen)
        )
    },
    "The requested rate is higher than the target can reach at this queue depth.",
    "Take the growth of the backlog as the result (requested rate minus what the target can do), or request a lower \
     rate. `latency` only counts operations in flight and remains valid.",
);

pub(super) static CURVE_OVERLOADED: FindingDef = FindingDef::note(
    "curve_overloaded",
    |seen| {
        format!(
            "At full speed and above, the growth of the backlog is the result: in {} of a curve, operations arrived \
             faster than they were completed, as the curve intends. Response times there grow with the length of the \
             step and are not shown. Points at lower speeds are not affected.",
            executions(seen)
        )
    },
    "A point at 100 % of full speed or more requests at least all that the target can do.",
    "",
);

pub(super) static GENERATOR_LIMITED: FindingDef = FindingDef::warning(
    "generator_limited",
    |seen| {
        format!(
            "The rates of {} are lower bounds: the issuing threads spent most of their time in drivelab's own code, or \
             in it and the kernel together, so the target had to wait for them.",
            executions(seen)
        )
    },
    "The threads are too few to keep up with the target, or the CPU is slow.",
    "Use more threads, each on its own CPU (`threads`, `cpus`).",
);

pub(super) static HOST_CPU_LIMITED: FindingDef = FindingDef::warning(
    "host_cpu_limited",
    |seen| {
        format!(
            "The rates of {} are lower bounds: the host's CPU was the limit. The kernel, or the kernel and drivelab \
             together, used most of the issuing threads' time.",
            executions(seen)
        )
    },
    "The kernel's I/O path (file system, scheduler, encryption, mitigations) needs that CPU time.",
    "Use more threads, or a faster CPU.",
);

pub(super) static CPU_HAD_BY_OTHERS: FindingDef = FindingDef::warning(
    "cpu_had_by_others",
    |seen| {
        format!(
            "The rates of {} are lower bounds: other programs used the CPU while drivelab's threads were ready to \
             run, so operations were issued late.",
            executions(seen)
        )
    },
    "This machine had other work, or it is a virtual machine whose host had other work.",
    "Stop the other work and measure again, or give the threads their own CPUs (`cpus`).",
);

pub(super) static CPU_QUOTA: FindingDef = FindingDef::warning(
    "cpu_quota",
    |seen| {
        format!(
            "The rates of {} are lower bounds: a CPU quota kept the issuing threads off the CPU while they were ready \
             to run. Meanwhile nothing was issued and completions went unnoticed, so latencies include that time.",
            executions(seen)
        )
    },
    "The container or service that drivelab runs in may use only part of a CPU (`cpu.max`, `cpu.cfs_quota_us`).",
    "Run drivelab without that quota, or with a higher one.",
);

pub(super) static STOOD_STILL: FindingDef = FindingDef::warning(
    "stood_still",
    |seen| {
        format!(
            "The rates of {} are lower bounds, and the longest latencies are too long: drivelab itself stood still \
             for a while and issued nothing. None of its threads ran, not even the one that only observes, and none \
             waited for a CPU.",
            executions(seen)
        )
    },
    "The process was stopped (SIGSTOP, Ctrl-Z) or frozen (a paused container), or the machine was suspended.",
    "Measure again without interrupting it.",
);

pub(super) static DEPTH_NOT_KEPT: FindingDef = FindingDef::warning(
    "depth_not_kept",
    |seen| {
        format!(
            "The rates of {} are lower bounds: on average fewer than 90 % of the requested operations were in flight, \
             so the load was lighter than the step's name says.",
            executions(seen)
        )
    },
    "Submission blocked (a synchronous path, a full device queue), the CPU was late, or the step was so short that \
     its end matters.",
    "Look at `in_flight_mean` of the step before you compare it. With the sync backend each operation has its own \
     thread, so none blocks another.",
);

pub(super) static GENERATOR_LATE: FindingDef = FindingDef::warning(
    "generator_late",
    |seen| {
        format!(
            "The response times of {} include lateness of the load generator itself: on average it was late by more \
             than a tenth of the mean gap between a thread's arrivals, although a slot was free. The real \
             gaps between arrivals differ a little from the requested ones.",
            executions(seen)
        )
    },
    "The issuing thread lost its CPU, or one thread has too many arrivals.",
    "Pin the threads to idle CPUs (`cpus`), or spread the rate over more threads.",
);

pub(super) static CEILING_MODE: FindingDef = FindingDef::warning(
    "ceiling_mode",
    |seen| {
        format!(
            "Use only the rates of {}: in ceiling mode drivelab waits for several completions at a time, so each \
             latency includes the wait for the other operations of its batch.",
            executions(seen)
        )
    },
    "The workload requests it (`batch`).",
    "Leave out `batch` if latency matters.",
);

pub(super) static PLACED_BY_HANDLE: FindingDef = FindingDef::note(
    "placed_by_handle",
    |seen| {
        format!(
            "Speed and latency of {} are not comparable with those of ordinary writes: writes were placed by handle, \
             so a thread issues each as a separate NVMe command and waits for it. Bytes and write amplification are \
             comparable.",
            executions(seen)
        )
    },
    "The workload requests it (`placement_handle`); the kernel's own writes carry no handle.",
    "Compare write amplification instead of rates.",
);

pub(super) static BACKEND_FALLBACK: FindingDef = FindingDef::warning(
    "backend_fallback",
    |seen| {
        format!(
            "The CPU cost of {} is higher than with io_uring, which was not available: {}. The sync backend ran \
             instead, and a thread for each operation in flight costs more CPU time and more context switches.",
            executions(seen),
            named(seen)
        )
    },
    "A container's seccomp profile or `kernel.io_uring_disabled` forbids io_uring, or a limit is too low.",
    "Allow io_uring if queue depth matters (`sysctl kernel.io_uring_disabled=0`), or compare only with results of the \
     sync backend.",
);

pub(super) static KERNEL_WORKERS: FindingDef = FindingDef::warning(
    "kernel_workers",
    |seen| {
        format!(
            "The latencies of {} include a second scheduling: the kernel handed requests to its worker threads \
             (io-wq), whose CPU time is not in `cpu_share`.",
            executions(seen)
        )
    },
    "The file system or driver cannot take io_uring requests without blocking (zram, tmpfs, some layers).",
    "Use the sync backend on this target: `--backend sync`.",
);

pub(super) static FEATURES_REFUSED: FindingDef = FindingDef::note(
    "features_refused",
    |seen| {
        format!(
            "Operations may have cost more CPU time in {}: the kernel refused features that make them cheaper ({}), \
             and the engine continued without them.",
            executions(seen),
            named(seen)
        )
    },
    "The kernel is older, or the limit on locked memory is too low.",
    "Raise the limit (`ulimit -l`), or use a newer kernel. This matters only if the host is near its limit.",
);

pub(super) static UNTRIED_MODE: FindingDef = FindingDef::warning(
    "untried_mode",
    |seen| {
        format!(
            "The figures of {} have not been compared with anything yet: they come from a mode that has not been \
             tried on hardware ({}). No figure includes the CPU time of a kernel thread that submits (SQPOLL).",
            executions(seen),
            named(seen)
        )
    },
    "The workload requests it.",
    "Repeat the run without this mode before you trust a difference.",
);

pub(super) static CLOCK_FALLBACK: FindingDef = FindingDef::note(
    "clock_fallback",
    |seen| {
        format!(
            "The latencies of {} include some tens of nanoseconds for each time stamp, and so does the generator's \
             cost: times come from a slower clock than the time-stamp counter ({}).",
            executions(seen),
            named(seen)
        )
    },
    "On this machine the counter is not constant, or the kernel does not trust it.",
    "Nothing, unless latencies are below a few microseconds.",
);

pub(super) static CLOCK_DRIFT: FindingDef = FindingDef::warning(
    "clock_drift",
    |seen| {
        format!(
            "Times and rates of {} are off by more than 100 ppm: the clock of the time stamps drifted from \
             CLOCK_MONOTONIC_RAW by that share.",
            executions(seen)
        )
    },
    "The virtual machine was moved or paused, or the counter's rate is not what was measured at the start.",
    "Run it again. If the drift remains, report it with the machine's CPU model.",
);

pub(super) static BUFFERED_IO: FindingDef = FindingDef::warning(
    "buffered_io",
    |seen| {
        let caches = named(seen);
        let caches =
            if caches.is_empty() { String::new() } else { format!(" Page cache: {}.", caches.trim_end_matches('.')) };
        format!(
            "The figures of {} are of memory and drive together: the I/O went through the page cache, as the workload \
             requests.{caches}",
            executions(seen)
        )
    },
    "A span that fits into memory is served from memory after the first pass, and writes end in memory.",
    "Compare only with buffered results of the same span and memory size, after the same treatment of the cache.",
);

#[cfg(test)]
mod tests;
