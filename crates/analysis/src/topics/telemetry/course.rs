//! Series over a stretch of time: mean, smallest and largest value, and how far a counter rose. Pure arithmetic on
//! recorded samples; [`super::values`] chooses the series.
//!
//! Between two consecutive readings a value is assumed to follow the line between them, which gives means weighted by
//! time, and values at the start and end of a step. No line crosses a gap: that time is left out, and if less than
//! [`LEAST_COVERED`] of a stretch remains, there is no figure.

use drivelab_core::telemetry::{Gap, RecordedSource, Sample};

/// Share of a stretch that readings must cover. The rest is unknown, and more than a tenth unknown would be too much
/// for a figure.
pub(crate) const LEAST_COVERED: f64 = 0.9;
/// Share of the time between the readings around a stretch that the stretch must fill if no reading is within it: with
/// less, most of what these readings describe is outside it.
const LEAST_OWN: f64 = 0.5;
/// Readings further apart than this many of their intervals do not follow each other, whether a gap is on record or not
/// (a killed process leaves none).
const MOST_PERIODS: u64 = 10;
/// The same, for sources that are read often and report seldom.
const LEAST_BRIDGE_NS: u64 = 15_000_000_000;

/// The course of a value in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Course {
    /// Smallest value.
    pub min: f64,
    /// Mean, weighted by time.
    pub mean: f64,
    /// Largest value.
    pub max: f64,
}

/// A line between two consecutive readings, cut to a stretch: its times in seconds since the stretch began
/// and the values there.
#[derive(Debug, Clone, Copy)]
struct Line {
    from_s: f64,
    to_s: f64,
    first: f64,
    last: f64,
}

/// Nanoseconds of a difference, signed, as seconds.
#[expect(clippy::cast_precision_loss, reason = "differences within a run are below 2^53 nanoseconds")]
fn seconds(to_ns: u64, from_ns: u64) -> f64 {
    if to_ns >= from_ns { (to_ns - from_ns) as f64 / 1e9 } else { -((from_ns - to_ns) as f64 / 1e9) }
}

/// The readings of a series from the last one at or before a stretch to the first one at or after its end, with their
/// values. Samples are in order of time, so the rest of a long run is not read.
fn near(source: &RecordedSource, series: usize, from_ns: u64, to_ns: u64) -> Vec<(u64, f64)> {
    let value = |sample: &Sample| Some((sample.at_ns, sample.values.get(series).copied().flatten()?));
    let split = source.samples.partition_point(|sample| sample.at_ns <= from_ns);
    let (past, rest) = source.samples.split_at(split);
    let mut near: Vec<(u64, f64)> = past.iter().rev().find_map(value).into_iter().collect();
    for (at_ns, one) in rest.iter().filter_map(value) {
        near.push((at_ns, one));
        if at_ns >= to_ns {
            break;
        }
    }
    near
}

/// The lines of a series in a stretch.
fn lines(source: &RecordedSource, series: usize, from_ns: u64, to_ns: u64) -> Vec<Line> {
    let near = near(source, series, from_ns, to_ns);
    let (Some((first_ns, _)), Some((last_ns, _))) = (near.first(), near.last()) else { return Vec::new() };
    let longest = source.description.every.get().saturating_mul(MOST_PERIODS).max(LEAST_BRIDGE_NS);
    let gaps: Vec<&Gap> = source.gaps.iter().filter(|gap| gap.from_ns < *last_ns && gap.to_ns > *first_ns).collect();
    let line = |pair: &[(u64, f64)]| {
        let [(before_ns, first), (after_ns, last)] = *pair else { return None };
        let in_gap = gaps.iter().any(|gap| gap.from_ns < after_ns && gap.to_ns > before_ns);
        let follows = after_ns > before_ns && after_ns - before_ns <= longest && !in_gap;
        if !follows || after_ns <= from_ns || before_ns >= to_ns {
            return None;
        }
        let at = |ns: u64| first + (last - first) * seconds(ns, before_ns) / seconds(after_ns, before_ns);
        let (start, end) = (before_ns.max(from_ns), after_ns.min(to_ns));
        Some(Line { from_s: seconds(start, from_ns), to_s: seconds(end, from_ns), first: at(start), last: at(end) })
    };
    near.windows(2).filter_map(line).collect()
}

/// How many readings of a series are within a stretch, start and end included.
pub(crate) fn readings(source: &RecordedSource, series: usize, from_ns: u64, to_ns: u64) -> usize {
    let first = source.samples.partition_point(|sample| sample.at_ns < from_ns);
    let within = source.samples.iter().skip(first).take_while(|sample| sample.at_ns <= to_ns);
    within.filter(|sample| sample.values.get(series).copied().flatten().is_some()).count()
}

/// Whether readings describe a stretch: they cover it, and one is within it or those around it are close. A line
/// between readings long before and after shows nothing about a moment between them.
fn told(source: &RecordedSource, series: usize, (from_ns, to_ns): (u64, u64), covered: f64) -> bool {
    let whole = seconds(to_ns, from_ns);
    let covers = whole > 0.0 && covered > 0.0 && covered >= LEAST_COVERED * whole;
    let close_by = || {
        let around = around(source, series, from_ns, to_ns);
        around.is_some_and(|[(before, _), (after, _)]| whole >= LEAST_OWN * seconds(after, before))
    };
    covers && (readings(source, series, from_ns, to_ns) > 0 || close_by())
}

/// The course of a value; `None` if too little of the stretch is covered, or if it is a moment between two readings.
pub(crate) fn course(source: &RecordedSource, series: usize, from_ns: u64, to_ns: u64) -> Option<Course> {
    let lines = lines(source, series, from_ns, to_ns);
    let covered: f64 = lines.iter().map(|line| line.to_s - line.from_s).sum();
    if !told(source, series, (from_ns, to_ns), covered) {
        return None;
    }
    let area: f64 = lines.iter().map(|line| (line.to_s - line.from_s) * (line.first + line.last) / 2.0).sum();
    let ends = || lines.iter().flat_map(|line| [line.first, line.last]);
    let min = ends().min_by(f64::total_cmp)?;
    let max = ends().max_by(f64::total_cmp)?;
    Some(Course { min, mean: area / covered, max })
}

/// How much a counter rose per second of a stretch; `None` if too little of it is covered, if it is a moment between
/// two readings, or if the counter decreased.
pub(crate) fn rate(source: &RecordedSource, series: usize, from_ns: u64, to_ns: u64) -> Option<f64> {
    let lines = lines(source, series, from_ns, to_ns);
    let covered: f64 = lines.iter().map(|line| line.to_s - line.from_s).sum();
    let fell = lines.iter().any(|line| line.last < line.first);
    if fell || !told(source, series, (from_ns, to_ns), covered) {
        return None;
    }
    Some(lines.iter().map(|line| line.last - line.first).sum::<f64>() / covered)
}

/// The readings around a stretch: the last one at or before its start (else the first within it) and the first one at
/// or after its end (else the last within it).
pub(crate) fn around(source: &RecordedSource, series: usize, from_ns: u64, to_ns: u64) -> Option<[(u64, f64); 2]> {
    let near = near(source, series, from_ns, to_ns);
    let before = *near.first().filter(|(at, _)| *at <= to_ns)?;
    let after = *near.last()?;
    (after.0 > before.0).then_some([before, after])
}

/// The reading of a series nearest to a moment.
pub(crate) fn value_near(source: &RecordedSource, series: usize, at_ns: u64) -> Option<f64> {
    let near = near(source, series, at_ns, at_ns);
    near.into_iter().min_by_key(|(ns, _)| ns.abs_diff(at_ns)).map(|(_, value)| value)
}

/// By how much a counter rose between the readings around a stretch.
pub(crate) fn rose(source: &RecordedSource, series: usize, from_ns: u64, to_ns: u64) -> Option<f64> {
    let [(_, before), (_, after)] = around(source, series, from_ns, to_ns)?;
    Some(after - before)
}

#[cfg(test)]
mod tests {
    use drivelab_core::telemetry::{GapCause, Quantity};
    use drivelab_samples::series;
    use proptest::prelude::*;

    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn means_are_weighted_by_time_and_borders_lie_on_the_line() {
        let source = series(Quantity::Power, &[(0, 4.0), (2 * S, 8.0), (3 * S, 8.0), (5 * S, 0.0)]);
        // From 1 s: 6 to 8 in 1 s, 8 in 1 s, 8 to 4 in 1 s: 7 + 8 + 6 in 3 s.
        let course = course(&source, 0, S, 4 * S).unwrap();
        assert_eq!((course.min, course.mean, course.max), (4.0, 7.0, 8.0));
    }

    #[test]
    fn nothing_runs_across_a_gap_or_a_long_silence() {
        let mut source = series(Quantity::Power, &[(0, 5.0), (4 * S, 5.0), (5 * S, 9.0), (6 * S, 9.0)]);
        assert!(course(&source, 0, 0, 6 * S).is_some());
        source.gaps.push(Gap { from_ns: 0, to_ns: 4 * S, cause: GapCause::Quiet });
        assert_eq!(course(&source, 0, 0, 6 * S), None, "a third is not nine tenths");
        assert_eq!(course(&source, 0, 5 * S, 6 * S).unwrap().mean, 9.0);
        let silent = series(Quantity::Power, &[(0, 5.0), (20 * S, 5.0)]);
        assert_eq!(course(&silent, 0, 0, 20 * S), None);
        assert_eq!(course(&series(Quantity::Power, &[(0, 5.0)]), 0, 0, S), None, "one reading is no course");
    }

    #[test]
    fn a_moment_between_two_readings_has_no_figure() {
        let power = series(Quantity::Power, &[(0, 4.0), (2 * S, 8.0), (4 * S, 8.0)]);
        assert_eq!(course(&power, 0, S / 2, S), None, "interpolated, not measured");
        assert_eq!(course(&power, 0, S, 3 * S).unwrap().mean, 7.5, "one reading in it, and a line to both ends");
        let energy = series(Quantity::Energy, &[(0, 100.0), (2 * S, 120.0)]);
        assert_eq!(rate(&energy, 0, S / 2, S), None, "a quarter of what they tell of");
        assert_eq!(rate(&energy, 0, S / 2, 3 * S / 2), Some(10.0), "half of what they tell of");
        assert_eq!((readings(&power, 0, S, 3 * S), readings(&power, 0, 0, 4 * S)), (1, 3));
    }

    #[test]
    fn counters_rise_and_one_that_went_back_says_nothing() {
        let source = series(Quantity::Energy, &[(0, 100.0), (2 * S, 120.0), (4 * S, 180.0)]);
        assert_eq!(rate(&source, 0, S, 3 * S), Some((10.0 + 30.0) / 2.0));
        assert_eq!(rose(&source, 0, S, 3 * S), Some(80.0), "between the readings around it");
        let back = series(Quantity::Energy, &[(0, 100.0), (S, 3.0)]);
        assert_eq!(rate(&back, 0, 0, S), None);
    }

    proptest! {
        #[test]
        fn the_mean_lies_between_smallest_and_largest(
            values in prop::collection::vec((1u64..3_000_000_000, -50.0f64..150.0), 2..30), from in 0u64..20, length in 1u64..20,
        ) {
            let mut at = 0;
            let points: Vec<(u64, f64)> = values.iter().map(|(step, value)| { at += step; (at, *value) }).collect();
            let source = series(Quantity::Temperature, &points);
            if let Some(course) = course(&source, 0, from * S, (from + length) * S) {
                prop_assert!(course.min <= course.mean + 1e-9 && course.mean <= course.max + 1e-9, "{course:?}");
                let all = values.iter().map(|(_, value)| *value);
                prop_assert!(all.clone().fold(f64::INFINITY, f64::min) <= course.min + 1e-9);
                prop_assert!(all.fold(f64::NEG_INFINITY, f64::max) >= course.max - 1e-9);
            }
        }
    }
}
