//! The one place where the I/O loop reads the time, so that a cheaper source can replace it.
//!
//! CLOCK_MONOTONIC_RAW in nanoseconds, never slewed by NTP; the run clock differs from it by a constant.

/// Now, in nanoseconds of CLOCK_MONOTONIC_RAW.
#[inline]
pub(crate) fn now_ns() -> u64 {
    drivelab_core::clock::monotonic_raw_ns()
}
