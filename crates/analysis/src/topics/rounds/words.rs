//! Findings about rounds that do not agree.

use std::collections::BTreeSet;

use crate::check::Seen;
use crate::evidence::{FindingDef, plural};

pub(super) static TWO_MODES: FindingDef = FindingDef::warning(
    "two_modes",
    |seen| {
        format!(
            "The rounds of {} fall into two groups with a gap between them: a mean describes neither.",
            plural(steps_of(seen), "step")
        )
    },
    "The drive was in two states, such as before and after its write cache was full, or with and without background \
     work.",
    "Look at the rounds one by one, and report both groups.",
);

pub(super) static ROUNDS_DIFFER: FindingDef = FindingDef::warning(
    "rounds_differ",
    |seen| {
        format!(
            "The figures of {} are uncertain: their rounds differ by more than 10 % of their mean.",
            plural(steps_of(seen), "step")
        )
    },
    "The drive's state changed between rounds (cache, temperature), or the machine was disturbed.",
    "Show the spread with the figure. More rounds narrow the interval.",
);

fn steps_of(seen: &[Seen]) -> usize {
    seen.iter().map(|one| one.key.step.as_str()).collect::<BTreeSet<&str>>().len()
}

#[cfg(test)]
mod tests;
