//! Which steps of several runs are the same, so that their figures stand in one row.

use crate::digest::{Digest, StepDigest, StepFacts, TestDigest};

/// Tests and steps of several runs, side by side.
#[derive(Debug, Clone)]
pub struct Aligned<'d> {
    /// The runs, in their order.
    pub runs: Vec<&'d Digest>,
    /// Every test that any of them has: those of the first run in their order, then what only others have.
    pub tests: Vec<AlignedTest<'d>>,
}

/// A test of several runs.
#[derive(Debug, Clone)]
pub struct AlignedTest<'d> {
    /// Its name in the methodology.
    pub name: &'d str,
    /// Its title.
    pub title: &'d str,
    /// Its measured steps, in the same order as the tests.
    pub steps: Vec<AlignedStep<'d>>,
}

/// A measured step of several runs.
#[derive(Debug, Clone)]
pub struct AlignedStep<'d> {
    /// What it is, in the first run that has it.
    pub facts: &'d StepFacts,
    /// The step in each run, in the order of the runs; absent where a run lacks it.
    pub of: Vec<Option<&'d StepDigest>>,
}

/// Steps of a test that a run lacks and another has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut<'d> {
    /// Title of the test.
    pub test: &'d str,
    /// Steps that it lacks.
    pub missing: usize,
    /// Steps that any of the runs has.
    pub of: usize,
}

/// Sets the measured steps of runs side by side.
#[must_use]
pub fn align<'d>(runs: &[&'d Digest]) -> Aligned<'d> {
    let mut tests: Vec<AlignedTest<'d>> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        for test in &run.tests {
            take(&mut tests, test, at, runs.len());
        }
    }
    Aligned { runs: runs.to_vec(), tests }
}

/// Adds the test of run number `at` of `count`.
fn take<'d>(tests: &mut Vec<AlignedTest<'d>>, test: &'d TestDigest, at: usize, count: usize) {
    let measured = || test.steps.iter().filter(|step| step.facts.measured);
    if measured().next().is_none() {
        return;
    }
    let place = tests.iter().position(|known| known.name == test.name).unwrap_or_else(|| {
        tests.push(AlignedTest { name: &test.name, title: &test.title, steps: Vec::new() });
        tests.len() - 1
    });
    let steps = &mut tests[place].steps;
    for step in measured() {
        let place = steps.iter().position(|known| known.facts.id == step.facts.id).unwrap_or_else(|| {
            steps.push(AlignedStep { facts: &step.facts, of: vec![None; count] });
            steps.len() - 1
        });
        steps[place].of[at] = Some(step);
    }
}

impl<'d> Aligned<'d> {
    /// Every row, test by test.
    pub fn steps(&self) -> impl Iterator<Item = &AlignedStep<'d>> {
        self.tests.iter().flat_map(|test| &test.steps)
    }

    /// What each run lacks, in the order of the runs; empty where all have the same steps.
    #[must_use]
    pub fn left_out(&self) -> Vec<Vec<LeftOut<'d>>> {
        let lacks = |at: usize| {
            let of_test = |test: &AlignedTest<'d>| {
                let missing = test.steps.iter().filter(|step| step.of[at].is_none()).count();
                (missing > 0).then_some(LeftOut { test: test.title, missing, of: test.steps.len() })
            };
            self.tests.iter().filter_map(of_test).collect::<Vec<_>>()
        };
        let all: Vec<_> = (0..self.runs.len()).map(lacks).collect();
        if all.iter().all(Vec::is_empty) { Vec::new() } else { all }
    }
}
