//! Ratios and verdicts of made-up runs whose truth is known.

use drivelab_core::ids::StepId;
use drivelab_core::load::Arrivals;
use drivelab_core::metric::{Better, Metric, Wrong};
use drivelab_core::relative::{RelativeRate, Rounding};
use drivelab_samples::sample_run;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;
use crate::across::side_by_side::align;
use crate::analyse;
use crate::digest::{Digest, RateSetBy, ScoreFacts, StepFacts};

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
        assert!(verdicts(found, 2).iter().all(|verdict| *verdict == Verdict::WithinRuns), "{:?}", verdicts(found, 2));
        for figure in judged(found) {
            let against = figure.cells[1].against.expect("not the base");
            assert!((against.ratio.expect("a ratio") - 2.0).abs() < 1e-9, "{figure:?}");
            assert_eq!(figure.best, Some(1), "{figure:?}");
            assert_eq!(against.basis, None, "one round each");
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
            assert!(matches!(verdict, Verdict::NotSought | Verdict::NoFigure | Verdict::BothBounds), "{figure:?}");
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
    alone(&[&other, &other], |found| assert_eq!(verdicts(found, 1)[0], Verdict::BothBounds));
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

/// What came of comparisons of two drives.
#[derive(Debug, Default)]
struct Tally {
    /// At least one difference was shown.
    shown: usize,
    /// The tool said of a figure that it would show the gap.
    able: usize,
    /// Of those, the gap was shown.
    of_those: usize,
}

/// Compares two drives again and again: one with `runs[0]` runs, the other, `gap` times as fast, with `runs[1]`, each
/// with this scatter from run to run.
fn compare(steps: usize, runs: [usize; 2], scatter: f64, gap: f64, times: u64) -> Tally {
    let digest = with_steps(steps);
    let mut tally = Tally::default();
    for seed in 0..times {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut run = |factor: f64| scaled(&digest, || factor * (scatter * normal(&mut random)).exp());
        let all: Vec<Digest> = (0..runs[0] + runs[1]).map(|at| run(if at < runs[0] { 1.0 } else { gap })).collect();
        let all: Vec<&Digest> = all.iter().collect();
        let sides = [(0..runs[0]).collect(), (runs[0]..runs[0] + runs[1]).collect::<Vec<_>>()];
        let found = ratios(&align(&all), &sides, 0, Limits::default());
        let differs = |verdict: &Verdict| matches!(verdict, Verdict::Better | Verdict::Worse | Verdict::Negligible);
        let shown = verdicts(&found, 1).iter().any(differs);
        let detectable = judged(&found).filter_map(|figure| figure.cells[1].against?.detectable);
        let able = detectable.fold(f64::INFINITY, f64::min) <= gap;
        tally.shown += usize::from(shown);
        tally.able += usize::from(able);
        tally.of_those += usize::from(able && shown);
    }
    tally
}

#[test]
fn equal_drives_are_seldom_called_different() {
    for (figures, runs) in [(1, [3, 3]), (40, [3, 3]), (40, [3, 10]), (1, [2, 6]), (40, [1, 5])] {
        let found = compare(figures, runs, 0.02, 1.0, 100);
        println!("{figures} figures, {runs:?} runs, 2 %: at least one different in {} of 100", found.shown);
        assert!(found.shown <= 10, "{figures} figures, {runs:?} runs: {found:?}");
    }
}

#[test]
fn a_gap_that_the_tool_says_it_would_show_is_shown() {
    for (runs, scatter) in [([5, 5], 0.004), ([3, 3], 0.0025), ([10, 10], 0.01)] {
        let found = compare(1, runs, scatter, 1.03, 200);
        println!("3 %, {runs:?} runs, {scatter}: {found:?}");
        assert!(found.able >= 50, "{runs:?}: {found:?}");
        assert!(found.of_those * 50 >= found.able * 44, "{runs:?}: {found:?}");
    }
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
    assert_eq!(against.verdict, Verdict::NotShown, "{against:?}");
    let detectable = against.detectable.expect("it was tested");
    let (low, high) = against.interval.expect("several runs");
    assert!(low < 1.0 && high > 1.0 && against.basis == Some(Basis::Runs), "{against:?}");
    assert!(detectable > high / against.ratio.expect("a ratio"), "power takes more than significance: {against:?}");
}

#[test]
fn a_score_is_judged_in_its_own_direction() {
    let mut base = sample();
    let address = "score/s:score.sum".to_owned();
    let score = Metric {
        address: address.clone(),
        id: "score.sum".to_owned(),
        step: None,
        value: Some(100.0),
        rounds: vec![100.0],
        ..base.metrics[0].clone()
    };
    base.metrics.push(score);
    for (better, verdict) in [(Better::Lower, Verdict::Better), (Better::Higher, Verdict::Worse)] {
        base.run.scores = vec![ScoreFacts { address: address.clone(), title: "Latency".to_owned(), better }];
        let mut half = base.clone();
        half.metrics.iter_mut().filter(|one| one.address == address).for_each(|one| one.value = Some(50.0));
        alone(&[&base, &half], |found| {
            let score = found.run.iter().find(|figure| figure.judged).expect("a score");
            assert_eq!((score.title, score.cells[1].against.map(|one| one.verdict)), ("Latency", Some(verdict)));
            assert_eq!(score.best, Some(usize::from(better == Better::Lower)));
        });
    }
}

#[test]
fn what_sets_the_rate_decides_by_what_a_step_is_judged() {
    let of = |change: &dyn Fn(&mut StepFacts)| {
        let mut digest = with_steps(1);
        let step = &mut digest.tests[0].steps[0];
        let response = Metric { id: "read.response_p99".to_owned(), ..step.metrics[0].clone() };
        step.metrics.push(response);
        change(&mut step.facts);
        let mut ids = Vec::new();
        alone(&[&digest, &digest.clone()], |found| {
            ids.extend(judged(found).map(|figure| figure.metric.id.clone()));
        });
        ids
    };
    let rate = with_steps(1).tests[0].steps[0].facts.rate.clone().expect("it moves data");
    assert_eq!(of(&|_| ()), std::slice::from_ref(&rate));
    assert_eq!(of(&|facts| facts.rate_set_by = RateSetBy::Schedule), ["read.response_p99"]);
    assert_eq!(of(&|facts| facts.rate_set_by = RateSetBy::Search), [rate]);
    let share = RelativeRate {
        of: StepId::new("t", "full"),
        percent: 50,
        rounding: Rounding::None,
        arrivals: Arrivals::default(),
        stop_above: None,
    };
    assert!(of(&|facts| facts.relative = Some(share.clone())).is_empty(), "shares of each side's own full speed");
}

#[test]
fn a_side_with_a_void_run_wins_nothing_and_single_runs_use_the_scatter_of_others() {
    let base = sample();
    let mut void = scaled(&base, || 2.0);
    for metric in void.tests.iter_mut().flat_map(|test| &mut test.steps).flat_map(|step| &mut step.metrics) {
        (metric.value, metric.voided_by) = (None, vec!["clock".to_owned()]);
    }
    let fast = scaled(&base, || 2.0);
    let runs = [&base, &fast, &void];
    let found = ratios(&align(&runs), &[vec![0], vec![1, 2]], 0, Limits::default());
    assert!(verdicts(&found, 1).iter().all(|verdict| *verdict == Verdict::Incomplete), "{:?}", verdicts(&found, 1));
    assert!(judged(&found).all(|figure| figure.best.is_none()));
    // Three runs of B scatter by 6 %, so 7 % between A and C, with one run each, are not shown.
    let all = [1.0, 1.07, 0.95, 0.953, 1.07].map(|factor| scaled(&base, || factor));
    let all: Vec<&Digest> = all.iter().collect();
    let found = ratios(&align(&all), &[vec![0], vec![1, 2, 3], vec![4]], 0, Limits::default());
    assert!(verdicts(&found, 2).iter().all(|verdict| *verdict == Verdict::NotShown), "{:?}", verdicts(&found, 2));
}

#[test]
fn a_mean_of_runs_wrong_in_both_directions_is_wrong_either_way() {
    let base = sample();
    let wrong = |wrong: Wrong| {
        let mut run = base.clone();
        let steps = run.tests.iter_mut().flat_map(|test| &mut test.steps);
        steps.flat_map(|step| &mut step.metrics).for_each(|metric| metric.wrong = Some(wrong));
        run
    };
    let runs = [base.clone(), wrong(Wrong::TooLow), wrong(Wrong::TooHigh), wrong(Wrong::TooLow)];
    let runs: Vec<&Digest> = runs.iter().collect();
    let found = ratios(&align(&runs), &[vec![0], vec![1, 2], vec![3]], 0, Limits::default());
    let figure = found.of_steps().next().expect("a figure");
    let wrong: Vec<Option<Wrong>> = figure.cells.iter().map(SideFigure::wrong).collect();
    assert_eq!(wrong, [None, Some(Wrong::EitherWay), Some(Wrong::TooLow)]);
}

#[test]
fn limits_hold_up_and_down() {
    let base = sample();
    let near = |verdict: &Verdict| *verdict == Verdict::WithinRuns;
    alone(&[&base, &scaled(&base, || 0.951), &scaled(&base, || 1.049)], |found| {
        assert!(verdicts(found, 1).iter().all(near) && verdicts(found, 2).iter().all(near));
    });
    let sides = [vec![0], vec![1]];
    let slower = scaled(&base, || 0.93);
    let limits = Limits { relevant: 0.1, ..Limits::default() };
    let runs = [&base, &slower];
    let found = ratios(&align(&runs), &sides, 0, limits);
    assert!(verdicts(&found, 1).iter().all(|one| *one == Verdict::Negligible));
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

#[test]
fn the_values_of_a_table_divide_to_the_ratio_beside_them() {
    let base = sample();
    let runs = [1.0, 4.0, 3.0, 12.0].map(|factor| scaled(&base, || factor));
    let runs: Vec<&Digest> = runs.iter().collect();
    let found = ratios(&align(&runs), &[vec![0, 1], vec![2, 3]], 0, Limits::default());
    for figure in judged(&found) {
        let values = [0, 1].map(|side| figure.cells[side].value.expect("a value"));
        let ratio = figure.cells[1].against.and_then(|one| one.ratio).expect("a ratio");
        // Geometric means of 1 and 4, and of 3 and 12.
        assert!((values[1] / values[0] - 3.0).abs() < 1e-9 && (ratio - 3.0).abs() < 1e-9, "{values:?} {ratio}");
    }
    assert!(judged(&found).count() > 5);
}
