//! Signals: Ctrl-C and SIGTERM stop a run cleanly, a second one ends the process at once; SIGHUP stops nothing.

use drivelab_core::clock::{StopCause, StopToken};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::fail::{Failure, Result};
use crate::screens;

/// Watches for signals on a thread of its own, for the rest of the process.
///
/// # Errors
/// Where the kernel refuses the handlers.
pub fn watch(stop: StopToken) -> Result<()> {
    watch_all(vec![stop])
}

/// The same for several runs of one process: all of them stop.
///
/// # Errors
/// Where the kernel refuses the handlers.
pub fn watch_all(runs: Vec<StopToken>) -> Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|error| Failure::unexpected(format!("cannot watch for Ctrl-C: {error}")))?;
    std::thread::spawn(move || {
        let mut asked = false;
        for signal in signals.forever() {
            if signal == SIGHUP {
                continue;
            }
            if leaves_at_once(asked, &runs) {
                screens::leave_at_once();
            }
            asked = true;
            runs.iter().for_each(|stop| stop.stop(StopCause::Person));
        }
    });
    Ok(())
}

/// Whether a signal ends the process: the second one that a person sends does, or presses in a panel. A run that
/// stopped by itself (too hot, no room) is putting things back, and nobody has asked for anything yet.
fn leaves_at_once(asked: bool, runs: &[StopToken]) -> bool {
    asked || runs.iter().all(|stop| stop.cause() == Some(StopCause::Person))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_who_asks_twice_leaves_at_once() {
        let (hot, other) = (StopToken::default(), StopToken::default());
        let runs = [hot.clone(), other.clone()];
        assert!(!leaves_at_once(false, &runs));
        hot.stop(StopCause::Heat);
        other.stop(StopCause::Recorder);
        assert!(!leaves_at_once(false, &runs), "both stopped by themselves");
        assert!(leaves_at_once(true, &runs));
        let asked = StopToken::default();
        asked.stop(StopCause::Person);
        assert!(leaves_at_once(false, std::slice::from_ref(&asked)), "by a key of the panel");
        assert!(!leaves_at_once(false, &[asked, hot]));
    }
}
