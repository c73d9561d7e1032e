//! Findings about replays.

use drivelab_core::finding::{Finding, Severity};

use super::{Words, executions};
use crate::check::Seen;

pub(crate) fn reading_limited(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the trace was not read fast enough: operations were due and had not been read, so lateness, response times \
         and rates are limited by trace reading and not by the target.",
        executions(seen)
    );
    let cause = "The file of the trace lies on a slow disk, on the target itself, or the CPU is short.";
    let action = "Copy the trace to another, faster disk, and replay it once more.";
    Words { code: "trace_reading_limited", severity: Severity::Warning, statement, cause, action }.about(seen)
}

pub(crate) fn fitted(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} not all operations are as they were recorded: they were fitted to the target, in the shares given beside.",
        executions(seen)
    );
    let cause = "The target is smaller than the recorded one or has larger blocks, or trims were not asked for.";
    let action = "Keep it in mind where places matter (caches, hot regions), or take a larger target; `trace_fit` says how \
                  places are made to fit, `trace_trims` what becomes of trims.";
    Words { code: "trace_fitted", severity: Severity::Note, statement, cause, action }.about(seen)
}

pub(crate) fn times_go_back(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the times of the trace go back: the operations concerned were issued at once, at the latest time seen before \
         them, so that bursts and lateness are not those that were recorded.",
        executions(seen)
    );
    let cause = "Lines of the trace are out of order, such as those of several CPUs put one behind the other, or one time \
                 stamp is wrong.";
    let action = "Sort the trace by time, or mend the line, and replay it again; `drivelab trace check` counts them.";
    Words { code: "trace_times_go_back", severity: Severity::Warning, statement, cause, action }.about(seen)
}
