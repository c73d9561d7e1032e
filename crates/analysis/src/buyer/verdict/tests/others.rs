//! What others did on the disk meanwhile is not held against the drive.

use drivelab_core::ids::StepKey;
use drivelab_core::metric::Wrong;
use drivelab_core::plan::{Action, Combine};
use drivelab_core::workload::Pattern;
use drivelab_samples::{beside_others, sample_run};

use super::*;
use crate::analyse;
use crate::buyer::SmallReads;
use crate::topics::limits::LimitKind;

/// Others used the disk in every round of these places.
fn disturb(drive: &mut Drive, places: std::ops::Range<usize>) {
    drive.read().places[places].iter_mut().for_each(|place| place.wrong = Some(Wrong::TooLow));
}

fn because(drive: &Drive) -> String {
    let answer = drive.check().answers.into_iter().find(|answer| answer.question == Question::OldData);
    answer.expect("answered").because
}

#[test]
fn a_place_that_others_disturbed_in_every_round_is_not_held_against_the_drive() {
    let old = Question::OldData;
    let slow = |drive: &mut Drive| drive.read().places[1].mb_s = 100.0;
    after(old, Standing::Unknown, "Cannot tell: other programs used the disk; measure again when", |drive| {
        slow(drive);
        disturb(drive, 1..2);
    });
    after(
        old,
        Standing::Unknown,
        "8 of 8 places were read only while other programs used the disk: 100 to 3000 MB/s",
        |drive| {
            slow(drive);
            disturb(drive, 0..8);
        },
    );
    after(old, Standing::Unknown, "Cannot tell: other programs used the disk", |drive| disturb(drive, 0..5));
    after(old, Standing::Good, "the slowest of those not disturbed 3000 MB/s", |drive| disturb(drive, 0..4));
    // A place that nobody disturbed is slow whatever others did to the rest, which is no slower alone.
    after(old, Standing::Beware, "1 of 8 places are read at less than 50 % of the fastest (3000 MB/s)", |drive| {
        slow(drive);
        disturb(drive, 2..4);
    });
    after(old, Standing::Beware, "of the fastest (at least 7000 MB/s)", |drive| {
        drive.read().places[7].mb_s = 7000.0;
        disturb(drive, 7..8);
    });
}

/// The host had no CPU for the reads of these places.
fn hold_back(drive: &mut Drive, places: std::ops::Range<usize>) {
    drive.read().places[places].iter_mut().for_each(|place| place.held_back = Some(LimitKind::HostCpu));
}

/// A check once said "Old data beware" of figures that had the mark of a lower bound beside it.
#[test]
fn a_place_whose_figure_is_a_lower_bound_is_not_held_against_the_drive() {
    let old = Question::OldData;
    let slow = |drive: &mut Drive| drive.read().places[1].mb_s = 100.0;
    let why = "Cannot tell: reads were limited by the host's CPU, not by the drive, so places may be faster";
    after(old, Standing::Unknown, why, |drive| {
        slow(drive);
        hold_back(drive, 1..2);
    });
    after(old, Standing::Unknown, "lower bounds: 3000 to 3000 MB/s; 8 places", |drive| hold_back(drive, 0..5));
    after(old, Standing::Good, "4 of 8 places were limited by the host's CPU", |drive| hold_back(drive, 0..4));
    // A place that nothing held back is slow all the same, and the others do not count with it.
    after(old, Standing::Beware, "1 of 8 places are read at less than 50 % of the fastest (3000 MB/s)", |drive| {
        slow(drive);
        drive.read().places[2].mb_s = 100.0;
        hold_back(drive, 2..3);
    });
    after(old, Standing::Unknown, "Cannot tell: other programs used the disk", |drive| {
        slow(drive);
        disturb(drive, 1..2);
        hold_back(drive, 2..3);
    });
}

#[test]
fn rounds_that_do_not_count_are_told_and_so_is_how_often_places_were_measured() {
    let mut drive = good();
    assert!(because(&drive).starts_with("measured twice each, the better one taken; "), "{}", because(&drive));
    let mut all = |rounds, combine| {
        drive.read().places.iter_mut().for_each(|place| (place.rounds, place.combine) = (rounds, combine));
        because(&drive)
    };
    assert!(all(1, Combine::Best).starts_with("measured once each; the age"), "{}", all(1, Combine::Best));
    assert!(all(3, Combine::Best).starts_with("measured 3 times each, the best one taken; "));
    assert!(all(2, Combine::Mean).starts_with("measured twice each, their mean taken; "));
    assert!(all(2, Combine::Median).starts_with("measured twice each, their median taken; "));
    after(Question::OldData, Standing::Good, "1 round left out because other programs", |drive| {
        (drive.read().places[3].rounds, drive.read().places[3].left_out) = (1, 1);
        assert!(because(drive).starts_with("measured 1 to 2 times each, the better one taken; "));
    });
}

#[test]
fn figures_of_disturbed_steps_are_marked() {
    let small = |drive: &mut Drive, wrong| {
        let label = "RND 4 KiB Q1T1 read".to_owned();
        drive.read().small = vec![SmallReads { label, mean_us: 146_580.0, p99_us: None, longest_us: 2e5, wrong }];
    };
    let old = Question::OldData;
    after(old, Standing::Good, "mean 146580 µs, longest 200000 µs (▼ other programs used the disk", |drive| {
        small(drive, Some(Wrong::TooHigh));
    });
    after(old, Standing::Good, "longest 200000 µs (◆ other programs may", |drive| {
        small(drive, Some(Wrong::EitherWay))
    });
    after(old, Standing::Good, "longest 200000 µs; 8 places", |drive| small(drive, None));
    let marked = "76 % of what the link carries (▲ other programs used the disk: higher without them)";
    after(Question::Link, Standing::Good, marked, |drive| disturb(drive, 0..8));
}

/// The sample run with four steps that read in order, three rounds each: those of its corners that read.
fn in_order() -> RunRecords {
    let mut run = sample_run();
    let corners = run.plan.tests.iter_mut().filter(|test| test.name == "corners").flat_map(|test| &mut test.steps);
    for step in corners {
        if let Action::Io { workload, .. } = &mut step.action {
            workload.pattern = Pattern::Sequential;
        }
    }
    run
}

/// How the question about old data turns out.
fn standing(run: &RunRecords) -> Standing {
    let analysis = analyse(run);
    let read = Read::of_run(run, &analysis);
    let checked = check(&Known { probe: None, facts: None, read: Some(&read), not_read: None });
    checked.answers.iter().find(|answer| answer.question == Question::OldData).expect("answered").standing
}

#[test]
fn of_a_run_the_rounds_that_others_disturbed_are_left_out_where_there_are_others() {
    const STEP: &str = "corners/seq-1m-q8t1-read";
    let quiet = in_order();
    let analysis = analyse(&quiet);
    let rates = &analysis.metric("corners/seq-1m-q8t1-read:read.throughput").expect("a rate").rounds;
    assert_eq!(rates.len(), 3);
    let best = (0..3).max_by(|one, other| rates[*one].total_cmp(&rates[*other])).expect("three");
    let second = (0..3).filter(|index| *index != best).map(|index| rates[index]).fold(0.0, f64::max);
    let first = |run: &RunRecords| Read::of_run(run, &analyse(run)).places[0];
    let whole = first(&quiet);
    assert_eq!((whole.mb_s, whole.rounds, whole.left_out, whole.wrong), (rates[best], 3, 0, None));

    let one = beside_others(quiet.clone(), |key| key.step.as_str() == STEP && key.round as usize == best + 1);
    let found = first(&one);
    assert_eq!((found.mb_s, found.rounds, found.left_out, found.wrong), (second, 2, 1, None));
    let all = beside_others(quiet.clone(), |key| key.step.as_str() == STEP);
    let found = first(&all);
    assert_eq!((found.mb_s, found.rounds, found.left_out, found.wrong), (rates[best], 3, 0, Some(Wrong::TooLow)));
}

#[test]
fn slow_places_of_a_run_that_the_host_held_back_give_no_answer() {
    let mut run = in_order();
    let reads = |key: &StepKey| key.step.as_str().starts_with("corners/") && key.step.as_str().ends_with("read");
    for record in run.steps.iter_mut().filter(|record| reads(&record.key)) {
        // Work of kernel threads is in no account.
        record.engine.punted = true;
    }
    let analysis = analyse(&run);
    let metric = analysis.metric("corners/seq-1m-q8t1-read:read.throughput").expect("a rate");
    assert!(metric.lower_bound && metric.wrong.is_none(), "{metric:?}");
    assert_eq!(standing(&run), Standing::Unknown);
}

#[test]
fn slow_places_of_a_run_whose_every_round_was_disturbed_give_no_answer() {
    let quiet = in_order();
    let reads = |key: &StepKey| key.step.as_str().starts_with("corners/") && key.step.as_str().ends_with("read");
    assert_eq!(standing(&quiet), Standing::Beware, "some of them are slow");
    assert_eq!(standing(&beside_others(quiet.clone(), |key| reads(key) && key.round == 1)), Standing::Beware);
    assert_eq!(standing(&beside_others(quiet.clone(), reads)), Standing::Unknown);
    let small = beside_others(quiet, |key| key.step.as_str() == "depths/q1");
    let wrong: Vec<(String, Option<Wrong>)> = Read::of_run(&small, &analyse(&small))
        .small
        .into_iter()
        .filter(|one| one.label.contains("Q1T1"))
        .map(|one| (one.label, one.wrong))
        .collect();
    assert_eq!(wrong, [("RND 4 KiB Q1T1 read".to_owned(), Some(Wrong::TooHigh))]);
}
