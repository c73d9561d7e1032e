//! What heat did to the rate of a long execution: throttling, and the last minute compared with the first. Voids
//! nothing; the arithmetic is in [`super::throttle`], and [`super::values`] decides which executions have such a
//! course.

use drivelab_core::finding::Evidence;

use super::throttle::{Fall, MINUTE_S, first_and_last_minute, rhythm, seconds_above};
use super::values::{celsius, hot_falls, is_fill, slices, thermometer};
use super::words as text;
use crate::check::{Check, Seen, Subject, told};
use crate::evidence::evidence;
use crate::values;

/// Megabytes in bytes.
const MB: f64 = 1e6;
/// Most falls of one execution that are listed.
const MOST_FALLS: usize = 6;

/// Checks of single executions.
pub(crate) static HEAT: &[Check] = &[
    Check { finding: &text::THROTTLED, rule: "", check: throttled },
    Check { finding: &text::MINUTES, rule: "", check: minutes },
];

fn throttled(subject: &Subject<'_>) -> Vec<Seen> {
    if is_fill(subject.execution) {
        return Vec::new();
    }
    let hot = hot_falls(subject.execution, &slices(subject.execution, subject.intervals.iter().copied()));
    let found = || {
        let fall = |fall: &Fall| {
            let at = format!("rate from {:.0} s, at {:.0} °C", fall.at_s, fall.celsius.unwrap_or_default());
            evidence(&format!("{at} (limit: before)"), fall.rate / MB, Some(fall.before / MB), "MB/s")
        };
        hot.iter().take(MOST_FALLS).map(fall).collect::<Vec<Evidence>>()
    };
    let mut seen = told(subject, (!hot.is_empty()).then(found));
    if let (Some(seen), Some(first)) = (seen.first_mut(), hot.first()) {
        seen.notes.push(format!("{:.0} s", first.at_s));
        seen.notes.extend(rhythm(&hot).map(text::bursts));
    }
    seen
}

/// The last minute compared with the first, with the temperature.
fn minutes(subject: &Subject<'_>) -> Vec<Seen> {
    let execution = subject.execution;
    if is_fill(execution) {
        return Vec::new();
    }
    let slices = slices(execution, subject.intervals.iter().copied());
    let Some((first, last)) = first_and_last_minute(&slices).filter(|(first, _)| *first > 0.0) else {
        return Vec::new();
    };
    let mut found = vec![evidence("rate of the last minute (limit: first)", last / MB, Some(first / MB), "MB/s")];
    let mut notes = Vec::new();
    match thermometer(execution) {
        None => notes.push(text::NO_TEMPERATURE.to_owned()),
        Some((source, series)) => {
            let highest = values::temperature_max(execution);
            let limit = source.description.series.get(series).and_then(|series| series.warning);
            found.extend(highest.map(|highest| evidence("highest temperature", highest, limit, "°C")));
            if let Some(limit) = limit {
                let minutes = seconds_above(&slices, limit, |at| celsius(execution, at)) / MINUTE_S;
                found.push(evidence("time at or above the warning limit", minutes, None, "min"));
            }
        }
    }
    let mut seen = told(subject, Some(found));
    seen.iter_mut().for_each(|seen| seen.notes.append(&mut notes));
    seen
}

#[cfg(test)]
mod tests;
