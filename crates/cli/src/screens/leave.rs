//! Leaving immediately: restores the terminal and reports what stays behind.

use std::sync::{Mutex, PoisonError};

use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;

use super::panel::terminal::give_back;
use crate::say;

/// The runs of which something remains after the process; the message on leaving names them.
static KEPT: Mutex<Vec<RunId>> = Mutex::new(Vec::new());

/// From now on, measurements are kept as this run.
pub fn is_kept(run: RunId) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(run);
}

/// The run for which conditions are set up on a drive just now; leaving immediately leaves them in place.
static SET_UP: Mutex<Option<RunId>> = Mutex::new(None);

/// From now on, conditions are set up on a drive for this run, or for none.
pub fn is_set_up(run: Option<RunId>) {
    *SET_UP.lock().unwrap_or_else(PoisonError::into_inner) = run;
}

/// Ends the process immediately, for a person who asked twice; first restores a terminal that a panel holds. What was
/// recorded stays, as after a crash.
pub fn leave_at_once() -> ! {
    give_back();
    let set_up = *SET_UP.lock().unwrap_or_else(PoisonError::into_inner);
    say::line(&last_words(&KEPT.lock().unwrap_or_else(PoisonError::into_inner), set_up));
    std::process::exit(ExitCode::Interrupted as i32)
}

/// Ends the process, for a person who asked before anything was measured or set up.
pub fn leave_before_anything() -> ! {
    give_back();
    say::line("interrupted: stopped before the end; nothing was measured");
    std::process::exit(ExitCode::Interrupted as i32)
}

/// What stays behind when a process ends immediately.
fn last_words(kept: &[RunId], set_up: Option<RunId>) -> String {
    if let Some(run) = set_up {
        let measured = if kept.contains(&run) { "what it measured is kept; " } else { "" };
        return format!(
            "stopped immediately; {measured}what was set up on the drive for run {run} (partitions, file system, \
             encryption, power state) is still there: `drivelab resume {run}` undoes it"
        );
    }
    let kept = match kept {
        [] => "nothing is kept".to_owned(),
        [run] => format!("the run is kept and can be resumed: drivelab resume {run}"),
        runs => {
            format!("{} runs are kept, and `drivelab results list` names those that can be resumed", runs.len())
        }
    };
    format!(
        "stopped immediately; {kept}; a scratch file that is left behind is removed when drivelab next measures in its folder"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_leaves_at_once_is_told_what_stays_behind() {
        let [one, two] = [RunId::now(), RunId::now()];
        assert!(last_words(&[], None).contains("nothing is kept"));
        assert!(last_words(&[one], None).contains(&format!("drivelab resume {one}")));
        assert!(last_words(&[one, two], None).contains("2 runs are kept"));
        // An earlier arm is kept too; of the current run nothing was recorded yet, or something was.
        for (kept, measured) in [(vec![one], false), (vec![one, two], true)] {
            let said = last_words(&kept, Some(two));
            assert!(said.contains("is still there") && said.contains(&format!("`drivelab resume {two}` undoes it")));
            assert!(!said.contains("can be resumed") && said.contains("is kept") == measured, "{said}");
        }
    }
}
