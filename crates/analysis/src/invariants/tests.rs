//! Consistent records are never flagged; each single corruption is flagged by its own code and voids its own figures.

use std::collections::BTreeSet;

use drivelab_core::plan::Step;
use drivelab_core::record::{IntervalRecord, OpRecord, StepRecord};
use drivelab_core::units::{Bytes, Nanos};
use proptest::prelude::*;

use super::*;
use crate::check;
use crate::testing::{Pace, sample_plan, sample_run, step_events};
use crate::values::Execution;

/// One execution that a test may spoil.
struct Case {
    step: Step,
    record: StepRecord,
    intervals: Vec<IntervalRecord>,
    link: Option<f64>,
}

impl Case {
    fn new(step: &Step, pace: Pace) -> Self {
        let (intervals, record) = step_events(step, 1, 5_000_000_000, pace);
        Case { step: step.clone(), record, intervals, link: Some(8e9) }
    }

    fn of(id: &str, rate: f64) -> Self {
        let plan = sample_plan();
        let step = plan.steps().find(|step| step.id.as_str() == id).expect("a step of the sample plan");
        Case::new(step, Pace { bytes_per_second: rate, cliff_at: u64::MAX, after: rate })
    }

    fn codes(&self) -> Vec<&'static str> {
        let subject = Subject {
            step: &self.step,
            execution: Execution::new(&self.step, &self.record).expect("an I/O step"),
            intervals: self.intervals.iter().collect(),
            link: self.link,
        };
        check::run(INVARIANTS, &[subject]).iter().map(|verdict| verdict.code).collect()
    }

    /// The kind of operation that the step mostly does.
    fn main_op(&mut self) -> &mut OpRecord {
        if self.record.read.count >= self.record.write.count { &mut self.record.read } else { &mut self.record.write }
    }

    /// Queue depth times threads.
    fn asked(&self) -> f64 {
        self.step.workload().expect("an I/O step").total_depth() as f64
    }

    /// Adds to the sum of latencies what a share of the operations in flight and some operations more would.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and far below 2^53")]
    fn add_latency(&mut self, share: f64, operations: f64) {
        let elapsed = self.record.elapsed().get() as f64;
        let busy = (self.record.read.histogram.sum.get() + self.record.write.histogram.sum.get()) as f64;
        let sum = &mut self.main_op().histogram.sum;
        *sum = Nanos::new(sum.get() + (busy * share + elapsed * operations) as u64);
    }

    /// Its part of one interval.
    fn main_part(&mut self, index: usize) -> &mut OpRecord {
        let reads = self.record.read.count >= self.record.write.count;
        let interval = &mut self.intervals[index];
        if reads { &mut interval.read } else { &mut interval.write }
    }
}

/// A code and what brings it about.
type Corruption = (&'static str, fn(&mut Case));

/// Every way to spoil a record that must be found, with the code that must find it.
fn corruptions() -> Vec<Corruption> {
    vec![
        ("time_order", |case| case.record.end_ns = case.record.start_ns),
        ("no_operations", |case| {
            (case.record.read, case.record.write) = (OpRecord::default(), OpRecord::default());
            (case.record.in_flight_mean, case.intervals) = (0.0, Vec::new());
        }),
        ("bytes_not_blocks", |case| {
            // The same wrong bytes in an interval, so that the sums agree.
            let part = case.main_part(0);
            part.bytes = Bytes::new(part.bytes.get() - 512);
            let whole = case.main_op();
            whole.bytes = Bytes::new(whole.bytes.get() - 512);
        }),
        ("rate_mismatch", |case| case.main_op().iops *= 1.01),
        ("rate_mismatch", |case| {
            let op = case.main_op();
            op.throughput = drivelab_core::units::BytesPerSecond::new(op.throughput.get() / 1.048_576);
        }),
        ("not_direct", |case| case.record.engine.direct_verified = false),
        ("histogram_count", |case| case.main_op().histogram.count -= 1),
        ("histogram_count", |case| case.main_op().histogram.buckets[0].1 += 1),
        ("percentile_order", |case| {
            let latency = case.main_op().latency.as_mut().expect("latencies");
            latency.p99 = Nanos::new(latency.p999.get() + 1);
        }),
        ("percentile_order", |case| case.main_op().histogram.min = Nanos::new(u64::MAX)),
        // Latencies timed from another moment: just past what is forgiven, and far past it.
        ("little_law", |case| case.add_latency(0.021, 1.1)),
        ("little_law", |case| case.add_latency(0.5, 5.0)),
        // Past the tolerance, while Little's law alone forgives it; and far past it with latencies that fit.
        ("above_depth", |case| case.record.in_flight_mean = case.asked() * 1.011),
        ("above_depth", |case| {
            case.record.in_flight_mean *= 2.0;
            case.add_latency(1.0, 0.0);
        }),
        ("interval_sums", |case| *case.main_part(1) = OpRecord::default()),
        ("interval_sums", |case| case.main_part(0).count -= 1),
        ("interval_sums", |case| case.main_op().errors += 1),
        ("above_link", |case| {
            let total = case.record.read.throughput.get().max(case.record.write.throughput.get());
            case.link = Some(total * 0.99);
        }),
    ]
}

#[test]
fn the_sample_run_keeps_every_invariant() {
    let run = sample_run();
    assert!(check::run(INVARIANTS, &check::subjects(&run)).is_empty());
}

#[test]
fn every_invariant_has_a_corruption_that_it_finds() {
    let mut covered: BTreeSet<&str> = corruptions().into_iter().map(|(code, _)| code).collect();
    covered.insert("streams_overlap");
    assert_eq!(covered, INVARIANTS.iter().map(|check| check.code).collect());
}

#[test]
fn parallel_streams_may_overlap_only_where_the_methodology_shares() {
    let mut case = Case::of("corners/seq-1m-q8t1-read", 1e9);
    let extent = |thread, lowest, highest_end| StreamExtent { thread, lowest, highest_end };
    case.record.streams = vec![extent(0, 0, 1 << 30), extent(1, 1 << 30, 2 << 30), extent(2, 0, 0)];
    assert!(case.codes().is_empty(), "neighbours, and a thread that touched nothing");
    case.record.streams[1].lowest -= 1;
    assert_eq!(case.codes(), ["streams_overlap"]);
    if let drivelab_core::plan::Action::Io { workload, .. } = &mut case.step.action {
        workload.streams = Streams::Overlapping;
    }
    assert!(case.codes().is_empty());
}

#[test]
fn little_law_forgives_two_per_cent_and_one_operation() {
    let mut case = Case::of("depths/q64", 1e9);
    let exact = case.record.in_flight_mean;
    case.record.in_flight_mean = exact * 0.98 - 0.9;
    assert!(case.codes().is_empty());
    case.record.in_flight_mean = exact * 0.98 - 1.1;
    assert_eq!(case.codes(), ["little_law"]);
}

#[test]
fn failed_operations_may_explain_more_in_flight_and_never_less() {
    let mut case = Case::of("depths/q64", 1e9);
    let exact = case.record.in_flight_mean;
    (case.record.read.errors, case.intervals[0].read.errors) = (9, 9);
    case.record.in_flight_mean = exact * 0.5;
    assert_eq!(case.codes(), ["little_law"]);
    let sum = &mut case.record.read.histogram.sum;
    *sum = Nanos::new(sum.get() / 4);
    assert!(case.codes().is_empty(), "32 in flight, 16 of them by the latencies of what completed");
    case.record.in_flight_mean = exact * 1.5;
    assert_eq!(case.codes(), ["above_depth"], "also an operation that fails takes one of the slots");
}

#[test]
fn the_asked_depth_may_be_exceeded_by_one_per_cent() {
    let mut case = Case::of("corners/rnd-4k-q32t1-read", 1e9);
    case.record.in_flight_mean = 32.0 * 1.009;
    assert!(case.codes().is_empty());
    case.record.in_flight_mean = 32.0 * 1.011;
    assert_eq!(case.codes(), ["above_depth"]);
    if let drivelab_core::plan::Action::Io { workload, .. } = &mut case.step.action {
        workload.threads = drivelab_core::units::Threads::new(2).expect("a number of threads");
    }
    assert!(case.codes().is_empty(), "each thread has the whole depth");
}

#[test]
fn a_lost_interval_is_missed_and_the_ramp_is_not() {
    let mut case = Case::of("mixes/w50", 1e8);
    let mut ramp = case.intervals[0].clone();
    ramp.ramp = true;
    case.intervals.insert(0, ramp);
    assert!(case.codes().is_empty());
    case.intervals.pop();
    assert_eq!(case.codes(), ["interval_sums"]);
}

#[test]
fn an_unknown_link_limits_nothing_and_links_of_a_stripe_add_up() {
    let mut run = sample_run();
    assert_eq!(check::subjects(&run)[0].link, Some(7.877e9));
    let mut second = run.environment.target.devices[0].clone();
    second.name = "nvme1n1".to_owned();
    let mut stripe = second.clone();
    (stripe.name, stripe.link) = ("md0".to_owned(), None);
    stripe.lies_on = vec!["nvme0n1".to_owned(), "nvme1n1".to_owned()];
    run.environment.target.devices.extend([second, stripe]);
    assert_eq!(check::subjects(&run)[0].link, Some(2.0 * 7.877e9));
    run.environment.target.devices[1].link = None;
    assert_eq!(check::subjects(&run)[0].link, None);
}

proptest! {
    // Each case makes a step of up to 400 intervals once for every corruption.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn consistent_records_are_never_flagged_and_each_corruption_only_by_its_own_code(
        step in prop::sample::select(sample_plan().steps().cloned().collect::<Vec<Step>>()),
        rate in 2e7f64..6e9,
        fall in 0.05f64..1.0,
        cliff_at in (1u64 << 24)..(1 << 34),
    ) {
        // A whole pass at the lowest rates would take an hour of intervals.
        let rate = rate.max(if step.estimated_written.get() > 0 { 1e9 } else { 0.0 });
        let pace = Pace { bytes_per_second: rate, cliff_at, after: rate * fall };
        prop_assert_eq!(Case::new(&step, pace).codes(), Vec::<&str>::new());
        for (code, spoil) in corruptions() {
            let mut case = Case::new(&step, pace);
            spoil(&mut case);
            prop_assert_eq!(case.codes(), vec![code]);
        }
    }
}

#[test]
fn a_violation_voids_exactly_the_figures_concerned() {
    let latency = ["latency_max", "latency_mean", "latency_p50", "latency_p99", "latency_p999"];
    let of = |group: &str, names: &[&str]| -> Vec<String> { names.iter().map(|n| format!("{group}.{n}")).collect() };
    let rates = |group: &str| of(group, &["iops", "throughput"]);
    let everything = [rates("read"), rates("write"), rates("total"), of("read", &latency), of("write", &latency)];
    let everything = everything.concat();
    // The step mixes 30 % writes, so reads are the kind that the corruptions spoil.
    let reads = [rates("read"), rates("total"), of("read", &latency)].concat();
    let plain = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let expected = |code: &str| match code {
        "time_order" => {
            [rates("read"), rates("write"), rates("total"), plain(&["cpu_share", "duration", "in_flight_mean"])]
                .concat()
        }
        "no_operations" | "not_direct" => everything.clone(),
        "bytes_not_blocks" | "rate_mismatch" => [rates("read"), rates("total")].concat(),
        "histogram_count" => of("read", &latency),
        "percentile_order" => of("read", &["latency_max", "latency_p50", "latency_p99", "latency_p999"]),
        "little_law" | "above_depth" => [everything.clone(), plain(&["in_flight_mean"])].concat(),
        _ => reads.clone(),
    };
    for (code, spoil) in corruptions() {
        let mut case = Case::of("mixes/w30", 2e8);
        spoil(&mut case);
        let mut run = sample_run();
        run.environment.target.devices[0].link.as_mut().expect("a link").bytes_per_second = case.link;
        (run.steps, run.intervals) = (vec![case.record], case.intervals);
        let analysis = crate::analyse(&run);
        let void = analysis.metrics.iter().filter(|metric| !metric.voided_by.is_empty());
        let void: Vec<&drivelab_core::metric::Metric> = void.collect();
        assert!(void.iter().all(|m| m.voided_by == [code] && m.value.is_none() && m.rounds.is_empty()), "{code}");
        let ids: BTreeSet<String> = void.iter().map(|metric| metric.id.clone()).collect();
        assert_eq!(ids, expected(code).into_iter().collect(), "{code}");
        let finding = analysis.findings.first().expect("a finding");
        assert_eq!((finding.code.as_str(), finding.severity), (code, drivelab_core::finding::Severity::Void));
    }
}
