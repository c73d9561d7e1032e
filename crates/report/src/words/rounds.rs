//! The rounds of a test in words: as planned, and as reported.

use drivelab_analysis::steady::WINDOW;
use drivelab_core::plan::{Combine, Repeats, Rounds, TestPlan};

use crate::figure::format;
use crate::figure::input::ReportInput;

const fn combined(how: Combine) -> &'static str {
    match how {
        Combine::Mean => "mean",
        Combine::Best => "best",
        Combine::Median => "median",
    }
}

/// The rounds behind a test's figures: as planned, unless the test should have become steady and did not.
pub(crate) fn reported_rounds(input: &ReportInput<'_>, test: &TestPlan) -> String {
    if !matches!(test.rounds, Rounds::Steady { .. }) {
        return rounds_text(test);
    }
    let how = combined(test.combine);
    match input.records.steadiness.iter().rfind(|verdict| verdict.test == test.name) {
        Some(verdict) if verdict.reached => rounds_text(test),
        Some(verdict) => {
            let rounds = (verdict.last_round + 1).saturating_sub(verdict.first_round);
            format!("{how} of the last {}, not steady", format::counted(rounds as usize, "round"))
        }
        None => format!("{how} of the last rounds, at most {WINDOW}; not judged"),
    }
}

/// As planned, such as "best of 3 rounds"; empty for a single round.
pub(crate) fn rounds_text(test: &TestPlan) -> String {
    let how = combined(test.combine);
    match &test.rounds {
        Rounds::Fixed { count } => of_fixed_rounds(how, *count, test.repeats),
        Rounds::Steady { max, .. } => format!("{how} of the steady window, at most {max} rounds"),
        Rounds::FindRate(search) => format!(
            "round with the highest rate at which {} of the response time stays within {}, of at most {} rounds",
            search.percentile_name(),
            search.bound,
            search.max
        ),
    }
}

/// "best of 9 rounds after 1 for warm-up, mean of 4 sets".
fn of_fixed_rounds(how: &str, count: u32, repeats: Repeats) -> String {
    let before = match repeats.warm_up_rounds {
        0 => String::new(),
        one => format!(" after {one} for warm-up"),
    };
    let rounds = match (count, before.is_empty()) {
        (1, true) => String::new(),
        (1, false) => format!("one round{before}"),
        _ => format!("{how} of {count} rounds{before}"),
    };
    let parts = [rounds, if repeats.sets > 1 { format!("mean of {} sets", repeats.sets) } else { String::new() }];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}
