//! Short gaps in a fill: times in which next to nothing was written.
//!
//! Owns the rule that defines a gap. Searches interval by interval and compares each with the rate around it. Pure.

use super::answer::Stall;
use super::parts::median;
use super::place::Track;

/// An interval slower than this share of the rate around it may be part of a gap.
const SLOW: f64 = 0.7;
/// Seconds that a gap must cost: more than one or two slices of a throttle.
const LEAST_S: f64 = 0.25;
/// How many times as much as an interval usually loses or gains.
const UNUSUAL: f64 = 6.0;
/// More than this share of the span is not a gap.
const SHORT: f64 = 0.03;
/// If there are more gaps than this share of the intervals, and than [`FEW`], that is the drive's usual way of writing.
const RARE: f64 = 0.05;
/// See [`RARE`].
const FEW: f64 = 5.0;
/// Parts to each side whose median is the rate around a position.
const AROUND: usize = 10;
/// Intervals to each side of an edge that contain both rates.
const AT_EDGE: usize = 2;

/// The gaps, in order, except those before `begins` (bytes). At the edges (bytes), where the rate changes anyway, a gap
/// is an interval that took longer than the slower rate explains.
pub(super) fn stalls(track: &Track<'_>, seconds: &[f64], part: f64, begins: f64, edges: &[f64]) -> Vec<Stall> {
    let usual = around(seconds, part);
    let at_edge = |at: usize| edges.iter().any(|edge| track.holding(*edge).abs_diff(at) <= AT_EDGE);
    let lost = |at| lost_s(track, &usual, part, at, if at_edge(at) { AT_EDGE } else { 0 });
    let lost: Vec<f64> = (0..track.intervals.len()).map(lost).collect();
    let sizes: Vec<f64> = lost.iter().map(|lost| lost.abs()).collect();
    let least = LEAST_S.max(UNUSUAL * median(&sizes));
    let slow = |at: usize| lost[at] > (1.0 - SLOW) * track.intervals[at].1 && track.before[at].0 >= begins;
    let mut found = Vec::new();
    let mut at = 0;
    while at < lost.len() {
        let end = (at..lost.len()).find(|at| !slow(*at)).unwrap_or(lost.len());
        let (from, to, lost_s) = (track.before[at].0, track.before[end].0, lost[at..end].iter().sum::<f64>());
        // A gap that lasts to the end has nothing after it.
        if lost_s >= least && to - from <= SHORT * part * seconds.len() as f64 && end < lost.len() {
            let pace = |part: usize| usual[part.min(usual.len() - 1)];
            let (before, behind) = ((from / part) as usize, (to / part) as usize);
            let (before, behind) = (1.0 / pace(before.saturating_sub(AROUND)), 1.0 / pace(behind + AROUND));
            found.push(Stall { bytes: from, lost_s, before, behind });
        }
        at = end + 1;
    }
    if found.len() as f64 > (RARE * lost.len() as f64).max(FEW) { Vec::new() } else { found }
}

/// Seconds of an interval beyond those that its bytes take at the rate around it, or at the slowest of the rates around
/// `reach` intervals to each side.
fn lost_s(track: &Track<'_>, usual: &[f64], part: f64, at: usize, reach: usize) -> f64 {
    let (bytes, time) = track.intervals[at];
    let begins = track.before[at].0;
    let part_at = |position: f64| ((position / part) as usize).min(usual.len() - 1);
    let pace = if reach == 0 {
        f64::midpoint(usual[part_at(begins)], usual[part_at(begins + bytes)])
    } else {
        let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(track.intervals.len()));
        let around = &usual[part_at(track.before[from].0)..=part_at(track.before[to].0)];
        around.iter().copied().fold(0.0, f64::max)
    };
    time - bytes * pace
}

/// Seconds per byte around each part.
fn around(seconds: &[f64], part: f64) -> Vec<f64> {
    let median = |at: usize| {
        let near = &seconds[at.saturating_sub(AROUND)..(at + AROUND + 1).min(seconds.len())];
        median(near) / part
    };
    (0..seconds.len()).map(median).collect()
}
