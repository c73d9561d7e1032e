//! The words about events that panel and plain lines share, one line each, fit to be copied from a terminal.

use drivelab_core::event::{EventBody, RunState};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::record::{StepRecord, StopReason};

use super::figures::{Figures, clean, iops, latency, length, number, rough};
use super::progress::{Latest, Progress};

/// What a line is about, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// As it should be.
    Plain,
    /// Worth a look.
    Warning,
    /// Something failed or is void.
    Bad,
}

/// The line that stays of an event, where one does. `progress` must not have taken the event yet.
pub(super) fn of(event: &EventBody, progress: &Progress) -> Option<(Tone, String)> {
    match event {
        EventBody::StepEnded(record) => Some(finished(record, progress)),
        EventBody::StepFailed { key, error } => {
            Some((Tone::Bad, format!("failed: {}: {}", progress.label(key), clean(error))))
        }
        EventBody::IdleEnded { key } => Some((Tone::Plain, format!("{}: done", progress.label(key)))),
        EventBody::Finding(found) => Some(finding(found)),
        EventBody::Steadiness(verdict) => {
            let (test, first, last) = (clean(&verdict.test), verdict.first_round, verdict.last_round);
            let (range, slope) = (number(verdict.range_percent.abs()), number(verdict.slope_percent.abs()));
            Some(if verdict.reached {
                (Tone::Plain, format!("{test}: steady in rounds {first} to {last} (range {range} %, slope {slope} %)"))
            } else {
                (Tone::Warning, format!("{test}: not steady after {last} rounds (range {range} %, slope {slope} %)"))
            })
        }
        EventBody::RunResumed(resumed) => {
            let (kept, state) = (resumed.kept_steps, clean(&resumed.target_state));
            Some((Tone::Warning, format!("resumed: {kept} finished steps are kept; {state}")))
        }
        EventBody::Interrupted { cause } => Some((Tone::Warning, format!("interrupted: {}", clean(cause)))),
        EventBody::RunEnded { state: RunState::Failed, message } => {
            Some((Tone::Bad, format!("failed: {}", clean(message))))
        }
        EventBody::RunStarted(_)
        | EventBody::StepStarted { .. }
        | EventBody::Interval(_)
        | EventBody::RestStarted { .. }
        | EventBody::RestEnded { .. }
        | EventBody::RunEnded { .. } => None,
    }
}

/// `warning virtual_disk: statement (cause) next action`.
pub(super) fn finding(found: &Finding) -> (Tone, String) {
    let (tone, word) = match found.severity {
        Severity::Note => (Tone::Plain, "note"),
        Severity::Warning => (Tone::Warning, "warning"),
        Severity::Void => (Tone::Bad, "void"),
    };
    (tone, clean(&format!("{word} {}: {} {}", found.code, found.statement, found.next_action)).trim_end().to_owned())
}

/// A row of the table of finished steps.
fn finished(record: &StepRecord, progress: &Progress) -> (Tone, String) {
    let label = progress.label(&record.key);
    let (read, write) = (Figures::of(&record.read), Figures::of(&record.write));
    let sum = |figure: fn(&Figures) -> f64| [read, write].iter().flatten().map(figure).sum::<f64>();
    let mut row = format!(
        "{label:<width$} {:>7} MB/s {:>9} IOPS {:>8}  p99 {}",
        number(sum(|one| one.mb_s)),
        iops(sum(|one| one.iops)),
        length(record.elapsed().get()),
        p99(read, write),
        width = progress.label_width(),
    );
    let tone = match record.stop_reason {
        StopReason::Time | StopReason::Volume | StopReason::Passes => Tone::Plain,
        StopReason::Cap => {
            row.push_str("  cut off by its cap");
            Tone::Warning
        }
        StopReason::Stopped => {
            row.push_str("  stopped, will be repeated");
            Tone::Warning
        }
        StopReason::Errors => {
            row.push_str("  ended by errors");
            Tone::Bad
        }
    };
    match record.error_count() {
        0 => (tone, row),
        errors => (Tone::Bad, format!("{row}  {errors} errors")),
    }
}

/// The 99th percentile; where both kinds ran, the larger one and whose it is, because a row has room for one.
fn p99(read: Option<Figures>, write: Option<Figures>) -> String {
    let of = |figures: Option<Figures>| figures.and_then(|figures| figures.p99);
    match (of(read), of(write)) {
        (Some(read), Some(write)) if read >= write => format!("{} r", latency(read)),
        (Some(_), Some(write)) => format!("{} w", latency(write)),
        (Some(one), None) | (None, Some(one)) => latency(one),
        (None, None) => "-".to_owned(),
    }
}

/// The newest interval in words: `read 3,456 MB/s, 843,750 IOPS, p99 120 us`.
pub(super) fn live(latest: &Latest) -> String {
    let one = |name: &str, figures: Option<Figures>| {
        figures.map(|it| {
            let p99 = it.p99.map_or_else(String::new, |p99| format!(", p99 {}", latency(p99)));
            format!("{name} {} MB/s, {} IOPS{p99}", number(it.mb_s), iops(it.iops))
        })
    };
    let parts: Vec<String> = [one("read", latest.read), one("write", latest.write)].into_iter().flatten().collect();
    if parts.is_empty() { "nothing completed in the last interval".to_owned() } else { parts.join("; ") }
}

/// `step 3 of 37: SEQ 1 MiB Q8T1 read`.
pub(super) fn running(progress: &Progress) -> Option<String> {
    let running = progress.running()?;
    let label = progress.label(&running.key);
    Some(match progress.position() {
        Some(position) => format!("step {position} of {}: {label}", progress.total()),
        None => format!("step {label}"),
    })
}

/// `35 s of this step left`, or empty where nothing can be said.
pub(super) fn left_here(progress: &Progress, now_ns: u64) -> String {
    progress.left_here(now_ns).map_or_else(String::new, |left| rough(left.get()))
}
