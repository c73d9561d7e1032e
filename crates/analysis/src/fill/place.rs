//! The byte at which one rate becomes another, inside the interval that holds both.
//!
//! An interval through which an edge goes was written at the one rate up to it and at the other from then on, so the
//! time that it took tells where that was. What is drained in slices (a throttle, a drive with a buffer) smears an edge
//! over its neighbours, so those are taken with it. Pure.

use std::ops::Range;

use super::change::Edge;

/// Share of the span next to an edge whose rate is taken for the one there.
const NEAR: f64 = 0.1;
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
    // The intervals that may hold it, and one more to each side for what is drained in slices.
    let from = track.holding((near - 1.5 * part).max(0.0)).saturating_sub(1).max(lowest + 1);
    let to = (track.holding(near + 1.5 * part) + 2).min(last.saturating_sub(1)).max(from + 1);
    let reach = NEAR * track.span;
    let first = track.holding((near - reach).max(0.0)).max(lowest).min(from - 1);
    let end = (track.holding(behind.end.min(near + reach)) + 1).clamp(to + 1, last.max(to + 1));
    let (fast, slow) = (track.pace(first..from)?, track.pace(to..end.min(last))?);
    let ((begins, began), (ends, ended)) = (*track.before.get(from)?, *track.before.get(to)?);
    // A line of one pace from the start of these intervals, a line of the other to their end: where they meet.
    let fast_bytes = if (slow - fast).abs() > f64::EPSILON * slow {
        ((ends - begins) * slow - (ended - began)) / (slow - fast)
    } else {
        near - begins
    };
    let bytes = begins + fast_bytes.clamp(0.0, ends - begins);
    Some(Edge { bytes, before: 1.0 / fast, behind: 1.0 / slow })
}
