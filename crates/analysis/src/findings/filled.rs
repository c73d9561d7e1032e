//! Findings about the write cache that a fill shows.

use drivelab_core::finding::{Finding, Severity};

use super::{Words, executions};
use crate::check::Seen;

/// The evidence of an execution: rates behind and before the end, what was written at the end, its share of the span.
pub(crate) fn cache_ended(seen: &[Seen]) -> Finding {
    let first = seen.first().map_or(&[][..], |seen| seen.evidence.as_slice());
    let value = |at: usize| first.get(at).map_or(0.0, |piece| piece.value);
    let before = first.first().and_then(|piece| piece.limit).unwrap_or_default();
    let the_first = if seen.len() > 1 { "in the first of them " } else { "" };
    let statement = format!(
        "In {} the rate of a write in order fell for good, {the_first}after {:.1} GB ({:.0} % of the span), from {before:.0} \
         to {:.0} MB/s: there a write cache ended.",
        executions(seen),
        value(1),
        value(2),
        value(0)
    );
    let words = Words {
        code: "write_cache_ended",
        severity: Severity::Note,
        statement,
        cause: "Drives write to fast cells (pSLC) or memory first, as long as there is room; a drive that has just been \
                filled or is nearly full has less of it.",
        action: "Compare drives by the rate behind it where much is written at a time, and by the rate before it where \
                 little is.",
    };
    words.about(seen)
}
