//! Findings from the engine's own account of a step: its limits, its means, its clock.

use drivelab_core::finding::{Finding, Severity};

use super::{Words, executions, named, note, warning};
use crate::check::Seen;

pub(crate) fn open_loop_overloaded(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} operations arrived faster than they were done: the backlog grew for as long as the step went on, so the \
         mean and the percentiles of the response time grow with its length and are not shown as results.",
        executions(seen)
    );
    let cause = "The rate that was asked for is above what the target can do with this depth.";
    let action = "Read the growth of the backlog as the result (asked rate minus what the target can do), or ask for a \
                  lower rate; `latency` is of the operations in flight and stands.";
    Words { code: "open_loop_overloaded", severity: Severity::Void, statement, cause, action }.about(seen)
}

pub(crate) fn curve_overloaded(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {}, points of a curve at full speed and above, operations arrived faster than they were done, as the curve \
         asks: the growth of the backlog is the result there. Their response times grow with the length of the step \
         and are not shown; the points below are not concerned.",
        executions(seen)
    );
    let cause = "A share of full speed of 100 % and more asks for at least all that the target can do.";
    note("curve_overloaded", statement, cause, "").about(seen)
}

pub(crate) fn generator_limited(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the issuing threads spent so much of their time in drivelab's own code, or there and in the kernel, that \
         little was left for the target: their rates are lower bounds.",
        executions(seen)
    );
    let cause = "The target is faster than so few threads can ask, or the CPU is slow.";
    let action = "Use more threads, each on a CPU of its own (`threads`, `cpus`).";
    warning("generator_limited", statement, cause, action).about(seen)
}

pub(crate) fn host_cpu_limited(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the kernel's work, or it and the program's together, took most of the issuing threads' time: the host's CPU \
         was the limit, and the rates are lower bounds.",
        executions(seen)
    );
    let cause = "The kernel's I/O path (file system, scheduler, encryption, mitigations) needs that CPU time.";
    warning("host_cpu_limited", statement, cause, "Use more threads, or a faster CPU.").about(seen)
}

pub(crate) fn cpu_had_by_others(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} other programs had the CPU while the issuing threads were ready to run: completions lay unnoticed and \
         nothing was asked for, so the rates are lower bounds.",
        executions(seen)
    );
    let cause = "Other work on this machine, or a virtual machine whose host has other work.";
    let action = "End what else runs and measure again, or give the threads CPUs of their own (`cpus`).";
    warning("cpu_had_by_others", statement, cause, action).about(seen)
}

pub(crate) fn cpu_quota(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} a CPU quota kept the issuing threads from a CPU while they were ready to run: completions lay unnoticed and \
         nothing was asked for, so the rates are lower bounds and latencies hold that time.",
        executions(seen)
    );
    let cause = "The container or service that drivelab runs in may use only a part of a CPU (`cpu.max`, \
                 `cpu.cfs_quota_us`).";
    warning("cpu_quota", statement, cause, "Run it without that quota, or with a higher one.").about(seen)
}

pub(crate) fn stood_still(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} drivelab itself stood still for a while: none of its threads ran, not even the one that only looks on, and \
         none waited for a CPU. Nothing was asked of the target meanwhile: rates are lower bounds, and the longest \
         latencies hold that time.",
        executions(seen)
    );
    let cause =
        "The process was stopped (SIGSTOP, Ctrl-Z) or frozen (a paused container), or the machine was suspended.";
    warning("stood_still", statement, cause, "Measure again, and let it run.").about(seen)
}

pub(crate) fn depth_not_kept(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} fewer than 90 % of the asked operations were in flight on average: the target was not under the load \
         that the step's name says, and the rates are lower bounds.",
        executions(seen)
    );
    let cause = "Submission blocked (a synchronous path, a full device queue), the CPU was late, or the step was so \
                 short that its end weighs.";
    let action = "Look at `in_flight_mean` of the step before comparing it; the sync backend has a thread for each \
                  operation, and none blocks the others.";
    warning("depth_not_kept", statement, cause, action).about(seen)
}

pub(crate) fn generator_late(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the generator itself was late by more than a tenth of the mean gap between a thread's arrivals, although \
         a slot was free: gaps were not quite as asked, and response times contain that lateness.",
        executions(seen)
    );
    let cause = "The issuing thread lost its CPU, or one thread has too many arrivals.";
    let action = "Pin the threads to idle CPUs (`cpus`), or spread the rate over more threads.";
    warning("generator_late", statement, cause, action).about(seen)
}

pub(crate) fn ceiling_mode(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} ran in ceiling mode: completions were waited for several at a time, so latencies contain waiting for each \
         other, and only rates may be used.",
        executions(seen)
    );
    let action = "Leave `batch` out where latency matters.";
    warning("ceiling_mode", statement, "The workload asks for it (`batch`).", action).about(seen)
}

pub(crate) fn placed_by_handle(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} placed writes by handle: each is an NVMe command of its own, waited for by a thread, so that speed and latency \
         are not comparable with those of writes that are not placed; bytes and write amplification are.",
        executions(seen)
    );
    let cause = "The workload asks for it (`placement_handle`); the kernel's own writes carry no handle.";
    note("placed_by_handle", statement, cause, "Compare write amplification, not rates.").about(seen)
}

pub(crate) fn backend_fallback(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} ran on the sync backend because io_uring could not be had ({}): a thread for each operation in flight costs \
         more CPU time and more switches.",
        executions(seen),
        named(seen)
    );
    let cause = "A container's seccomp profile or `kernel.io_uring_disabled` forbids it, or a limit is too low.";
    let action = "Allow io_uring where depth matters (`sysctl kernel.io_uring_disabled=0`), or compare only with \
                  results of the sync backend.";
    warning("backend_fallback", statement, cause, action).about(seen)
}

pub(crate) fn kernel_workers(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the kernel handed requests to its worker threads (io-wq): their latency contains a second scheduling, \
         and their CPU time is not in `cpu_share`.",
        executions(seen)
    );
    let cause = "The file system or driver cannot take io_uring requests without blocking (zram, tmpfs, some layers).";
    let action = "Use the sync backend on this target: `--backend sync`.";
    warning("kernel_workers", statement, cause, action).about(seen)
}

pub(crate) fn features_refused(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the kernel refused what makes an operation cheap ({}); the engine went on without.",
        executions(seen),
        named(seen)
    );
    let cause = "An older kernel, or a limit on locked memory.";
    let action = "Raise the limit (`ulimit -l`), or use a newer kernel; it matters where the host is near its limit.";
    note("features_refused", statement, cause, action).about(seen)
}

pub(crate) fn untried_mode(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} used a mode that is not yet tried on hardware ({}): its figures have been compared with nothing, \
         and the CPU time of a kernel thread that submits (SQPOLL) is in none of them.",
        executions(seen),
        named(seen)
    );
    let action = "Repeat without it before believing a difference.";
    warning("untried_mode", statement, "The workload asks for it.", action).about(seen)
}

pub(crate) fn clock_fallback(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} took times by a slower clock than the time-stamp counter ({}): each time stamp costs some tens of \
         nanoseconds, which latencies and the generator's cost contain.",
        executions(seen),
        named(seen)
    );
    let cause = "The counter is not constant or not trusted by the kernel on this machine.";
    note("clock_fallback", statement, cause, "Nothing, unless latencies are below a few microseconds.").about(seen)
}

pub(crate) fn clock_drift(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the clock of the time stamps ran apart from CLOCK_MONOTONIC_RAW by more than 100 ppm: times and rates are \
         off by that share.",
        executions(seen)
    );
    let cause = "The virtual machine was moved or paused, or the counter's rate is not what was measured at the start.";
    warning("clock_drift", statement, cause, "Run again; where it stays, report it with the machine's CPU.").about(seen)
}

pub(crate) fn buffered_io(seen: &[Seen]) -> Finding {
    let caches = named(seen);
    let caches =
        if caches.is_empty() { String::new() } else { format!(" Before it: {}.", caches.trim_end_matches('.')) };
    let statement = format!(
        "{} went through the page cache, as the workload asks: the figures are of memory and drive together.{caches}",
        executions(seen)
    );
    let cause = "A span that memory can hold is served from it after its first pass; writes end in memory.";
    let action = "Compare only with buffered results of equal span and memory, treated alike before.";
    warning("buffered_io", statement, cause, action).about(seen)
}
