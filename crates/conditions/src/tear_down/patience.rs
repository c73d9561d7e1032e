//! Retrying changes while the device is busy.

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::units::Nanos;

use crate::error::ConditionsError;

/// How often a change is retried while the device is busy, and after which pause: udev and other programs open
/// devices briefly after each change.
const TRIES: u32 = 20;
const PAUSE: Nanos = Nanos::from_millis(100);

/// Retries a failing change for a while, because other programs open devices after each change.
pub(crate) fn patiently(deed: impl Fn() -> Result<(), ConditionsError>) -> Result<(), ConditionsError> {
    let (clock, never) = (MonotonicClock::starting_at(0), StopToken::default());
    let mut tries = 1;
    loop {
        match deed() {
            Err(_) if tries < TRIES => {
                tries += 1;
                let _ = clock.sleep_until(clock.now_ns().saturating_add(PAUSE.get()), &never);
            }
            done => return done,
        }
    }
}
