//! Findings about what a fill shows of the write cache.

use super::answer::SLOW;
use crate::check::Seen;
use crate::evidence::{FindingDef, executions, plural};

/// What is said of a write cache that is larger than what was written.
const FILL_MORE: &str = "Fill the whole drive (`drivelab run disk-fill DEVICE --form faithful`) where the end of its \
                         write cache matters.";

/// Value and limit of one piece of evidence of the first execution.
fn first(seen: &[Seen], at: usize) -> (f64, f64) {
    let piece = seen.first().and_then(|seen| seen.evidence.get(at));
    piece.map_or((0.0, 0.0), |piece| (piece.value, piece.limit.unwrap_or_default()))
}

/// Where several executions are meant, whose figures follow.
fn the_first(seen: &[Seen]) -> &'static str {
    if seen.len() > 1 { "in the first of them " } else { "" }
}

/// What is added where others used the disk during the execution whose figures are told.
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

/// A volume with its unit; below 1 GB in MB, because rounding to GB would lose a small one.
fn volume(gb: f64, behind_the_point: usize) -> String {
    if gb >= 1.0 {
        return format!("{gb:.behind_the_point$} GB");
    }
    let mb = gb * 1e3;
    format!("{mb:.*} MB", digits(mb))
}

/// `from 1.5 to 2.0 GB`: the unit stands once where both have the same.
fn stretch(from: f64, to: f64) -> String {
    let (from, to) = (volume(from, 1), volume(to, 1));
    match from.split_once(' ') {
        Some((number, unit)) if to.ends_with(unit) => format!("from {number} to {to}"),
        _ => format!("from {from} to {to}"),
    }
}

/// The evidence of an execution: rates behind and before the end, what was written at the end, its share of the span.
pub(super) static CACHE_ENDED: FindingDef = FindingDef::note(
    "write_cache_ended",
    |seen| {
        let (behind, before) = first(seen, 0);
        format!(
            "In {} the rate of a write in order fell for good, {}after {} ({:.0} % of the span), from {before:.0} to \
             {behind:.0} MB/s: there a write cache ended.{}",
            executions(seen),
            the_first(seen),
            volume(first(seen, 1).0, 1),
            first(seen, 2).0,
            others(seen)
        )
    },
    "Drives write to fast cells (pSLC) or memory first, as long as there is room; a drive that has just been filled \
     or is nearly full has less of it.",
    "Compare drives by the rate behind it where much is written at a time, and by the rate before it where little is.",
);

/// The evidence: rates at the end and at the start.
pub(super) static RAMP: FindingDef = FindingDef::note(
    "write_ramp",
    |seen| {
        let (to, from) = first(seen, 0);
        format!(
            "In {} the rate of a write in order sank slowly, {}from {from:.0} to {to:.0} MB/s, without a step: that \
             is no end of a write cache.{}",
            executions(seen),
            the_first(seen),
            others(seen)
        )
    },
    "Disks are slower the nearer to the middle they write; a drive that grows warm, or tidies up more and more while \
     it writes, sinks too.",
    "Compare drives by the mean rate, and look at the temperature beside it.",
);

/// The evidence: what was written, the rate of all of it, and the stretch that was slower, where there is one.
pub(super) static NOT_SEEN: FindingDef = FindingDef::note(
    "write_cache_not_seen",
    |seen| {
        let dipped = seen.first().is_some_and(|seen| seen.evidence.len() > 2);
        let ((within, around), (from, to)) = (first(seen, 4), (first(seen, 2).0, first(seen, 3).0));
        let dip = if dipped {
            format!("; {} it went at {within:.0} instead of {around:.0} MB/s, and recovered", stretch(from, to))
        } else {
            String::new()
        };
        format!(
            "In {} no end of a write cache was seen, {}in {} at a mean of {:.0} MB/s{dip}.{}",
            executions(seen),
            the_first(seen),
            volume(first(seen, 0).0, 1),
            first(seen, 1).0,
            others(seen)
        )
    },
    "The drive has none, it is larger than what was written, or it was full before; storage in memory and below a \
     limit has none either.",
    FILL_MORE,
);

/// The evidence: what was written, its share of the span, recorded intervals; and where the rate varies too much, the
/// rates behind and before what may be an end, and what was written until then.
pub(super) static TOO_LITTLE: FindingDef = FindingDef::note(
    "write_cache_too_little",
    |seen| {
        let varies = seen.first().is_some_and(|seen| seen.evidence.len() > 3);
        let ((count, _), (behind, before)) = (first(seen, 2), first(seen, 3));
        let varies = if varies {
            format!(
                ", whose rates vary so much that a fall from {before:.0} to {behind:.0} MB/s, after {}, may be an \
                 end or chance",
                volume(first(seen, 4).0, 1)
            )
        } else {
            String::new()
        };
        format!(
            "In {} too little was written to tell whether a write cache ends: {}{} ({:.0} % of the span) in \
             {}{varies}.",
            executions(seen),
            the_first(seen),
            volume(first(seen, 0).0, 1),
            first(seen, 1).0,
            plural(count as usize, "recorded interval")
        )
    },
    "The span is small for so fast a drive, the step ended before it was full, or something else made its rate \
     uneven.",
    FILL_MORE,
);

/// The evidence: rates of the burst and behind it, what was written in it, its share of the span.
pub(super) static BURST: FindingDef = FindingDef::note(
    "write_burst",
    |seen| {
        let (before, behind) = first(seen, 0);
        format!(
            "In {} a write in order began with a burst, {}{} ({:.1} % of the span) at {before:.0} MB/s, then \
             {behind:.0} MB/s: too short to be called the end of a write cache.{}",
            executions(seen),
            the_first(seen),
            volume(first(seen, 1).0, 2),
            first(seen, 2).0,
            others(seen)
        )
    },
    "The drive's memory took the first writes, a limit below it had saved up for them, or its write cache is that \
     small.",
    "Take the rate behind it for anything but short writes.",
);

/// The evidence: the longest gap, how many there are, what was written before the longest, the rates behind and before
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
            "In {} a write in order stood still, {}{}, the longest for {:.1} s after {}, and went on {went_on}.",
            executions(seen),
            the_first(seen),
            plural(first(seen, 1).0 as usize, "time"),
            first(seen, 0).0,
            volume(first(seen, 2).0, 1)
        )
    },
    "The drive tidied up or wrote its tables, something else used it or the host, or a layer below waited.",
    "Measure again: a gap that comes back at the same place is the drive's own.",
);
