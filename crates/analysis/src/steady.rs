//! Steadiness: the SNIA window over the last five rounds of one figure.
//!
//! Numbers from research notes, methods section 6 (SNIA Solid State Storage Performance Test Specification as coded in
//! its block-storage suite, and TKperf): range at most 20 % of the mean and least-squares line moving at most 10 % of
//! it over the window. Must not know rounds beyond their figures: `session` checks after each round, `analysis` again.

use drivelab_core::load::OpKind;
use drivelab_core::plan::Tracked;
use drivelab_core::record::{OpRecord, StepRecord};

use crate::stats;

/// Rounds that are judged together.
pub const WINDOW: usize = 5;
/// Largest (max - min) / mean of a steady window, in per cent.
pub const MAX_RANGE_PERCENT: f64 = 20.0;
/// Largest move of the least-squares line over a steady window / mean, in per cent.
pub const MAX_SLOPE_PERCENT: f64 = 10.0;

/// The verdict on the last five rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowVerdict {
    /// Both limits are kept.
    pub steady: bool,
    /// First round of the window, counted from 1.
    pub first_round: u32,
    /// Last round of the window.
    pub last_round: u32,
    /// (max - min) / mean, in per cent.
    pub range_percent: f64,
    /// Size of the least-squares line's move from the first to the last round / mean, in per cent.
    pub slope_percent: f64,
    /// Mean of the window, in the unit of the figures.
    pub mean: f64,
}

/// Judges the last five of the figures, one for each round from round 1 on. `None` for fewer than five, and if the
/// window's mean is not a positive number, which leaves nothing to compare with.
#[must_use]
pub fn snia_window(rounds: &[f64]) -> Option<WindowVerdict> {
    window_from(rounds, rounds.len().checked_sub(WINDOW)?)
}

/// The verdict on fewer rounds than a window has: never steady.
#[must_use]
pub fn short_window(rounds: &[f64]) -> Option<WindowVerdict> {
    Some(WindowVerdict { steady: false, ..window_from(rounds, 0)? })
}

/// Judges the rounds from this one on (counted from 0).
fn window_from(rounds: &[f64], first: usize) -> Option<WindowVerdict> {
    let window = &rounds[first..];
    let mean = stats::mean(window).filter(|mean| *mean > 0.0 && mean.is_finite())?;
    let (min, max) = stats::range(window)?;
    let range_percent = 100.0 * (max - min) / mean;
    let slope_percent = match window.len() {
        // One round has no line.
        0 | 1 => 0.0,
        rounds => 100.0 * (slope(window, mean) * (rounds - 1) as f64).abs() / mean,
    };
    Some(WindowVerdict {
        steady: range_percent <= MAX_RANGE_PERCENT && slope_percent <= MAX_SLOPE_PERCENT,
        first_round: u32::try_from(first + 1).unwrap_or(u32::MAX),
        last_round: u32::try_from(rounds.len()).unwrap_or(u32::MAX),
        range_percent,
        slope_percent,
        mean,
    })
}

/// Start and end of the least-squares line of a window, in the unit of the figures; `None` for fewer than two.
#[must_use]
pub fn window_line(window: &[f64]) -> Option<[f64; 2]> {
    let mean = stats::mean(window).filter(|_| window.len() > 1)?;
    let half = slope(window, mean) * (window.len() - 1) as f64 / 2.0;
    Some([mean - half, mean + half])
}

/// Slope of the least-squares line, per round.
fn slope(window: &[f64], mean: f64) -> f64 {
    let centre = (window.len() - 1) as f64 / 2.0;
    let (mut products, mut squares) = (0.0, 0.0);
    for (round, value) in window.iter().enumerate() {
        let x = round as f64 - centre;
        products += x * (value - mean);
        squares += x * x;
    }
    products / squares
}

/// The figure of one round by which steadiness is judged, for reads and writes together (for a load with neither, all
/// its operations): operations per second, bytes per second, or mean latency in nanoseconds. 0 if nothing was completed
/// or no time passed.
#[must_use]
pub fn tracked_value(record: &StepRecord, tracked: Tracked) -> f64 {
    let moving = |kind: OpKind| matches!(kind, OpKind::Read | OpKind::Write);
    let moves = record.read.count + record.write.count > 0;
    let counted: Vec<&OpRecord> =
        record.kinds().filter(|(kind, _)| !moves || moving(*kind)).map(|(_, op)| op).collect();
    let sum = |of: fn(&OpRecord) -> f64| counted.iter().map(|op| of(op)).sum::<f64>();
    let operations = sum(|op| op.count as f64);
    let per_second = |amount: f64| {
        let elapsed = record.active().as_secs_f64();
        if elapsed > 0.0 { amount / elapsed } else { 0.0 }
    };
    match tracked {
        Tracked::Iops => per_second(operations),
        Tracked::Throughput => per_second(sum(|op| op.bytes.as_f64())),
        Tracked::LatencyMean if operations > 0.0 => sum(|op| op.histogram.sum.get() as f64) / operations,
        Tracked::LatencyMean => 0.0,
    }
}

#[cfg(test)]
mod tests {
    //! Windows whose range and slope were computed by hand, at and just past the limits.

    use proptest::prelude::*;

    use super::*;

    fn verdict(rounds: &[f64]) -> WindowVerdict {
        snia_window(rounds).expect("five rounds")
    }

    #[test]
    fn fewer_than_five_rounds_and_zero_say_nothing() {
        assert_eq!(snia_window(&[]), None);
        assert_eq!(snia_window(&[100.0; 4]), None);
        assert_eq!(snia_window(&[0.0; 5]), None);
    }

    #[test]
    fn the_window_is_the_last_five_rounds() {
        let got = verdict(&[900.0, 500.0, 100.0, 100.0, 100.0, 100.0, 100.0]);
        assert_eq!((got.first_round, got.last_round, got.steady), (3, 7, true));
        assert_eq!((got.range_percent, got.slope_percent, got.mean), (0.0, 0.0, 100.0));
        assert!(!verdict(&[900.0, 100.0, 100.0, 100.0, 100.0]).steady);
    }

    #[test]
    fn a_range_of_twenty_per_cent_is_steady_and_more_is_not() {
        // Symmetric: no slope. Range 20 of mean 100.
        let at = verdict(&[100.0, 110.0, 100.0, 90.0, 100.0]);
        assert!((at.range_percent - 20.0).abs() < 1e-9 && at.slope_percent < 10.0 && at.steady);
        let past = verdict(&[100.0, 110.2, 100.0, 89.8, 100.0]);
        assert!(past.slope_percent < 10.0 && !past.steady);
    }

    #[test]
    fn a_slope_of_ten_per_cent_is_steady_and_more_is_not() {
        // A straight line: 2.5 a round is 10 over the window; 2.6 is 10.4, while the range stays far below 20 %.
        let at = verdict(&[95.0, 97.5, 100.0, 102.5, 105.0]);
        assert!((at.slope_percent - 10.0).abs() < 1e-9 && at.steady);
        let past = verdict(&[105.2, 102.6, 100.0, 97.4, 94.8]);
        assert!((past.slope_percent - 10.4).abs() < 1e-9 && !past.steady);
    }

    #[test]
    fn the_tracked_figure_counts_reads_and_writes_together() {
        let run = drivelab_samples::sample_run();
        let mut record = run.steps.iter().find(|s| s.read.count > 0 && s.write.count > 0).expect("a mix").clone();
        record.end_ns = record.start_ns + 2_000_000_000;
        let operations = record.read.count + record.write.count;
        assert_eq!(tracked_value(&record, Tracked::Iops), operations as f64 / 2.0);
        assert_eq!(tracked_value(&record, Tracked::Throughput), operations as f64 * 4096.0 / 2.0);
        record.read.histogram.sum = drivelab_core::units::Nanos::new(0);
        record.write.histogram.sum = drivelab_core::units::Nanos::new(operations * 7);
        assert_eq!(tracked_value(&record, Tracked::LatencyMean), 7.0);
        record.end_ns = record.start_ns;
        assert_eq!(tracked_value(&record, Tracked::Iops), 0.0);
    }

    proptest! {
        #[test]
        fn the_verdict_does_not_depend_on_the_unit(
            rounds in prop::collection::vec(1.0f64..1000.0, 5..30),
            factor in 0.001f64..1000.0,
        ) {
            let scaled: Vec<f64> = rounds.iter().map(|round| round * factor).collect();
            let (one, other) = (verdict(&rounds), verdict(&scaled));
            prop_assert!((one.range_percent - other.range_percent).abs() < 1e-6);
            prop_assert!((one.slope_percent - other.slope_percent).abs() < 1e-6);
        }
    }

    #[test]
    fn the_line_of_a_window_goes_through_its_mean() {
        // Slope 2: 10, 12, 14, 16, 18 are on it.
        assert_eq!(window_line(&[10.0, 12.0, 14.0, 16.0, 18.0]), Some([10.0, 18.0]));
        // Up and down by the same: slope -0.2 x 4 / 2 around 14.
        let [first, last] = window_line(&[14.0, 15.0, 14.0, 13.0, 14.0]).expect("five");
        assert!((first - 14.4).abs() < 1e-9 && (last - 13.6).abs() < 1e-9, "{first} {last}");
        assert_eq!(window_line(&[1.0]), None);
    }
}
