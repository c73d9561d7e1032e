//! What a fill of the whole span shows: whether and where a write cache ended, the rate before and after its end,
//! recoveries and a late decline.
//!
//! Owns the figures that follow from its course; [`change`] decides what the course is called. Pure: from
//! intervals (bytes and time) to a shape.

use drivelab_core::files::FileWork;
use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Action, Step};
use drivelab_core::record::IntervalRecord;
use drivelab_core::workload::Pattern;

use super::answer::{Answer, Course, Edge, End, MOST_BEHIND, TOGETHER};
use super::change;
use super::parts::{PARTS, first_behind, mean_rate, parts};

/// Half the least number of parts from which a decline after the cache is computed.
const LASTING: usize = 4;
/// Fewer recorded intervals than this show no edge.
pub(crate) const LEAST_INTERVALS: usize = 20;
/// The last quarter of what follows the cache has declined if it is below this share of the first half.
const DECLINED: f64 = 0.9;

/// What a fill shows. Rates are bytes per second.
#[derive(Debug, Clone, PartialEq)]
pub struct FillShape {
    /// What its course is called.
    pub course: Course,
    /// Rate before the end of the cache, without a burst at the start; of the whole fill if no end was seen.
    pub peak: f64,
    /// Bytes written when the cache ended; `None` if no end was seen.
    pub cache_bytes: Option<f64>,
    /// Rate after the end of the cache, without recoveries; of the whole fill if no end was seen.
    pub sustained: f64,
    /// How often the rate rose above the middle of both levels again after the end of the cache.
    pub recoveries: usize,
    /// Share of the bytes after the end of the cache that were written fast, 0 to 1.
    pub recovered_share: f64,
    /// By which share the last quarter after the cache (without recoveries) is slower than the first half, 0 to 1;
    /// 0 if it is not slower by a tenth.
    pub late_decline: f64,
}

/// The span of a step that is a fill, in bytes; `None` for other steps. A fill only writes, sequentially, and covers
/// the whole span at least once.
pub(crate) fn fills(step: &Step) -> Option<f64> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let upwards = workload.pattern == Pattern::Sequential && workload.threads.get() == 1;
    let in_order = upwards && workload.goes_in_order();
    let only_writes = workload.write_percent.get() == 100 && !workload.issues(OpKind::Trim);
    let once = workload.groups().count() == 1 && stop.passes.is_some();
    let deletes = workload.files.as_ref().is_some_and(|files| files.work == FileWork::Delete);
    (in_order && only_writes && once && !deletes).then(|| workload.span.length.as_f64())
}

/// Whether a step is a fill: it only writes, and covers its span sequentially at least once. A fall of its rate shows
/// the end of a write cache and nothing about heat.
#[must_use]
pub fn is_fill(step: &Step) -> bool {
    fills(step).is_some()
}

/// The bytes that an execution of a fill wrote, interval by interval, and its span; `None` if the step is not a fill.
pub(crate) fn course(step: &Step, key: &StepKey, intervals: &[IntervalRecord]) -> Option<(Vec<(f64, f64)>, f64)> {
    let span = fills(step)?;
    let of_this = intervals.iter().filter(|interval| interval.key == *key);
    let moved = of_this.map(|interval| {
        let seconds = interval.end_ns.saturating_sub(interval.start_ns) as f64 / 1e9;
        (interval.write.bytes.as_f64(), seconds)
    });
    Some((moved.collect(), span))
}

/// The shape of a fill of `span` bytes from its intervals (bytes, seconds). Bytes beyond the end of the span (of a
/// stream that wrapped) do not count. `None` if the span was not filled or there are too few intervals to see an edge.
#[must_use]
pub fn shape(intervals: &[(f64, f64)], span: f64) -> Option<FillShape> {
    if intervals.len() < LEAST_INTERVALS || span <= 0.0 {
        return None;
    }
    let seconds = parts(intervals, span)?;
    let course = change::judge(intervals, span, &seconds);
    let Answer::Ended(end) = course.answer else {
        let whole = mean_rate(span / PARTS as f64, &seconds);
        let (recoveries, recovered_share, late_decline) = (0, 0.0, 0.0);
        return Some(FillShape {
            course,
            peak: whole,
            cache_bytes: None,
            sustained: whole,
            recoveries,
            recovered_share,
            late_decline,
        });
    };
    Some(behind(course, end, intervals, span, &seconds))
}

/// The figures of a fill in which a cache ended there.
fn behind(course: Course, end: End, intervals: &[(f64, f64)], span: f64, seconds: &[f64]) -> FillShape {
    let part = span / PARTS as f64;
    let seconds = &seconds[first_behind(end.edge.bytes, part)..];
    let fast = fast(part, seconds, end.middle);
    let slow: Vec<f64> = seconds.iter().zip(&fast).filter(|(_, fast)| !**fast).map(|(seconds, _)| *seconds).collect();
    FillShape {
        peak: peak(intervals, course.burst.map_or(0.0, |burst| burst.bytes), end.edge),
        cache_bytes: Some(end.edge.bytes),
        sustained: mean_rate(part, &slow),
        recoveries: fast.windows(2).filter(|two| !two[0] && two[1]).count(),
        recovered_share: 1.0 - slow.len() as f64 / seconds.len() as f64,
        late_decline: late_decline(part, &slow),
        course,
    }
}

/// Which of these parts were faster than the middle: each by itself, or in pieces of 2 % of the span, as the end of the
/// cache is judged, if the drive is fast in so many short bursts that single parts show nothing.
fn fast(part: f64, seconds: &[f64], middle: f64) -> Vec<bool> {
    let by = |together: usize| -> Vec<bool> {
        let of_piece = |piece: &[f64]| vec![mean_rate(part, piece) >= middle; piece.len()];
        seconds.chunks(together).flat_map(of_piece).collect()
    };
    let each = by(1);
    let count = each.iter().filter(|fast| **fast).count();
    if count as f64 > (1.0 - MOST_BEHIND) * seconds.len() as f64 { by(TOGETHER) } else { each }
}

/// Bytes over time of the intervals that began after the burst (bytes) and ended before the edge. A gap at the edge
/// itself, in which nothing was written, does not count as before it.
fn peak(intervals: &[(f64, f64)], burst: f64, edge: Edge) -> f64 {
    let (mut position, mut written, mut time) = (0.0, 0.0, 0.0);
    for (bytes, seconds) in intervals {
        if position + bytes > edge.bytes * (1.0 + 1e-9) || position >= edge.bytes * (1.0 - 1e-9) {
            break;
        }
        if position >= burst * (1.0 - 1e-9) {
            written += bytes;
            time += seconds;
        }
        position += bytes;
    }
    if written > 0.0 && time > 0.0 { written / time } else { edge.before }
}

fn late_decline(part: f64, slow: &[f64]) -> f64 {
    if slow.len() < 2 * LASTING {
        return 0.0;
    }
    let (first, last) = (&slow[..slow.len() / 2], &slow[slow.len() - slow.len() / 4..]);
    let ratio = mean_rate(part, last) / mean_rate(part, first);
    if ratio < DECLINED { 1.0 - ratio } else { 0.0 }
}

#[cfg(test)]
mod tests;
