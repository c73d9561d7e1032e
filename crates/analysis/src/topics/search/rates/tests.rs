//! Searches on a target whose answer to each rate is known: a queue that answers the slower the nearer it is to what it
//! can do, and falls behind above it.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::histogram::Histogram;
use drivelab_core::load::{Arrivals, Rate};
use drivelab_core::plan::{Action, RateSearch, Rounds, Step, TestPlan};
use drivelab_core::record::{OpRecord, OpenLoop, Response, StepRecord, StopReason};
use drivelab_core::units::Nanos;
use drivelab_samples::sample_run;
use proptest::prelude::*;

use super::*;
use crate::topics::search::findings;

fn search(lowest: u64, highest: u64, max: u32) -> RateSearch {
    let bound = Nanos::from_millis(1);
    RateSearch { percentile_thousandths: 99_000, bound, lowest: lowest * 1000, highest: highest * 1000, max }
}

fn outcome(held: bool) -> Outcome {
    if held { Outcome::Held } else { Outcome::Missed }
}

/// The rates of a search on a target that keeps the bound up to a limit.
fn rates(search: &RateSearch, limit: u64) -> Vec<u64> {
    let (mut outcomes, mut rates) = (Vec::new(), Vec::new());
    while let Some(rate) = next_rate(search, &outcomes) {
        rates.push(rate / 1000);
        outcomes.push(outcome(rate <= limit * 1000));
    }
    rates
}

#[test]
fn a_search_says_why_it_ended() {
    let why = |search: &RateSearch, limit: u64| {
        let tries: Vec<Try> = rates(search, limit)
            .into_iter()
            .zip(1..)
            .map(|(rate, round)| Try {
                round,
                per_1000_s: rate * 1000,
                outcome: outcome(rate <= limit),
                response_ns: None,
                unserved: 0,
            })
            .collect();
        let of = |held: bool| tries.iter().filter(move |one| one.outcome == outcome(held)).copied();
        let (held, missed) = (of(true).max_by_key(|one| one.per_1000_s), of(false).min_by_key(|one| one.per_1000_s));
        ended(search, &Found { held, missed, finished: true, ended: "", tries })
    };
    assert!(why(&search(1000, 16_000, 9), 500).contains("lowest"));
    assert!(why(&search(1000, 16_000, 9), 20_000).contains("highest"));
    assert!(why(&search(1000, 16_000, 5), 3000).contains("used up"));
    assert!(why(&search(1000, 16_000, 40), 3000).contains("cannot be distinguished"));
}

#[test]
fn it_begins_at_both_ends_and_halves_the_ratio() {
    assert_eq!(rates(&search(1000, 16_000, 5), 3000), [1000, 16_000, 4000, 2000, 2828]);
    assert_eq!(rates(&search(1000, 16_000, 9), 500), [1000], "even the lowest is too much");
    assert_eq!(rates(&search(1000, 16_000, 9), 20_000), [1000, 16_000], "even the highest is not");
    assert_eq!(next_rate(&search(1000, 1000, 9), &[Outcome::Held]), None, "one rate is no search");
}

proptest! {
    /// The two rates enclose the limit, as near to each other as the rounds allow.
    #[test]
    fn the_limit_is_enclosed(lowest in 1u64..5000, factor in 2u64..1000, share in 0.0f64..1.0, max in 3u32..40) {
        let search = search(lowest, lowest * factor, max);
        let limit = lowest as f64 * (factor as f64).powf(share);
        let (mut held, mut missed, mut outcomes) = (0.0f64, f64::INFINITY, Vec::new());
        while let Some(rate) = next_rate(&search, &outcomes) {
            let rate = rate as f64 / 1000.0;
            prop_assert!(rate > held && rate < missed, "{rate} tells nothing new");
            outcomes.push(outcome(rate <= limit));
            if rate <= limit { held = rate } else { missed = rate }
        }
        prop_assert!(outcomes.len() <= max as usize);
        if held > 0.0 && missed.is_finite() {
            prop_assert!(held <= limit && limit < missed);
            let halvings = 2f64.powi(i32::try_from(max).unwrap_or(40) - 2);
            let nearest = (factor as f64).powf(1.0 / halvings).max(RESOLUTION);
            prop_assert!(missed / held <= nearest * 1.001, "{missed} / {held} > {nearest}");
        }
    }
}

/// A step of a search and a record of it in which this many operations had this response time.
fn subject(responses: &[(u64, u64)], open: OpenLoop) -> (Step, StepRecord) {
    let run = sample_run();
    let mut step = run.plan.steps().find(|step| step.id.as_str() == "depths/q8").expect("it is there").clone();
    let Action::Io { workload, .. } = &mut step.action else { panic!("it issues I/O") };
    workload.pace.rate = Some(Rate { per_1000_s: 1_000_000, arrivals: Arrivals::Constant });
    let mut histogram = Histogram::default();
    for (count, nanoseconds) in responses {
        (0..*count).for_each(|_| histogram.record(*nanoseconds));
    }
    let mut record = run.steps.iter().find(|record| record.key.step == step.id).expect("it ran").clone();
    let sparse = histogram.sparse();
    record.read = OpRecord { count: sparse.count, response: Some(Response::new(sparse)), ..OpRecord::default() };
    record.write = OpRecord::default();
    record.open_loop = Some(open);
    (step, record)
}

fn on_time() -> OpenLoop {
    let zero = Nanos::new(0);
    OpenLoop {
        asked_iops: 1000.0,
        arrived: 1000,
        backlog_at_end: 0,
        backlog_max: 0,
        backlog_growth_per_second: 0.0,
        lateness_mean: zero,
        lateness_max: zero,
    }
}

fn judged(responses: &[(u64, u64)], open: OpenLoop) -> (bool, Option<u64>) {
    let (step, record) = subject(responses, open);
    let one = judge(&search(1000, 2000, 9), &step, &record);
    (one.outcome == Outcome::Held, one.response_ns.map(|response| (response / 10_000.0).round() as u64))
}

#[test]
fn what_was_not_served_is_longer_than_any_bound() {
    let fast = (990, 500_000);
    assert_eq!(judged(&[fast, (10, 9_000_000)], on_time()), (true, Some(50)));
    assert_eq!(judged(&[(989, 500_000), (11, 9_000_000)], on_time()), (false, Some(900)));
    // 990 served and 10 that wait: p99 is the slowest that was served; with one more waiting there is none.
    let waiting = |backlog_at_end| OpenLoop { backlog_at_end, ..on_time() };
    assert_eq!(judged(&[fast], waiting(10)), (true, Some(50)));
    assert_eq!(judged(&[fast], waiting(11)), (false, None));
    assert_eq!(judged(&[], on_time()), (false, None));
    let (step, mut record) = subject(&[fast], on_time());
    record.read.errors = 11;
    let outcome = |record: &StepRecord| judge(&search(1000, 2000, 9), &step, record).outcome;
    assert_eq!(outcome(&record), Outcome::Missed, "an error is no answer in time");
    (record.read.errors, record.stop_reason) = (0, StopReason::Errors);
    assert_eq!(outcome(&record), Outcome::Missed);
}

#[test]
fn a_rate_that_is_not_kept_up_with_has_missed() {
    // A target that serves 950 of 1,000 a second: the percentile looks well for as long as the bound is long.
    let behind = OpenLoop { backlog_at_end: 50, backlog_growth_per_second: 50.0, ..on_time() };
    let (step, record) = subject(&[(9950, 500_000)], OpenLoop { arrived: 10_000, ..behind });
    let one = judge(&search(1000, 2000, 9), &step, &record);
    assert!(one.response_ns.is_some() && one.outcome == Outcome::Missed);
}

/// A run in which the rounds of a search kept the bound or not.
fn searched_run(outcomes: &[bool]) -> (RunRecords, TestPlan) {
    let mut run = sample_run();
    let test = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("it is there");
    test.rounds = Rounds::FindRate(search(1000, 16_000, 12));
    test.steps.retain(|step| step.id.as_str() == "depths/q8");
    let test = test.clone();
    run.steps.retain(|record| !record.key.step.as_str().starts_with("depths/"));
    run.intervals.retain(|interval| !interval.key.step.as_str().starts_with("depths/"));
    for (round, held) in (1..).zip(outcomes) {
        let (_, mut record) = subject(&[(1000, if *held { 500_000 } else { 5_000_000 })], on_time());
        record.key.round = round;
        run.steps.push(record);
    }
    (run, test)
}

#[test]
fn a_highest_rate_without_a_verdict_kept_nothing() {
    let outcomes = [Outcome::Held, Outcome::Spoiled, Outcome::Spoiled];
    let bound = search(1000, 16_000, 3);
    let tries: Vec<Try> = outcomes
        .iter()
        .zip(1..)
        .map(|(outcome, round)| Try { round, per_1000_s: 1_000_000, outcome: *outcome, response_ns: None, unserved: 0 })
        .collect();
    let found = Found { held: Some(tries[0]), missed: None, finished: true, ended: "", tries };
    assert_eq!(ended(&bound, &found), "the allowed number of rounds was used up");
    let top = Found { held: Some(Try { per_1000_s: bound.highest, ..found.tries[0] }), ..found };
    assert!(ended(&bound, &top).starts_with("even the highest rate kept"), "{}", ended(&bound, &top));
}

#[test]
fn a_percentile_that_was_not_reached_is_no_figure_of_0() {
    let (mut run, _) = searched_run(&[true]);
    let (_, mut record) = subject(&[(10, 500_000)], OpenLoop { backlog_at_end: 990, ..on_time() });
    record.key.round = 2;
    run.steps.push(record);
    let told = findings(&run).pop().expect("what the search found");
    let pieces: Vec<(f64, &str)> = told.evidence.iter().map(|one| (one.value, one.unit.as_str())).collect();
    assert!(pieces[0].0 > 0.0 && pieces[0].1 == "ms", "{pieces:?}");
    assert_eq!(pieces[1], (990.0, "arrivals"));
}

/// What the evidence is about.
fn told(finding: &Finding) -> Vec<&str> {
    finding.evidence.iter().map(|one| one.what.as_str()).collect()
}

#[test]
fn figures_are_of_the_highest_rate_that_held() {
    let (run, test) = searched_run(&[true, false, false, true]);
    let found = found(&test, &test.steps[0], &run).expect("it was measured");
    let rates: Vec<u64> = found.tries.iter().map(|one| one.per_1000_s / 1000).collect();
    assert_eq!(rates, [1000, 16_000, 4000, 2000]);
    assert_eq!(found.held.map(|one| one.round), Some(4));
    assert_eq!(found.missed.map(|one| one.per_1000_s), Some(4_000_000));
    assert!(!found.finished);
    assert_eq!(rate_of_round(&search(1000, 16_000, 12), &run, &test.steps[0], 5), Some(2_828_427));
    let used = crate::topics::rounds::used_rounds(&run, &test, &test.steps[0]);
    assert_eq!(used.iter().map(|record| record.key.round).collect::<Vec<_>>(), [4]);
    let probes: Vec<u32> =
        (1..=4).filter(|round| is_probe(&run, &StepKey { step: test.steps[0].id.clone(), round: *round })).collect();
    assert_eq!(probes, [1, 2, 3], "only the reported round is no probe");
    let (later, _) = searched_run(&[true, false, true, false]);
    let used = crate::topics::rounds::used_rounds(&later, &test, &test.steps[0]);
    assert_eq!(used.iter().map(|record| record.key.round).collect::<Vec<_>>(), [3], "not the last that was tried");
    let findings = crate::topics::search::findings(&run);
    let [finding] = &findings[..] else { panic!("one search, one finding") };
    assert_eq!((finding.severity, finding.steps.len()), (Severity::Note, 4));
    let rounds = [(1, 1000, "kept"), (2, 16_000, "missed"), (3, 4000, "missed"), (4, 2000, "kept")];
    assert_eq!(told(finding), rounds.map(|(round, iops, how)| format!("p99 in round {round} at {iops} IOPS ({how})")));
    assert!(finding.evidence.iter().all(|one| one.limit == Some(1.0) && one.unit == "ms"), "{:?}", finding.evidence);
}

#[test]
fn a_rate_that_missed_the_bound_is_no_result() {
    let of = |outcomes: &[bool], id: &str| {
        let (run, test) = searched_run(outcomes);
        let analysis = crate::analyse(&run);
        let metric = analysis.step_metric(&test.steps[0].id, id).expect("a figure").clone();
        (metric.value.is_some(), metric.voided_by.contains(&"rate_found".to_owned()))
    };
    assert_eq!((of(&[false], "read.iops"), of(&[true, false], "read.iops").1), ((false, true), false));
    assert!(!of(&[false], "read.latency_p99").1, "how long they took at that rate is what was measured");
}

#[test]
fn a_search_without_a_limit_says_so() {
    let (below, _) = searched_run(&[false]);
    let lowest = findings(&below).pop().expect("what the search found");
    assert_eq!((lowest.severity, told(&lowest)), (Severity::Warning, vec!["p99 in round 1 at 1000 IOPS (missed)"]));
    let (run, test) = searched_run(&[true, true]);
    let highest = findings(&run).pop().expect("what the search found");
    let kept = ["p99 in round 1 at 1000 IOPS (kept)", "p99 in round 2 at 16000 IOPS (kept)"];
    assert_eq!((highest.severity, told(&highest)), (Severity::Warning, kept.to_vec()));
    let found = found(&test, &test.steps[0], &run).expect("it was measured");
    assert!(found.finished && found.missed.is_none());
    assert_eq!(rate_of_round(&search(1000, 16_000, 12), &run, &test.steps[0], 3), None);
    let none = searched_run(&[]);
    assert!(
        crate::topics::search::found(&none.1, &none.1.steps[0], &none.0).is_none()
            && crate::topics::search::findings(&none.0).is_empty()
    );
}

#[test]
fn a_round_that_the_generator_spoiled_says_nothing_about_its_rate() {
    // The target answers in 0.2 ms, and the operations were submitted up to 5 ms late.
    let late = OpenLoop { lateness_max: Nanos::from_millis(5), ..on_time() };
    let (step, mut record) = subject(&[(900, 500_000), (100, 5_000_000)], late);
    let mut latencies = Histogram::default();
    (0..1000).for_each(|_| latencies.record(200_000));
    record.read.histogram = latencies.sparse();
    let one = |record: &StepRecord| judge(&search(1000, 2000, 9), &step, record).outcome;
    assert_eq!(one(&record), Outcome::Spoiled);
    record.open_loop = Some(on_time());
    assert_eq!(one(&record), Outcome::Missed, "nothing was late here: they waited for the target");

    // It is tried again, twice; then it has missed.
    let search = search(1000, 16_000, 12);
    let (held, spoiled) = (Outcome::Held, Outcome::Spoiled);
    let next = |outcomes: &[Outcome]| next_rate(&search, outcomes).map(|rate| rate / 1000);
    assert_eq!(next(&[spoiled]), Some(1000));
    assert_eq!(next(&[spoiled, held]), Some(16_000));
    assert_eq!(next(&[held, spoiled, spoiled]), Some(16_000));
    assert_eq!(next(&[held, spoiled, spoiled, spoiled]), Some(4000));
    assert_eq!(next(&[spoiled, spoiled, spoiled]), None, "even the lowest");
}
