//! What the engine finds out about itself, before and after the loop, never inside it.

use std::fs;
use std::os::fd::BorrowedFd;

use rustix::fs::{OFlags, fcntl_getfl};

/// Whether the handle is open with O_DIRECT, according to the kernel.
pub(crate) fn is_direct(handle: BorrowedFd<'_>) -> bool {
    fcntl_getfl(handle).is_ok_and(|flags| flags.contains(OFlags::DIRECT))
}

/// Nanoseconds that the calling thread has been ready to run without a CPU since it began; 0 if the kernel keeps no
/// such statistics. The second number of its schedstat (Documentation/scheduler/sched-stats.rst).
pub(crate) fn waited_for_cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Whether the kernel made worker threads (`iou-wrk-<thread>`) for io_uring requests of the calling thread because it
/// could not start them without blocking. Idle workers live for five seconds, so one look after the loop is enough.
pub(crate) fn was_punted() -> bool {
    let name = format!("iou-wrk-{}", rustix::thread::gettid().as_raw_nonzero());
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return false };
    tasks.flatten().any(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim_end() == name))
}
