//! Rounds and sets of rounds: how they become one figure, and which of them count.

use drivelab_core::event::Steadiness;
use drivelab_core::ids::StepId;
use drivelab_core::plan::Combine;
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_samples::sample_steady_run;
use proptest::prelude::*;

use super::*;

/// Three rounds with 100, 200 and 600 reads of 20, 30 and 40 ns in 1 s each.
fn three_rounds(combine: Combine) -> RunRecords {
    let mut run = sample_run();
    let id = StepId::new("corners", "rnd-4k-q1t1-read");
    run.plan.tests.iter_mut().for_each(|test| test.combine = combine);
    run.steps.retain(|record| record.key.step == id);
    run.intervals.retain(|interval| interval.key.step == id && interval.index == 0);
    for (index, record) in run.steps.iter_mut().enumerate() {
        let (count, latency) = [(100, 20), (200, 30), (600, 40)][index];
        record.end_ns = record.start_ns + 1_000_000_000;
        record.in_flight_mean = 0.0;
        record.read.errors = index as u64;
        let histogram = flat(count, latency);
        let (bytes, errors) = (Bytes::new(count * 4096), record.read.errors);
        record.read = OpRecord::new(count, bytes, errors, histogram, record.elapsed());
        run.intervals[index].read = record.read.clone();
    }
    run
}

/// Of four sets of three rounds, the first of each discarded: 100, 200, 600 reads in a second, and ten more a set.
fn four_sets(combine: Combine) -> RunRecords {
    let mut run = three_rounds(combine);
    let test = run.plan.tests.iter_mut().find(|test| test.name == "corners").expect("the test");
    test.rounds = drivelab_core::plan::Rounds::Fixed { count: 2 };
    test.repeats = drivelab_core::plan::Repeats { warm_up_rounds: 1, sets: 4, ..Default::default() };
    let (steps, intervals) = (std::mem::take(&mut run.steps), std::mem::take(&mut run.intervals));
    for set in 0..4_u32 {
        for (step, interval) in steps.iter().zip(&intervals) {
            let (mut step, mut interval) = (step.clone(), interval.clone());
            (step.key.round, interval.key.round) = (step.key.round + 3 * set, interval.key.round + 3 * set);
            let count = step.read.count + 10 * u64::from(set);
            let latency = step.read.histogram.min.get() + u64::from(set);
            let (bytes, elapsed) = (Bytes::new(count * 4096), step.elapsed());
            step.read = OpRecord::new(count, bytes, 0, flat(count, latency), elapsed);
            interval.read = step.read.clone();
            run.steps.push(step);
            run.intervals.push(interval);
        }
    }
    run
}

#[test]
fn a_figure_of_sets_is_the_mean_of_what_each_set_shows_and_discarded_rounds_are_in_none() {
    let step = "corners/rnd-4k-q1t1-read";
    let best = analyse(&four_sets(Combine::Best));
    let iops = metric(&best, step, "read.iops");
    assert_eq!(iops.sets, [600.0, 610.0, 620.0, 630.0]);
    assert_eq!(iops.rounds, [200.0, 600.0, 210.0, 610.0, 220.0, 620.0, 230.0, 630.0]);
    assert_eq!(iops.value, Some(615.0));
    let spread = iops.spread.expect("sets spread");
    assert_eq!((spread.min, spread.max, spread.median), (600.0, 630.0, 615.0));
    // The mean of four: 3.182 standard errors of 12.91 / 2.
    assert!(spread.confidence.is_some_and(|ends| (ends.low - (615.0 - 3.182 * 12.909_944 / 2.0)).abs() < 0.02));
    // The least latency of each set is of its other round: 30, 31, 32, 33 ns.
    assert_eq!(metric(&best, step, "read.latency_mean").value, Some(0.0315));
    let mean = analyse(&four_sets(Combine::Mean));
    assert_eq!(metric(&mean, step, "read.iops").value, Some(415.0));
    assert_eq!(metric(&mean, step, "read.iops").sets, [400.0, 410.0, 420.0, 430.0]);
    assert_eq!(metric(&mean, step, "errors").value, Some(0.0));
    let mut early = four_sets(Combine::Best);
    early.steps.truncate(1);
    assert!(analyse(&early).metric(&format!("{step}:read.iops")).is_none(), "a discarded round is no figure");
}

#[test]
fn rounds_become_one_figure_as_the_test_says() {
    let step = "corners/rnd-4k-q1t1-read";
    let value = |combine, id: &str| metric(&analyse(&three_rounds(combine)), step, id).value.expect("a value");
    assert_eq!(value(Combine::Mean, "read.iops"), 300.0);
    assert_eq!(value(Combine::Best, "read.iops"), 600.0);
    assert_eq!(value(Combine::Median, "read.iops"), 200.0);
    assert_eq!(value(Combine::Mean, "read.latency_mean"), 0.030);
    assert_eq!(value(Combine::Best, "read.latency_mean"), 0.020, "chosen apart from the round with the most IOPS");
    assert_eq!(value(Combine::Best, "duration"), 1.0);
    // 450th of 900 latencies: 100 of 20, 200 of 30, 600 of 40. The mean of the medians would be 0.030.
    assert_eq!(value(Combine::Mean, "read.latency_p50"), 0.040);
    assert_eq!(value(Combine::Median, "read.latency_p50"), 0.030);
    assert_eq!(value(Combine::Best, "read.latency_max"), 0.020);
    for combine in [Combine::Mean, Combine::Best, Combine::Median] {
        assert_eq!(value(combine, "errors"), 3.0, "errors are never averaged away");
    }
    let analysis = analyse(&three_rounds(Combine::Best));
    let iops = metric(&analysis, step, "read.iops");
    assert_eq!(iops.rounds, [100.0, 200.0, 600.0]);
    assert!(iops.spread.is_some_and(|spread| spread.mean == 300.0 && spread.median == 200.0));
}

#[test]
fn only_a_mean_of_rounds_has_an_interval() {
    let step = "corners/rnd-4k-q1t1-read";
    let mut run = three_rounds(Combine::Mean);
    let interval = |run: &RunRecords, id: &str| metric(&analyse(run), step, id).spread.expect("rounds").confidence;
    assert_eq!(interval(&run, "read.iops"), None, "100, 200 and 600: it would reach from -357 to 957");
    for (index, count) in [290, 300, 310].into_iter().enumerate() {
        let (record, bytes) = (&mut run.steps[index], Bytes::new(count * 4096));
        record.read = OpRecord::new(count, bytes, 1, flat(count, 30 + index as u64), record.elapsed());
        run.intervals[index].read = record.read.clone();
    }
    // Mean 300, deviation 10: 4.303 x 10 / sqrt(3) = 24.843.
    let of_mean = interval(&run, "read.iops").expect("an interval");
    assert!((of_mean.low - 275.157).abs() < 1e-3 && (of_mean.high - 324.843).abs() < 1e-3, "{of_mean:?}");
    assert!(interval(&run, "read.latency_mean").is_some());
    assert_eq!(interval(&run, "read.latency_p50"), None, "from the merged histogram");
    assert_eq!(interval(&run, "errors"), None, "a sum");
    for combine in [Combine::Median, Combine::Best] {
        run.plan.tests.iter_mut().for_each(|test| test.combine = combine);
        for id in ["read.iops", "read.latency_mean", "read.latency_p50", "errors"] {
            assert_eq!(interval(&run, id), None, "{combine:?} {id}");
        }
        let neutral = interval(&run, "duration").is_some();
        assert_eq!(neutral, combine == Combine::Best, "best uses the mean if no direction is better");
    }
}

#[test]
fn a_steady_test_reports_its_window_only() {
    let mut run = sample_steady_run();
    let rounds = |run: &RunRecords| metric(&analyse(run), "steady/rnd-4k-write", "write.iops").rounds.clone();
    let window = rounds(&run);
    assert_eq!(window.len(), 5);
    run.steadiness[0] = Steadiness { first_round: 2, last_round: 3, ..run.steadiness[0].clone() };
    assert_eq!(rounds(&run).len(), 2);
    run.steadiness.clear();
    assert_eq!(rounds(&run), window, "without a verdict, the last five");
}

#[test]
fn a_round_that_was_cut_off_counts_only_where_there_is_no_other() {
    let mut run = three_rounds(Combine::Mean);
    run.steps[2].stop_reason = StopReason::Stopped;
    let iops = |run: &RunRecords| metric(&analyse(run), "corners/rnd-4k-q1t1-read", "read.iops").value;
    assert_eq!(iops(&run), Some(150.0));
    run.steps.iter_mut().for_each(|record: &mut StepRecord| record.stop_reason = StopReason::Stopped);
    assert_eq!(iops(&run), Some(300.0));
}

#[test]
fn percentiles_of_reads_and_writes_come_from_the_merged_histogram_of_the_rounds() {
    let replayed = |combine| {
        let mut run = three_rounds(combine);
        for (record, interval) in run.steps.iter_mut().zip(&mut run.intervals) {
            record.replay = hand_made().steps[0].replay.clone();
            // A 99th percentile needs 500 operations, which the first round does not have.
            let (count, took) = (10 * record.read.count, record.read.histogram.max.get());
            let bytes = Bytes::new(count * 4096);
            record.read = OpRecord::new(count, bytes, record.read.errors, flat(count, took), record.elapsed());
            // Ten writes of each round take the longest: their percentile alone would be 60.
            record.write = OpRecord::new(10, Bytes::new(10 * 4096), 0, flat(10, 60), record.elapsed());
            (interval.read, interval.write) = (record.read.clone(), record.write.clone());
        }
        run
    };
    let p99 = |combine| {
        let figure = metric(&analyse(&replayed(combine)), "corners/rnd-4k-q1t1-read", "total.latency_p99").clone();
        (figure.value.expect("a value"), figure.spread.expect("rounds").confidence)
    };
    // Rank 8,940 of 9,030 is among the 6,000 reads of 40; the mean of the rounds' own percentiles would be 0.030.
    assert_eq!(p99(Combine::Mean), (0.040, None), "no mean of percentiles, and so no interval of one");
    assert_eq!(p99(Combine::Best).0, 0.020);
    assert_eq!(p99(Combine::Median).0, 0.030);
}

proptest! {
    #[test]
    fn the_best_is_a_round_and_mean_and_median_lie_between(rates in prop::collection::vec(1u64..5_000, 3)) {
        let mut run = three_rounds(Combine::Best);
        for (index, count) in rates.iter().enumerate() {
            let record = &mut run.steps[index];
            let bytes = Bytes::new(count * 4096);
            let elapsed = record.elapsed();
            record.read = OpRecord::new(*count, bytes, 0, flat(*count, 20), elapsed);
            run.intervals[index].read = record.read.clone();
        }
        for combine in [Combine::Best, Combine::Mean, Combine::Median] {
            run.plan.tests.iter_mut().for_each(|test| test.combine = combine);
            let analysis = analyse(&run);
            let iops = metric(&analysis, "corners/rnd-4k-q1t1-read", "read.iops");
            let value = iops.value.expect("a value");
            let (low, high) = crate::stats::range(&iops.rounds).expect("rounds");
            prop_assert!(low <= value && value <= high);
            if combine == Combine::Best {
                prop_assert_eq!(value, high);
            }
        }
    }
}
