//! Ratios and verdicts of made-up runs whose truth is known.

use drivelab_core::ids::StepId;
use drivelab_core::metric::{Better, Metric, Wrong};
use drivelab_samples::sample_run;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;
use crate::across::side_by_side::align;
use crate::analyse;
use crate::digest::Digest;

fn sample() -> Digest {
    let run = sample_run();
    Digest::of(&run, &analyse(&run))
}

/// The run with all its values multiplied, step by step.
fn scaled(digest: &Digest, mut factor: impl FnMut() -> f64) -> Digest {
    let mut digest = digest.clone();
    for step in digest.tests.iter_mut().flat_map(|test| &mut test.steps) {
        let factor = factor();
        for metric in &mut step.metrics {
            let scale = |value: &mut f64| *value *= factor;
            metric.value.iter_mut().for_each(scale);
            metric.rounds.iter_mut().for_each(scale);
            if let Some(spread) = &mut metric.spread {
                spread.mean *= factor;
            }
        }
    }
    digest
}

/// Every run a side of its own, against the first.
fn alone(runs: &[&Digest], check: impl FnOnce(&Ratios<'_>)) {
    let sides: Vec<Vec<usize>> = (0..runs.len()).map(|run| vec![run]).collect();
    check(&ratios(&align(runs), &sides, 0, Limits::default()));
}

/// The judged figures.
fn judged<'a, 'd>(found: &'a Ratios<'d>) -> impl Iterator<Item = &'a FigureRatios<'d>> {
    let figures = found.tests.iter().flat_map(|test| &test.steps).flat_map(|step| &step.figures);
    figures.chain(&found.run).filter(|figure| figure.judged)
}

fn verdicts(found: &Ratios<'_>, side: usize) -> Vec<Verdict> {
    judged(found).map(|figure| figure.cells[side].against.expect("not the base").verdict).collect()
}

#[test]
fn a_large_difference_of_single_runs_is_ranked_and_a_small_one_is_not() {
    let base = sample();
    alone(&[&base, &scaled(&base, || 2.0), &scaled(&base, || 1.03)], |found| {
        assert!(verdicts(found, 1).iter().all(|verdict| *verdict == Verdict::Better), "{:?}", verdicts(found, 1));
        let near = |verdict: &Verdict| matches!(verdict, Verdict::WithinRuns | Verdict::NotShown { .. });
        assert!(verdicts(found, 2).iter().all(near), "{:?}", verdicts(found, 2));
        for figure in judged(found) {
            let against = figure.cells[1].against.expect("not the base");
            assert!((against.ratio.expect("a ratio") - 2.0).abs() < 1e-9, "{figure:?}");
            assert_eq!(figure.best, Some(1), "{figure:?}");
            assert_ne!(against.basis, Basis::Runs);
        }
    });
}

#[test]
fn lower_latencies_are_better_and_unjudged_figures_have_no_verdict() {
    let base = sample();
    alone(&[&base, &scaled(&base, || 0.5)], |found| {
        let all: Vec<&FigureRatios<'_>> =
            found.tests.iter().flat_map(|test| &test.steps).flat_map(|step| &step.figures).collect();
        assert!(all.iter().any(|figure| figure.better == Better::Lower && !figure.judged));
        for figure in all.into_iter().filter(|figure| !figure.judged) {
            let verdict = figure.cells[1].against.expect("not the base").verdict;
            assert!(matches!(verdict, Verdict::NotSought | Verdict::NoFigure), "{figure:?}");
            assert_eq!(figure.best, None);
        }
        assert!(judged(found).all(|figure| figure.best == Some(0)), "half the rate is worse");
    });
}

#[test]
fn bounds_disturbed_and_missing_figures_neither_win_nor_lose() {
    let base = sample();
    let mut other = scaled(&base, || 2.0);
    let mut steps = other.tests.iter_mut().flat_map(|test| &mut test.steps).filter(|step| step.facts.measured);
    let rate = |step: &mut crate::digest::StepDigest, change: &dyn Fn(&mut Metric)| {
        let id = step.facts.rate.clone().expect("it moves data");
        change(step.metrics.iter_mut().find(|metric| metric.id == id).expect("its rate"));
    };
    rate(steps.next().expect("a step"), &|metric| metric.lower_bound = true);
    rate(steps.next().expect("a step"), &|metric| metric.wrong = Some(Wrong::TooLow));
    rate(steps.next().expect("a step"), &|metric| metric.value = None);
    drop(steps);
    alone(&[&base, &other], |found| {
        let first: Vec<Verdict> = verdicts(found, 1).into_iter().take(4).collect();
        assert_eq!(first, [Verdict::AtLeast, Verdict::Spoiled, Verdict::NoFigure, Verdict::Better]);
        let best: Vec<Option<usize>> = judged(found).take(4).map(|figure| figure.best).collect();
        assert_eq!(best, [None, None, None, Some(1)]);
        let bound = judged(found).next().expect("a figure").cells[1].against.expect("not the base");
        assert!(bound.ratio.is_some() && bound.interval.is_none(), "a bound has no interval: {bound:?}");
    });
    alone(&[&other, &base], |found| assert_eq!(verdicts(found, 1)[0], Verdict::AtMost));
    alone(&[&other, &other], |found| assert_eq!(verdicts(found, 1)[0], Verdict::NoFigure, "both are bounds"));
}

/// Random numbers with mean 0 and deviation 1: twelve uniform ones, added up.
fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| random.next_u64() as f64 / u64::MAX as f64).sum::<f64>() - 6.0
}

/// A run with so many steps.
fn with_steps(count: usize) -> Digest {
    let mut digest = sample();
    let step = digest.steps().find(|step| step.facts.measured).expect("a step").clone();
    let named = |number: usize| {
        let mut step = step.clone();
        step.facts.id = StepId::new("t", &format!("s{number}"));
        step
    };
    digest.tests.truncate(1);
    digest.tests[0].steps = (0..count).map(named).collect();
    digest.metrics.clear();
    digest
}

/// In how many of `pairs` comparisons of two drives, with so many runs each and this scatter from run to run, a
/// difference is shown, and in how many the tool said that it would find `gap` with its power.
fn shown(steps: usize, runs: usize, scatter: f64, gap: f64, pairs: u64) -> (usize, usize, usize) {
    let digest = with_steps(steps);
    let (mut shown, mut able, mut of_those) = (0, 0, 0);
    for seed in 0..pairs {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut run = |factor: f64| scaled(&digest, || factor * (scatter * normal(&mut random)).exp());
        let all: Vec<Digest> = (0..runs * 2).map(|at| run(if at < runs { 1.0 } else { gap })).collect();
        let all: Vec<&Digest> = all.iter().collect();
        let sides = [(0..runs).collect(), (runs..2 * runs).collect::<Vec<_>>()];
        let found = ratios(&align(&all), &sides, 0, Limits::default());
        let differs = |verdict: &Verdict| matches!(verdict, Verdict::Better | Verdict::Worse | Verdict::Negligible);
        let says = verdicts(&found, 1).iter().any(differs);
        shown += usize::from(says);
        // With the scatter known, the error of the difference is its deviation times the root of two parts.
        let would = judged(&found).any(|figure| {
            let ratio = figure.cells[1].against.and_then(|against| Some((against.ratio?, against.interval?)));
            ratio.is_some_and(|(ratio, (low, _))| (ratio / low).powf(1.75) < gap)
        });
        able += usize::from(would);
        of_those += usize::from(would && says);
    }
    (shown, able, of_those)
}

#[test]
fn equal_drives_are_seldom_called_different() {
    let (one, ..) = shown(1, 3, 0.02, 1.0, 100);
    println!("one figure, three runs each, 2 %: different in {one} of 100");
    assert!(one <= 10, "{one} of 100");
    let (forty, ..) = shown(40, 3, 0.02, 1.0, 100);
    println!("forty figures: at least one different in {forty} of 100");
    assert!(forty <= 10, "{forty} of 100");
}

#[test]
fn a_gap_is_found_where_the_runs_lie_close_enough() {
    let (shown, able, of_those) = shown(1, 5, 0.004, 1.03, 50);
    println!("3 %, five runs each, 0.4 %: shown in {shown} of 50, and in {of_those} of {able} where it is detectable");
    assert!(able >= 25, "{able} of 50");
    assert!(of_those * 50 >= able * 44, "{of_those} of {able}");
}

#[test]
fn what_is_not_shown_says_what_would_have_been() {
    let digest = with_steps(1);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut run = || scaled(&digest, || (0.02 * normal(&mut random)).exp());
    let all = [run(), run(), run(), run(), run(), run()];
    let all: Vec<&Digest> = all.iter().collect();
    let found = ratios(&align(&all), &[vec![0, 1, 2], vec![3, 4, 5]], 0, Limits::default());
    let against = judged(&found).next().expect("a figure").cells[1].against.expect("not the base");
    let Verdict::NotShown { detectable } = against.verdict else { panic!("{against:?}") };
    let (low, high) = against.interval.expect("several runs");
    assert!(low < 1.0 && high > 1.0 && against.basis == Basis::Runs, "{against:?}");
    assert!(detectable > high / against.ratio.expect("a ratio"), "power takes more than significance: {against:?}");
}

#[test]
fn the_best_of_three_beats_both_others_or_there_is_none() {
    let base = sample();
    let (middle, fast) = (scaled(&base, || 1.5), scaled(&base, || 1.52));
    alone(&[&base, &middle, &fast], |found| {
        assert!(judged(found).all(|figure| figure.best.is_none()), "two are alike");
        assert!(verdicts(found, 1).iter().all(|verdict| *verdict == Verdict::Better));
    });
    alone(&[&base, &middle, &scaled(&base, || 3.0)], |found| {
        assert!(judged(found).all(|figure| figure.best == Some(2)));
    });
}
