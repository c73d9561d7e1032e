//! The byte at which one rate becomes another, inside the interval that holds both.
//!
//! An interval through which an edge goes was written at the one rate up to it and at the other from then on, so the
//! time that it took tells where that was. What is drained in slices (a throttle, a drive with a buffer) smears an edge
//! over its neighbours, so of those the place is taken that explains them all best. Pure.

use std::ops::Range;

use super::answer::Edge;

/// Share of the span next to an edge whose rate is taken for the one there.
const NEAR: f64 = 0.1;
/// Intervals next to an edge that this is at least: over fewer, what is drained in slices has no rate.
const NEAR_INTERVALS: usize = 10;
/// Intervals to each side of those that may hold an edge, among which it is looked for.
const MORE: usize = 2;
/// Pieces of that, of whose paces the middle one counts: a burst or a stall in one of them says nothing.
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

    /// How many intervals had ended when so much was written; within one, the share of it.
    pub(super) fn intervals_at(&self, bytes: f64) -> f64 {
        let at = self.holding(bytes);
        let (begins, (length, _)) = (self.before[at].0, self.intervals[at]);
        at as f64 + if length > 0.0 { ((bytes - begins) / length).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Seconds of the interval in which this byte was written.
    pub(super) fn interval_s(&self, bytes: f64) -> f64 {
        self.intervals[self.holding(bytes)].1
    }

    /// Seconds per byte of whole intervals: the middle one of its pieces; `None` where nothing was written in them.
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

/// The edge at about `near`, known to a part of so many bytes, between two stretches (bytes) of one rate each; `None`
/// where too little is known.
pub(super) fn edge(track: &Track<'_>, near: f64, part: f64, before: Range<f64>, behind: Range<f64>) -> Option<Edge> {
    let last = track.intervals.len();
    // The first interval of a stretch may hold what came before it.
    let lowest = track.holding(before.start) + usize::from(before.start > 0.0);
    // The intervals that may hold it, and some more to each side for what is drained in slices.
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

/// The byte in these intervals up to which one rate and from which on the other explains best what was written in each:
/// with the least sum of misses, in which a gap or what had waited in one counts for no more than any other interval
/// that went at the other rate. `None` where the rates are the same.
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
