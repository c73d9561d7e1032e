//! Reading the CPU's time-stamp counter. Unsafe only because the intrinsic is declared so; it accesses no memory.
//!
//! `time` decides whether its ticks are fit for timing.
#![expect(unsafe_code, reason = "the rdtsc intrinsic is an unsafe function")]

/// Ticks of this CPU's counter; `None` if the program was built for a CPU without one.
#[inline]
pub(crate) fn ticks() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 CPU has rdtsc. Linux allows it in user mode unless a process disables it for itself
        // with prctl(PR_SET_TSC), which nothing here does.
        Some(unsafe { core::arch::x86_64::_rdtsc() })
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}
