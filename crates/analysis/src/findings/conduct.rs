//! Findings about how steps and the run went. Nothing is voided; a reader must know it all the same.

use drivelab_core::event::{RunResumed, Steadiness};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::run::Break;

use super::{Words, evidence, executions, plural};
use crate::check::Seen;
use crate::steady;

fn warning(code: &'static str, statement: String, cause: &'static str, action: &'static str) -> Words<'static> {
    Words { code, severity: Severity::Warning, statement, cause, action }
}

fn note(code: &'static str, statement: String, cause: &'static str, action: &'static str) -> Words<'static> {
    Words { code, severity: Severity::Note, statement, cause, action }
}

pub(crate) fn io_errors(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} operations ended in errors; they are counted as errors and are in no other figure.",
        executions(seen)
    );
    let cause = "The device or the way to it failed, or the file system ran out of space.";
    let action = "Look at the kernel log (`dmesg`) and at the drive's health; do not trust it with data before.";
    warning("io_errors", statement, cause, action).about(seen)
}

pub(crate) fn cap_reached(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} hit the longest time a step may take before the volume or pass was done: the figures are of the part \
         that was done.",
        executions(seen)
    );
    let cause = "The target is slower than the methodology expected.";
    warning("cap_reached", statement, cause, "Use a smaller target, or a form with longer caps.").about(seen)
}

pub(crate) fn short_step(seen: &[Seen]) -> Finding {
    let statement = format!("{} ended before their time or volume was reached.", executions(seen));
    let cause = "The run was stopped, or errors of the device ended the step.";
    warning("short_step", statement, cause, "Resume the run: steps that were cut off are measured again.").about(seen)
}

pub(crate) fn buffered_io(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} went through the page cache, as the methodology asks: the figures are of memory and drive together.",
        executions(seen)
    );
    warning("buffered_io", statement, "", "Compare only with buffered results of equal target size and memory.")
        .about(seen)
}

pub(crate) fn kernel_workers(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the kernel handed requests to its worker threads: their latency contains a second scheduling, and \
         their CPU time is not in `cpu_share`.",
        executions(seen)
    );
    let cause = "The file system or driver cannot serve io_uring requests without blocking.";
    note("kernel_workers", statement, cause, "Compare with the sync backend: `--backend sync`.").about(seen)
}

pub(crate) fn generator_limited(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the issuing threads spent more of their time in drivelab's own code than is left for the target: their \
         rates are lower bounds.",
        executions(seen)
    );
    let cause = "The target is faster than so few threads can ask, the build is a debug build, or the CPU is slow.";
    let action = "Use a release build and more threads (`drivelab io --threads`), each on a CPU of its own.";
    warning("generator_limited", statement, cause, action).about(seen)
}

pub(crate) fn host_cpu_limited(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the kernel's work took most of the issuing threads' time: the host's CPU was the limit, and the rates \
         are lower bounds.",
        executions(seen)
    );
    let cause = "The kernel's I/O path (file system, scheduler, encryption, mitigations) needs that CPU time.";
    warning("host_cpu_limited", statement, cause, "Use more threads, or a faster CPU.").about(seen)
}

pub(crate) fn depth_not_kept(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} fewer than 90 % of the asked operations were in flight on average: the target was not under the load \
         that the step's name says, and the rates are lower bounds.",
        executions(seen)
    );
    let cause = "Submission blocked (a synchronous path, a full device queue), the CPU was late, or the step was so \
                 short that its end weighs.";
    let action = "Look at `in_flight_mean` of the step before comparing it; the sync backend has a thread for each \
                  operation and does not block the others.";
    warning("depth_not_kept", statement, cause, action).about(seen)
}

pub(crate) fn two_modes(seen: &[Seen]) -> Finding {
    let statement = format!(
        "The rounds of {} fall into two groups with a gap between them: a mean of both describes neither.",
        plural(steps_of(seen), "step")
    );
    let cause =
        "The drive was in two states: before and after its cache was full, or with and without background work.";
    warning("two_modes", statement, cause, "Look at the rounds one by one; report both groups.").about(seen)
}

pub(crate) fn rounds_differ(seen: &[Seen]) -> Finding {
    let statement = format!("The rounds of {} differ by more than 10 % of their mean.", plural(steps_of(seen), "step"));
    let cause = "The drive's state changed between rounds (cache, temperature), or the machine was disturbed.";
    warning("rounds_differ", statement, cause, "Show the spread beside the figure; more rounds narrow the interval.")
        .about(seen)
}

fn steps_of(seen: &[Seen]) -> usize {
    seen.iter().map(|one| one.key.step.as_str()).collect::<std::collections::BTreeSet<&str>>().len()
}

pub(crate) fn not_steady(verdict: &Steadiness) -> Finding {
    let statement = format!(
        "Test '{}' did not become steady in the rounds it may take; its figures are of rounds {} to {} all the same.",
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

pub(crate) fn run_resumed(pause: &Break, resumed: &RunResumed, pause_s: Option<f64>, kept: Vec<StepKey>) -> Finding {
    let at_s = pause.at_ns as f64 / 1e9;
    let length = pause_s.map_or("a time that is not known".to_owned(), human_time);
    let again = if resumed.prepared_again { "preparation was repeated" } else { "preparation was not repeated" };
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
