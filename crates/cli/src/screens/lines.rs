//! The texts about events that panel and plain lines share: one line each, suitable for copying from a terminal.

use drivelab_analysis::{Disturbed, rate};
use drivelab_core::event::{EventBody, RunState};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::load::OpKind;
use drivelab_core::record::{OpRecord, StepRecord, StopReason};
use drivelab_report::format;

use super::figures::{Figures, clean, rough};
use super::progress::{Latest, Progress};

/// The tone of a line, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// As expected.
    Plain,
    /// Worth attention.
    Warning,
    /// Something failed or is void.
    Bad,
}

/// The line that stays on the screen for an event, if the event has one.
pub(super) fn of(event: &EventBody, progress: &Progress) -> Option<(Tone, String)> {
    match event {
        EventBody::StepEnded(record) => Some(finished(record, progress)),
        EventBody::StepFailed { key, error } => {
            Some((Tone::Bad, format!("failed: {}: {}", progress.label(key), clean(error))))
        }
        EventBody::IdleEnded { key } => Some((Tone::Plain, format!("{}: done", progress.label(key)))),
        EventBody::PreparationReused(reused) => Some((Tone::Plain, format!("preparation: {}", clean(&reused.why)))),
        EventBody::Finding(found) => Some(finding(found)),
        EventBody::Steadiness(verdict) => {
            let (test, first, last) = (clean(&verdict.test), verdict.first_round, verdict.last_round);
            let (range, slope) = (per_cent(verdict.range_percent), per_cent(verdict.slope_percent));
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
        EventBody::MakingAgain { key } => Some((
            Tone::Plain,
            format!("{}: repeated, because the remaining steps need what it writes; no result", progress.label(key)),
        )),
        EventBody::Interrupted { cause } => Some((Tone::Warning, format!("interrupted: {}", clean(cause)))),
        EventBody::RunEnded { state: RunState::Failed, message } => {
            Some((Tone::Bad, format!("failed: {}", clean(message))))
        }
        EventBody::CoolDownStarted { below_c, celsius, .. } => Some((
            Tone::Plain,
            format!("the drive is at {} °C: waiting until it is below {below_c} °C", degrees(*celsius)),
        )),
        EventBody::CoolDownEnded { celsius, reached, .. } => {
            let now = celsius.map_or("not known".to_owned(), |celsius| format!("{} °C", degrees(celsius)));
            Some(if *reached {
                (Tone::Plain, format!("cool enough: {now}"))
            } else {
                (Tone::Warning, format!("the time for cooling down is over ({now}): continuing"))
            })
        }
        EventBody::RunStarted(_)
        | EventBody::InGroup(_)
        | EventBody::HostCpu(_)
        | EventBody::GroundTruth(_)
        | EventBody::DriveState(_)
        | EventBody::StepStarted { .. }
        | EventBody::MadeAgain { .. }
        | EventBody::Interval(_)
        | EventBody::RestStarted { .. }
        | EventBody::RestEnded { .. }
        | EventBody::CoolingDown { .. }
        | EventBody::TelemetryDescribed(_)
        | EventBody::Telemetry(_)
        | EventBody::RunEnded { .. } => None,
    }
}

/// The lines about executions that the last event has shown to be disturbed. They come after the row of the figures,
/// because the counters of the devices are read after it.
pub(super) fn disturbed(progress: &Progress) -> Vec<(Tone, String)> {
    let line = |one: &Disturbed| {
        let (label, devices) = (progress.label(&one.key), clean(&one.devices));
        (Tone::Warning, format!("disturbed: {label}: other I/O used {devices}"))
    };
    progress.disturbed().iter().map(line).collect()
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

/// A temperature to a tenth of a degree.
pub(super) fn degrees(celsius: f64) -> String {
    format!("{celsius:.1}")
}

/// The size of a share, without its sign.
fn per_cent(share: f64) -> String {
    format::value(share.abs(), "%")
}

/// A row of the table of finished steps. The length of the step comes last, because it is the only column whose text
/// varies in width.
fn finished(record: &StepRecord, progress: &Progress) -> (Tone, String) {
    let label = progress.label(&record.key);
    // For a replayed trace, the rates without its pauses.
    let active = record.active().as_secs_f64();
    let factor = rate::rated_time(record).filter(|_| active > 0.0).map_or(1.0, |time| active / time.as_secs_f64());
    let of = |kind: OpKind, op: &OpRecord| Figures::of(kind, op).map(|figures| figures.times_faster(factor));
    let (read, write) = (of(OpKind::Read, &record.read), of(OpKind::Write, &record.write));
    // Trims, write-zeroes and flushes are not part of a sum, but if there were no other operations they are shown.
    let others: Vec<Figures> = match (read, write) {
        (None, None) => record.others.iter().filter_map(|other| of(other.op, &other.record)).collect(),
        _ => Vec::new(),
    };
    let all = || read.iter().chain(&write).chain(&others);
    let mb_s: Vec<f64> = all().filter_map(|one| one.mb_s).collect();
    let iops: f64 = all().map(|one| one.iops).sum();
    let limit = progress.limited_by(record);
    let bound = if limit.is_lower_bound() { "≥" } else { "" };
    let mut row = format!(
        "{label:<width$} {:>7} {:4} {:>9} IOPS {} {:>6}",
        if mb_s.is_empty() { "-".to_owned() } else { format!("{bound}{}", format::mb_s(mb_s.iter().sum())) },
        if mb_s.is_empty() { "" } else { "MB/s" },
        format!("{bound}{}", format::iops(iops)),
        p99(read.or(others.first().copied()), write),
        format::duration(record.elapsed()),
        width = progress.label_width(),
    );
    if let Some(replay) = &record.replay {
        row.push_str(&format!("  rates over {} busy", format::duration(replay.busy)));
    }
    if limit.is_lower_bound() {
        row.push_str(&format!("  limited by {}", limit.kind().title()));
    }
    let tone = match record.stop_reason {
        StopReason::Time | StopReason::Volume | StopReason::Passes | StopReason::Operations => Tone::Plain,
        StopReason::Cap => {
            row.push_str("  time limit reached");
            Tone::Warning
        }
        StopReason::Stopped => {
            row.push_str("  stopped, will be repeated");
            Tone::Warning
        }
        StopReason::Errors => {
            row.push_str("  stopped by errors");
            Tone::Bad
        }
    };
    match record.error_count() {
        0 => (tone, row),
        errors => (Tone::Bad, format!("{row}  {errors} errors")),
    }
}

/// The 99th percentile, always with the same width. If there were reads and writes, the larger one with its kind (`r`
/// or `w`), because a row has room for one.
fn p99(read: Option<Figures>, write: Option<Figures>) -> String {
    let of = |figures: Option<Figures>| figures.filter(|figures| figures.p99.is_some());
    let (whose, one) = match (of(read), of(write)) {
        (Some(read), Some(write)) if read.p99 >= write.p99 => ("r", Some(read)),
        (Some(_), Some(write)) => ("w", Some(write)),
        (one, None) | (None, one) => ("", one),
    };
    one.and_then(|figures| figures.p99_us())
        .map_or_else(|| format!("p99{:>13}", "-"), |p99| format!("p99 {whose:1}{p99:>8} µs"))
}

/// The newest interval in words: `read 3,456 MB/s, 843,750 IOPS, p99 120.0 µs`; for a replayed trace with pauses, with
/// a remark about them, because an interval does not contain how long it was busy.
pub(super) fn live(latest: &Latest, has_pauses: bool) -> String {
    let pauses = if has_pauses { " (with the pauses of the trace)" } else { "" };
    let one = |name: &str, figures: Option<Figures>| {
        figures.map(|it| {
            let p99 = it.p99_us().map_or_else(String::new, |p99| format!(", p99 {p99} µs"));
            let mb_s = it.mb_s().map_or_else(String::new, |mb_s| format!("{mb_s} MB/s, "));
            format!("{name} {mb_s}{} IOPS{p99}", format::iops(it.iops))
        })
    };
    let parts: Vec<String> = latest.kinds().into_iter().filter_map(|(name, figures)| one(name, figures)).collect();
    if parts.is_empty() {
        "nothing completed in the last interval".to_owned()
    } else {
        format!("{}{pauses}", parts.join("; "))
    }
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

/// `35 s of this step left`, or empty if it is unknown.
pub(super) fn left_here(progress: &Progress, now_ns: u64) -> String {
    progress.left_here(now_ns).map_or_else(String::new, |left| rough(left.get()))
}

#[cfg(test)]
mod tests {
    //! Lines of steps that read or write nothing, and of steps that the target did not limit.

    use drivelab_core::event::{EVENT_VERSION, Event, RunStarted};
    use drivelab_core::run::RunRecords;
    use drivelab_samples as testing;

    use super::*;

    /// The screens' state after the start of a recorded run.
    fn after_start(run: &RunRecords) -> Progress {
        let mut progress = Progress::default();
        let event = EventBody::RunStarted(RunStarted {
            event_version: EVENT_VERSION,
            run: run.run,
            started: run.started.clone(),
            tool: run.tool.clone(),
            plan: run.plan.clone(),
            environment: run.environment.clone(),
        });
        progress.event(&Event { seq: 0, at_ns: 0, event });
        progress
    }

    #[test]
    fn a_step_that_the_generator_limited_is_a_lower_bound() {
        let run = testing::sample_limited_run();
        let (_, row) = finished(&run.steps[0], &after_start(&run));
        assert!(row.contains("≥1,631 MB/s  ≥398,096 IOPS") && row.ends_with("limited by the load generator"), "{row}");
        let plain = testing::sample_run();
        let (_, row) = finished(&plain.steps[0], &after_start(&plain));
        assert!(!row.contains('≥') && !row.contains("limited"), "{row}");
    }

    #[test]
    fn a_replayed_trace_shows_its_rates_without_its_pauses() {
        let (plain, replayed) = (testing::sample_run(), testing::replayed(testing::sample_run(), "sustained"));
        let row = |run: &RunRecords| {
            let of_test = |record: &&StepRecord| record.key.step.as_str().starts_with("sustained/");
            let record = run.steps.iter().find(of_test).expect("the sample has it").clone();
            (finished(&record, &after_start(run)).1, record)
        };
        let ((before, record), (after, _)) = (row(&plain), row(&replayed));
        let times = f64::from(testing::BUSY_ONE_IN);
        let rates = |times: f64| {
            (format::mb_s(record.write.mb_s() * times), format!("{} IOPS", format::iops(record.write.iops * times)))
        };
        let ((whole, whole_iops), (busy, busy_iops)) = (rates(1.0), rates(times));
        assert!(before.contains(&whole) && before.contains(&whole_iops) && !before.contains("busy"), "{before}");
        assert!(after.contains(&busy) && after.contains(&busy_iops) && after.contains("  rates over "), "{after}");
    }

    #[test]
    fn a_step_of_trims_shows_its_trims() {
        let mut run = testing::sample_mixed_run();
        let progress = after_start(&run);
        let record = &mut run.steps[0];
        let (_, mixed) = finished(record, &progress);
        (record.read, record.write) = (OpRecord::default(), OpRecord::default());
        record.others.retain(|other| other.op == drivelab_core::load::OpKind::Trim);
        let iops = format::iops(record.others[0].record.iops);
        let (_, row) = finished(record, &progress);
        assert!(row.contains(&format!("{iops} IOPS p99")) && !mixed.contains(&iops), "{row}\n{mixed}");
        assert!(mixed.contains("MB/s") && !row.contains("MB/s"), "a discard moves no data: {row}");
    }
}
