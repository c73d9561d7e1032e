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
            if asked || runs.iter().all(StopToken::is_stopped) {
                screens::leave_at_once();
            }
            asked = true;
            runs.iter().for_each(|stop| stop.stop(StopCause::Person));
        }
    });
    Ok(())
}
