//! Waiting for a time that was fixed in advance, as exactly as the host allows: sleep for most of it, spin for the
//! rest.
//!
//! The engine's own waiting, separate from a run's: it falls inside a step, between operations.

use std::time::Duration;

use crate::clock::time::Clock;

/// The last part, which is spent spinning: waking up late by less than this is common, even with the least timer
/// slack.
pub(crate) const SPIN_NS: u64 = 80_000;
/// Longest sleep in one piece, so that stop requests and interval borders are seen.
pub(crate) const LOOK_NS: u64 = 50_000_000;

/// Waits until `until`, or for [`LOOK_NS`] if that is sooner. Returns the time then.
pub(crate) fn until(clock: &Clock, until: u64) -> u64 {
    let mut now = clock.now();
    let until = until.min(now.saturating_add(LOOK_NS));
    if until > now.saturating_add(SPIN_NS) {
        std::thread::sleep(Duration::from_nanos(until - now - SPIN_NS));
        now = clock.now();
    }
    while now < until {
        std::hint::spin_loop();
        now = clock.now();
    }
    now
}

/// Makes the kernel's timers of this thread as exact as possible: their slack is 50 µs otherwise (prctl(2),
/// PR_SET_TIMERSLACK).
pub(crate) fn sharpen_timers() {
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}
