//! The rate of a fill by position as logarithms, and how much of it a level, two levels or a line explain.
//!
//! Owns the arithmetic: means and squares of any stretch in one step, and least-squares lines. Logarithms, because a
//! fall to a half is as much on a slow drive as on a fast one. Must not know what a change means.

use std::ops::Range;

use super::parts::median;

/// Parts to each side with whose median a part is compared.
const NEIGHBOURS: usize = 4;
/// A part counts as no slower than its neighbours' median divided by this: one stall is not a level.
const SLOWEST: f64 = 2.0;
/// Recorded intervals to each side of a part whose median is the calm rate there.
const CALM_INTERVALS: f64 = 4.0;
/// A rate further from the calm rate than this many times the usual distance (a median, made comparable with a standard
/// deviation) is a short gap or burst.
const CALM_ERRORS: f64 = 3.0 * 1.4826;
/// And at least further than by this factor.
const CALM_LEAST: f64 = 1.1;

/// Logarithms of the rates of equal parts, with their sums.
#[derive(Debug)]
pub(super) struct Levels {
    logs: Vec<f64>,
    sums: Vec<f64>,
    squares: Vec<f64>,
    /// Recorded intervals that ended before each part: no more than these is known about a stretch.
    intervals: Vec<f64>,
}

/// Two levels, one after the other or one inside the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contrast {
    /// Logarithm of the first level over the second.
    pub fall: f64,
    /// Squares that two levels leave.
    pub left: f64,
    /// How many standard errors the two are apart.
    pub errors: f64,
}

impl Levels {
    /// From the rates of the parts and the number of intervals that had ended before each part and at the end.
    pub(super) fn new(rates: &[f64], intervals: Vec<f64>) -> Levels {
        let raw: Vec<f64> = rates.iter().map(|rate| rate.max(f64::MIN_POSITIVE).ln()).collect();
        let least = |at: usize| {
            let around = &raw[at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS + 1).min(raw.len())];
            median(around) - SLOWEST.ln()
        };
        let logs: Vec<f64> = (0..raw.len()).map(|at| raw[at].max(least(at))).collect();
        Levels::of(logs, intervals)
    }

    fn of(logs: Vec<f64>, intervals: Vec<f64>) -> Levels {
        let sums = running(logs.iter().copied());
        let squares = running(logs.iter().map(|log| log * log));
        Levels { logs, sums, squares, intervals }
    }

    /// The same levels with each part no further from the median around it than is usual: the scatter of a gap of one
    /// interval and the burst after it would hide a change of the rate. Even noise stays as it is.
    pub(super) fn calm(&self) -> Levels {
        let reach = |at: usize| {
            let known = self.intervals[at];
            let from = self.intervals.partition_point(|intervals| *intervals < known - CALM_INTERVALS);
            let to = self.intervals.partition_point(|intervals| *intervals < known + CALM_INTERVALS);
            from.min(at.saturating_sub(NEIGHBOURS))..to.max(at + NEIGHBOURS + 1).min(self.logs.len())
        };
        let medians: Vec<f64> = (0..self.logs.len()).map(|at| median(&self.logs[reach(at)])).collect();
        let apart: Vec<f64> = self.logs.iter().zip(&medians).map(|(log, median)| (log - median).abs()).collect();
        let most = (CALM_ERRORS * median(&apart)).max(CALM_LEAST.ln());
        let calm = |(log, median): (&f64, &f64)| log.clamp(median - most, median + most);
        Levels::of(self.logs.iter().zip(&medians).map(calm).collect(), self.intervals.clone())
    }

    /// The middle between the rates of two stretches, bytes per second, on the logarithmic scale.
    pub(super) fn middle(&self, before: &Range<usize>, behind: &Range<usize>) -> f64 {
        f64::midpoint(self.mean(before), self.mean(behind)).exp()
    }

    /// The fall that leaves the least squares of a stretch, with at least this many parts before and after it.
    pub(super) fn best_fall(&self, of: Range<usize>, before: usize, behind: usize) -> Option<(usize, Contrast)> {
        let at = (of.start + before)..=of.end.checked_sub(behind)?;
        let falls = at.map(|at| (at, self.between(&(of.start..at), &(at..of.end))));
        falls.filter(|(_, found)| found.fall > 0.0).min_by(|(_, one), (_, other)| one.left.total_cmp(&other.left))
    }

    /// The least-squares line through the logarithms of a stretch: its value in the middle of the stretch, its slope
    /// for each part, and the squares that it leaves.
    pub(super) fn straight(&self, of: &Range<usize>) -> (f64, f64, f64) {
        let logs = &self.logs[of.clone()];
        let (start, slope) = least_squares(logs);
        let left = logs.iter().enumerate().map(|(index, log)| (log - start - slope * index as f64).powi(2)).sum();
        (self.mean(of), slope, left)
    }

    pub(super) fn count(&self) -> usize {
        self.logs.len()
    }

    /// Mean of a stretch.
    pub(super) fn mean(&self, of: &Range<usize>) -> f64 {
        (self.sums[of.end] - self.sums[of.start]) / of.len().max(1) as f64
    }

    /// Recorded intervals in a stretch.
    pub(super) fn known(&self, of: &Range<usize>) -> f64 {
        (self.intervals[of.end] - self.intervals[of.start]).min(of.len() as f64)
    }

    /// Squares that one level leaves of a stretch.
    pub(super) fn squares(&self, of: &Range<usize>) -> f64 {
        let sum = self.sums[of.end] - self.sums[of.start];
        (self.squares[of.end] - self.squares[of.start] - sum * sum / of.len().max(1) as f64).max(0.0)
    }

    /// The contrast of two neighbouring stretches.
    pub(super) fn between(&self, before: &Range<usize>, behind: &Range<usize>) -> Contrast {
        let left = self.squares(before) + self.squares(behind);
        let known = (self.known(before), self.known(behind));
        contrast(self.mean(before) - self.mean(behind), left, before.len() + behind.len(), known)
    }

    /// The contrast of a stretch and what is around it.
    pub(super) fn around(&self, whole: &Range<usize>, inside: &Range<usize>) -> Contrast {
        let count = (whole.len() - inside.len()).max(1) as f64;
        let of = |sums: &[f64]| sums[whole.end] - sums[whole.start] - (sums[inside.end] - sums[inside.start]);
        let (sum, squares) = (of(&self.sums), of(&self.squares));
        let left = (squares - sum * sum / count).max(0.0) + self.squares(inside);
        let known = ((self.known(whole) - self.known(inside)).max(1.0), self.known(inside));
        contrast(sum / count - self.mean(inside), left, whole.len(), known)
    }

    /// The line that explains a stretch best, of two kinds: linear in the logarithm, or a rate that falls linearly with
    /// time (its square then falls linearly with the bytes written). The squares that it leaves, and the logarithm of
    /// its rate at the start of the stretch over that at its end.
    pub(super) fn line(&self, of: &Range<usize>) -> (f64, f64) {
        let logs = &self.logs[of.clone()];
        let (start, slope) = least_squares(logs);
        let at = |index: usize| start + slope * index as f64;
        let left: f64 = logs.iter().enumerate().map(|(index, log)| (log - at(index)).powi(2)).sum();
        let even = (left, -slope * logs.len() as f64);
        // Relative to the mean of the stretch, so that the squares of rates in bytes stay small numbers.
        let mean = self.mean(of);
        let power: Vec<f64> = logs.iter().map(|log| (2.0 * (log - mean)).exp()).collect();
        let (start, slope) = least_squares(&power);
        let end = start + slope * logs.len() as f64;
        if end <= 0.0 || start <= 0.0 {
            return even;
        }
        let at = |index: usize| (start + slope * index as f64).ln() / 2.0 + mean;
        let left: f64 = logs.iter().enumerate().map(|(index, log)| (log - at(index)).powi(2)).sum();
        if left < even.0 { (left, (start / end).ln() / 2.0) } else { even }
    }
}

/// Running sums of values; one more than there are values.
fn running(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sums = vec![0.0];
    sums.extend(values.scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    }));
    sums
}

fn contrast(fall: f64, left: f64, parts: usize, (first, second): (f64, f64)) -> Contrast {
    let (first, second) = (first.max(1.0), second.max(1.0));
    // Parts of one interval repeat each other, so the scatter is that of the intervals.
    let scatter = left / parts.max(1) as f64 * (first + second) / (first + second - 2.0).max(1.0);
    let error = (scatter * (1.0 / first + 1.0 / second)).sqrt();
    Contrast { fall, left, errors: fall / error.max(1e-6) }
}

/// Value at the first position and slope per position of the least-squares line.
fn least_squares(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let (middle, mean) = ((count - 1.0) / 2.0, values.iter().sum::<f64>() / count.max(1.0));
    let (mut both, mut squares) = (0.0, 0.0);
    for (index, value) in values.iter().enumerate() {
        let apart = index as f64 - middle;
        both += apart * (value - mean);
        squares += apart * apart;
    }
    let slope = if squares > 0.0 { both / squares } else { 0.0 };
    (mean - slope * middle, slope)
}
