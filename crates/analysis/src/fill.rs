//! What a fill of the whole span shows: the size of the write cache, the rate before and behind its end, recoveries and
//! a late decline.
//!
//! Owns the cutting of a fill into equal parts by position, and the rules by which its edges are found. Pure: from
//! intervals (bytes and time) to a shape. The rules are those by which reviewers read such a curve: a drop that lasts,
//! measured against what came before.

pub mod segments;

use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Action, Step};
use drivelab_core::record::IntervalRecord;
use drivelab_core::workload::Pattern;

/// Parts of equal size into which the span is cut: half a per cent each.
const PARTS: usize = 200;
/// Parts that a drop has to last: two per cent of the span.
const LASTING: usize = 4;
/// Of these, so many must be slow: one of them may be a burst.
const SLOW_OF_LASTING: usize = 3;
/// A part is slow below this share of the rate before it.
const SLOW: f64 = 0.8;
/// An interval within this share of a rate was written at that rate alone.
const PURE: f64 = 0.05;
/// Fewer recorded intervals than this show no edge.
const LEAST_INTERVALS: usize = 20;
/// The last quarter of what follows the cache has declined where it is below this share of the first half.
const DECLINED: f64 = 0.9;

/// What a fill shows. Rates are bytes per second.
#[derive(Debug, Clone, PartialEq)]
pub struct FillShape {
    /// Rate before the end of the cache; of the whole fill where no end was seen.
    pub peak: f64,
    /// Bytes written when the rate fell below the middle between peak and what followed; `None` where it never did.
    pub cache_bytes: Option<f64>,
    /// Rate behind the end of the cache, recoveries left out; of the whole fill where no end was seen.
    pub sustained: f64,
    /// How often the rate came back above that middle behind the end of the cache.
    pub recoveries: usize,
    /// Share of what was written behind the end of the cache that went fast, 0 to 1.
    pub recovered_share: f64,
    /// By which share the last quarter behind the cache (recoveries left out) is slower than the first half, 0 to 1;
    /// 0 where it is not slower by a tenth.
    pub late_decline: f64,
}

/// What an execution of a fill moved, interval by interval; `None` where the step is none: it writes in order, nothing
/// else, and goes over the whole span at least once.
pub(crate) fn course(step: &Step, key: &StepKey, intervals: &[IntervalRecord]) -> Option<(Vec<(f64, f64)>, f64)> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let in_order = workload.pattern == Pattern::Sequential && workload.threads.get() == 1;
    let only_writes = workload.write_percent.get() == 100 && !workload.issues(OpKind::Trim);
    if !in_order || !only_writes || workload.places.is_some() || workload.groups().count() > 1 || stop.passes.is_none()
    {
        return None;
    }
    let of_this = intervals.iter().filter(|interval| interval.key == *key);
    let moved = of_this.map(|interval| {
        let seconds = interval.end_ns.saturating_sub(interval.start_ns) as f64 / 1e9;
        (interval.write.bytes.as_f64(), seconds)
    });
    Some((moved.collect(), workload.span.length.as_f64()))
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
    let part = span / PARTS as f64;
    let rates: Vec<f64> = seconds.iter().map(|seconds| part / seconds).collect();
    let rate_of = |range: std::ops::Range<usize>| mean_rate(part, seconds.get(range).unwrap_or_default());
    let slow_from = |at: &usize| {
        let (before, after) = (rate_of(0..*at), rates.get(*at..*at + LASTING).unwrap_or_default());
        let slow = |rate: &f64| *rate < SLOW * before;
        after.first().is_some_and(slow) && after.iter().filter(|rate| slow(rate)).count() >= SLOW_OF_LASTING
    };
    let Some(drop) = (1..=PARTS - LASTING).find(slow_from) else {
        let whole = rate_of(0..PARTS);
        let (recoveries, recovered_share, late_decline) = (0, 0.0, 0.0);
        return Some(FillShape {
            peak: whole,
            cache_bytes: None,
            sustained: whole,
            recoveries,
            recovered_share,
            late_decline,
        });
    };
    let middle = f64::midpoint(rate_of(0..drop), median(rates.get(drop..drop + LASTING)?));
    // A part through which the edge goes may be slow and still above the middle.
    let edge = (drop..PARTS).find(|at| rates[*at] < middle)?;
    let behind = edge..PARTS;
    let slow: Vec<f64> = behind.clone().filter(|at| rates[*at] < middle).map(|at| seconds[at]).collect();
    let begins = |at: &usize| rates[*at] >= middle && rates[*at - 1] < middle;
    let sustained = mean_rate(part, &slow);
    let (cache, peak) = sharpened(intervals, edge as f64 * part, rate_of(0..edge));
    Some(FillShape {
        peak,
        cache_bytes: Some(cache),
        sustained,
        recoveries: behind.clone().filter(begins).count(),
        recovered_share: 1.0 - slow.len() as f64 / behind.len() as f64,
        late_decline: late_decline(part, &slow),
    })
}

/// The end of the cache inside the interval in which it lies, and the rate before that interval. An interval that
/// holds both rates was written at the one until the cache was full and at the other, which is that of the next, from
/// then on, so its mean tells when that was. `edge` is the place to the nearest part, `peak` the rate before it.
fn sharpened(intervals: &[(f64, f64)], edge: f64, peak: f64) -> (f64, f64) {
    let mut position = 0.0;
    let mut time_before = 0.0;
    for pair in intervals.windows(2) {
        let [(bytes, seconds), (next_bytes, next_seconds)] = *pair else { break };
        let (begins, ends) = (position, position + bytes);
        // It may lie before the edge, where it was still faster than the middle, or just behind it.
        if begins > edge {
            break;
        }
        let (rate, behind) = (bytes / seconds, next_bytes / next_seconds);
        let before = if begins > 0.0 { begins / time_before } else { peak };
        let holds_both = rate > behind * (1.0 + PURE) && rate < before * (1.0 - PURE);
        if ends >= edge && holds_both && seconds > 0.0 && next_seconds > 0.0 {
            let fast = seconds * (rate - behind) / (before - behind);
            return (begins + before * fast, before);
        }
        position = ends;
        time_before += seconds;
    }
    (edge, peak)
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

fn median(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let upper = sorted.get(half).copied().unwrap_or_default();
    if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[half - 1], upper) } else { upper }
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
