//! A fill cut into equal parts by position.

use crate::by_position::cut;
use crate::stats;

/// Parts of equal size into which the span is cut: half a per cent each.
pub(super) const PARTS: usize = 200;

/// The first part that is completely after this many bytes: a part that contains an edge belongs to neither side. A
/// fill has more parts after its edge than that one.
pub(super) fn first_behind(bytes: f64, part: f64) -> usize {
    ((bytes / part - 1e-6).ceil() as usize).min(PARTS - 1)
}

/// Bytes of these parts over their time; 0 without parts.
pub(super) fn mean_rate(part: f64, seconds: &[f64]) -> f64 {
    let time: f64 = seconds.iter().sum();
    if time > 0.0 { part * seconds.len() as f64 / time } else { 0.0 }
}

/// Median of these values; 0 without values.
pub(super) fn median(values: &[f64]) -> f64 {
    stats::median(values).unwrap_or_default()
}

/// Bytes up to which the span was filled; `None` if it was not filled completely. A block at its end may be missing,
/// because the span need not be a multiple of the block.
pub(super) fn filled(intervals: &[(f64, f64)], span: f64) -> Option<f64> {
    let written: f64 = intervals.iter().map(|(bytes, _)| bytes).sum();
    (span > 0.0 && written >= span * 0.999).then(|| written.min(span))
}

/// Seconds that each part took. `None` if the span was not filled.
pub(super) fn parts(intervals: &[(f64, f64)], span: f64) -> Option<Vec<f64>> {
    let (part, end) = (span / PARTS as f64, filled(intervals, span)?);
    let borders: Vec<f64> = (0..PARTS).map(|at| at as f64 * part).chain([end]).collect();
    let seconds = cut(intervals.iter().copied(), &borders);
    seconds.iter().all(|seconds| *seconds > 0.0).then_some(seconds)
}
