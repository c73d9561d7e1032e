//! Findings about replays.

use crate::evidence::{FindingDef, executions};

pub(super) static READING_LIMITED: FindingDef = FindingDef::warning(
    "trace_reading_limited",
    |seen| {
        format!(
            "In {} the trace was not read fast enough: operations were due and had not been read, so lateness, \
             response times and rates are limited by trace reading and not by the target.",
            executions(seen)
        )
    },
    "The file of the trace lies on a slow disk, on the target itself, or the CPU is short.",
    "Copy the trace to another, faster disk, and replay it once more.",
);

pub(super) static FITTED: FindingDef = FindingDef::note(
    "trace_fitted",
    |seen| {
        format!(
            "In {} not all operations are as they were recorded: they were fitted to the target, in the shares given \
             beside.",
            executions(seen)
        )
    },
    "The target is smaller than the recorded one or has larger blocks, or trims were not asked for.",
    "Keep it in mind where places matter (caches, hot regions), or take a larger target; `trace_fit` says how places \
     are made to fit, `trace_trims` what becomes of trims.",
);

pub(super) static TIMES_GO_BACK: FindingDef = FindingDef::warning(
    "trace_times_go_back",
    |seen| {
        format!(
            "In {} the times of the trace go back: the operations concerned were issued at once, at the latest time \
             seen before them, so that bursts and lateness are not those that were recorded.",
            executions(seen)
        )
    },
    "Lines of the trace are out of order, such as those of several CPUs put one behind the other, or one time stamp \
     is wrong.",
    "Sort the trace by time, or mend the line, and replay it again; `drivelab trace check` counts them.",
);
