//! Trying again what is still busy.

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::units::Nanos;

use crate::error::ConditionsError;

/// How often something that is still busy is tried again, and after which pause: udev and others look at devices for a
/// moment after each change.
const TRIES: u32 = 20;
const PAUSE: Nanos = Nanos::from_millis(100);

/// Tries again for a while what fails, since others look at devices after each change.
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
