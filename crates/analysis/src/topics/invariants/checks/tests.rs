//! Consistent records are never flagged; each single corruption is flagged by its own code and voids its own figures.

use std::collections::BTreeSet;

use drivelab_core::histogram::bucket_of;
use drivelab_core::plan::Step;
use drivelab_core::record::{IntervalRecord, OpRecord, Response, StepRecord};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_samples::{Pace, loads_plan, sample_loads_run, sample_plan, sample_run, step_events};
use proptest::prelude::*;

use super::*;
use crate::check;
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
        let all = steps();
        let step = all.iter().find(|step| step.id.as_str() == id).expect("a step of the sample plans");
        Case::new(step, Pace { bytes_per_second: rate, cliff_at: u64::MAX, after: rate })
    }

    fn codes(&self) -> Vec<&'static str> {
        let subject = Subject {
            step: &self.step,
            execution: Execution::new(&self.step, &self.record).expect("an I/O step"),
            intervals: self.intervals.iter().collect(),
            link: self.link,
            devices: &[],
            file_system: None,
            memory: Bytes::new(16 << 30),
            stores_nothing: false,
            probe: false,
            moment: false,
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
        let more = (busy * share + elapsed * operations) as u64;
        // The same in an interval, so that the sums agree.
        let sum = &mut self.main_part(0).histogram.sum;
        *sum = Nanos::new(sum.get() + more);
        let sum = &mut self.main_op().histogram.sum;
        *sum = Nanos::new(sum.get() + more);
    }

    /// Divides the latencies of every interval of a reading step, and of the step.
    fn divide_latencies(&mut self, by: u64) {
        let mut sum = 0;
        for interval in &mut self.intervals {
            let part = &mut interval.read.histogram.sum;
            *part = Nanos::new(part.get() / by);
            sum += part.get();
        }
        self.record.read.histogram.sum = Nanos::new(sum);
    }

    /// The request.
    fn workload(&mut self) -> &mut Workload {
        match &mut self.step.action {
            drivelab_core::plan::Action::Io { workload, .. } => workload,
            drivelab_core::plan::Action::Idle { .. } | drivelab_core::plan::Action::CoolDown(_) => {
                panic!("an I/O step")
            }
        }
    }

    /// The responses of the reads.
    fn responses(&mut self) -> &mut Response {
        self.record.read.response.as_mut().expect("an open loop")
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
        ("mass_errors", |case| {
            // Of both kinds alike, so that the mix stays as requested; at least one, however short the step.
            let (step, part) = (&mut case.record, &mut case.intervals[0]);
            for (op, part) in [(&mut step.read, &mut part.read), (&mut step.write, &mut part.write)] {
                let failed = op.count.div_ceil(50);
                op.errors += failed;
                part.errors += failed;
            }
        }),
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
            op.throughput = Some(drivelab_core::units::BytesPerSecond::new(op.mb_s() * 1e6 / 1.048_576));
        }),
        ("not_direct", |case| case.record.engine.direct_verified = false),
        ("histogram_count", |case| case.main_op().histogram.count -= 1),
        ("histogram_count", |case| case.main_op().histogram.buckets[0].1 += 1),
        ("percentile_order", |case| {
            let latency = case.main_op().latency.as_mut().expect("latencies");
            latency.p99 = Some(Nanos::new(latency.max.get() + 1));
        }),
        ("percentile_order", |case| case.main_op().histogram.min = Nanos::new(u64::MAX)),
        // Latencies timed from another moment: just past the tolerance, and far past it.
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
        // In an interval: one error among the few operations of a slow step would be many.
        ("interval_sums", |case| case.main_part(0).errors += 1),
        ("above_link", |case| {
            let total = 1e6 * case.record.read.mb_s().max(case.record.write.mb_s());
            case.link = Some(total * 0.99);
        }),
    ]
}

/// The code that must find it, the step, and what brings it about.
type LoadCorruption = (&'static str, &'static str, fn(&mut Case));

/// Every I/O step of the two sample plans.
fn steps() -> Vec<Step> {
    sample_plan().steps().chain(loads_plan().steps()).cloned().collect()
}

/// Ways to spoil a record of one of the loads beyond the plainest, with the step and the code that must find it.
fn load_corruptions() -> Vec<LoadCorruption> {
    let (paced, mixed, groups) = ("paced/r20000", "mixed/r60w30t10", "groups/oltp");
    vec![
        ("histogram_count", paced, |case| case.responses().histogram.count -= 1),
        ("percentile_order", paced, |case| {
            let summary = case.responses().summary.as_mut().expect("response times");
            summary.p99 = Some(Nanos::new(summary.max.get() + 1));
        }),
        ("response_below_latency", paced, |case| {
            let (whole, part) = (case.responses().histogram.sum.get(), case.record.read.histogram.sum.get());
            let less = whole - part + 1;
            let first = case.intervals[0].read.response.as_mut().expect("an open loop");
            first.histogram.sum = Nanos::new(first.histogram.sum.get() - less);
            case.responses().histogram.sum = Nanos::new(whole - less);
        }),
        ("response_below_latency", paced, |case| {
            // Sum and ends stay; everything in between is far too fast.
            let histogram = &mut case.responses().histogram;
            histogram.buckets = vec![(u32::try_from(bucket_of(1_000)).expect("a bucket"), histogram.count)];
            histogram.min = Nanos::new(1_000);
        }),
        ("interval_sums", paced, |case| {
            let sum = &mut case.responses().histogram.sum;
            *sum = Nanos::new(sum.get() + 1);
        }),
        ("interval_sums", mixed, |case| case.record.others[0].record.errors += 1),
        ("schedule_missed", paced, |case| case.record.open_loop.as_mut().expect("an open loop").asked_iops *= 1.03),
        ("schedule_missed", "overloaded/r300000", |case| {
            // Beyond 0.5 % and what may arrive while the last operations come back.
            case.record.open_loop.as_mut().expect("an open loop").asked_iops *= 0.99;
        }),
        ("arrivals_lost", paced, |case| case.record.open_loop.as_mut().expect("an open loop").backlog_at_end += 400),
        ("arrivals_lost", "overloaded/r300000", |case| {
            let open = case.record.open_loop.as_mut().expect("an open loop");
            open.backlog_at_end -= 2_000;
        }),
        ("group_sums", groups, |case| case.record.groups[1].write.errors += 1),
        ("group_sums", groups, |case| {
            let sum = &mut case.record.groups[0].read.histogram.sum;
            *sum = Nanos::new(sum.get() + 1);
        }),
        ("bytes_not_blocks", mixed, |case| {
            let sizes = &mut case.record.read.sizes;
            (sizes[0].count, sizes[1].count) = (sizes[0].count - 5, sizes[1].count + 5);
        }),
        ("bytes_not_blocks", mixed, |case| {
            let flushes = case.record.others.iter_mut().find(|other| other.op == OpKind::Flush).expect("flushes");
            let in_interval = case.intervals[0].others.iter_mut().find(|other| other.op == OpKind::Flush);
            for record in [&mut flushes.record, &mut in_interval.expect("flushes").record] {
                record.bytes = Bytes::new(1);
            }
        }),
        ("size_sums", mixed, |case| {
            let sum = &mut case.record.read.sizes[0].histogram.sum;
            *sum = Nanos::new(sum.get() + 1);
        }),
        ("mix_not_as_asked", "mixes/w30", |case| {
            case.workload().write_percent = drivelab_core::units::Percent::new(32).expect("a per cent");
        }),
        ("mix_not_as_asked", mixed, |case| {
            case.workload().other.trim_percent = drivelab_core::units::Percent::new(9).expect("a per cent");
        }),
        ("mix_not_as_asked", mixed, |case| case.workload().block_size_mix[0].operations = 75),
        ("mix_not_as_asked", mixed, |case| case.workload().other.sync_every = 60),
        ("mix_not_as_asked", groups, |case| {
            case.workload().write_percent = drivelab_core::units::Percent::new(22).expect("a per cent");
        }),
        ("no_operations", mixed, |case| {
            for others in case.intervals.iter_mut().map(|i| &mut i.others).chain([&mut case.record.others]) {
                others.retain(|other| other.op != OpKind::Trim);
            }
        }),
    ]
}

#[test]
fn the_sample_runs_keep_every_invariant() {
    for run in [sample_run(), sample_loads_run()] {
        let verdicts = check::run(INVARIANTS, &check::subjects(&run));
        assert!(verdicts.is_empty(), "{verdicts:?}");
    }
}

#[test]
fn each_corruption_of_a_richer_load_is_found_by_its_own_code() {
    for (index, (code, step, spoil)) in load_corruptions().into_iter().enumerate() {
        let mut case = Case::of(step, 9e8);
        assert!(case.codes().is_empty(), "{step} before corruption {index}: {:?}", case.codes());
        spoil(&mut case);
        assert_eq!(case.codes(), [code], "corruption {index}, of {step}");
    }
}

#[test]
fn a_share_may_be_off_by_chance_and_by_what_is_in_flight() {
    // 239,000 operations, 30 % of them writes: six deviations are 1,344, and 9 may be at the borders.
    let mut case = Case::of("mixes/w30", 2.4e8);
    let moved = |case: &mut Case, count: u64| case.record.write.errors = count;
    moved(&mut case, 1_200);
    assert!(!case.codes().contains(&"mix_not_as_asked"));
    moved(&mut case, 3_000);
    assert!(case.codes().contains(&"mix_not_as_asked"), "failed operations were drawn as well");
}

#[test]
fn a_kind_may_be_missing_where_few_of_it_were_to_be_expected() {
    let mut case = Case::of("mixed/r60w30t10", 9e8);
    for others in case.intervals.iter_mut().map(|i| &mut i.others).chain([&mut case.record.others]) {
        others.retain(|other| other.op != OpKind::Trim);
    }
    let small = |op: &mut OpRecord| op.count /= 100_000;
    assert_eq!(case.codes(), ["no_operations"]);
    let mut record = case.record.clone();
    for op in [&mut record.read, &mut record.write] {
        small(op);
    }
    let expected = draws::expected(OpKind::Trim, case.workload(), &record);
    assert!(expected < EXPECTED_AT_LEAST, "{expected}");
    case.record = record;
    assert!(!case.codes().contains(&"no_operations"));
}

#[test]
fn what_the_ramp_left_waiting_is_done_in_the_measured_part() {
    let mut case = Case::of("paced/r20000", 9e8);
    case.record.open_loop.as_mut().expect("an open loop").arrived -= 500;
    assert_eq!(case.codes(), ["arrivals_lost"]);
    let mut ramp = case.intervals[0].clone();
    (ramp.ramp, ramp.backlog) = (true, Some(500));
    case.intervals.insert(0, ramp);
    assert!(case.codes().is_empty());
}

#[test]
fn nothing_arrives_while_the_last_operations_come_back() {
    let mut case = Case::of("overloaded/r300000", 9e8);
    // The measured part is longer by one latency, in which nothing arrived.
    let longest = case.record.read.histogram.max.get();
    case.record.end_ns += longest;
    assert!(!case.codes().contains(&"schedule_missed"));
    case.record.end_ns += 3 * longest + 40_000_000;
    assert!(case.codes().contains(&"schedule_missed"));
}

#[test]
fn every_invariant_has_a_corruption_that_it_finds() {
    let mut covered: BTreeSet<&str> = corruptions().into_iter().map(|(code, _)| code).collect();
    covered.extend(load_corruptions().into_iter().map(|(code, ..)| code));
    covered.insert("streams_overlap");
    assert_eq!(covered, INVARIANTS.iter().map(|check| check.finding.code).collect());
}

#[test]
fn parallel_streams_may_overlap_only_where_the_methodology_shares() {
    for pattern in [Pattern::Sequential, Pattern::Reverse] {
        overlap(pattern);
    }
}

fn overlap(pattern: Pattern) {
    let mut case = Case::of("corners/seq-1m-q8t1-read", 1e9);
    case.workload().pattern = pattern;
    case.workload().threads = drivelab_core::units::Threads::new(3).expect("threads");
    let extent = |thread, lowest, highest_end| StreamExtent { thread, lowest, highest_end };
    case.record.streams = vec![extent(0, 0, 1 << 30), extent(1, 1 << 30, 2 << 30), extent(2, 0, 0)];
    assert!(case.codes().is_empty(), "neighbours, and a thread that touched nothing");
    case.record.streams[1].lowest -= 1;
    assert_eq!(case.codes(), ["streams_overlap"]);
    case.workload().streams = Streams::Overlapping;
    assert!(case.codes().is_empty());
    case.workload().streams = Streams::Disjoint;
    case.workload().threads = drivelab_core::units::Threads::ONE;
    let log = Workload { threads: drivelab_core::units::Threads::new(2).expect("threads"), ..case.workload().clone() };
    case.workload().beside = vec![log];
    assert!(!case.codes().contains(&"streams_overlap"), "threads 1 and 2 are another group, whose own do not overlap");
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
    case.divide_latencies(4);
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
    case.workload().threads = drivelab_core::units::Threads::new(2).expect("a number of threads");
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
        step in prop::sample::select(steps()),
        rate in 2e7f64..6e9,
        fall in 0.05f64..1.0,
        cliff_at in (1u64 << 24)..(1 << 34),
    ) {
        // A whole pass at the lowest rates would take an hour of intervals.
        let rate = rate.max(if step.estimated_written.get() > 0 { 1e9 } else { 0.0 });
        let pace = Pace { bytes_per_second: rate, cliff_at, after: rate * fall };
        prop_assert_eq!(Case::new(&step, pace).codes(), Vec::<&str>::new());
        let plain = sample_plan().steps().any(|one| one.id == step.id);
        for (code, spoil) in corruptions().into_iter().filter(|_| plain) {
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
    let of_both = || of("total", &["latency_mean"]);
    let everything = [rates("read"), rates("write"), rates("total"), of("read", &latency), of("write", &latency)];
    let everything = [everything.concat(), of_both()].concat();
    // The step mixes 30 % writes, so reads are the kind that the corruptions spoil.
    let reads = [rates("read"), rates("total"), of("read", &latency), of_both()].concat();
    let plain = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let expected = |code: &str| match code {
        "time_order" => {
            [rates("read"), rates("write"), rates("total"), plain(&["cpu_share", "duration", "in_flight_mean"])]
                .concat()
        }
        "mass_errors" => [rates("read"), rates("write"), rates("total")].concat(),
        "no_operations" | "not_direct" => everything.clone(),
        "bytes_not_blocks" | "rate_mismatch" => [rates("read"), rates("total")].concat(),
        "histogram_count" => [of("read", &latency), of_both()].concat(),
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
        // Not every case has the operations for a 99.99th percentile; where there is one, it is void with the 99.9th.
        let mut wanted: BTreeSet<String> = expected(code).into_iter().collect();
        for kind in ["read", "write"] {
            let [near, far] = ["latency_p999", "latency_p9999"].map(|id| format!("{kind}.{id}"));
            let is_listed = analysis.metrics.iter().any(|metric| metric.id == far);
            wanted.extend(Some(far).filter(|_| is_listed && wanted.contains(&near)));
        }
        assert_eq!(ids, wanted, "{code}");
        let finding = analysis.findings.first().expect("a finding");
        assert_eq!((finding.code.as_str(), finding.severity), (code, drivelab_core::finding::Severity::Void));
    }
}
