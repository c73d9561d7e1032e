//! Findings about scores.

use std::collections::BTreeSet;

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::score::Score;

use crate::evidence::{Words, plural};

/// Most scores that are named.
const MOST_NAMED: usize = 4;

/// Scores whose figures were not measured; `untold` are the ids of these figures.
pub(crate) fn not_measured(missing: &[&Score], untold: &BTreeSet<&str>) -> Finding {
    let named: Vec<String> = missing.iter().take(MOST_NAMED).map(|score| format!("'{}'", score.title)).collect();
    let more = match missing.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let is_power = untold.iter().all(|figure| figure.starts_with("power."));
    let figures: Vec<&str> = untold.iter().copied().collect();
    let statement = format!(
        "{} of the methodology cannot be computed: {}{more}. Not measured: {}.",
        plural(missing.len(), "score"),
        named.join(", "),
        figures.join(", "),
    );
    let (cause, action) = if is_power {
        (
            "No source reports the drive's power.",
            "Connect a meter (`--power-command`, `--power-file`), or ask the drive (`--power-log`) if it reports its \
             power.",
        )
    } else {
        ("The telemetry that the figures need was not available.", "See what telemetry reports about the target.")
    };
    Words { code: "scores_not_measured", severity: Severity::Note, statement, cause, action }.about_run(Vec::new())
}

#[cfg(test)]
mod tests;
