//! Findings about replays.

use crate::evidence::{FindingDef, executions};

pub(super) static READING_LIMITED: FindingDef = FindingDef::warning(
    "trace_reading_limited",
    |seen| {
        format!(
            "Reading the trace, not the target, limited the lateness, response times and rates of {}: operations were \
             due before they had been read.",
            executions(seen)
        )
    },
    "The trace file is on a slow disk or on the target itself, or there was too little CPU time.",
    "Copy the trace to another, faster disk, and replay it again.",
);

pub(super) static FITTED: FindingDef = FindingDef::note(
    "trace_fitted",
    |seen| {
        format!(
            "Not all operations of {} are as recorded: some were fitted to the target. The evidence gives their \
             shares.",
            executions(seen)
        )
    },
    "The target is smaller than the recorded one or has larger blocks, or trims were not requested.",
    "Use a larger target if addresses matter (caches, hot regions). `trace_fit` sets how addresses are fitted, \
     `trace_trims` what happens to trims.",
);

pub(super) static TIMES_GO_BACK: FindingDef = FindingDef::warning(
    "trace_times_go_back",
    |seen| {
        format!(
            "Bursts and lateness of {} are not those recorded: times in the trace go backwards, and the operations \
             concerned were issued immediately, at the latest time seen before them.",
            executions(seen)
        )
    },
    "Lines of the trace are out of order, for example because those of several CPUs follow each other, or a time stamp \
     is wrong.",
    "Sort the trace by time or correct the line, and replay it again. `drivelab trace check` counts such lines.",
);

#[cfg(test)]
mod tests;
