//! Findings about how steps and the run went. They void nothing, but readers must know them.

use drivelab_core::event::{RunResumed, Steadiness};
use drivelab_core::finding::Finding;
use drivelab_core::ids::StepKey;
use drivelab_core::run::Break;

use crate::evidence::{FindingDef, evidence, executions, plural, warning};
use crate::steady;

pub(super) static CAP_REACHED: FindingDef = FindingDef::warning(
    "cap_reached",
    |seen| {
        format!(
            "The figures of {} cover only the part that was done: the time limit was reached before the volume or pass was \
             complete.",
            executions(seen)
        )
    },
    "The target is slower than the methodology expected.",
    "Use a smaller target, or a longer time limit (`cap`).",
);

pub(super) static SHORT_STEP: FindingDef = FindingDef::warning(
    "short_step",
    |seen| {
        format!("The figures of {} rest on less time or volume than requested, after an early end.", executions(seen))
    },
    "The run was stopped, or device errors ended the step.",
    "If the run was stopped, resume it: the step is measured again. After errors, look at the kernel log (`dmesg`) and \
     start a new run.",
);

pub(super) static ONE_INTERVAL: FindingDef = FindingDef::warning(
    "one_interval",
    |seen| {
        format!(
            "The figures of {} are of a single moment, and whether the rate held is unknown: the step lasted no longer \
             than one recorded interval.",
            executions(seen)
        )
    },
    "The requested time or volume is so small, or the target so fast, that the step ended almost immediately.",
    "Request more time or volume: a rate needs some seconds to settle.",
);

pub(crate) fn not_steady(verdict: &Steadiness) -> Finding {
    let statement = format!(
        "Test '{}' did not reach steady state within the rounds or the volume that it may use. Its figures come from \
         rounds {} to {} anyway.",
        verdict.test, verdict.first_round, verdict.last_round
    );
    let cause = "The drive was still filling its write cache, moving data or heating up.";
    let found = vec![
        evidence("range / mean", verdict.range_percent, Some(steady::MAX_RANGE_PERCENT), "%"),
        evidence("slope of the fitted line / mean", verdict.slope_percent, Some(steady::MAX_SLOPE_PERCENT), "%"),
    ];
    warning("not_steady", statement, cause, "Write more before measuring, or allow more rounds.").about_run(found)
}

pub(crate) fn smoke_form() -> Finding {
    let statement =
        "These figures are unusable for comparison: in the smoke form every step runs for a moment only.".to_owned();
    let cause = "The smoke form is for tests of drivelab itself.";
    warning("smoke_form", statement, cause, "Run the quick or the faithful form.").about_run(Vec::new())
}

pub(crate) fn in_company(others: u32) -> Finding {
    let statement = format!(
        "These are not the figures of a drive alone: {} worked at the same time.",
        plural(others as usize, "other drive")
    );
    let action =
        "Do not compare them with runs of one drive, except in `drivelab report RUN --group`, which shows both.";
    warning("in_company", statement, "The drives were measured with `drivelab run METHOD T1 T2 …`.", action)
        .about_run(Vec::new())
}

pub(crate) fn run_failed(message: &str, done: usize) -> Finding {
    let statement =
        format!("The run failed after {}: {}.", plural(done, "finished execution"), message.trim_end_matches('.'));
    warning("run_failed", statement, "", "Remove the cause and start a new run; this one cannot be resumed.")
        .about_run(Vec::new())
}

pub(crate) fn run_unfinished(done: usize, all: usize, open_end: bool, cause: Option<&str>) -> Finding {
    let most = if open_end { "at most " } else { "" };
    let cause = cause.map_or(String::new(), |cause| format!(" ({cause})"));
    let statement = format!("The run is unfinished: {done} of {most}{all} executions are finished{cause}.");
    warning("run_unfinished", statement, "", "`drivelab resume` continues with the first unfinished step.")
        .about_run(vec![evidence("finished executions", done as f64, Some(all as f64), "executions")])
}

pub(super) static NOT_COOLED_DOWN: FindingDef = FindingDef::warning(
    "not_cooled_down",
    |seen| {
        format!(
            "The drive was warmer than requested at the start of {}: the time for cooling down ran out.",
            executions(seen)
        )
    },
    "There is too little air flow, the room is warm, or the limit is below the drive's idle temperature.",
    "Give it more time (`start_below_cap`, `cap`), more air, or a higher limit. Compare only with runs that began \
     equally warm.",
);

pub(crate) fn run_resumed(pause: &Break, resumed: &RunResumed, pause_s: Option<f64>, kept: Vec<StepKey>) -> Finding {
    let at_s = pause.at_ns as f64 / 1e9;
    let length = pause_s.map_or("unknown length".to_owned(), human_time);
    let again = if resumed.prepared_again { "preparation was repeated" } else { "preparation was not repeated" };
    let again = match pause.made_again.len() {
        0 => again.to_owned(),
        1 => format!("{again}; 1 finished execution was repeated because others depend on it"),
        count => format!("{again}; {count} finished executions were repeated because others depend on them"),
    };
    let statement = format!(
        "The run was interrupted at {at_s:.1} s of run time: {}. It was resumed at {} after a pause of {length}; {} kept, \
         and {again}. The state of the target: {}.",
        pause.cause.trim_end_matches('.'),
        resumed.resumed,
        match resumed.kept_steps {
            1 => "1 finished execution was".to_owned(),
            count => format!("{count} finished executions were"),
        },
        resumed.target_state.trim_end_matches('.'),
    );
    let mut found = vec![evidence("run time of the break", at_s, None, "s")];
    found.extend(pause_s.map(|pause_s| evidence("pause", pause_s, None, "s")));
    let words = warning(
        "run_resumed",
        statement,
        "",
        "Compare steps across the break with care: drive state and temperature before and after it may differ.",
    );
    words.finding(kept, found)
}

/// `42 s`, `7.5 min`, `3.2 h`.
fn human_time(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}

pub(crate) fn step_failed(error: &str, keys: Vec<StepKey>) -> Finding {
    let statement = format!(
        "There are no figures for {}, which could not be done: {}.",
        plural(keys.len(), "execution"),
        error.trim_end_matches('.')
    );
    warning("step_failed", statement, "", "Remove the cause and run again. A failed step is never shown as 0.")
        .finding(keys, Vec::new())
}

#[cfg(test)]
mod tests;
