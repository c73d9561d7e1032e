//! What a person or a program sees of a run while it goes on: panel, plain lines, or one JSON object a line.
//!
//! Screens hear [`drivelab_core::event::Event`]s and nothing else, so a live run and `drivelab replay` look the same.
//! They own no results and may miss intervals; a lost screen costs the run nothing. A screen that joins a run in the
//! middle (after `resume`) is told the earlier events first, so that it knows the plan. Must not know: session,
//! engine, store, SQL, HTML.

mod figures;
mod json_lines;
mod lines;
mod now;
mod panel;
mod plain;
mod progress;

#[cfg(test)]
mod testing;

pub use json_lines::JsonLines;
pub use panel::Panel;
pub use plain::Plain;
pub use progress::{Progress, TimeLeft};

use std::sync::{Mutex, PoisonError};

use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;

use crate::say;

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A live panel below lines of finished steps.
    Panel,
    /// Lines of text.
    Plain,
    /// One event a line, as JSON.
    JsonLines,
    /// Nothing.
    Quiet,
}

/// Chooses how a run is shown. JSON lines are data, so `quiet` does not silence them; the panel needs a terminal that
/// can move its cursor, which `TERM` unset or `dumb` denies.
#[must_use]
pub fn choose(events_json: bool, quiet: bool, plain: bool, stdout_is_tty: bool, term: Option<&str>) -> Style {
    let can_draw = stdout_is_tty && term.is_some_and(|term| !matches!(term, "" | "dumb"));
    match (events_json, quiet, plain || !can_draw) {
        (true, _, _) => Style::JsonLines,
        (false, true, _) => Style::Quiet,
        (false, false, true) => Style::Plain,
        (false, false, false) => Style::Panel,
    }
}

/// The runs of which something is kept beyond the process; whoever leaves at once says so.
static KEPT: Mutex<Vec<RunId>> = Mutex::new(Vec::new());

/// What is measured from now on is kept as this run.
pub fn is_kept(run: RunId) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(run);
}

/// Ends the process at once, for a person who asked twice: a terminal that a panel holds is given back first. What was
/// recorded stays, as after a crash.
pub fn leave_at_once() -> ! {
    panel::give_back();
    let kept = match KEPT.lock().unwrap_or_else(PoisonError::into_inner).as_slice() {
        [] => "stopped at once; nothing is kept".to_owned(),
        [run] => format!("stopped at once; the run is kept and can be resumed: drivelab resume {run}"),
        runs => format!(
            "stopped at once; {} runs are kept, and `drivelab results list` names those that can be resumed",
            runs.len()
        ),
    };
    say::line(&format!("{kept}; a scratch file that is left goes when drivelab next measures in its folder"));
    std::process::exit(ExitCode::Interrupted as i32)
}

/// A screen can take no more: the reader went away or the terminal is gone.
#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn lost(error: std::io::Error) -> drivelab_core::listener::ListenerError {
    let message = format!("the live view cannot be written to stdout or stderr any more ({error}); the run goes on");
    drivelab_core::listener::ListenerError { message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panel_needs_a_terminal_and_data_are_never_silenced() {
        let xterm = Some("xterm-256color");
        assert_eq!(choose(false, false, false, true, xterm), Style::Panel);
        assert_eq!(choose(false, false, true, true, xterm), Style::Plain);
        assert_eq!(choose(false, false, false, false, xterm), Style::Plain);
        assert_eq!(choose(false, false, false, true, Some("dumb")), Style::Plain);
        assert_eq!(choose(false, false, false, true, Some("")), Style::Plain);
        assert_eq!(choose(false, false, false, true, None), Style::Plain);
        assert_eq!(choose(false, true, false, true, xterm), Style::Quiet);
        assert_eq!(choose(true, true, true, true, xterm), Style::JsonLines);
        assert_eq!(choose(true, false, false, false, None), Style::JsonLines);
    }
}
