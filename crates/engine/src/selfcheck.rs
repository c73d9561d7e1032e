//! What the engine finds out about itself, before and after the loop, never inside it.

use std::fs;
use std::os::fd::BorrowedFd;

use rustix::fs::{OFlags, fcntl_getfl};

/// Whether the kernel says that the handle is open with O_DIRECT.
pub(crate) fn is_direct(handle: BorrowedFd<'_>) -> bool {
    fcntl_getfl(handle).is_ok_and(|flags| flags.contains(OFlags::DIRECT))
}

/// Whether the kernel made worker threads (`iou-wrk-<thread>`) for io_uring requests of the calling thread because it
/// could not start them without blocking. Idle ones live for five seconds, so looking once after the loop is enough.
pub(crate) fn was_punted() -> bool {
    let name = format!("iou-wrk-{}", rustix::thread::gettid().as_raw_nonzero());
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return false };
    tasks.flatten().any(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim_end() == name))
}
