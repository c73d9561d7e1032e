//! Findings about heat and rates over minutes.

use crate::check::Seen;
use crate::evidence::{FindingDef, executions};

/// Note of an execution whose temperature nothing recorded.
pub(crate) const NO_TEMPERATURE: &str = "no temperature";

pub(super) static THROTTLED: FindingDef = FindingDef::warning(
    "throttled_by_heat",
    |seen| {
        let first = seen.first().and_then(|seen| seen.notes.first()).map_or("", String::as_str);
        format!(
            "In {} the rate fell by a tenth and more, for 5 s and longer, while the drive was no cooler than when it \
             fell; the first time after {first}.",
            executions(seen)
        )
    },
    "The drive slows itself down as it gets warm; where it writes, the end of its cache may look the same.",
    "Cool it (heat sink, air) and compare; the drive's own counters of thermal management, where it has them, say \
     for certain (finding `drive_throttled`).",
);

/// An execution without a temperature has [`NO_TEMPERATURE`] as its note.
pub(super) static MINUTES: FindingDef = FindingDef::note(
    "first_and_last_minute",
    |seen| {
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
        match seen.len() {
            1 => format!("In the last minute the rate was {least:.0} % of that in the first.{without}"),
            count => format!(
                "In {count} executions of two minutes and more, the rate of the last minute was at least {least:.0} \
                 % of that in the first.{without}"
            ),
        }
    },
    "",
    "",
);
