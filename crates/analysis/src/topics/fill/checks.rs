//! What a fill shows about the drive's write cache: one answer for each, and short bursts and gaps. Voids nothing; the
//! course is judged in [`super::shape()`].

use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Step, StepRole};
use drivelab_core::run::RunRecords;

use super::answer::Answer;
use super::shape::FillShape;
use super::{shape as fill, words as text};
use crate::check::{Check, Seen, Subject, told};
use crate::evidence::evidence;
use crate::topics::others;

/// Checks of single executions.
pub(crate) static FILLED: &[Check] = &[
    Check { finding: &text::CACHE_ENDED, rule: "", check: cache_ended },
    Check { finding: &text::RAMP, rule: "", check: ramp },
    Check { finding: &text::NOT_SEEN, rule: "", check: not_seen },
    Check { finding: &text::TOO_LITTLE, rule: "", check: too_little },
    Check { finding: &text::BURST, rule: "", check: burst },
    Check { finding: &text::STALLED, rule: "", check: stalled },
];

/// Codes that answer where a write cache ends; the other codes add details.
const ANSWERS: [&str; 4] = ["write_cache_ended", "write_ramp", "write_cache_not_seen", "write_cache_too_little"];

/// Marks the answer of a methodology that only fills: the end of the write cache is its question.
pub(crate) fn answering(records: &RunRecords, finding: &mut Finding) {
    let measured = || records.plan.steps().filter(|step| step.role == StepRole::Measure);
    let writes = |step: &Step| step.workload().is_some_and(|load| load.groups().any(|load| load.issues(OpKind::Write)));
    let fills = |step: &Step| fill::fills(step).is_some();
    let asks = measured().any(fills) && !measured().any(|step| writes(step) && !fills(step));
    finding.answers |= asks && ANSWERS.contains(&finding.code.as_str());
}

/// The course of a measured fill; figures of preparation are not results, and a smoke run has no course.
fn course(subject: &Subject<'_>) -> Option<FillShape> {
    counts(subject).then(|| subject.execution.fill()).flatten()
}

fn counts(subject: &Subject<'_>) -> bool {
    !subject.moment && subject.step.role == StepRole::Measure
}

fn span(subject: &Subject<'_>) -> f64 {
    subject.execution.workload.span.length.as_f64()
}

fn share(subject: &Subject<'_>, bytes: f64) -> Evidence {
    evidence("share of the span", 100.0 * bytes / span(subject), None, "%")
}

/// What is reported of this execution, with a note if other I/O used the disk and its rates are marked.
fn told_with_others(subject: &Subject<'_>, found: Option<Vec<Evidence>>) -> Vec<Seen> {
    let told = told(subject, found);
    if told.is_empty() || others::others(subject).is_empty() {
        return told;
    }
    told.into_iter().map(|seen| seen.noting("others")).collect()
}

/// A measured fill whose rate fell permanently.
fn cache_ended(subject: &Subject<'_>) -> Vec<Seen> {
    let found = course(subject).and_then(|shape| Some((shape.cache_bytes?, shape)));
    let found = found.map(|(cache, shape)| {
        let mut found = vec![
            evidence("rate after the end (limit: before it)", shape.sustained / 1e6, Some(shape.peak / 1e6), "MB/s"),
            evidence("written when it ended", cache / 1e9, None, "GB"),
            share(subject, cache),
        ];
        if shape.recoveries > 0 {
            found.push(evidence("recoveries", shape.recoveries as f64, None, ""));
            found.push(evidence("share of the remaining data", 100.0 * shape.recovered_share, None, "%"));
        }
        found
    });
    told_with_others(subject, found)
}

fn ramp(subject: &Subject<'_>) -> Vec<Seen> {
    let found = course(subject).and_then(|shape| match shape.course.answer {
        Answer::Declined(from, to) => {
            Some(vec![evidence("rate at the end (limit: at the start)", to / 1e6, Some(from / 1e6), "MB/s")])
        }
        _ => None,
    });
    told_with_others(subject, found)
}

/// No end was seen; a stretch that was slower and recovered is reported with it.
fn not_seen(subject: &Subject<'_>) -> Vec<Seen> {
    let found = course(subject).and_then(|shape| {
        let Answer::NotSeen(dip) = shape.course.answer else { return None };
        let mut found = vec![
            evidence("written", span(subject) / 1e9, None, "GB"),
            evidence("rate of the whole fill", shape.peak / 1e6, None, "MB/s"),
        ];
        found.extend(dip.into_iter().flat_map(|dip| {
            [
                evidence("written when the rate fell", dip.from / 1e9, None, "GB"),
                evidence("written when it had recovered", dip.to / 1e9, None, "GB"),
                evidence("rate in between (limit: around it)", dip.within / 1e6, Some(dip.around / 1e6), "MB/s"),
            ]
        }));
        Some(found)
    });
    told_with_others(subject, found)
}

/// A fill that has no course, because it is too short or did not reach the end of its span, or one whose rate varies
/// too much for the amount written.
fn too_little(subject: &Subject<'_>) -> Vec<Seen> {
    let execution = subject.execution;
    let none = counts(subject) && fill::fills(subject.step).is_some() && execution.fill().is_none();
    let fell = course(subject).and_then(|shape| match shape.course.answer {
        Answer::TooLittle(edge) => Some(edge),
        _ => None,
    });
    let found = (none || fell.is_some()).then(|| {
        // A short fill may have had several passes. Only the first counts: no more than the span.
        let written = execution.record.write.bytes.as_f64().min(span(subject));
        let mut found = vec![
            evidence("written", written / 1e9, None, "GB"),
            share(subject, written),
            evidence(
                "recorded intervals (limit: the fewest that can show an end)",
                subject.intervals.len() as f64,
                Some(fill::LEAST_INTERVALS as f64),
                "intervals",
            ),
        ];
        found.extend(fell.into_iter().flat_map(|edge| {
            [
                evidence("rate after a fall (limit: before it)", edge.behind / 1e6, Some(edge.before / 1e6), "MB/s"),
                evidence("written when it fell", edge.bytes / 1e9, None, "GB"),
            ]
        }));
        found
    });
    told(subject, found)
}

fn burst(subject: &Subject<'_>) -> Vec<Seen> {
    let found = course(subject).and_then(|shape| shape.course.burst).map(|burst| {
        vec![
            evidence("rate of the burst (limit: after it)", burst.before / 1e6, Some(burst.behind / 1e6), "MB/s"),
            evidence("written in it", burst.bytes / 1e9, None, "GB"),
            share(subject, burst.bytes),
        ]
    });
    told_with_others(subject, found)
}

fn stalled(subject: &Subject<'_>) -> Vec<Seen> {
    let stalls = course(subject).map(|shape| shape.course.stalls).unwrap_or_default();
    let longest = stalls.iter().copied().max_by(|one, other| one.lost_s.total_cmp(&other.lost_s));
    let found = longest.map(|longest| {
        vec![
            evidence("longest gap", longest.lost_s, None, "s"),
            evidence("gaps", stalls.len() as f64, None, "gaps"),
            evidence("written before the longest", longest.bytes / 1e9, None, "GB"),
            evidence("rate after it (limit: before it)", longest.behind / 1e6, Some(longest.before / 1e6), "MB/s"),
        ]
    });
    told(subject, found)
}

#[cfg(test)]
mod tests;
