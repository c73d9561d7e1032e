//! Reading the CPU's time-stamp counter. Unsafe only because the intrinsic is declared so; it touches no memory.
//!
//! Whether its ticks are fit for timing is `time`'s business.
#![expect(unsafe_code, reason = "the rdtsc intrinsic is an unsafe function")]

/// Ticks of this CPU's counter; `None` where the program was built for a CPU without one.
#[inline]
pub(crate) fn ticks() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 CPU has rdtsc. Linux allows it in user mode unless a process forbids it to itself with
        // prctl(PR_SET_TSC), which nothing here does.
        Some(unsafe { core::arch::x86_64::_rdtsc() })
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}
