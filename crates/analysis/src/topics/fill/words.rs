//! Findings about what a fill shows about the write cache.

use super::answer::SLOW;
use crate::check::Seen;
use crate::evidence::{FindingDef, executions, plural};

/// What to do if the write cache may be larger than what was written.
const FILL_MORE: &str = "Fill the whole drive (`drivelab run disk-fill DEVICE --form faithful`) if the end of its \
                         write cache matters.";

/// Value and limit of one piece of evidence of the first execution.
fn first(seen: &[Seen], at: usize) -> (f64, f64) {
    let piece = seen.first().and_then(|seen| seen.evidence.get(at));
    piece.map_or((0.0, 0.0), |piece| (piece.value, piece.limit.unwrap_or_default()))
}

/// Says whose figures a statement about several executions gives.
fn the_first(seen: &[Seen]) -> &'static str {
    if seen.len() > 1 { "; the figures are those of the first" } else { "" }
}

/// What is added if other programs used the disk during the execution whose figures are given.
fn others(seen: &[Seen]) -> &'static str {
    let noted = seen.first().is_some_and(|seen| !seen.notes.is_empty());
    if noted { " Other programs used the disk, so these rates are lower bounds." } else { "" }
}

/// Decimals that give three significant digits; none below a thousandth.
fn digits(value: f64) -> usize {
    match value {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.001.. => 3,
        _ => 0,
    }
}

/// A volume with its unit. Below 1 GB it is in MB, because rounding to GB would lose a small volume.
fn volume(gb: f64, behind_the_point: usize) -> String {
    if gb >= 1.0 {
        return format!("{gb:.behind_the_point$} GB");
    }
    let mb = gb * 1e3;
    format!("{mb:.*} MB", digits(mb))
}

/// `from 1.5 to 2.0 GB`: the unit is given once if both volumes share it.
fn stretch(from: f64, to: f64) -> String {
    let (from, to) = (volume(from, 1), volume(to, 1));
    match from.split_once(' ') {
        Some((number, unit)) if to.ends_with(unit) => format!("from {number} to {to}"),
        _ => format!("from {from} to {to}"),
    }
}

/// The evidence of an execution: the rates after and before the end, the volume written until then, its share of the
/// span.
pub(super) static CACHE_ENDED: FindingDef = FindingDef::note(
    "write_cache_ended",
    |seen| {
        let (behind, before) = first(seen, 0);
        let (recoveries, share) = (first(seen, 3).0, first(seen, 4).0);
        let stayed = match recoveries {
            0.0 => " and stayed there".to_owned(),
            1.0 => format!(", and recovered once, for {share:.1} % of the remaining data"),
            _ => format!(", and recovered {recoveries:.0} times, for {share:.1} % of the remaining data"),
        };
        format!(
            "The write cache ended after {} ({:.0} % of the span): sequential writes fell from {before:.0} to \
             {behind:.0} MB/s{stayed} ({}{}).{}",
            volume(first(seen, 1).0, 1),
            first(seen, 2).0,
            executions(seen),
            the_first(seen),
            others(seen)
        )
    },
    "Drives write to fast flash (pSLC) or memory first, as long as there is room. A drive that was just filled or is \
     nearly full has less room there.",
    "Compare drives by the rate after the cache for long writes, and by the rate before its end for short ones.",
);

/// The evidence: the rates at the end and at the start.
pub(super) static RAMP: FindingDef = FindingDef::note(
    "write_ramp",
    |seen| {
        let (to, from) = first(seen, 0);
        format!(
            "Sequential writes slowed down gradually, from {from:.0} to {to:.0} MB/s. There was no sudden drop, so \
             this is not the end of a write cache ({}{}).{}",
            executions(seen),
            the_first(seen),
            others(seen)
        )
    },
    "Hard disks write more slowly towards their inner tracks. A drive that gets warm, or that collects more and more \
     garbage while it writes, slows down too.",
    "Compare drives by the mean rate, and look at the temperature.",
);

/// The evidence: the volume written, its mean rate, and the stretch that was slower, if there is one.
pub(super) static NOT_SEEN: FindingDef = FindingDef::note(
    "write_cache_not_seen",
    |seen| {
        let dipped = seen.first().is_some_and(|seen| seen.evidence.len() > 2);
        let ((within, around), (from, to)) = (first(seen, 4), (first(seen, 2).0, first(seen, 3).0));
        let dip = if dipped {
            format!("; {} the rate was {within:.0} instead of {around:.0} MB/s, then it recovered", stretch(from, to))
        } else {
            String::new()
        };
        format!(
            "No end of a write cache was seen: {} were written at a mean of {:.0} MB/s{dip} ({}{}).{}",
            volume(first(seen, 0).0, 1),
            first(seen, 1).0,
            executions(seen),
            the_first(seen),
            others(seen)
        )
    },
    "The drive has no write cache, the cache is larger than what was written, or it was already full. Storage in \
     memory and storage behind a rate limit have none either.",
    FILL_MORE,
);

/// The evidence: the volume written, its share of the span, the recorded intervals. If the rate varies too much, also
/// the rates after and before a possible end, and the volume written until then.
pub(super) static TOO_LITTLE: FindingDef = FindingDef::note(
    "write_cache_too_little",
    |seen| {
        let varies = seen.first().is_some_and(|seen| seen.evidence.len() > 3);
        let ((count, _), (behind, before)) = (first(seen, 2), first(seen, 3));
        let why = if varies {
            format!(
                "The rates vary too much to tell whether a write cache ends: the fall from {before:.0} to {behind:.0} \
                 MB/s after {} may be its end, or chance. The volume written:",
                volume(first(seen, 4).0, 1)
            )
        } else {
            "Too little was written to tell whether a write cache ends:".to_owned()
        };
        format!(
            "{why} {} ({:.0} % of the span) in {} ({}{}).",
            volume(first(seen, 0).0, 1),
            first(seen, 1).0,
            plural(count as usize, "recorded interval"),
            executions(seen),
            the_first(seen)
        )
    },
    "The span is too small for such a fast drive, the step ended before the span was full, or something else made the \
     rate uneven.",
    FILL_MORE,
);

/// The evidence: the rates of the burst and after it, the volume written in it, its share of the span.
pub(super) static BURST: FindingDef = FindingDef::note(
    "write_burst",
    |seen| {
        let (before, behind) = first(seen, 0);
        format!(
            "Sequential writes began with a burst: {} ({:.1} % of the span) at {before:.0} MB/s, then {behind:.0} \
             MB/s. It was too short to count as a write cache ({}{}).{}",
            volume(first(seen, 1).0, 2),
            first(seen, 2).0,
            executions(seen),
            the_first(seen),
            others(seen)
        )
    },
    "The drive's memory took the first writes, a rate limit below the target allowed a burst, or the write cache is \
     that small.",
    "Use the rate after the burst for anything but short writes.",
);

/// The evidence: the longest gap, the number of gaps, the volume written before the longest, the rates after and before
/// it.
pub(super) static STALLED: FindingDef = FindingDef::note(
    "write_stalled",
    |seen| {
        let (behind, before) = first(seen, 3);
        let went_on = if behind < SLOW * before {
            format!("at {behind:.0} instead of {before:.0} MB/s")
        } else if before < SLOW * behind {
            format!("faster, at {behind:.0} instead of {before:.0} MB/s")
        } else {
            "as fast as before".to_owned()
        };
        format!(
            "Sequential writes stalled {} for {:.1} s after {}, and continued {went_on} ({}{}).",
            match first(seen, 1).0 as usize {
                1 => "once,".to_owned(),
                times => format!("{times} times, the longest"),
            },
            first(seen, 0).0,
            volume(first(seen, 2).0, 1),
            executions(seen),
            the_first(seen)
        )
    },
    "The drive collected garbage or wrote its mapping tables, other programs used the drive or the host, or a layer \
     below the target waited.",
    "Measure again: a stall that recurs at the same place comes from the drive.",
);

#[cfg(test)]
mod tests;
