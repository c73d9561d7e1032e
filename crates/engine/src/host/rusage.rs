//! CPU time of the calling thread, from getrusage(2) with RUSAGE_THREAD.
//!
//! Unsafe because rustix has no getrusage. Called before and after the loop, never inside it.
#![expect(unsafe_code, reason = "getrusage(2) fills a structure through a pointer")]

/// CPU time in nanoseconds, in user mode and in the kernel.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CpuTime {
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
}

impl CpuTime {
    /// Of the calling thread since it began; zero if the kernel refuses, which Linux does not do.
    pub(crate) fn of_this_thread() -> Self {
        // getrusage returns the kernel's sum as of the last tick or switch, milliseconds ago. Reading the thread's
        // clock brings that sum up to date (task_sched_runtime in kernel/sched/core.c), and getrusage then splits the
        // updated sum.
        let _up_to_date = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is valid for writing one `rusage` for the whole call; the kernel fills it.
        let result = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
        if result != 0 {
            return CpuTime::default();
        }
        // SAFETY: `rusage` holds only integers, for which zero bytes (above) and the kernel's values are both valid.
        let usage = unsafe { usage.assume_init() };
        CpuTime { user_ns: nanoseconds(usage.ru_utime), system_ns: nanoseconds(usage.ru_stime) }
    }

    /// What was used since `earlier`.
    pub(crate) const fn since(self, earlier: CpuTime) -> CpuTime {
        CpuTime {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
        }
    }
}

#[expect(clippy::cast_sign_loss, reason = "CPU time is never negative")]
const fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// A thread cannot have used more of a CPU than there was time: the kernel's own sum lags by up to a tick (4 ms
    /// and more), and CPU time used before the first reading must not count as used after it.
    #[test]
    fn a_short_stretch_holds_no_more_cpu_time_than_time() {
        for _ in 0..300 {
            let (began, cpu) = (Instant::now(), CpuTime::of_this_thread());
            while began.elapsed() < Duration::from_micros(200) {
                std::hint::spin_loop();
            }
            let used = CpuTime::of_this_thread().since(cpu);
            // Each of the four numbers is rounded down to whole microseconds.
            let at_most = began.elapsed() + Duration::from_micros(4);
            let used = Duration::from_nanos(used.user_ns + used.system_ns);
            assert!(used <= at_most, "{used:?} of {at_most:?}");
        }
    }
}
