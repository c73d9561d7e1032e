//! The result of a row's figures: reached, missed, or no conclusion.
//!
//! There is no conclusion if the rounds disagree: if their middle half is wide and the limit is inside it, or if they
//! vary extremely around the limit. The spread does not save a value that misses.

use super::result::{Outcome, RowResult, Verdict};
use super::rows::Limit;
use super::statistics::{quantile, range};

/// The widest middle half of the rounds, as a share of its centre, that still separates the two sides of a limit.
const WIDE: f64 = 0.25;
/// Beyond this the rounds do not measure the same thing.
const ABSURD: f64 = 1.0;

/// Judges a value (of the medians) and the values of the single rounds.
pub(crate) fn judge(limit: Limit, value: f64, each: &[f64]) -> Verdict {
    let (must, reached, stretch_reached) = match limit {
        Limit::Nothing => return Verdict::Information,
        Limit::AtLeast { must, stretch } => (must, value >= must, value >= stretch),
        Limit::AtMost { must, stretch } => (must, value <= must, value <= stretch),
    };
    if !value.is_finite() {
        return Verdict::NoConclusion("there is no value".to_owned());
    }
    let (lower, upper) = (quantile(each, 0.25), quantile(each, 0.75));
    let (lowest, highest) = range(each);
    let width = (upper - lower) / quantile(each, 0.5).abs().max(f64::MIN_POSITIVE);
    let around = |from: f64, to: f64| from < must && must < to;
    let percent = width * 100.0;
    if (width > WIDE && around(lower, upper)) || (width > ABSURD && around(lowest, highest)) {
        return Verdict::NoConclusion(format!("the middle half of the rounds is {percent:.0} % wide around the limit"));
    }
    match (reached, stretch_reached) {
        (true, true) => Verdict::Stretch,
        (true, false) => Verdict::Must,
        _ => Verdict::Missed,
    }
}

/// Rows that should have reached something and did not, or that failed. Rows that were left out are not included.
pub(crate) fn unmet(results: &[RowResult]) -> Vec<&'static str> {
    let is_unmet = |result: &&RowResult| match &result.outcome {
        Outcome::Measured(measured) => matches!(measured.verdict, Verdict::Missed | Verdict::NoConclusion(_)),
        Outcome::Failed(_) => result.row.limit != Limit::Nothing,
        Outcome::LeftOut(_) => false,
    };
    results.iter().filter(is_unmet).map(|result| result.row.id).collect()
}

/// The last line: how many reached their requirement.
pub(crate) fn closing_words(results: &[RowResult]) -> String {
    let judged = results.iter().filter_map(|result| match &result.outcome {
        Outcome::Measured(measured) => Some(&measured.verdict),
        _ => None,
    });
    let verdicts: Vec<&Verdict> = judged.collect();
    let count = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| wanted(verdict)).count();
    let left_out: Vec<&str> = results
        .iter()
        .filter(|result| matches!(result.outcome, Outcome::LeftOut(_)))
        .map(|result| result.row.id)
        .collect();
    let mut words = format!(
        "{} reached the stretch, {} the must, {} missed, {} without conclusion, {} for information, {} failed",
        count(|verdict| *verdict == Verdict::Stretch),
        count(|verdict| *verdict == Verdict::Must),
        count(|verdict| *verdict == Verdict::Missed),
        count(|verdict| matches!(verdict, Verdict::NoConclusion(_))),
        count(|verdict| *verdict == Verdict::Information),
        results.iter().filter(|result| matches!(result.outcome, Outcome::Failed(_))).count(),
    );
    if !left_out.is_empty() {
        words += &format!("; left out: {}", left_out.join(", "));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_LEAST: Limit = Limit::AtLeast { must: 1.6, stretch: 2.0 };
    const AT_MOST: Limit = Limit::AtMost { must: 0.01, stretch: 0.001 };

    #[test]
    fn limits_have_two_directions_and_include_their_ends() {
        assert_eq!(judge(AT_LEAST, 2.0, &[2.0]), Verdict::Stretch);
        assert_eq!(judge(AT_LEAST, 1.6, &[1.6]), Verdict::Must);
        assert_eq!(judge(AT_LEAST, 1.59, &[1.59]), Verdict::Missed);
        assert_eq!(judge(AT_MOST, 0.001, &[0.001]), Verdict::Stretch);
        assert_eq!(judge(AT_MOST, 0.01, &[0.01]), Verdict::Must);
        assert_eq!(judge(AT_MOST, 0.02, &[0.02]), Verdict::Missed);
        assert_eq!(judge(Limit::Nothing, 9.0, &[9.0]), Verdict::Information);
    }

    #[test]
    fn rounds_that_disagree_around_the_limit_allow_no_conclusion() {
        let noisy = [1.0, 1.3, 1.65, 2.0, 2.5];
        assert!(matches!(judge(AT_LEAST, 1.65, &noisy), Verdict::NoConclusion(_)));
        let absurd = [0.1, 1.7, 1.8, 4.0, 9.0];
        assert!(matches!(judge(AT_LEAST, 1.8, &absurd), Verdict::NoConclusion(_)));
        assert!(matches!(judge(AT_LEAST, f64::NAN, &[f64::NAN]), Verdict::NoConclusion(_)));
    }

    #[test]
    fn rounds_that_disagree_on_one_side_of_the_limit_are_clear() {
        assert_eq!(judge(AT_LEAST, 4.0, &[2.1, 3.0, 4.0, 6.0, 9.0]), Verdict::Stretch);
        assert_eq!(judge(AT_MOST, 0.0001, &[0.00001, 0.0001, 0.0005]), Verdict::Stretch);
        assert_eq!(judge(AT_LEAST, 0.5, &[0.2, 0.3, 0.5, 0.9, 1.2]), Verdict::Missed);
    }

    #[test]
    fn one_bad_round_does_not_hide_what_the_others_say() {
        assert_eq!(judge(AT_LEAST, 2.1, &[0.9, 2.05, 2.1, 2.15, 2.2]), Verdict::Stretch);
        assert_eq!(judge(AT_LEAST, 1.5, &[1.45, 1.48, 1.5, 1.52, 3.0]), Verdict::Missed);
    }
}
