//! Findings about heat and rates over minutes.

use super::throttle::Rhythm;
use crate::check::Seen;
use crate::evidence::{FindingDef, executions};

/// Note of an execution of which no temperature was recorded.
pub(crate) const NO_TEMPERATURE: &str = "no temperature";

/// A sentence about a drive that throttles in bursts.
pub(super) fn bursts(Rhythm { bursts, slow_s, every_s }: Rhythm) -> String {
    format!("It was slow {bursts} times, for {slow_s:.0} s on average, every {every_s:.0} s.")
}

pub(super) static THROTTLED: FindingDef = FindingDef::warning(
    "throttled_by_heat",
    |seen| {
        let note = |at: usize| seen.first().and_then(|seen| seen.notes.get(at)).map_or("", String::as_str);
        let (first, bursts) = (note(0), Some(note(1)).filter(|text| !text.is_empty()));
        let bursts = bursts.map_or_else(String::new, |text| format!(" {text}"));
        format!(
            "Heat seems to have slowed the drive down in {}: the rate fell by a tenth or more for at least 5 s, while \
             the drive was no cooler than when the fall began. The first fall came after {first}.{bursts}",
            executions(seen)
        )
    },
    "The drive throttles as it gets warm. During writes, the end of the write cache may look the same.",
    "Cool it (heat sink, air) and compare. The drive's own counters of thermal management, if it has them, are certain \
     (finding `drive_throttled`).",
);

/// An execution without a recorded temperature has the note [`NO_TEMPERATURE`].
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
            all if all == seen.len() => " No temperature was recorded, so nothing is known about heat.".to_owned(),
            some => format!(" For {some} of them no temperature was recorded, so nothing is known about heat there."),
        };
        match seen.len() {
            1 => format!("The rate in the last minute was {least:.0} % of the rate in the first.{without}"),
            count => format!(
                "The rate in the last minute was at least {least:.0} % of the rate in the first, in {count} \
                 executions of two minutes or more.{without}"
            ),
        }
    },
    "",
    "",
);

#[cfg(test)]
mod tests;
