//! The byte at which one rate becomes another, inside the interval that contains both.
//!
//! An interval that contains an edge was written at one rate up to it and at the other after it, so its length shows
//! the position of the edge. Data that is drained in slices (a throttle, a drive with a buffer) smears an edge over the
//! neighbouring intervals, so the position that explains them all best is used. Pure.

use std::ops::Range;

use super::answer::Edge;

/// Share of the span next to an edge whose rate counts as the rate at the edge.
const NEAR: f64 = 0.1;
/// Least number of intervals for that: over fewer, data that is drained in slices has no rate.
const NEAR_INTERVALS: usize = 10;
/// Intervals to each side of those that may contain an edge, among which it is searched as well.
const MORE: usize = 2;
/// Pieces of a stretch; the median of their paces counts, so that a burst or a stall in one of them has no effect.
const PIECES: usize = 5;

/// The intervals of a fill up to the end of its span, with the bytes and seconds before each.
#[derive(Debug)]
pub(super) struct Track<'a> {
    pub(super) intervals: &'a [(f64, f64)],
    /// Bytes and seconds before each interval, and at the end.
    pub(super) before: Vec<(f64, f64)>,
    span: f64,
}

impl<'a> Track<'a> {
    /// Intervals are (bytes, seconds).
    pub(super) fn new(intervals: &'a [(f64, f64)], span: f64) -> Track<'a> {
        let mut before = vec![(0.0, 0.0)];
        for (bytes, seconds) in intervals {
            let (written, time) = before[before.len() - 1];
            if written >= span {
                break;
            }
            before.push((written + bytes, time + seconds));
        }
        let count = before.len() - 1;
        Track { intervals: &intervals[..count], before, span }
    }

    /// The interval in which this byte was written.
    pub(super) fn holding(&self, bytes: f64) -> usize {
        let at = self.before.partition_point(|(written, _)| *written <= bytes);
        at.saturating_sub(1).min(self.intervals.len().saturating_sub(1))
    }

    /// How many intervals had ended when this many bytes were written; within one, its share counts.
    pub(super) fn intervals_at(&self, bytes: f64) -> f64 {
        let at = self.holding(bytes);
        let (begins, (length, _)) = (self.before[at].0, self.intervals[at]);
        at as f64 + if length > 0.0 { ((bytes - begins) / length).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Seconds of the interval in which this byte was written.
    pub(super) fn interval_s(&self, bytes: f64) -> f64 {
        self.intervals[self.holding(bytes)].1
    }

    /// Seconds per byte of whole intervals: the median of their pieces; `None` if nothing was written in them.
    fn pace(&self, of: Range<usize>) -> Option<f64> {
        let piece = of.len().div_ceil(PIECES).max(1);
        let ends = of.clone().step_by(piece).map(|from| (from, (from + piece).min(of.end)));
        let paces = ends.filter_map(|(from, to)| {
            let (from, to) = (self.before.get(from)?, self.before.get(to)?);
            (to.0 > from.0 && to.1 > from.1).then(|| (to.1 - from.1) / (to.0 - from.0))
        });
        crate::stats::median(&paces.collect::<Vec<f64>>())
    }
}

/// The edge at about `near`, known to a part of this many bytes, between two stretches (bytes) of one rate each; `None`
/// if too little is known.
pub(super) fn edge(track: &Track<'_>, near: f64, part: f64, before: Range<f64>, behind: Range<f64>) -> Option<Edge> {
    let last = track.intervals.len();
    // The first interval of a stretch may contain bytes from before it.
    let lowest = track.holding(before.start) + usize::from(before.start > 0.0);
    // The intervals that may contain it, and some more to each side because of data that is drained in slices.
    let from = track.holding((near - 1.5 * part).max(0.0)).saturating_sub(MORE).max(lowest + 1);
    let to = (track.holding(near + 1.5 * part) + 1 + MORE).min(track.holding(behind.end)).min(last.saturating_sub(1));
    let to = to.max(from + 1);
    let reach = NEAR * track.span;
    let first = track.holding((near - reach).max(0.0)).min(from.saturating_sub(NEAR_INTERVALS));
    let first = first.max(lowest).min(from - 1);
    let most = track.holding(behind.end) + 1;
    let end = (track.holding(near + reach) + 1).max(to + NEAR_INTERVALS).min(most).clamp(to + 1, last.max(to + 1));
    let (fast, slow) = (1.0 / track.pace(first..from)?, 1.0 / track.pace(to..end.min(last))?);
    let bytes = meeting(track, from..to, fast, slow).unwrap_or(near);
    Some(Edge { bytes, before: fast, behind: slow })
}

/// The byte in these intervals at which the change from the first rate to the second explains best what was written in
/// each: with the least sum of deviations, in which a gap, or data that had waited, counts no more than any other
/// interval at the wrong rate. `None` if the rates are equal.
fn meeting(track: &Track<'_>, of: Range<usize>, first: f64, second: f64) -> Option<f64> {
    let misses = |at: usize, due: f64| {
        let (bytes, seconds) = track.intervals[at];
        (bytes - due * seconds).abs()
    };
    let holding = |at: usize| {
        let (bytes, seconds) = track.intervals[at];
        let share = ((bytes / seconds - second) / (first - second)).clamp(0.0, 1.0);
        let due = share * first + (1.0 - share) * second;
        let others = (of.start..at).map(|at| misses(at, first)).chain((at + 1..of.end).map(|at| misses(at, second)));
        (misses(at, due) + others.sum::<f64>(), track.before[at].0 + share * first / due * bytes)
    };
    let (_, bytes) = of.clone().map(holding).min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    ((first - second).abs() > f64::EPSILON * first).then_some(bytes)
}
