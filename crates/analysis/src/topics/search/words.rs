//! Findings about searches for the rate at which the response time reaches a bound.

use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::plan::Rounds;
use drivelab_core::plan::{RateSearch, Step};
use drivelab_core::run::RunRecords;

use super::rates::{Found, Outcome, Try, found};
use crate::evidence::{Words, evidence, plural};

/// Code of the finding about a search. It also voids the rate if no rate kept the bound.
pub(crate) const RATE_FOUND: &str = "rate_found";

/// The result of a search, with every round as evidence.
pub(crate) fn searched(search: &RateSearch, step: &Step, found: &Found) -> Finding {
    let percentile = search.percentile_name();
    let (subject, bound) = (format!("{percentile} of the response time of '{}'", step.label), search.bound);
    let rounds = plural(found.tries.len(), "round");
    let rate = |one: &Try| format!("{:.0} operations per second", iops(one.per_1000_s));
    let (severity, statement, action) = match (&found.held, &found.missed) {
        (Some(held), Some(missed)) => (
            Severity::Note,
            format!(
                "{subject} stayed within {bound} up to {} and exceeded it at {:.0}: the limit lies between them \
                 ({rounds}).",
                rate(held),
                iops(missed.per_1000_s)
            ),
            if found.finished { "" } else { "`drivelab resume` narrows the gap between the two rates." },
        ),
        (Some(held), None) => (
            Severity::Warning,
            format!(
                "{subject} stayed within {bound} at every rate that was tried, up to {}: the limit is higher.",
                rate(held)
            ),
            if found.finished { "Search with a higher `to`." } else { "`drivelab resume` tries higher rates." },
        ),
        (None, Some(missed)) => (
            Severity::Warning,
            format!("{subject} exceeded {bound} even at the lowest rate, {}.", rate(missed)),
            "Search with a lower `from`, or with a bound that the target can keep.",
        ),
        (None, None) => (Severity::Note, format!("{subject} was not measured."), ""),
    };
    let statement = match found.ended {
        "" => statement,
        why => format!("{} The search ended after {rounds} of at most {}: {why}.", statement.trim_end(), search.max),
    };
    let keys = found.tries.iter().map(|one| StepKey { step: step.id.clone(), round: one.round }).collect();
    let words = Words { code: RATE_FOUND, severity, statement, cause: "", action };
    words.finding(keys, found.tries.iter().map(|one| round(search, one)).collect())
}

fn round(search: &RateSearch, one: &Try) -> Evidence {
    let outcome = match one.outcome {
        Outcome::Held => "kept",
        Outcome::Missed => "missed",
        Outcome::Spoiled => "spoiled: the load generator itself was late",
    };
    let at =
        format!("{} in round {} at {:.0} IOPS ({outcome}", search.percentile_name(), one.round, iops(one.per_1000_s));
    let bound_ms = search.bound.get() as f64 / 1e6;
    match one.response_ns {
        Some(response) => evidence(&format!("{at})"), response / 1e6, Some(bound_ms), "ms"),
        None => {
            let at = format!("{at}: the percentile falls among arrivals that were left waiting or failed)");
            evidence(&at, one.unserved as f64, None, "arrivals")
        }
    }
}

fn iops(per_1000_s: u64) -> f64 {
    per_1000_s as f64 / 1000.0
}

/// The results of all searches of the run.
pub(crate) fn findings(records: &RunRecords) -> Vec<Finding> {
    let mut findings = Vec::new();
    for test in &records.plan.tests {
        let Rounds::FindRate(search) = &test.rounds else { continue };
        let of_step = |step: &Step| Some(searched(search, step, &found(test, step, records)?));
        findings.extend(test.steps.iter().filter_map(of_step));
    }
    findings
}

#[cfg(test)]
mod tests;
