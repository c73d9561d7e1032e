//! Findings about how steps and the run went. Nothing is voided; a reader must know it all the same.

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
            "{} hit the longest time a step may take before the volume or pass was done: the figures are of the part \
             that was done.",
            executions(seen)
        )
    },
    "The target is slower than the methodology expected.",
    "Use a smaller target, or a form with longer caps.",
);

pub(super) static SHORT_STEP: FindingDef = FindingDef::warning(
    "short_step",
    |seen| format!("{} ended before the time or the volume that was asked for.", executions(seen)),
    "The run was stopped, or errors of the device ended the step.",
    "If the run was stopped, resume it: the step is measured again. After errors look at the kernel log (`dmesg`), \
     and start a new run.",
);

pub(super) static ONE_INTERVAL: FindingDef = FindingDef::warning(
    "one_interval",
    |seen| {
        format!(
            "{} lasted no longer than one recorded interval: each figure is of a single moment, and nothing tells \
             whether the rate held.",
            executions(seen)
        )
    },
    "The time or volume asked for is so small, or the target so fast, that the step was over at once.",
    "Ask for more time or volume; a rate needs some seconds to settle.",
);

pub(crate) fn not_steady(verdict: &Steadiness) -> Finding {
    let statement = format!(
        "Test '{}' did not become steady in the rounds it may take, or before it had written all that it may; its figures are \
         of rounds {} to {} all the same.",
        verdict.test, verdict.first_round, verdict.last_round
    );
    let cause = "The drive was still filling its cache, moving data or heating up.";
    let found = vec![
        evidence("range / mean", verdict.range_percent, Some(steady::MAX_RANGE_PERCENT), "%"),
        evidence("move of the fitted line / mean", verdict.slope_percent, Some(steady::MAX_SLOPE_PERCENT), "%"),
    ];
    warning("not_steady", statement, cause, "Write more before measuring, or allow more rounds.").about_run(found)
}

pub(crate) fn smoke_form() -> Finding {
    let statement =
        "Form smoke: every step ran for a moment only. These figures are unusable for comparison.".to_owned();
    warning("smoke_form", statement, "It is for tests of drivelab itself.", "Run the form quick or faithful.")
        .about_run(Vec::new())
}

pub(crate) fn in_company(others: u32) -> Finding {
    let statement = format!(
        "{} worked at the same time: these are not the figures of a drive alone.",
        plural(others as usize, "other drive")
    );
    let action = "`drivelab report RUN --group` sets them beside those of the drive alone; compare with runs alone nowhere else.";
    warning("in_company", statement, "It was measured with `drivelab run METHOD T1 T2 …`.", action)
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
    let statement = format!("The run is not at its end: {done} of {most}{all} executions are finished{cause}.");
    warning("run_unfinished", statement, "", "`drivelab resume` goes on with the first unfinished step.")
        .about_run(vec![evidence("finished executions", done as f64, Some(all as f64), "executions")])
}

pub(super) static NOT_COOLED_DOWN: FindingDef = FindingDef::warning(
    "not_cooled_down",
    |seen| {
        format!(
            "In {} the drive was not as cool as was asked for when the time for cooling down was over.",
            executions(seen)
        )
    },
    "Too little air, a warm room, or a limit below what the drive has when it is idle.",
    "Give it more time (`start_below_cap`, `cap`), more air, or a higher limit; compare only with runs that began as \
     warm.",
);

pub(crate) fn run_resumed(pause: &Break, resumed: &RunResumed, pause_s: Option<f64>, kept: Vec<StepKey>) -> Finding {
    let at_s = pause.at_ns as f64 / 1e9;
    let length = pause_s.map_or("a time that is not known".to_owned(), human_time);
    let again = if resumed.prepared_again { "preparation was repeated" } else { "preparation was not repeated" };
    let again = match pause.made_again.len() {
        0 => again.to_owned(),
        1 => format!("{again}, and 1 finished execution was done once more for those that rest on it"),
        count => format!("{again}, and {count} finished executions were done once more for those that rest on them"),
    };
    let statement = format!(
        "The run was interrupted at {at_s:.1} s of run time ({}) and went on at {} after a pause of {length}: {} kept, \
         {again} ({}).",
        pause.cause.trim_end_matches('.'),
        resumed.resumed,
        plural(resumed.kept_steps as usize, "finished execution"),
        resumed.target_state.trim_end_matches('.'),
    );
    let mut found = vec![evidence("run time of the break", at_s, None, "s")];
    found.extend(pause_s.map(|pause_s| evidence("pause", pause_s, None, "s")));
    let words = warning(
        "run_resumed",
        statement,
        "",
        "Drive state and temperature before and after the break may differ: compare steps across it with care.",
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
        "{} could not be done and has no figures: {}.",
        plural(keys.len(), "execution"),
        error.trim_end_matches('.')
    );
    warning("step_failed", statement, "", "Remove the cause and run again; a failed step is never shown as 0.")
        .finding(keys, Vec::new())
}
