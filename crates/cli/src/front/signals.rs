//! Signals: Ctrl-C and SIGTERM stop a run cleanly, a second one ends the process immediately. SIGHUP stops only
//! commands that just show something. If nothing is being measured yet, the first signal ends the process with the
//! same exit code.
//!
//! The handlers are set before anything else, so that the process always has them.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::screens;

/// Whether a signal asked this process to stop.
static ASKED: AtomicBool = AtomicBool::new(false);
/// Whether one of the signals was SIGTERM or SIGHUP. Ctrl-C also reaches the children, as part of the foreground
/// group, and so does the SIGHUP of a terminal that is closed; a signal sent by `kill` reaches only this process.
static TERMINATED: AtomicBool = AtomicBool::new(false);
/// Number of questions open at a terminal; whoever asks one checks [`ASKED`].
static QUESTIONS: AtomicUsize = AtomicUsize::new(0);
/// What a signal stops.
static RUNS: Mutex<Runs> = Mutex::new(Runs { stops: Vec::new(), with_terminal: false });

struct Runs {
    stops: Vec<StopToken>,
    /// The end of the terminal ends the command.
    with_terminal: bool,
}

/// Sets the handlers, and watches for signals on a separate thread for the rest of the process.
///
/// # Errors
/// The kernel refuses the handlers.
pub fn begin() -> Result<()> {
    // A user who ignores SIGHUP for a process (nohup) also means it for the programs that it starts.
    let ignored = std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, SIGHUP));
    let watched: &[i32] = if ignored { &[SIGINT, SIGTERM] } else { &[SIGINT, SIGTERM, SIGHUP] };
    let cannot = |error: io::Error| Failure::unexpected(format!("cannot watch for Ctrl-C: {error}"));
    let mut signals = registered(watched).map_err(cannot)?;
    let thread = std::thread::Builder::new().spawn(move || signals.forever().for_each(take));
    thread.map(drop).map_err(cannot)
}

/// Registers the handlers while the signals are blocked: signal-hook loses a signal that arrives after the kernel has
/// its handler and before its own table has the action.
fn registered(watched: &[i32]) -> io::Result<Signals> {
    let mask: SigSet = watched.iter().filter_map(|signal| Signal::try_from(*signal).ok()).collect();
    let before = mask.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let signals = Signals::new(watched);
    before.thread_set_mask()?;
    signals
}

/// Handles one signal.
fn take(signal: i32) {
    let runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    if signal == SIGHUP && !(runs.with_terminal || runs.stops.is_empty()) {
        return;
    }
    if signal != SIGINT {
        TERMINATED.store(true, Ordering::SeqCst);
    }
    let asked = ASKED.swap(true, Ordering::SeqCst);
    if !asked && QUESTIONS.load(Ordering::SeqCst) > 0 {
        return;
    }
    if runs.stops.is_empty() {
        drop(runs);
        screens::leave_before_anything();
    }
    if leaves_at_once(asked, &runs.stops) {
        drop(runs);
        screens::leave_at_once();
    }
    runs.stops.iter().for_each(|stop| stop.stop(StopCause::Person));
}

/// From now on, signals stop this.
pub fn watch(stop: StopToken) {
    watch_all(vec![stop]);
}

/// Like [`watch`], for several runs of one process: all of them stop.
pub fn watch_all(stops: Vec<StopToken>) {
    register(stops, false);
}

/// Like [`watch`], for a command that only shows something: it also ends with its terminal.
pub fn watch_with_terminal(stop: StopToken) {
    register(vec![stop], true);
}

fn register(stops: Vec<StopToken>, with_terminal: bool) {
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    if ASKED.load(Ordering::SeqCst) {
        stops.iter().for_each(|stop| stop.stop(StopCause::Person));
    }
    *runs = Runs { stops, with_terminal };
}

/// An open question at a terminal, until it is dropped: meanwhile the first signal does not end the process, because
/// whoever asks handles it.
pub struct Question(());

impl Question {
    /// The question is open from now on.
    #[must_use]
    pub fn stands() -> Question {
        QUESTIONS.fetch_add(1, Ordering::SeqCst);
        Question(())
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        QUESTIONS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether a signal asked this process to stop.
#[must_use]
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Whether SIGTERM or SIGHUP arrived. A command that drivelab started may not have received the signal (it has if a
/// terminal was closed, but may ignore it) and must be ended.
#[must_use]
pub fn is_terminated() -> bool {
    TERMINATED.load(Ordering::SeqCst)
}

/// Whether a signal ends the process immediately: the second one from a person does, where a key in a panel counts as
/// the first. A run that stopped by itself (too hot, no room) is undoing its conditions, and nobody has asked for
/// anything yet.
fn leaves_at_once(asked: bool, runs: &[StopToken]) -> bool {
    asked || runs.iter().all(|stop| stop.cause() == Some(StopCause::Person))
}

/// Whether a process with this status (proc(5)) ignores a signal.
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    u32::try_from(signal - 1).is_ok_and(|bit| mask >> bit & 1 == 1)
}

/// The error of an interrupted question.
#[must_use]
pub fn stopped_at_a_question() -> Failure {
    Failure::new(ExitCode::Interrupted, "stopped while a question was open; nothing was touched")
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

    #[test]
    fn a_signal_that_is_ignored_is_read_from_the_mask() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert!(ignores(status, SIGHUP) && !ignores(status, SIGINT) && ignores(status, 13));
        assert!(!ignores("", SIGHUP));
    }
}
