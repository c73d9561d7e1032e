//! Sweeps and time lines of the sample runs.

use drivelab_core::ids::StepId;
use drivelab_samples::{sample_loads_run, sample_open_loop_run, sample_resumed_run, sample_run};

use super::*;

#[test]
fn only_tests_with_one_varying_axis_are_sweeps() {
    let run = sample_run();
    let sweeps = sweeps(&run, &crate::analyse(&run));
    let names: Vec<(&str, &str)> = sweeps.iter().map(|sweep| (sweep.test.as_str(), sweep.axis.as_str())).collect();
    assert_eq!(names, [("mixes", "write_percent"), ("depths", "queue_depth")]);
    let x: Vec<f64> = sweeps[1].lines[0].points.iter().map(|point| point.x).collect();
    assert_eq!(x, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
}

/// The depths as two axes: each depth at two numbers of threads.
fn two_axes() -> RunRecords {
    let mut run = sample_run();
    let depths = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("depths");
    for (at, step) in depths.steps.iter_mut().enumerate() {
        let threads = if at % 2 == 0 { "16" } else { "64" };
        step.axes.insert(0, drivelab_core::plan::AxisValue { axis: "threads".to_owned(), value: threads.to_owned() });
    }
    run
}

#[test]
fn of_two_axes_one_is_x_and_the_other_tells_lines_apart() {
    let run = two_axes();
    let sweeps = sweeps(&run, &crate::analyse(&run));
    let sweep = sweeps.iter().find(|sweep| sweep.test == "depths").expect("a sweep");
    assert_eq!((sweep.axis.as_str(), sweep.by.as_deref()), ("queue_depth", Some("threads")), "x has more places");
    let lines: Vec<(Option<&str>, usize)> =
        sweep.lines.iter().map(|line| (line.by.as_deref(), line.points.len())).collect();
    assert_eq!(lines, [(Some("16"), 4), (Some("64"), 3)]);
}

#[test]
fn an_interval_tells_only_the_percentiles_that_enough_operations_have() {
    let run = sample_run();
    let key = StepKey { step: StepId::new("sustained", "whole-file-write"), round: 1 };
    let told = |count: u64| {
        let mut run = run.clone();
        let interval = run.intervals.iter_mut().find(|interval| interval.key == key).expect("an interval");
        let mut histogram = drivelab_core::histogram::Histogram::default();
        histogram.record_many(1_000, count);
        interval.write = drivelab_core::record::OpRecord::new(
            count,
            Bytes::new(count * 4096),
            0,
            histogram.sparse(),
            Nanos::from_millis(100),
        );
        let point = time_line(&run, &key).remove(0);
        [point.p50_us, point.p99_us, point.p999_us, point.max_us].map(|time| time.is_some())
    };
    assert_eq!(told(9), [false, false, false, true]);
    assert_eq!(told(10), [true, false, false, true]);
    assert_eq!(told(500), [true, true, false, true]);
    assert_eq!(told(5_000), [true, true, true, true]);
}

#[test]
fn names_are_no_numbers_and_sizes_are() {
    let over = |label: &str| {
        let mut run = sample_run();
        let step = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("depths").steps.last_mut();
        step.expect("a step").axes[0].value = label.to_owned();
        let sweeps = sweeps(&run, &crate::analyse(&run));
        sweeps.iter().find(|sweep| sweep.test == "depths").expect("a sweep").is_over_numbers()
    };
    assert_eq!(["128", "30 %", "64 KiB", "deallocated"].map(over), [true, true, true, false]);
}

#[test]
fn op_splits_a_sweep_into_lines() {
    let mut run = sample_run();
    let corners = run.plan.tests.iter_mut().find(|test| test.name == "corners").expect("the corners");
    corners.steps.retain(|step| step.id.as_str().contains("rnd-"));
    let sweeps = sweeps(&run, &crate::analyse(&run));
    let split = sweeps.iter().find(|sweep| sweep.test == "corners").expect("a sweep");
    assert_eq!(split.axis, "queue_depth");
    let ops: Vec<Option<&str>> = split.lines.iter().map(|line| line.op.as_deref()).collect();
    assert_eq!(ops, [Some("read"), Some("write")]);
    let labels: Vec<&str> = split.lines[1].points.iter().map(|point| point.label.as_str()).collect();
    assert_eq!(labels, ["1", "32"], "sorted by number, not by place in the plan");
}

#[test]
fn sweep_values_are_those_of_the_analysis() {
    let run = sample_run();
    let analysis = crate::analyse(&run);
    for sweep in sweeps(&run, &analysis) {
        for point in sweep.lines.iter().flat_map(|line| &line.points) {
            let metric = analysis.step_metric(&point.step, "total.iops").expect("a figure");
            assert_eq!(point.value("total.iops"), metric.value);
            assert!(metric.value.is_some());
        }
    }
}

#[test]
fn sizes_and_per_cent_are_numbers_and_words_are_not() {
    assert_eq!(number_of("30 %"), Some(30.0));
    assert_eq!(number_of("4 KiB"), Some(4096.0));
    assert_eq!(number_of("random"), None);
}

#[test]
fn a_time_line_ends_with_all_bytes_written() {
    let run = sample_run();
    let key = StepKey { step: StepId::new("sustained", "whole-file-write"), round: 1 };
    let line = time_line(&run, &key);
    let record = run.step(&key).expect("a record");
    assert_eq!(line.last().map(|point| point.written_bytes), Some(record.write.bytes.get()));
    assert!((line.last().expect("a point").t_s - record.elapsed().as_secs_f64()).abs() < 1e-9);
    assert!(line[0].mb_s > 3.0 * line[line.len() - 2].mb_s, "the cliff is on the curve");
    assert!(time_line(&run, &StepKey { step: StepId::new("no", "step"), round: 1 }).is_empty());
}

#[test]
fn the_run_time_line_has_every_interval_in_order_and_the_breaks() {
    let run = sample_resumed_run();
    let line = run_time_line(&run);
    assert_eq!(line.points.len(), run.intervals.len());
    assert!(line.points.windows(2).all(|pair| pair[0].t_s <= pair[1].t_s));
    assert_eq!(line.breaks_s.len(), 1);
    let first_of_last = line.points.iter().rfind(|point| point.key.step.as_str().starts_with("sustained/"));
    assert!(first_of_last.is_some_and(|point| point.point.t_s < point.t_s));
}

#[test]
fn a_time_line_of_an_open_loop_has_backlog_and_response_times_beside_latencies() {
    let run = drivelab_samples::sample_overloaded_run();
    let line = time_line(&run, &run.steps[0].key);
    assert!(line.windows(2).all(|pair| pair[0].backlog < pair[1].backlog), "it grows");
    assert!(line.iter().all(|point| point.response_p50_us > point.p50_us && point.response_p99_us > point.p99_us));
    let closed = sample_run();
    let line = time_line(&closed, &closed.steps[0].key);
    assert!(line.iter().all(|point| point.backlog.is_none() && point.response_p50_us.is_none()));
}

#[test]
fn a_load_that_moves_no_data_has_a_time_line_of_its_own_operations() {
    let mut run = drivelab_samples::sample_mixed_run();
    let key = run.steps[0].key.clone();
    for interval in &mut run.intervals {
        (interval.read, interval.write) = Default::default();
    }
    let line = time_line(&run, &key);
    assert!(line.iter().all(|point| point.trim_iops > 0.0 && point.flush_iops > 0.0 && point.write_zeroes_iops == 0.0));
    assert!(line.iter().all(|point| point.iops == 0.0 && point.p50_us.is_some()));
}

#[test]
fn write_amplification_over_time_is_of_stretches_with_enough_host_writes_and_begins_anew_at_a_break() {
    use drivelab_core::telemetry::{Gap, GapCause, Quantity, SeriesDescription, SourceKind};
    const S: u64 = 1_000_000_000;
    // Host and media in MB at 0, 10, 20, … s: 400 MB are too few alone, 800 together; then 1,000; then the counters go
    // back; then there is a gap.
    let written = [
        (0, 1_000.0, 5_000.0),
        (10, 1_400.0, 5_400.0),
        (20, 1_800.0, 6_600.0),
        (30, 2_800.0, 9_600.0),
        (40, 0.0, 0.0),
        (50, 600.0, 900.0),
        (60, 1_600.0, 2_900.0),
        (70, 2_600.0, 4_400.0),
    ];
    let host: Vec<(u64, f64)> = written.iter().map(|(at, host, _)| (at * S, host * 1e6)).collect();
    let mut source = drivelab_samples::source(SourceKind::MediaWrites, "host written", Quantity::Volume, &host);
    source.description.series.push(SeriesDescription::new("media written", Quantity::Volume));
    for (sample, (_, _, media)) in source.samples.iter_mut().zip(written) {
        sample.values.push(Some(media * 1e6));
    }
    source.gaps.push(Gap { from_ns: 52 * S, to_ns: 58 * S, cause: GapCause::Quiet });
    let mut run = sample_run();
    assert_eq!(write_amplification(&run), [], "nothing was counted");
    run.telemetry = drivelab_samples::recorded(vec![source]);
    assert_eq!(write_amplification(&run), [(20 * S, 2.0), (30 * S, 3.0), (50 * S, 1.5), (70 * S, 1.5)]);
}

#[test]
fn intervals_without_their_distributions_give_the_same_figures_and_curves() {
    for full in [sample_run(), sample_loads_run(), sample_open_loop_run()] {
        let mut condensed = full.clone();
        condensed.intervals.iter_mut().for_each(IntervalRecord::condense);
        let buckets = |run: &RunRecords| -> usize {
            run.intervals.iter().map(|one| one.read.histogram.buckets.len() + one.write.histogram.buckets.len()).sum()
        };
        assert!(buckets(&full) > 0 && buckets(&condensed) == 0);
        let points = run_time_line(&full);
        assert!(points.points.iter().any(|one| one.point.p99_us.is_some()));
        assert_eq!(points, run_time_line(&condensed));
        assert_eq!(crate::analyse(&full), crate::analyse(&condensed));
    }
}
