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

pub use types::{
    Against, Basis, FigureRatios, Limits, RatioBound, Ratios, SideFigure, StepRatios, TestRatios, Verdict,
};

use drivelab_core::metric::Better;

use crate::across::side_by_side::Aligned;
use crate::digest::StepFacts;
use figure::{Compared, figures_of_run, figures_of_step};

/// Sets sides against a base. `sides` holds for each side the places of its runs among the aligned ones.
#[must_use]
pub fn ratios<'d>(aligned: &Aligned<'d>, sides: &[Vec<usize>], base: usize, limits: Limits) -> Ratios<'d> {
    // Of each test, of each step.
    let mut figures: Vec<Vec<Vec<Compared<'d>>>> = aligned
        .tests
        .iter()
        .map(|test| test.steps.iter().map(|step| figures_of_step(step, sides, base)).collect())
        .collect();
    let mut run = figures_of_run(&aligned.runs, sides, base);
    let all = figures.iter_mut().flatten().flatten().chain(&mut run);
    let judged = judge::judge(&mut all.collect::<Vec<_>>(), base, limits);
    let done = |all: Vec<Compared<'d>>| all.into_iter().map(|one| one.figure).collect();
    let tests = aligned.tests.iter().zip(figures).map(|(test, steps)| TestRatios {
        name: test.name,
        title: test.title,
        steps: test
            .steps
            .iter()
            .zip(steps)
            .map(|(step, figures)| StepRatios { facts: step.facts, figures: done(figures) })
            .collect(),
    });
    Ratios { base, tests: tests.collect(), run: done(run), judged }
}

/// One figure of all sides against a base, with the step that it is of. A verdict is sought for it alone, even if it is
/// no headline figure. `None` if no run has it.
#[must_use]
pub fn ratio_of<'d>(
    aligned: &Aligned<'d>,
    sides: &[Vec<usize>],
    base: usize,
    limits: Limits,
    address: &str,
) -> Option<(Option<&'d StepFacts>, FigureRatios<'d>)> {
    let mut of_steps = aligned.steps().flat_map(|step| {
        let has = step.of.iter().flatten().any(|one| one.metrics.iter().any(|metric| metric.address == address));
        let figures = if has { figures_of_step(step, sides, base) } else { Vec::new() };
        figures.into_iter().map(|one| (Some(step.facts), one))
    });
    let is_it = |one: &Compared<'_>| one.figure.metric.address == address;
    let of_run = || figures_of_run(&aligned.runs, sides, base).into_iter().map(|one| (None, one));
    let of_step = of_steps.find(|(_, one)| is_it(one));
    let (step, mut compared) = of_step.or_else(|| of_run().find(|(_, one)| is_it(one)))?;
    compared.figure.judged = compared.figure.better != Better::Neutral;
    judge::judge(&mut [&mut compared], base, limits);
    Some((step, compared.figure))
}

#[cfg(test)]
mod tests;
