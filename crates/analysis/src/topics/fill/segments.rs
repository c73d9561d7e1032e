//! A fill by position: the rate of each stretch of the span, and of its end.
//!
//! Within an interval the rate counts as constant. Pure. Must not know how the rates are drawn.

use drivelab_core::plan::Step;
use drivelab_core::run::RunRecords;

use super::parts::filled;
use super::shape::course;
use crate::by_position::cut;

/// Size of a stretch, as in the sources that print such a curve: 1 GB.
const SEGMENT: f64 = 1e9;
/// A span with fewer such stretches is not cut.
const FEW: f64 = 20.0;

/// The rates of a fill by position.
#[derive(Debug, Clone, PartialEq)]
pub struct Segments {
    /// Bytes of a stretch; the last one may be shorter.
    pub size: f64,
    /// Bytes per second of each, in the order of the addresses.
    pub rates: Vec<f64>,
}

impl Segments {
    /// Each stretch: the bytes before it, and its rate.
    pub fn places(&self) -> impl Iterator<Item = (f64, f64)> {
        self.rates.iter().scan(0.0, |from, rate| Some((std::mem::replace(from, *from + self.size), *rate)))
    }
}

/// The last recorded execution of a step by position, in stretches of 1 GB, or of several if there would be more than
/// `most`; `None` if the step is not a fill, did not reach the end of its span, or has a span below 20 GB.
#[must_use]
pub fn of_step(records: &RunRecords, step: &Step, most: usize) -> Option<Segments> {
    let key = &records.steps.iter().rfind(|record| record.key.step == step.id)?.key;
    let (intervals, span) = course(step, key, &records.intervals)?;
    if span < FEW * SEGMENT {
        return None;
    }
    let size = SEGMENT * (span / SEGMENT / most.max(1) as f64).ceil();
    Some(Segments { size, rates: rates(&intervals, span, size)? })
}

/// The rate of each stretch of `size` bytes, bytes per second; `None` if the span was not filled.
#[must_use]
pub fn rates(intervals: &[(f64, f64)], span: f64, size: f64) -> Option<Vec<f64>> {
    let end = filled(intervals, span)?;
    // A thousandth of a stretch at the end is not a stretch of its own.
    let count = (end / size - 0.001).ceil().max(0.0) as usize;
    let borders: Vec<f64> = (0..=count).map(|at| f64::min(at as f64 * size, end)).collect();
    let seconds = cut(intervals.iter().copied(), &borders);
    let stretches = borders.windows(2).map(|pair| pair[1] - pair[0]).zip(seconds);
    Some(stretches.filter(|(_, seconds)| *seconds > 0.0).map(|(bytes, seconds)| bytes / seconds).collect())
}

/// The rate of the last `bytes` of the span, bytes per second.
pub(crate) fn last(intervals: &[(f64, f64)], span: f64, bytes: f64) -> Option<f64> {
    let end = filled(intervals, span)?;
    let time: f64 = cut(intervals.iter().copied(), &[end - bytes, end]).iter().sum();
    (bytes <= end && time > 0.0).then(|| bytes / time)
}

#[cfg(test)]
mod tests {
    //! Stretches of a course made by hand.

    use super::*;

    /// 4 GB in 1 s each, then 4 in 2 s each, a stall of 3 s, and 2 GB in one interval of 4 s.
    fn course() -> Vec<(f64, f64)> {
        let mut all = vec![(1e9, 1.0); 4];
        all.extend(vec![(1e9, 2.0); 4]);
        all.extend([(0.0, 3.0), (2e9, 4.0)]);
        all
    }

    #[test]
    fn each_stretch_has_its_own_rate_and_a_stall_belongs_to_what_comes_next() {
        let found = rates(&course(), 10e9, 1e9).expect("a fill");
        let gb: Vec<f64> = found.iter().map(|rate| (rate / 1e6).round() / 1e3).collect();
        // The stall and half of the last interval: 1 GB in 5 s.
        assert_eq!(gb, [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.2, 0.5]);
        let wide: Vec<f64> = rates(&course(), 10e9, 3e9).expect("a fill").iter().map(|rate| rate.round()).collect();
        // 3 GB in 3 s, in 1 + 4 s, in 4 + 3 + 2 s, and 1 GB in 2 s.
        assert_eq!(wide, [1e9, 6e8, 333_333_333.0, 5e8]);
    }

    #[test]
    fn the_end_is_over_its_own_bytes_and_what_wrapped_does_not_count() {
        let end = last(&course(), 10e9, 4e9).expect("a fill");
        // 2 GB in 4 s, a stall of 3 s, 2 GB in 4 s.
        assert!((end - 4e9 / 11.0).abs() < 1.0, "{end}");
        let mut wrapped = course();
        wrapped.push((5e9, 1.0));
        assert_eq!(last(&wrapped, 10e9, 4e9), Some(end));
        assert_eq!(last(&course(), 20e9, 4e9), None, "half of the span was written");
    }
}
