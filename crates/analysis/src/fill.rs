//! What a fill of the whole span shows: whether a write cache ended and where, the rate before and behind its end,
//! recoveries and a late decline.
//!
//! Owns the cutting of a fill into equal parts by position, and the figures that follow from its course; what the
//! course is called is decided in [`change`]. Pure: from intervals (bytes and time) to a shape.

pub mod change;
mod levels;
mod place;
pub mod segments;
mod stalls;
mod step;

use drivelab_core::files::FileWork;
use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Action, Step};
use drivelab_core::record::IntervalRecord;
use drivelab_core::workload::Pattern;

use change::{Answer, Course, Edge, End, MOST_BEHIND, TOGETHER};

/// Parts of equal size into which the span is cut: half a per cent each.
const PARTS: usize = 200;
/// Parts of which a decline behind the cache is worked out, twice over.
const LASTING: usize = 4;
/// Fewer recorded intervals than this show no edge.
pub(crate) const LEAST_INTERVALS: usize = 20;
/// The last quarter of what follows the cache has declined where it is below this share of the first half.
const DECLINED: f64 = 0.9;

/// What a fill shows. Rates are bytes per second.
#[derive(Debug, Clone, PartialEq)]
pub struct FillShape {
    /// What its course is called.
    pub course: Course,
    /// Rate before the end of the cache, without a burst at the start; of the whole fill where no end was seen.
    pub peak: f64,
    /// Bytes written when the cache ended; `None` where no end was seen.
    pub cache_bytes: Option<f64>,
    /// Rate behind the end of the cache, recoveries left out; of the whole fill where no end was seen.
    pub sustained: f64,
    /// How often the rate came back above the middle of both levels behind the end of the cache.
    pub recoveries: usize,
    /// Share of what was written behind the end of the cache that went fast, 0 to 1.
    pub recovered_share: f64,
    /// By which share the last quarter behind the cache (recoveries left out) is slower than the first half, 0 to 1;
    /// 0 where it is not slower by a tenth.
    pub late_decline: f64,
}

/// The span of a step that is a fill, in bytes; `None` where it is none: it writes in order, nothing else, and goes
/// over the whole span at least once.
pub(crate) fn fills(step: &Step) -> Option<f64> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let upwards = workload.pattern == Pattern::Sequential && workload.threads.get() == 1;
    let in_order = upwards && workload.goes_in_order();
    let only_writes = workload.write_percent.get() == 100 && !workload.issues(OpKind::Trim);
    let once = workload.groups().count() == 1 && stop.passes.is_some();
    let deletes = workload.files.as_ref().is_some_and(|files| files.work == FileWork::Delete);
    (in_order && only_writes && once && !deletes).then(|| workload.span.length.as_f64())
}

/// Whether a step is a fill: it writes its span in order at least once, and nothing else. A fall of its rate shows the
/// end of a write cache and says nothing about heat.
#[must_use]
pub fn is_fill(step: &Step) -> bool {
    fills(step).is_some()
}

/// What an execution of a fill moved, interval by interval, and its span; `None` where the step is none.
pub(crate) fn course(step: &Step, key: &StepKey, intervals: &[IntervalRecord]) -> Option<(Vec<(f64, f64)>, f64)> {
    let span = fills(step)?;
    let of_this = intervals.iter().filter(|interval| interval.key == *key);
    let moved = of_this.map(|interval| {
        let seconds = interval.end_ns.saturating_sub(interval.start_ns) as f64 / 1e9;
        (interval.write.bytes.as_f64(), seconds)
    });
    Some((moved.collect(), span))
}

/// The shape of a fill of `span` bytes from its intervals (bytes, seconds). What was written behind the end of the span
/// (a stream that wrapped) does not count. `None` where the span was not filled or there are too few intervals to see
/// an edge.
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

/// The first part that lies wholly behind so many bytes: a part through which an edge goes belongs to neither side. A
/// fill has more behind its edge than that one.
fn first_behind(bytes: f64, part: f64) -> usize {
    ((bytes / part - 1e-6).ceil() as usize).min(PARTS - 1)
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

/// Which of these parts went faster than the middle: each by itself, or by pieces of 2 % of the span, as the end of the
/// cache is judged, where the drive goes fast in so many short bursts that the parts say nothing.
fn fast(part: f64, seconds: &[f64], middle: f64) -> Vec<bool> {
    let by = |together: usize| -> Vec<bool> {
        let of_piece = |piece: &[f64]| vec![mean_rate(part, piece) >= middle; piece.len()];
        seconds.chunks(together).flat_map(of_piece).collect()
    };
    let each = by(1);
    let count = each.iter().filter(|fast| **fast).count();
    if count as f64 > (1.0 - MOST_BEHIND) * seconds.len() as f64 { by(TOGETHER) } else { each }
}

/// Bytes over time of the intervals that began behind the burst (bytes) and ended before the edge.
fn peak(intervals: &[(f64, f64)], burst: f64, edge: Edge) -> f64 {
    let (mut position, mut written, mut time) = (0.0, 0.0, 0.0);
    for (bytes, seconds) in intervals {
        if position + bytes > edge.bytes * (1.0 + 1e-9) {
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

/// Bytes of these parts over their time; 0 where there are none.
fn mean_rate(part: f64, seconds: &[f64]) -> f64 {
    let time: f64 = seconds.iter().sum();
    if time > 0.0 { part * seconds.len() as f64 / time } else { 0.0 }
}

/// Of these values; 0 where there are none.
fn median(values: &[f64]) -> f64 {
    crate::stats::median(values).unwrap_or_default()
}

/// Seconds that each part took: within an interval the rate is taken as even. `None` where the span was not filled.
fn parts(intervals: &[(f64, f64)], span: f64) -> Option<Vec<f64>> {
    let mut seconds = vec![0.0; PARTS];
    let part = span / PARTS as f64;
    // A quotient may be rounded down at a border; the part begins where its number times the size says.
    let part_at = |position: f64| {
        let at = (position / part) as usize;
        (if (at + 1) as f64 * part <= position { at + 1 } else { at }).min(PARTS - 1)
    };
    let mut position = 0.0;
    for (bytes, time) in intervals {
        if *bytes <= 0.0 {
            // Nothing was finished: a stall of the part that is being written.
            seconds[part_at(position)] += time;
            continue;
        }
        let end = position + bytes;
        let mut from = position;
        while from < end.min(span) {
            let at = part_at(from);
            let to = if at + 1 == PARTS { end.min(span) } else { end.min((at + 1) as f64 * part) };
            seconds[at] += time * (to - from) / bytes;
            from = to;
        }
        position = end;
        if position >= span {
            break;
        }
    }
    // The last block of a span may be missing where the span is no multiple of the block.
    (position >= span * 0.999 && seconds.iter().all(|seconds| *seconds > 0.0)).then_some(seconds)
}

#[cfg(test)]
mod tests;
