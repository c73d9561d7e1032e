//! What heat did to the rate of a long execution, as figures: each a part of its course ([`super::throttle`]).
//!
//! Owns which executions have such a course, and the choice of the drive's thermometer; the findings about these
//! courses are in [`super::checks`].

use drivelab_core::record::IntervalRecord;
use drivelab_core::telemetry::{Quantity, RecordedSource, SeriesDescription};
use drivelab_core::workload::Workload;

use super::throttle::{Fall, MINUTE_S, Slice, falls, first_and_last_minute, seconds_above};
use crate::topics::fill;
use crate::topics::telemetry::{around, values as telemetry};
use crate::values::{Execution, MB};

/// The measured part of an execution that runs as fast as it can all the time; empty for others. `intervals` are those
/// of the execution.
pub(crate) fn slices<'i>(execution: Execution<'_>, intervals: impl Iterator<Item = &'i IntervalRecord>) -> Vec<Slice> {
    let paced =
        |load: &Workload| load.pace.rate.is_some() || load.pace.bursts.is_some() || load.pace.volume_bursts.is_some();
    if execution.workload.groups().any(paced) {
        return Vec::new();
    }
    let record = execution.record;
    let slice = |interval: &IntervalRecord| Slice {
        from_s: interval.start_ns.saturating_sub(record.start_ns) as f64 / 1e9,
        seconds: interval.end_ns.saturating_sub(interval.start_ns) as f64 / 1e9,
        bytes: interval.read.bytes.as_f64() + interval.write.bytes.as_f64(),
    };
    intervals.filter(|interval| !interval.ramp).map(slice).collect()
}

/// Whether it is a fill, which shows the end of the write cache: that fall shows nothing about heat.
pub(crate) fn is_fill(execution: Execution<'_>) -> bool {
    fill::is_fill(execution.step)
}

/// The drive's temperature, if it was recorded.
pub(crate) fn thermometer(execution: Execution<'_>) -> Option<(&RecordedSource, usize)> {
    telemetry::of_drive(execution.watched?, Quantity::Temperature)
}

/// The temperature at a time since the step began, on the line between the readings around it.
pub(crate) fn celsius(execution: Execution<'_>, at_s: f64) -> Option<f64> {
    let (source, series) = thermometer(execution)?;
    let at_ns = execution.record.start_ns + (at_s * 1e9) as u64;
    // A reading at exactly this time counts, even if it is the last.
    let [(before_ns, before), (after_ns, after)] = around(source, series, at_ns.saturating_sub(1), at_ns)?;
    let share = at_ns.saturating_sub(before_ns) as f64 / (after_ns - before_ns) as f64;
    (before_ns <= at_ns && at_ns <= after_ns).then_some(before + (after - before) * share)
}

/// Falls during which the drive was no cooler than when they began.
pub(crate) fn hot_falls(execution: Execution<'_>, slices: &[Slice]) -> Vec<Fall> {
    falls(slices, |at| celsius(execution, at)).into_iter().filter(|fall| fall.hot == Some(true)).collect()
}

/// The course of an execution that has a first and a last minute, with the rates of both, bytes per second.
fn course(execution: Execution<'_>) -> Option<(Vec<Slice>, f64, f64)> {
    // Checked first, because most executions are shorter and have many intervals.
    if execution.record.elapsed().as_secs_f64() < 2.0 * MINUTE_S || is_fill(execution) {
        return None;
    }
    let own = execution.intervals.iter().filter(|interval| interval.key == execution.record.key);
    let slices = slices(execution, own);
    let (first, last) = first_and_last_minute(&slices).filter(|(first, _)| *first > 0.0)?;
    Some((slices, first, last))
}

/// Rate of the first minute, MB/s.
pub(crate) fn heat_first_minute(execution: Execution<'_>) -> Option<f64> {
    course(execution).map(|(_, first, _)| first / MB)
}

/// Rate of the last minute, MB/s.
pub(crate) fn heat_last_minute(execution: Execution<'_>) -> Option<f64> {
    course(execution).map(|(_, _, last)| last / MB)
}

/// The rate of the last minute as a share of the first, per cent.
pub(crate) fn heat_kept(execution: Execution<'_>) -> Option<f64> {
    course(execution).map(|(_, first, last)| 100.0 * last / first)
}

/// Steps down while the drive was hot; `None` if its temperature was not recorded.
pub(crate) fn heat_throttle_steps(execution: Execution<'_>) -> Option<f64> {
    let (slices, ..) = course(execution)?;
    thermometer(execution)?;
    Some(hot_falls(execution, &slices).len() as f64)
}

/// When the first throttling step began, seconds since the measured part began.
pub(crate) fn heat_time_to_throttle(execution: Execution<'_>) -> Option<f64> {
    let (slices, ..) = course(execution)?;
    hot_falls(execution, &slices).first().map(|fall| fall.at_s)
}

/// Minutes at or above one of the thermometer's limits.
fn minutes_above(execution: Execution<'_>, limit: fn(&SeriesDescription) -> Option<f64>) -> Option<f64> {
    let (slices, ..) = course(execution)?;
    let limit = limit_of(execution, limit)?;
    Some(seconds_above(&slices, limit, |at| celsius(execution, at)) / MINUTE_S)
}

fn limit_of(execution: Execution<'_>, limit: fn(&SeriesDescription) -> Option<f64>) -> Option<f64> {
    let (source, series) = thermometer(execution)?;
    source.description.series.get(series).and_then(limit)
}

/// Minutes at or above the limit from which the drive warns.
pub(crate) fn heat_warning_minutes(execution: Execution<'_>) -> Option<f64> {
    minutes_above(execution, |series| series.warning)
}

/// Minutes at or above the limit that the drive calls critical.
pub(crate) fn heat_critical_minutes(execution: Execution<'_>) -> Option<f64> {
    minutes_above(execution, |series| series.critical)
}

/// The limit from which the drive warns, °C.
pub(crate) fn heat_warning_limit(execution: Execution<'_>) -> Option<f64> {
    course(execution)?;
    limit_of(execution, |series| series.warning)
}

/// The limit that the drive calls critical, °C.
pub(crate) fn heat_critical_limit(execution: Execution<'_>) -> Option<f64> {
    course(execution)?;
    limit_of(execution, |series| series.critical)
}
