//! The run clock: one monotonic timeline for everything in a run, and the only code that waits.
//!
//! Real time is CLOCK_MONOTONIC_RAW (never slewed by NTP: clock_gettime(2)). All waiting goes through
//! [`RunClock::sleep_until`], so that a virtual drive can run an hour's cool-down instantly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Why a run stops early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StopCause {
    /// The user asked (Ctrl-C, SIGTERM).
    Person = 1,
    /// The recorder failed or fell behind.
    Recorder = 2,
    /// The drive is hotter than its limit.
    Heat = 3,
}

/// A shared stop flag: any holder can request the stop or check for it. Setting it is one store and safe in a signal
/// handler; the first cause is kept.
#[derive(Debug, Clone, Default)]
pub struct StopToken(Arc<Asked>);

/// The stop that was requested.
#[derive(Debug, Default)]
struct Asked {
    /// The [`StopCause`]; 0 if there is no request.
    cause: AtomicU8,
    /// The user wants to stop at the end of the current step.
    after_step: AtomicBool,
}

impl StopToken {
    /// Requests the stop.
    pub fn stop(&self, cause: StopCause) {
        let _ = self.0.cause.compare_exchange(0, cause as u8, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Whether a stop was requested. One relaxed load: suitable for the I/O loop.
    #[must_use]
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.cause.load(Ordering::Relaxed) != 0
    }

    /// Requests a stop at the end of the current step, or cancels that request. Running steps do not check it: the
    /// code that goes from step to step does, with [`StopToken::is_stopped_between_steps`].
    pub fn stop_after_step(&self, wanted: bool) {
        self.0.after_step.store(wanted, Ordering::SeqCst);
    }

    /// Whether the run stops at the end of the current step.
    #[must_use]
    pub fn stops_after_step(&self) -> bool {
        self.0.after_step.load(Ordering::SeqCst)
    }

    /// Whether to stop now, between two steps. A request that waited for the end of a step becomes a stop.
    #[must_use]
    pub fn is_stopped_between_steps(&self) -> bool {
        if self.stops_after_step() {
            self.stop(StopCause::Person);
        }
        self.is_stopped()
    }

    /// The first cause, if a stop was requested.
    #[must_use]
    pub fn cause(&self) -> Option<StopCause> {
        match self.0.cause.load(Ordering::SeqCst) {
            1 => Some(StopCause::Person),
            2 => Some(StopCause::Recorder),
            3 => Some(StopCause::Heat),
            _ => None,
        }
    }
}

/// Time on the timeline of one run, and waiting on it.
pub trait RunClock: Send + Sync {
    /// Nanoseconds since the run began.
    fn now_ns(&self) -> u64;

    /// Waits until that time or until `stop` is set (checked at least every 50 ms); `true` if the time was reached.
    fn sleep_until(&self, at_ns: u64, stop: &StopToken) -> bool;

    /// Whether time is virtual: it passes only when a simulation advances it, and the session waits for a slow
    /// recorder.
    fn is_virtual(&self) -> bool {
        false
    }
}

/// Virtual time: it passes when it is advanced, and waiting for a time jumps to it.
#[derive(Debug, Default)]
pub struct VirtualClock {
    now_ns: AtomicU64,
}

impl VirtualClock {
    /// A clock that shows `elapsed_ns` now.
    #[must_use]
    pub const fn starting_at(elapsed_ns: u64) -> VirtualClock {
        VirtualClock { now_ns: AtomicU64::new(elapsed_ns) }
    }

    /// Advances by this many nanoseconds; returns the time before.
    pub fn advance(&self, by_ns: u64) -> u64 {
        self.now_ns.fetch_add(by_ns, Ordering::SeqCst)
    }
}

impl RunClock for VirtualClock {
    fn now_ns(&self) -> u64 {
        self.now_ns.load(Ordering::SeqCst)
    }

    fn sleep_until(&self, at_ns: u64, stop: &StopToken) -> bool {
        if stop.is_stopped() {
            return false;
        }
        self.now_ns.fetch_max(at_ns, Ordering::SeqCst);
        true
    }

    fn is_virtual(&self) -> bool {
        true
    }
}

/// Real time.
#[derive(Debug, Clone, Copy)]
pub struct MonotonicClock {
    /// CLOCK_MONOTONIC_RAW at run time 0; wraps around for resumed runs.
    origin_ns: u64,
}

/// CLOCK_MONOTONIC_RAW in nanoseconds.
#[must_use]
#[inline]
#[expect(clippy::cast_sign_loss, reason = "the kernel's monotonic clock is never negative")]
pub fn monotonic_raw_ns() -> u64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64
}

impl MonotonicClock {
    /// A clock that shows `elapsed_ns` now: 0 for a new run, the last recorded time for a resumed one.
    #[must_use]
    pub fn starting_at(elapsed_ns: u64) -> Self {
        MonotonicClock { origin_ns: monotonic_raw_ns().wrapping_sub(elapsed_ns) }
    }
}

impl RunClock for MonotonicClock {
    #[inline]
    fn now_ns(&self) -> u64 {
        monotonic_raw_ns().wrapping_sub(self.origin_ns)
    }

    fn sleep_until(&self, at_ns: u64, stop: &StopToken) -> bool {
        const SLICE: Duration = Duration::from_millis(50);
        loop {
            let now = self.now_ns();
            if now >= at_ns {
                return true;
            }
            if stop.is_stopped() {
                return false;
            }
            std::thread::sleep(SLICE.min(Duration::from_nanos(at_ns - now)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_continued_clock_goes_on_from_where_it_was() {
        let clock = MonotonicClock::starting_at(5_000_000_000);
        let first = clock.now_ns();
        assert!(first >= 5_000_000_000);
        assert!(clock.now_ns() >= first);
    }

    #[test]
    fn a_stop_ends_waiting_and_keeps_its_first_cause() {
        let stop = StopToken::default();
        stop.stop(StopCause::Person);
        stop.stop(StopCause::Recorder);
        assert_eq!(stop.cause(), Some(StopCause::Person));
        let clock = MonotonicClock::starting_at(0);
        assert!(!clock.sleep_until(u64::MAX, &stop));
        assert!(clock.sleep_until(0, &stop));
    }

    #[test]
    fn a_stop_after_the_step_stops_nothing_within_it_and_can_be_taken_back() {
        let stop = StopToken::default();
        stop.stop_after_step(true);
        assert!(stop.stops_after_step() && !stop.is_stopped());
        stop.stop_after_step(false);
        assert!(!stop.is_stopped_between_steps());
        stop.clone().stop_after_step(true);
        assert!(stop.is_stopped_between_steps());
        assert_eq!(stop.cause(), Some(StopCause::Person));
    }
}
