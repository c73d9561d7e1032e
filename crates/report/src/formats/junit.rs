//! A comparison with a base as JUnit XML, which CI systems show: a test case for each headline figure of each side.

use askama::Template;
use drivelab_analysis::ratios::Verdict;

use crate::documents::compare::{CompareDoc, FigureDoc, Lag};
use crate::error::ReportError;

#[derive(Template)]
#[template(path = "junit.xml")]
struct Page {
    suites: Vec<Suite>,
}

/// A side.
struct Suite {
    name: String,
    failures: usize,
    skipped: usize,
    cases: Vec<Case>,
}

/// A figure of a side.
struct Case {
    class: String,
    name: String,
    /// Why it fails; empty if it does not.
    failure: String,
    /// Why nothing follows from it; empty if something does.
    skipped: String,
}

/// Why nothing follows from a figure; empty if something does.
fn unjudged(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("no figure", |verdict| verdict.why_unjudged().unwrap_or_default())
}

impl CompareDoc {
    /// As JUnit XML: a figure fails if it falls behind the base's ([`CompareDoc::behind`]).
    ///
    /// # Errors
    /// The text cannot be written.
    pub fn junit(&self) -> Result<String, ReportError> {
        let mut suites: Vec<Suite> = Vec::new();
        for group in self.groups.iter().filter(|group| group.has_base) {
            for (at, side) in group.sides.iter().enumerate().filter(|(_, side)| **side != group.base) {
                let case = |(name, figure): (String, &FigureDoc)| {
                    let cell = &figure.cells[at];
                    let ends = cell.low.zip(cell.high);
                    let interval = ends.map_or_else(String::new, |(low, high)| format!(", {low:.4} to {high:.4}"));
                    let failure = match self.lag(group, figure, at) {
                        Some(Lag::Worse) => format!("{:.4} times the base{interval}", cell.ratio.unwrap_or_default()),
                        Some(Lag::Missing) => "no figure beside the base's".to_owned(),
                        None => String::new(),
                    };
                    let skipped = if failure.is_empty() { unjudged(cell.verdict) } else { "" }.to_owned();
                    Case { class: group.title.clone(), name, failure, skipped }
                };
                let cases: Vec<Case> = group.headlines().map(case).collect();
                let failures = cases.iter().filter(|case| !case.failure.is_empty()).count();
                let skipped = cases.iter().filter(|case| !case.skipped.is_empty()).count();
                suites.push(Suite { name: format!("{side} against {}", group.base), failures, skipped, cases });
            }
        }
        let failure = self.not_comparable_because.join(" ");
        let case = |side: &str| Case {
            class: "comparison".to_owned(),
            name: side.to_owned(),
            failure: failure.clone(),
            skipped: String::new(),
        };
        let cases: Vec<Case> = self.apart().into_iter().map(case).collect();
        if !cases.is_empty() {
            suites.push(Suite { name: "Not comparable".to_owned(), failures: cases.len(), skipped: 0, cases });
        }
        Ok(Page { suites }.render()?)
    }
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_analysis::digest::Digest;
    use drivelab_core::plan::Form;
    use drivelab_samples::{sample_run, slowed};

    use crate::formats::compare::{Compared, ComparedRun};
    use crate::views::across::sides::Sides;

    #[test]
    fn a_worse_figure_fails_a_bound_is_skipped_and_a_run_that_is_not_comparable_fails() {
        let mut faithful = sample_run();
        faithful.plan.form = Form::Faithful;
        let mut digests = [sample_run(), slowed(2.0), faithful].map(|run| Digest::of(&run, &analyse(&run)));
        let rates = |digest: &mut Digest, bound: &dyn Fn(usize) -> bool| {
            let steps = digest.tests.iter_mut().flat_map(|test| &mut test.steps).enumerate();
            steps.for_each(|(at, step)| step.metrics.iter_mut().for_each(|metric| metric.lower_bound = bound(at)));
        };
        let measured = digests[0].steps().position(|step| step.facts.measured).expect("a measured step");
        rates(&mut digests[0], &|_| false);
        // At least half of the base's value may still be as much as the base's.
        rates(&mut digests[1], &|at| at == measured);
        for digest in &mut digests {
            digest.tests[0].title = "A \"quick\" <look>".to_owned();
        }
        let runs = digests.each_ref().map(|digest| ComparedRun { digest, live: false, title: "" });
        let compared = Compared { runs: &runs, sides: &Sides::alone(3) };
        let document = compared.document();
        let text = document.junit().expect("XML");
        assert!(crate::is_drivelab_output(text.as_bytes()));
        let count = |what: &str| text.matches(what).count();
        let behind = document.behind().expect("a base");
        assert_eq!(count("<failure "), behind.worse.len() + behind.missing.len());
        assert!(behind.worse.len() > 1 && behind.missing == ["C cannot be compared with the base"], "{behind:?}");
        assert!(count("<skipped message=\"a value is only a bound\"/>") > 0, "{text}");
        assert!(count("0.5") > 0 && text.contains("times the base"), "{text}");
        assert!(text.contains("<testsuite name=\"Not comparable\" tests=\"1\" failures=\"1\""), "{text}");
        assert!(!text.contains("<look>") && !text.contains("\"quick\""), "titles are escaped: {text}");
    }

    #[test]
    fn a_side_is_not_behind_if_only_the_base_lacks_a_run() {
        let mut digests = [sample_run(), sample_run(), slowed(1.0)].map(|run| Digest::of(&run, &analyse(&run)));
        for metric in digests[1].tests.iter_mut().flat_map(|test| &mut test.steps).flat_map(|step| &mut step.metrics) {
            (metric.value, metric.voided_by) = (None, vec!["clock".to_owned()]);
        }
        let runs = digests.each_ref().map(|digest| ComparedRun { digest, live: false, title: "" });
        let behind = |base: usize| {
            let sides = Sides { runs: vec![vec![0, 1], vec![2]], base, ..Sides::alone(0) };
            Compared { runs: &runs, sides: &sides }.document().behind().expect("a base").missing
        };
        assert_eq!(behind(0), Vec::<String>::new(), "the side is whole");
        assert!(!behind(1).is_empty(), "a run of the side lacks what the base has");
    }
}
