//! The run whose every figure was computed by hand.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::ids::StepId;
use drivelab_core::load::OpKind;
use drivelab_core::record::{DataFault, Effort, OpenLoop, OtherRecord, Response, StepRecord, Verification};
use drivelab_core::replay::{Lateness, ReplayRecord};
use drivelab_core::score::{Score, ScorePart, ScoreRates, ScoreRule};
use drivelab_core::telemetry::{About, Quantity, SeriesDescription, SourceKind};

use super::*;

/// A histogram of `count` equal latencies below 128 ns, where buckets are exact.
pub(super) fn flat(count: u64, nanoseconds: u64) -> SparseHistogram {
    let mut histogram = drivelab_core::histogram::Histogram::default();
    (0..count).for_each(|_| histogram.record(nanoseconds));
    histogram.sparse()
}

/// One round of the step with 30 % writes, alone in its run: 2 s of ramp, which is in no figure but the CPU times and
/// the totals of the run, then 2 s with 7,000 reads and 3,000 writes of 4 KiB and operations of the other kinds. Every
/// percentile is another latency, and every response time is 100 ns longer than its latency:
///
/// | | | | | | |
/// |---|---|---|---|---|---|
/// | reads | 4,900 took 40 ns | 2,030 took 90 ns | 69 took 120 ns | 1 took 127 ns | 387,107 ns together |
/// | writes | 2,900 took 50 ns | 90 took 60 ns | 9 took 100 ns | 1 took 110 ns | 151,410 ns together |
/// | trims | 900 took 20 ns | 85 took 30 ns | 13 took 60 ns | 1 took 70 ns, 1 took 80 ns | 21,480 ns together |
/// | write-zeroes | 1,800 took 25 ns | 170 took 35 ns | 26 took 65 ns | 2 took 75, 2 took 85 ns | 52,960 ns together |
/// | flushes | 3,600 took 45 ns | 340 took 55 ns | 52 took 85 ns | 4 took 95, 4 took 105 ns | 185,920 ns together |
pub(super) fn hand_made() -> RunRecords {
    let mut run = sample_run();
    let mut record = run.steps.iter().find(|r| r.key.step.as_str() == "mixes/w30").expect("the mix").clone();
    (record.start_ns, record.end_ns) = (3_000_000_000, 5_000_000_000);
    let elapsed = record.elapsed();
    let op = |errors, latencies: &[(u64, u64)]| op_record(4096, errors, latencies, elapsed);
    record.read = op(3, &[(4_900, 40), (2_030, 90), (69, 120), (1, 127)]);
    record.write = op(2, &[(2_900, 50), (90, 60), (9, 100), (1, 110)]);
    let flushes = op_record(0, 0, &[(3_600, 45), (340, 55), (52, 85), (4, 95), (4, 105)], elapsed);
    record.others = vec![
        OtherRecord::new(OpKind::Trim, op(1, &[(900, 20), (85, 30), (13, 60), (1, 70), (1, 80)])),
        OtherRecord::new(OpKind::WriteZeroes, op(0, &[(1_800, 25), (170, 35), (26, 65), (2, 75), (2, 85)])),
        OtherRecord::new(OpKind::Flush, flushes),
    ];
    record.in_flight_mean = 0.5;
    account(&mut record);
    let mut interval = run.intervals.iter().find(|i| i.key == record.key).expect("an interval").clone();
    let mut ramp = interval.clone();
    (ramp.ramp, ramp.start_ns, ramp.end_ns, ramp.in_flight_mean) = (true, 1_000_000_000, 3_000_000_000, 3.0);
    (ramp.read, ramp.write) = (op(4, &[(1_000, 80)]), op(1, &[(500, 80)]));
    (interval.index, interval.start_ns, interval.end_ns) = (1, record.start_ns, record.end_ns);
    (interval.read, interval.write, interval.in_flight_mean) = (record.read.clone(), record.write.clone(), 0.5);
    interval.others = record.others.clone();
    record.written_total = Bytes::new(3_500 * 4096);
    (run.steps, run.intervals) = (vec![record], vec![ramp, interval]);
    run.last_at_ns = 12_500_000_000;
    set_ramp(&mut run, Nanos::from_secs(2));
    on_a_curve(&mut run);
    score(&mut run);
    rest(&mut run);
    watch(&mut run);
    run
}

/// The same with the operations and the time multiplied: every rate and every percentile is the same.
pub(super) fn multiplied(times: u64) -> RunRecords {
    let mut run = hand_made();
    let record = &mut run.steps[0];
    record.end_ns = record.start_ns + times * record.elapsed().get();
    let elapsed = record.elapsed();
    let many = |histogram: &SparseHistogram| {
        let mut all = SparseHistogram::default();
        (0..times).for_each(|_| all.merge(histogram));
        all
    };
    for op in [&mut record.read, &mut record.write].into_iter().chain(record.others.iter_mut().map(|o| &mut o.record)) {
        let response = op.response.as_ref().map(|response| Response::new(many(&response.histogram)));
        let (count, bytes) = (times * op.count, Bytes::new(times * op.bytes.get()));
        *op = OpRecord { response, ..OpRecord::new(count, bytes, op.errors, many(&op.histogram), elapsed) };
    }
    record.open_loop.iter_mut().for_each(|schedule| schedule.arrived *= times);
    let interval = &mut run.intervals[1];
    (interval.end_ns, interval.read, interval.write) = (record.end_ns, record.read.clone(), record.write.clone());
    interval.others = record.others.clone();
    run.last_at_ns += times * elapsed.get();
    run
}

/// A second of rest after the step.
fn rest(run: &mut RunRecords) {
    let id = run.steps[0].key.step.clone();
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).filter(|step| step.id == id) {
        step.rest = drivelab_core::plan::Rest::Fixed { time: Nanos::from_secs(1) };
    }
}

/// Asks for a sum and a mean of two of its figures.
fn score(run: &mut RunRecords) {
    let part = |metric: &str, weight_thousandths| ScorePart {
        steps: vec![run.steps[0].key.step.clone()],
        metric: metric.to_owned(),
        weight_thousandths,
    };
    let sum = Score {
        name: "made".to_owned(),
        title: "Made up".to_owned(),
        unit: "points".to_owned(),
        rule: ScoreRule::Sum,
        better: drivelab_core::metric::Better::Higher,
        rates: ScoreRates::Decimal,
        parts: vec![part("total.iops", 1_000), part("read.iops", 100)],
        over: None,
        sources: Vec::new(),
        approximation: String::new(),
    };
    run.plan.scores = vec![Score { rule: ScoreRule::Mean, ..sum.clone() }, sum];
}

/// Makes the step a point of a curve, whose steps have figures of reads and writes together.
fn on_a_curve(run: &mut RunRecords) {
    let id = run.steps[0].key.step.clone();
    let steps = run.plan.tests.iter_mut().flat_map(|test| &mut test.steps);
    for step in steps.filter(|step| step.id == id) {
        step.relative = Some(drivelab_core::relative::RelativeRate {
            of: StepId::new("mixes", "full-speed"),
            percent: 50,
            rounding: drivelab_core::relative::Rounding::None,
            arrivals: drivelab_core::load::Arrivals::Constant,
            stop_above: None,
        });
    }
}

/// Its telemetry, in seconds of the run; the measured part is from 3 to 5.
fn watch(run: &mut RunRecords) {
    const S: u64 = 1_000_000_000;
    let power = [(2 * S, 4.0), (4 * S, 8.0), (9 * S / 2, 8.0), (6 * S, 2.0)];
    let temperature = [(2 * S, 40.0), (4 * S, 50.0), (6 * S, 45.0)];
    let energy = [(2 * S, 100.0), (4 * S, 120.0), (6 * S, 180.0)];
    let drive =
        |name: &str, quantity, points: &[(u64, f64)]| testing::source(SourceKind::Adapter, name, quantity, points);
    let mut rapl = testing::source(SourceKind::Rapl, "package-0 (intel-rapl:0)", Quantity::Energy, &energy);
    rapl.description.about = About::Host;
    let kinds = [("user", 1.0), ("system", 0.5), ("idle", 2.0), ("iowait", 0.1), ("steal", 0.4)];
    let mut cpu = testing::source(SourceKind::Cpu, "cpu0.interrupts", Quantity::CpuTime, &[(2 * S, 7.0), (6 * S, 7.0)]);
    for (kind, seconds) in kinds {
        cpu.description.series.push(SeriesDescription::new(format!("cpu0.{kind}"), Quantity::CpuTime));
        cpu.samples[0].values.push(Some(100.0));
        cpu.samples[1].values.push(Some(100.0 + seconds));
    }
    let media_points = [(2 * S, 7e12), (6 * S, 7e12 + 2e9)];
    let mut media = testing::source(SourceKind::MediaWrites, "host written", Quantity::Volume, &media_points);
    media.description.series.push(SeriesDescription::new("media written", Quantity::Volume));
    for (sample, bytes) in media.samples.iter_mut().zip([9e12, 9e12 + 3e9]) {
        sample.values.push(Some(bytes));
    }
    let sources = vec![
        drive("power", Quantity::Power, &power),
        drive("temperature", Quantity::Temperature, &temperature),
        rapl,
        cpu,
        media,
    ];
    run.telemetry = testing::recorded(sources);
    run.telemetry.cpu = Nanos::from_millis(50);
}

/// Operations of one size with these latencies, and response times that are 100 ns longer.
fn op_record(size: u64, errors: u64, latencies: &[(u64, u64)], elapsed: Nanos) -> OpRecord {
    let of = |more: u64| {
        let mut histogram = SparseHistogram::default();
        latencies.iter().for_each(|(count, latency)| histogram.merge(&flat(*count, latency + more)));
        histogram
    };
    let histogram = of(0);
    let response = Some(Response::new(of(100)));
    OpRecord {
        response,
        ..OpRecord::new(histogram.count, Bytes::new(histogram.count * size), errors, histogram, elapsed)
    }
}

/// The engine's account of itself, the schedule and the data.
fn account(record: &mut StepRecord) {
    (record.engine.cpu_user, record.engine.cpu_system) = (Nanos::from_millis(400), Nanos::from_millis(600));
    record.engine.effort = Some(Effort {
        operations: 20_000,
        syscalls: 4_000,
        thread_time: Nanos::from_secs(4),
        depth_asked: 4,
        reap_gap_mean: Some(Nanos::new(1_500)),
        reap_gap_max: Some(Nanos::new(80_000)),
        short_transfers: 6,
        eagain_retries: 11,
        clock: "tsc".to_owned(),
        ..Effort::default()
    });
    record.open_loop = Some(OpenLoop {
        asked_iops: 8_600.0,
        arrived: 17_200,
        backlog_at_end: 4,
        backlog_max: 9,
        backlog_growth_per_second: 1.5,
        lateness_mean: Nanos::new(700),
        lateness_max: Nanos::new(52_000),
    });
    let mut lateness = SparseHistogram::default();
    lateness.merge(&flat(3, 1_000));
    lateness.merge(&flat(1, 5_000));
    record.replay = Some(ReplayRecord {
        taken: 210,
        complete: true,
        skipped_trims: 10,
        moved: 50,
        aligned: 7,
        shortened: 3,
        busy: Nanos::from_millis(500),
        starved: Nanos::new(0),
        starved_operations: 0,
        lateness: Some(Lateness::new(lateness)),
    });
    record.bursts = Some(BurstsDone { count: 5, active: Nanos::from_secs(2) });
    let faults = BTreeMap::from([(DataFault::Stale, 2), (DataFault::Torn, 1)]);
    record.verification = Some(Verification { checked: 900, faults, ..Verification::default() });
}

/// Gives every step of the plan this ramp.
pub(super) fn set_ramp(run: &mut RunRecords, length: Nanos) {
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let drivelab_core::plan::Action::Io { ramp, .. } = &mut step.action {
            *ramp = length;
        }
    }
}
