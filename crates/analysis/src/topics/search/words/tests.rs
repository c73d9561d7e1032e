//! The words of each finding.

use drivelab_core::units::Nanos;
use drivelab_samples::sample_plan;

use super::*;
use crate::check::testing::in_words;

/// A round at this many operations per second.
fn tried(round: u32, iops: u64, outcome: Outcome) -> Try {
    Try { round, per_1000_s: iops * 1000, outcome, response_ns: Some(500_000.0), unserved: 0 }
}

/// What a search of at most `max` rounds found: the highest rate that kept the bound and the lowest that did not.
fn said_of(max: u32, held: Option<u64>, missed: Option<u64>, ended: &'static str) -> Finding {
    let search = RateSearch {
        percentile_thousandths: 99_900,
        bound: Nanos::from_millis(1),
        lowest: 1_000_000,
        highest: 16_000_000,
        max,
    };
    let held = held.map(|iops| tried(1, iops, Outcome::Held));
    let missed = missed.map(|iops| tried(2, iops, Outcome::Missed));
    let tries = held.into_iter().chain(missed).collect();
    let found = Found { tries, held, missed, finished: !ended.is_empty(), ended };
    searched(&search, &sample_plan().tests[3].steps[0], &found)
}

/// The same of a search of at most twelve rounds.
fn said(held: Option<u64>, missed: Option<u64>, ended: &'static str) -> Finding {
    said_of(12, held, missed, ended)
}

#[test]
fn each_finding_in_its_words() {
    insta::assert_snapshot!(in_words(&[
        said(Some(2000), Some(4000), ""),
        said_of(2, Some(2000), Some(4000), "the allowed number of rounds was used up"),
        said(Some(4000), Some(4020), "rates this close to each other (1 %) cannot be distinguished"),
        said(Some(16_000), None, "even the highest rate kept the bound, so no other was tried"),
        said(Some(2000), None, ""),
        said(None, Some(1000), "even the lowest rate missed the bound, so no other was tried"),
        said(None, None, ""),
    ]));
}
