//! Findings about heat and rates over minutes.

use drivelab_core::finding::{Finding, Severity};

use super::{Words, executions};
use crate::check::Seen;

/// Note of an execution whose temperature nothing recorded.
pub(crate) const NO_TEMPERATURE: &str = "no temperature";

pub(crate) fn throttled(seen: &[Seen]) -> Finding {
    let first = seen.first().and_then(|seen| seen.notes.first()).map_or("", String::as_str);
    let statement = format!(
        "In {} the rate fell by a tenth and more, for 5 s and longer, while the drive was no cooler than when it fell; \
         the first time after {first}.",
        executions(seen)
    );
    let words = Words {
        code: "throttled_by_heat",
        severity: Severity::Warning,
        statement,
        cause: "The drive slows itself down as it gets warm; where it writes, the end of its cache may look the same.",
        action: "Cool it (heat sink, air) and compare; the drive's own counters of thermal management, where it has them, \
                 say for certain (finding `drive_throttled`).",
    };
    words.about(seen)
}

/// An execution without a temperature has [`NO_TEMPERATURE`] as its note.
pub(crate) fn minutes(seen: &[Seen]) -> Finding {
    let kept = |seen: &Seen| {
        let rates = seen.evidence.first()?;
        Some(100.0 * rates.value / rates.limit.filter(|first| *first > 0.0)?)
    };
    let least = seen.iter().filter_map(kept).min_by(f64::total_cmp).unwrap_or(100.0);
    let blind = seen.iter().filter(|seen| seen.notes.iter().any(|note| note == NO_TEMPERATURE)).count();
    let without = match blind {
        0 => String::new(),
        all if all == seen.len() => " No temperature was recorded, so nothing is said about heat.".to_owned(),
        some => format!(" In {some} of them no temperature was recorded, so nothing is said about heat there."),
    };
    let statement = match seen.len() {
        1 => format!("In the last minute the rate was {least:.0} % of that in the first.{without}"),
        count => format!(
            "In {count} executions of two minutes and more, the rate of the last minute was at least {least:.0} % of that \
             in the first.{without}"
        ),
    };
    let words = Words { code: "first_and_last_minute", severity: Severity::Note, statement, cause: "", action: "" };
    words.about(seen)
}
