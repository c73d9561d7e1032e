//! Figures of several sides against a base: the ratio, how sure it is, and whether a difference is shown.
//!
//! A side is one drive, arm or state, measured in one run or several. The unit of replication is the run: with several
//! runs the ratio's interval comes from how they scatter. Where each side has one run, it comes from the rounds in the
//! runs, which do not show how much two runs of one drive differ. docs/metrics.md, "Comparisons", has the definitions.
//!
//! Owns the ratio and its verdict. Must not know: which runs may be compared (`side_by_side`), how they are shown.

mod figure;
mod judge;
mod types;
mod welch;

pub use types::{Against, Basis, FigureRatios, Limits, Ratios, SideFigure, StepRatios, TestRatios, Verdict};

use crate::across::side_by_side::Aligned;
use crate::digest::StepFacts;
use figure::{Compared, figures_of_run, figures_of_step};

/// Sets sides against a base. `sides` holds for each side the places of its runs among the aligned ones.
#[must_use]
pub fn ratios<'d>(aligned: &Aligned<'d>, sides: &[Vec<usize>], base: usize, limits: Limits) -> Ratios<'d> {
    let mut tests: Vec<(&AlignedTestName<'d>, Vec<(&'d StepFacts, Vec<Compared<'d>>)>)> = Vec::new();
    let names: Vec<AlignedTestName<'d>> = aligned.tests.iter().map(|test| (test.name, test.title)).collect();
    for (test, name) in aligned.tests.iter().zip(&names) {
        let steps = test.steps.iter().map(|step| (step.facts, figures_of_step(step, sides, base))).collect();
        tests.push((name, steps));
    }
    let mut run = figures_of_run(&aligned.runs, sides, base);
    let all = tests.iter_mut().flat_map(|(_, steps)| steps.iter_mut().flat_map(|(_, figures)| figures)).chain(&mut run);
    let judged = judge::judge(&mut all.collect::<Vec<_>>(), base, limits);
    let done = |all: Vec<Compared<'d>>| all.into_iter().map(|one| one.figure).collect();
    let tests = tests.into_iter().map(|((name, title), steps)| {
        let steps = steps.into_iter().map(|(facts, figures)| StepRatios { facts, figures: done(figures) }).collect();
        TestRatios { name, title, steps }
    });
    Ratios { base, tests: tests.collect(), run: done(run), judged }
}

/// Name and title of a test.
type AlignedTestName<'d> = (&'d str, &'d str);

#[cfg(test)]
mod tests;
