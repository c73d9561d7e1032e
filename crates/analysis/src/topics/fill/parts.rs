//! A fill cut into equal parts by position.

use crate::stats;

/// Parts of equal size into which the span is cut: half a per cent each.
pub(super) const PARTS: usize = 200;

/// The first part that lies wholly behind so many bytes: a part through which an edge goes belongs to neither side. A
/// fill has more behind its edge than that one.
pub(super) fn first_behind(bytes: f64, part: f64) -> usize {
    ((bytes / part - 1e-6).ceil() as usize).min(PARTS - 1)
}

/// Bytes of these parts over their time; 0 where there are none.
pub(super) fn mean_rate(part: f64, seconds: &[f64]) -> f64 {
    let time: f64 = seconds.iter().sum();
    if time > 0.0 { part * seconds.len() as f64 / time } else { 0.0 }
}

/// Of these values; 0 where there are none.
pub(super) fn median(values: &[f64]) -> f64 {
    stats::median(values).unwrap_or_default()
}

/// Seconds that each part took: within an interval the rate is taken as even. `None` where the span was not filled.
pub(super) fn parts(intervals: &[(f64, f64)], span: f64) -> Option<Vec<f64>> {
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
