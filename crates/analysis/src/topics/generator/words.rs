//! Findings from the engine's own account of a step: its limits, its means, its clock.

use crate::evidence::{FindingDef, executions, named};

pub(super) static OPEN_LOOP_OVERLOADED: FindingDef = FindingDef::void(
    "open_loop_overloaded",
    |seen| {
        format!(
            "In {} operations arrived faster than they were done: the backlog grew for as long as the step went on, \
             so the mean and the percentiles of the response time grow with its length and are not shown as results.",
            executions(seen)
        )
    },
    "The rate that was asked for is above what the target can do with this depth.",
    "Read the growth of the backlog as the result (asked rate minus what the target can do), or ask for a lower \
     rate; `latency` is of the operations in flight and stands.",
);

pub(super) static CURVE_OVERLOADED: FindingDef = FindingDef::note(
    "curve_overloaded",
    |seen| {
        format!(
            "In {}, points of a curve at full speed and above, operations arrived faster than they were done, as the \
             curve asks: the growth of the backlog is the result there. Their response times grow with the length of \
             the step and are not shown; the points below are not concerned.",
            executions(seen)
        )
    },
    "A share of full speed of 100 % and more asks for at least all that the target can do.",
    "",
);

pub(super) static GENERATOR_LIMITED: FindingDef = FindingDef::warning(
    "generator_limited",
    |seen| {
        format!(
            "In {} the issuing threads spent so much of their time in drivelab's own code, or there and in the \
             kernel, that little was left for the target: their rates are lower bounds.",
            executions(seen)
        )
    },
    "The target is faster than so few threads can ask, or the CPU is slow.",
    "Use more threads, each on a CPU of its own (`threads`, `cpus`).",
);

pub(super) static HOST_CPU_LIMITED: FindingDef = FindingDef::warning(
    "host_cpu_limited",
    |seen| {
        format!(
            "In {} the kernel's work, or it and the program's together, took most of the issuing threads' time: the \
             host's CPU was the limit, and the rates are lower bounds.",
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
            "The rates are lower bounds: in {} other programs had the CPU while drivelab's threads were ready to run, so \
             operations were issued late.",
            executions(seen)
        )
    },
    "Other work on this machine, or a virtual machine whose host has other work.",
    "End what else runs and measure again, or give the threads CPUs of their own (`cpus`).",
);

pub(super) static CPU_QUOTA: FindingDef = FindingDef::warning(
    "cpu_quota",
    |seen| {
        format!(
            "In {} a CPU quota kept the issuing threads from a CPU while they were ready to run: completions lay \
             unnoticed and nothing was asked for, so the rates are lower bounds and latencies hold that time.",
            executions(seen)
        )
    },
    "The container or service that drivelab runs in may use only a part of a CPU (`cpu.max`, `cpu.cfs_quota_us`).",
    "Run it without that quota, or with a higher one.",
);

pub(super) static STOOD_STILL: FindingDef = FindingDef::warning(
    "stood_still",
    |seen| {
        format!(
            "In {} drivelab itself stood still for a while: none of its threads ran, not even the one that only \
             looks on, and none waited for a CPU. Nothing was asked of the target meanwhile: rates are lower bounds, \
             and the longest latencies hold that time.",
            executions(seen)
        )
    },
    "The process was stopped (SIGSTOP, Ctrl-Z) or frozen (a paused container), or the machine was suspended.",
    "Measure again, and let it run.",
);

pub(super) static DEPTH_NOT_KEPT: FindingDef = FindingDef::warning(
    "depth_not_kept",
    |seen| {
        format!(
            "In {} fewer than 90 % of the asked operations were in flight on average: the target was not under the \
             load that the step's name says, and the rates are lower bounds.",
            executions(seen)
        )
    },
    "Submission blocked (a synchronous path, a full device queue), the CPU was late, or the step was so short that \
     its end weighs.",
    "Look at `in_flight_mean` of the step before comparing it; the sync backend has a thread for each operation, and \
     none blocks the others.",
);

pub(super) static GENERATOR_LATE: FindingDef = FindingDef::warning(
    "generator_late",
    |seen| {
        format!(
            "In {} the generator itself was late by more than a tenth of the mean gap between a thread's arrivals, \
             although a slot was free: gaps were not quite as asked, and response times contain that lateness.",
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
            "{} ran in ceiling mode: completions were waited for several at a time, so latencies contain waiting for \
             each other, and only rates may be used.",
            executions(seen)
        )
    },
    "The workload asks for it (`batch`).",
    "Leave `batch` out where latency matters.",
);

pub(super) static PLACED_BY_HANDLE: FindingDef = FindingDef::note(
    "placed_by_handle",
    |seen| {
        format!(
            "{} placed writes by handle: each is an NVMe command of its own, waited for by a thread, so that speed \
             and latency are not comparable with those of writes that are not placed; bytes and write amplification \
             are.",
            executions(seen)
        )
    },
    "The workload asks for it (`placement_handle`); the kernel's own writes carry no handle.",
    "Compare write amplification, not rates.",
);

pub(super) static BACKEND_FALLBACK: FindingDef = FindingDef::warning(
    "backend_fallback",
    |seen| {
        format!(
            "{} ran on the sync backend because io_uring could not be had ({}): a thread for each operation in \
             flight costs more CPU time and more switches.",
            executions(seen),
            named(seen)
        )
    },
    "A container's seccomp profile or `kernel.io_uring_disabled` forbids it, or a limit is too low.",
    "Allow io_uring where depth matters (`sysctl kernel.io_uring_disabled=0`), or compare only with results of the \
     sync backend.",
);

pub(super) static KERNEL_WORKERS: FindingDef = FindingDef::warning(
    "kernel_workers",
    |seen| {
        format!(
            "In {} the kernel handed requests to its worker threads (io-wq): their latency contains a second \
             scheduling, and their CPU time is not in `cpu_share`.",
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
            "In {} the kernel refused what makes an operation cheap ({}); the engine went on without.",
            executions(seen),
            named(seen)
        )
    },
    "An older kernel, or a limit on locked memory.",
    "Raise the limit (`ulimit -l`), or use a newer kernel; it matters where the host is near its limit.",
);

pub(super) static UNTRIED_MODE: FindingDef = FindingDef::warning(
    "untried_mode",
    |seen| {
        format!(
            "{} used a mode that is not yet tried on hardware ({}): its figures have been compared with nothing, and \
             the CPU time of a kernel thread that submits (SQPOLL) is in none of them.",
            executions(seen),
            named(seen)
        )
    },
    "The workload asks for it.",
    "Repeat without it before believing a difference.",
);

pub(super) static CLOCK_FALLBACK: FindingDef = FindingDef::note(
    "clock_fallback",
    |seen| {
        format!(
            "{} took times by a slower clock than the time-stamp counter ({}): each time stamp costs some tens of \
             nanoseconds, which latencies and the generator's cost contain.",
            executions(seen),
            named(seen)
        )
    },
    "The counter is not constant or not trusted by the kernel on this machine.",
    "Nothing, unless latencies are below a few microseconds.",
);

pub(super) static CLOCK_DRIFT: FindingDef = FindingDef::warning(
    "clock_drift",
    |seen| {
        format!(
            "In {} the clock of the time stamps ran apart from CLOCK_MONOTONIC_RAW by more than 100 ppm: times and \
             rates are off by that share.",
            executions(seen)
        )
    },
    "The virtual machine was moved or paused, or the counter's rate is not what was measured at the start.",
    "Run again; where it stays, report it with the machine's CPU.",
);

pub(super) static BUFFERED_IO: FindingDef = FindingDef::warning(
    "buffered_io",
    |seen| {
        let caches = named(seen);
        let caches =
            if caches.is_empty() { String::new() } else { format!(" Before it: {}.", caches.trim_end_matches('.')) };
        format!(
            "{} went through the page cache, as the workload asks: the figures are of memory and drive \
             together.{caches}",
            executions(seen)
        )
    },
    "A span that memory can hold is served from it after its first pass; writes end in memory.",
    "Compare only with buffered results of equal span and memory, treated alike before.",
);
