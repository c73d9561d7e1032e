//! Fills and long loads over time, thinned so that no peak and no dip is lost.
//!
//! Each point represents a stretch of recorded intervals and keeps the slowest and the fastest of them. The bytes moved
//! up to its end give the mean rate of a stretch, and the position in a fill.

use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::record::IntervalRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::Quantity;
use serde::{Deserialize, Serialize};

use super::digits::nine_digits;
use crate::analysis::Analysis;
use crate::stats;
use crate::topics::fill::is_fill;
use crate::topics::telemetry::values::of_drive;

/// Points of all courses of a run together, about 100 KB; a run with very many courses has more.
const MOST_POINTS: usize = 2048;
/// The range of the most points of one course.
const POINTS: std::ops::RangeInclusive<usize> = 16..=128;
/// A metric that loads of two minutes and more have and shorter ones do not.
const MINUTES: &str = "heat.kept";

/// The last execution of a fill or of a long load, over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The execution.
    pub key: StepKey,
    /// Its rates.
    pub rates: Vec<RatePoint>,
    /// Temperatures of the drive; empty if none were recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub celsius: Vec<TemperaturePoint>,
}

/// A stretch of a course. Its mean rate is (moved - previous moved) / (to_s - previous to_s).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RatePoint {
    /// Its end, seconds since the step began, its ramp included.
    pub to_s: f64,
    /// Bytes read and written up to there; for a fill, the position.
    pub moved: u64,
    /// Rate of its slowest interval, MB/s; absent if all of them are too short.
    pub low: Option<f64>,
    /// Rate of its fastest interval, MB/s.
    pub high: Option<f64>,
}

/// Readings of the drive's temperature in a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TemperaturePoint {
    /// Time of the last reading, seconds since the step began, its ramp included.
    pub to_s: f64,
    /// Their mean, °C.
    pub mean: f64,
    /// The lowest, °C.
    pub low: f64,
    /// The highest, °C.
    pub high: f64,
}

/// The course of every fill and of every long load.
pub(super) fn courses(records: &RunRecords, analysis: &Analysis) -> Vec<Course> {
    let minutes = |step: &StepId| analysis.step_metric(step, MINUTES).is_some();
    let last = |step: &StepId| records.steps.iter().rfind(|record| record.key.step == *step);
    let steps = records.plan.steps().filter(|step| is_fill(step) || minutes(&step.id));
    let keys: Vec<&StepKey> = steps.filter_map(|step| last(&step.id)).map(|record| &record.key).collect();
    let most = (MOST_POINTS / keys.len().max(1)).clamp(*POINTS.start(), *POINTS.end());
    keys.into_iter().map(|key| course(records, key, most)).collect()
}

fn course(records: &RunRecords, key: &StepKey, most: usize) -> Course {
    let own: Vec<&IntervalRecord> = records.intervals.iter().filter(|one| one.key == *key).collect();
    let record = records.steps.iter().find(|record| record.key == *key);
    // Without intervals there are temperatures alone, from the start of the step.
    let begun_ns = own.first().map(|first| first.start_ns).or(record.map(|record| record.start_ns)).unwrap_or(0);
    let length_ns = |one: &IntervalRecord| one.end_ns.saturating_sub(one.start_ns);
    let longest_ns = own.iter().map(|one| length_ns(one)).max().unwrap_or(0);
    let bytes = |one: &IntervalRecord| one.read.bytes.get() + one.write.bytes.get();
    let rate = |one: &IntervalRecord| bytes(one) as f64 / 1e6 / (length_ns(one) as f64 / 1e9);
    let mut moved = 0;
    let point = |stretch: &[&IntervalRecord]| {
        moved += stretch.iter().map(|one| bytes(one)).sum::<u64>();
        // The last interval may be very short, so that its rate is random.
        let rated = stretch.iter().filter(|one| 2 * length_ns(one) >= longest_ns && length_ns(one) > 0);
        let (low, high) = stats::range(&rated.map(|one| rate(one)).collect::<Vec<_>>()).unzip();
        let to_ns = stretch.last().map_or(begun_ns, |last| last.end_ns);
        RatePoint {
            to_s: nine_digits(to_ns.saturating_sub(begun_ns) as f64 / 1e9),
            moved,
            low: low.map(nine_digits),
            high: high.map(nine_digits),
        }
    };
    let rates = own.chunks(own.len().div_ceil(most).max(1)).map(point).collect();
    Course { key: key.clone(), rates, celsius: temperatures(records, key, begun_ns, most) }
}

fn temperatures(records: &RunRecords, key: &StepKey, begun_ns: u64, most: usize) -> Vec<TemperaturePoint> {
    let record = records.steps.iter().find(|record| record.key == *key);
    let Some((record, (source, series))) = record.zip(of_drive(&records.telemetry, Quantity::Temperature)) else {
        return Vec::new();
    };
    let within = source.samples.iter().filter(|one| (record.start_ns..=record.end_ns).contains(&one.at_ns));
    let read: Vec<(u64, f64)> =
        within.filter_map(|one| Some((one.at_ns, one.values.get(series).copied().flatten()?))).collect();
    let point = |stretch: &[(u64, f64)]| {
        let (to_ns, _) = stretch.last()?;
        let celsius: Vec<f64> = stretch.iter().map(|(_, celsius)| *celsius).collect();
        let (low, high) = stats::range(&celsius)?;
        let mean = nine_digits(stats::mean(&celsius)?);
        Some(TemperaturePoint { to_s: nine_digits(to_ns.saturating_sub(begun_ns) as f64 / 1e9), mean, low, high })
    };
    read.chunks(read.len().div_ceil(most).max(1)).filter_map(point).collect()
}
