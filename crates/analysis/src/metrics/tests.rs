//! Every metric on hand-made records with the answer worked out on paper, and the rules for rounds.

use std::collections::BTreeMap;

use drivelab_core::event::Steadiness;
use drivelab_core::ids::StepId;
use drivelab_core::metric::Metric;
use drivelab_core::plan::Combine;
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Nanos};
use proptest::prelude::*;

use super::*;
use crate::analyse;
use crate::testing::{sample_run, sample_steady_run, sample_unfinished_run};

/// A histogram of `count` latencies that are all the same, below 128 ns, where buckets are exact.
fn flat(count: u64, nanoseconds: u64) -> SparseHistogram {
    let mut histogram = drivelab_core::histogram::Histogram::default();
    (0..count).for_each(|_| histogram.record(nanoseconds));
    histogram.sparse()
}

/// One round of the step with 30 % writes: 2 s, 700 reads and 300 writes of 4 KiB. 490 reads took 40 ns, 203 took
/// 90 ns and 7 took 120 ns; all writes took 50 ns but the last, 100 ns.
fn hand_made() -> RunRecords {
    let mut run = sample_run();
    let mut record = run.steps.iter().find(|r| r.key.step.as_str() == "mixes/w30").expect("the mix").clone();
    (record.start_ns, record.end_ns) = (1_000_000_000, 3_000_000_000);
    let mut reads = flat(490, 40);
    reads.merge(&flat(203, 90));
    reads.merge(&flat(7, 120));
    let mut writes = flat(299, 50);
    writes.merge(&flat(1, 100));
    let elapsed = record.elapsed();
    record.read = drivelab_core::record::OpRecord::new(700, Bytes::new(700 * 4096), 3, reads, elapsed);
    record.write = drivelab_core::record::OpRecord::new(300, Bytes::new(300 * 4096), 2, writes, elapsed);
    record.written_total = Bytes::new(2_000_000_000);
    record.in_flight_mean = 0.5;
    (record.engine.cpu_user, record.engine.cpu_system) = (Nanos::from_millis(400), Nanos::from_millis(600));
    let mut interval = run.intervals.iter().find(|i| i.key == record.key).expect("an interval").clone();
    (interval.read, interval.write) = (record.read.clone(), record.write.clone());
    (run.steps, run.intervals) = (vec![record], vec![interval]);
    run.last_at_ns = 12_500_000_000;
    run
}

fn metric<'a>(analysis: &'a crate::Analysis, step: &str, id: &str) -> &'a Metric {
    let address = format!("{step}:{id}");
    analysis.metric(&address).unwrap_or_else(|| panic!("no {address}"))
}

#[test]
fn every_metric_has_the_value_worked_out_on_paper() {
    let analysis = analyse(&hand_made());
    let expected: BTreeMap<&str, f64> = BTreeMap::from([
        ("read.throughput", 700.0 * 4096.0 / 2.0 / 1e6),
        ("write.throughput", 300.0 * 4096.0 / 2.0 / 1e6),
        ("total.throughput", 1000.0 * 4096.0 / 2.0 / 1e6),
        ("read.iops", 350.0),
        ("write.iops", 150.0),
        ("total.iops", 500.0),
        ("read.latency_mean", (490.0 * 40.0 + 203.0 * 90.0 + 7.0 * 120.0) / 700.0 / 1e3),
        ("read.latency_p50", 0.040),
        ("read.latency_p99", 0.090),
        ("read.latency_p999", 0.120),
        ("read.latency_max", 0.120),
        ("write.latency_mean", (299.0 * 50.0 + 100.0) / 300.0 / 1e3),
        ("write.latency_p50", 0.050),
        ("write.latency_p99", 0.050),
        ("write.latency_p999", 0.100),
        ("write.latency_max", 0.100),
        ("in_flight_mean", 0.5),
        ("errors", 5.0),
        ("cpu_user_per_io", 400e6 / 1000.0),
        ("cpu_share", 50.0),
        ("duration", 2.0),
        ("run.duration", 12.5),
        ("run.bytes_written", 2.0),
        ("run.bytes_read", 700.0 * 4096.0 / 1e9),
    ]);
    let ids: Vec<&str> = METRICS.iter().map(|def| def.id).collect();
    assert_eq!(expected.len(), ids.len(), "a metric without a known answer");
    for id in ids {
        let step = if id.starts_with("run.") { "run" } else { "mixes/w30" };
        let got = metric(&analysis, step, id);
        let value = got.value.unwrap_or_else(|| panic!("{id} has no value: {:?}", got.voided_by));
        assert!(
            (value - expected[id]).abs() < 1e-9 * expected[id].abs().max(1.0),
            "{id}: {value}, not {}",
            expected[id]
        );
        assert_eq!(got.unit, metric_def(id).expect("a definition").unit);
        assert_eq!(got.spread, None, "one round does not spread");
    }
}

#[test]
fn the_sync_backend_has_a_thread_for_every_operation_in_flight() {
    let mut run = hand_made();
    run.steps[0].engine.backend = "sync".to_owned();
    // 1 s of CPU time in 2 s on 4 threads.
    assert_eq!(metric(&analyse(&run), "mixes/w30", "cpu_share").value, Some(12.5));
}

#[test]
fn the_ramp_is_part_of_the_cpu_times_and_of_their_divisor() {
    let mut run = hand_made();
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let drivelab_core::plan::Action::Io { ramp, .. } = &mut step.action {
            *ramp = Nanos::from_secs(2);
        }
    }
    // 1 s of CPU time in 2 s of ramp and 2 s of measured part; half of 400 ms belongs to 1,000 operations.
    let analysis = analyse(&run);
    assert_eq!(metric(&analysis, "mixes/w30", "cpu_share").value, Some(25.0));
    assert_eq!(metric(&analysis, "mixes/w30", "cpu_user_per_io").value, Some(200e3));
}

#[test]
fn only_what_a_step_does_has_figures() {
    let analysis = analyse(&sample_run());
    assert!(analysis.metric("corners/seq-1m-q8t1-read:read.iops").is_some());
    assert!(analysis.metric("corners/seq-1m-q8t1-read:write.iops").is_none());
    assert!(analysis.metric("prepare/fill:write.throughput").is_some());
    assert!(analysis.metric("prepare/fill:read.throughput").is_none());
    let unfinished = analyse(&sample_unfinished_run());
    assert!(unfinished.metric("mixes/w30:total.iops").is_some());
    assert!(unfinished.metric("mixes/w50:total.iops").is_none(), "it has begun and not ended");
    assert!(unfinished.metric("depths/q1:total.iops").is_none());
    assert!(unfinished.metric("run:run.bytes_written").is_some());
}

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
        record.read = drivelab_core::record::OpRecord::new(count, bytes, errors, histogram, record.elapsed());
        run.intervals[index].read = record.read.clone();
    }
    run
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
    assert!(iops.spread.is_some_and(|spread| spread.mean == 300.0 && spread.confidence.is_some()));
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
fn ids_are_unique_and_definitions_are_sentences_with_their_source() {
    let mut ids = std::collections::BTreeSet::new();
    for def in METRICS {
        assert!(ids.insert(def.id), "{} twice", def.id);
        assert!(def.definition.ends_with('.') && def.definition.contains("Source: "), "{}", def.id);
        assert!(def.definition.contains("left out"), "{} does not say what it leaves out", def.id);
    }
}

proptest! {
    #[test]
    fn the_best_is_a_round_and_mean_and_median_lie_between(rates in prop::collection::vec(1u64..5_000, 3)) {
        let mut run = three_rounds(Combine::Best);
        for (index, count) in rates.iter().enumerate() {
            let record = &mut run.steps[index];
            let bytes = Bytes::new(count * 4096);
            let elapsed = record.elapsed();
            record.read = drivelab_core::record::OpRecord::new(*count, bytes, 0, flat(*count, 20), elapsed);
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
