//! Short gaps in a fill: times in which next to nothing was written, with the same rate before and behind them.
//!
//! Owns the rule by which a gap is one. Looked for interval by interval, against the rate around each. Pure.

use super::change::Stall;
use super::place::Track;

/// An interval slower than this share of the rate around it may be part of a gap.
const SLOW: f64 = 0.7;
/// Seconds that a gap has to cost: more than a throttle's slice or two.
const LEAST_S: f64 = 0.25;
/// How many times what an interval usually loses or gains.
const UNUSUAL: f64 = 6.0;
/// More than this share of the span is no gap.
const SHORT: f64 = 0.03;
/// More gaps than this share of the intervals: that is how the drive writes.
const RARE: f64 = 0.05;
/// Parts to each side whose median is the rate around a place.
const AROUND: usize = 10;
/// Intervals to each side of an edge that hold both rates.
const AT_EDGE: usize = 2;

/// The gaps, in order, but for those before `begins` and at the edges (bytes), where the rate changes anyway.
pub(super) fn stalls(track: &Track<'_>, seconds: &[f64], part: f64, begins: f64, edges: &[f64]) -> Vec<Stall> {
    let usual = around(seconds, part);
    let lost: Vec<f64> = (0..track.intervals.len()).map(|at| lost_s(track, &usual, part, at)).collect();
    let sizes: Vec<f64> = lost.iter().map(|lost| lost.abs()).collect();
    let least = LEAST_S.max(UNUSUAL * super::median(&sizes));
    let at_edge = |at: usize| {
        let near = |edge: &f64| track.holding(*edge).abs_diff(at) <= AT_EDGE;
        track.before[at].0 < begins || edges.iter().any(near)
    };
    let slow = |at: usize| lost[at] > (1.0 - SLOW) * track.intervals[at].1 && !at_edge(at);
    let mut found = Vec::new();
    let (mut at, mut in_gaps) = (0, 0);
    while at < lost.len() {
        let end = (at..lost.len()).find(|at| !slow(*at)).unwrap_or(lost.len());
        let (bytes, lost_s) = (track.before[end].0 - track.before[at].0, lost[at..end].iter().sum::<f64>());
        // What goes on to the end has nothing behind it.
        if lost_s >= least && bytes <= SHORT * part * seconds.len() as f64 && end < lost.len() {
            found.push(Stall { bytes: track.before[at].0, lost_s });
            in_gaps += 1;
        }
        at = end + 1;
    }
    if in_gaps as f64 > (RARE * lost.len() as f64).max(1.0) { Vec::new() } else { found }
}

/// Seconds of an interval beyond those that its bytes take at the rate around it.
fn lost_s(track: &Track<'_>, usual: &[f64], part: f64, at: usize) -> f64 {
    let (bytes, time) = track.intervals[at];
    let begins = track.before[at].0;
    let of_part = |position: f64| usual[((position / part) as usize).min(usual.len() - 1)];
    time - bytes * f64::midpoint(of_part(begins), of_part(begins + bytes))
}

/// Seconds per byte around each part.
fn around(seconds: &[f64], part: f64) -> Vec<f64> {
    let median = |at: usize| {
        let near = &seconds[at.saturating_sub(AROUND)..(at + AROUND + 1).min(seconds.len())];
        super::median(near) / part
    };
    (0..seconds.len()).map(median).collect()
}
