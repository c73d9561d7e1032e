//! Every metric on hand-made records with the answer worked out on paper, and the rules for rounds.

mod both;
mod capacities;
mod filled;
mod heated;
mod mistakes;

use std::collections::BTreeMap;

use drivelab_core::event::Steadiness;
use drivelab_core::ids::StepId;
use drivelab_core::load::OpKind;
use drivelab_core::metric::Metric;
use drivelab_core::plan::Combine;
use drivelab_core::record::{
    BurstsDone, DataFault, Effort, OpRecord, OpenLoop, OtherRecord, Response, StepRecord, StopReason, Verification,
};
use drivelab_core::replay::{Lateness, ReplayRecord};
use drivelab_core::run::RunRecords;
use drivelab_core::score::{Score, ScorePart, ScoreRates, ScoreRule};
use drivelab_core::telemetry::{About, Quantity, SeriesDescription, SourceKind};
use drivelab_core::units::{Bytes, Nanos};
use proptest::prelude::*;

use super::*;
use crate::analyse;
use crate::testing::{self, sample_run, sample_steady_run, sample_unfinished_run};

/// A histogram of `count` latencies that are all the same, below 128 ns, where buckets are exact.
fn flat(count: u64, nanoseconds: u64) -> SparseHistogram {
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
fn hand_made() -> RunRecords {
    let mut run = sample_run();
    let mut record = run.steps.iter().find(|r| r.key.step.as_str() == "mixes/w30").expect("the mix").clone();
    (record.start_ns, record.end_ns) = (3_000_000_000, 5_000_000_000);
    let elapsed = record.elapsed();
    let op = |errors, latencies: &[(u64, u64)]| op_record(4096, errors, latencies, elapsed);
    record.read = op(3, &[(4_900, 40), (2_030, 90), (69, 120), (1, 127)]);
    record.write = op(2, &[(2_900, 50), (90, 60), (9, 100), (1, 110)]);
    let flushes = op_record(0, 0, &[(3_600, 45), (340, 55), (52, 85), (4, 95), (4, 105)], elapsed);
    record.others = vec![
        OtherRecord { op: OpKind::Trim, record: op(1, &[(900, 20), (85, 30), (13, 60), (1, 70), (1, 80)]) },
        OtherRecord { op: OpKind::WriteZeroes, record: op(0, &[(1_800, 25), (170, 35), (26, 65), (2, 75), (2, 85)]) },
        OtherRecord { op: OpKind::Flush, record: flushes },
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

/// What was watched while it ran, in seconds of the run; the measured part is from 3 to 5.
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

/// What the engine says of itself, of the schedule and of the data.
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
fn set_ramp(run: &mut RunRecords, length: Nanos) {
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let drivelab_core::plan::Action::Io { ramp, .. } = &mut step.action {
            *ramp = length;
        }
    }
}

/// What every metric of [`hand_made`] is, worked out on paper.
const KNOWN_ANSWERS: &[(&str, f64)] = &[
    ("read.throughput", 14.336),
    ("write.throughput", 6.144),
    ("total.throughput", 20.48),
    ("read.iops", 3_500.0),
    ("write.iops", 1_500.0),
    ("total.iops", 5_000.0),
    // 387,107 and 151,410 ns of 10,000; rank 9,900 lies among the 2,030 reads of 90 ns.
    ("total.latency_mean", 0.053_851_7),
    ("total.latency_p99", 0.090),
    ("total.response_mean", 0.153_851_7),
    ("total.response_p99", 0.190),
    ("read.latency_mean", 0.387_107 / 7.0),
    ("read.latency_p50", 0.040),
    ("read.latency_p99", 0.090),
    ("read.latency_p999", 0.120),
    ("read.latency_max", 0.127),
    ("write.latency_mean", 0.050_47),
    ("write.latency_p50", 0.050),
    ("write.latency_p99", 0.060),
    ("write.latency_p999", 0.100),
    ("write.latency_max", 0.110),
    ("trim.iops", 500.0),
    ("trim.throughput", 2.048),
    ("write_zeroes.iops", 1_000.0),
    ("write_zeroes.throughput", 4.096),
    ("flush.iops", 2_000.0),
    ("trim.latency_mean", 0.021_48),
    ("trim.latency_p50", 0.020),
    ("trim.latency_p99", 0.060),
    ("trim.latency_p999", 0.070),
    ("trim.latency_max", 0.080),
    ("write_zeroes.latency_mean", 0.026_48),
    ("write_zeroes.latency_p50", 0.025),
    ("write_zeroes.latency_p99", 0.065),
    ("write_zeroes.latency_p999", 0.075),
    ("write_zeroes.latency_max", 0.085),
    ("flush.latency_mean", 0.046_48),
    ("flush.latency_p50", 0.045),
    ("flush.latency_p99", 0.085),
    ("flush.latency_p999", 0.095),
    ("flush.latency_max", 0.105),
    ("read.response_mean", 0.1 + 0.387_107 / 7.0),
    ("read.response_p50", 0.140),
    ("read.response_p99", 0.190),
    ("read.response_p999", 0.220),
    ("read.response_max", 0.227),
    ("write.response_mean", 0.150_47),
    ("write.response_p50", 0.150),
    ("write.response_p99", 0.160),
    ("write.response_p999", 0.200),
    ("write.response_max", 0.210),
    ("trim.response_mean", 0.121_48),
    ("trim.response_p50", 0.120),
    ("trim.response_p99", 0.160),
    ("trim.response_p999", 0.170),
    ("trim.response_max", 0.180),
    ("write_zeroes.response_mean", 0.126_48),
    ("write_zeroes.response_p50", 0.125),
    ("write_zeroes.response_p99", 0.165),
    ("write_zeroes.response_p999", 0.175),
    ("write_zeroes.response_max", 0.185),
    ("flush.response_mean", 0.146_48),
    ("flush.response_p50", 0.145),
    ("flush.response_p99", 0.185),
    ("flush.response_p999", 0.195),
    ("flush.response_max", 0.205),
    ("in_flight_mean", 0.5),
    ("errors", 6.0),
    ("verified.blocks", 900.0),
    ("verified.bad_blocks", 3.0),
    // Of the run in `capacities`: 16 GiB, and 1 - (10^-6)^(1/1000) = 1 - e^-0.013815511.
    ("verified.capacity", 17.179_869_184),
    ("verified.share_found", 1.372_051_436_878_953),
    ("open_loop.asked_iops", 8_600.0),
    // 17,000 that completed and 6 that failed.
    ("open_loop.achieved_iops", 8_503.0),
    ("open_loop.backlog_growth", 1.5),
    ("open_loop.backlog_max", 9.0),
    ("open_loop.lateness_mean", 0.7),
    ("open_loop.lateness_max", 52.0),
    // 10,000 blocks in the half second in which any was outstanding.
    ("replay.busy_throughput", 81.92),
    ("replay.busy_time", 0.5),
    ("replay.energy", 14.5 / 3_600.0),
    // Three of 1 us and one of 5 us.
    ("replay.lateness_mean", 2.0),
    ("replay.lateness_max", 5.0),
    // 50 of the 200 that were issued.
    ("replay.moved_share", 25.0),
    ("bursts.count", 5.0),
    ("bursts.active", 2.0),
    ("bursts.active_share", 100.0),
    // 400 ms of 20,000 operations, the ramp's and failed ones among them.
    ("cpu_user_per_io", 20_000.0),
    // 1 s of CPU time in 4 s of one thread.
    ("cpu_share", 25.0),
    ("engine.user_share", 10.0),
    ("engine.kernel_share", 15.0),
    ("engine.operations_per_syscall", 5.0),
    ("engine.depth_kept", 12.5),
    ("engine.reap_gap_mean", 1.5),
    ("engine.reap_gap_max", 80.0),
    ("engine.short_transfers", 6.0),
    ("engine.eagain_retries", 11.0),
    ("duration", 2.0),
    // 40 °C at 2 s, 50 at 4 s, 45 at 6 s: 45 at 3 s and 47.5 at 5 s.
    ("temperature.min", 45.0),
    ("temperature.mean", 48.125),
    ("temperature.max", 50.0),
    // 6 W at 3 s, 8 W from 4 to 4.5 s, 6 W at 5 s: 7 + 4 + 3.5 J.
    ("power.min", 6.0),
    ("power.mean", 7.25),
    ("power.max", 8.0),
    ("power.energy", 14.5),
    // A rest from 5 to 6 s: 4 W at its middle, 2 W at its end.
    ("power.rest", 3.0),
    ("power.throughput_per_watt", 20.48 / 7.25),
    ("power.iops_per_watt", 5_000.0 / 7.25),
    // 2 GB from the host and 3 GB to the media.
    ("media.write_amplification", 1.5),
    // 10 J in the first second, 30 J in the other.
    ("host_power.mean", 20.0),
    // Of 4 s of one CPU 1.5 s were busy and 0.4 s stolen.
    ("host_cpu.busy", 37.5),
    ("host_cpu.steal", 10.0),
    // Of the run in `filled`: 32 GiB, a hundredth of them in 1 s before the cache ended.
    ("fill.peak", filled::HUNDREDTH_MB),
    ("fill.cache_size", 20.0 * filled::HUNDREDTH_MB / 1e3),
    ("fill.cache_share", 20.0),
    // 50 hundredths in 4 s each, 20 in 8 s each.
    ("fill.sustained", 70.0 * filled::HUNDREDTH_MB / 360.0),
    // The last 20 hundredths took 160 s, the 20 before them 80 s, and what lies before those 1 s each.
    ("fill.last_16_gb", 16e3 / (240.0 + (16e3 / filled::HUNDREDTH_MB - 40.0))),
    ("fill.recoveries", 1.0),
    // 10 of 80 hundredths.
    ("fill.recovery_share", 12.5),
    ("fill.late_decline", 50.0),
    // 5,000 operations a second, and 0.1 of the 3,500 that read; and the same by 1.1.
    ("score.sum", 5_350.0),
    ("score.mean", 5_350.0 / 1.1),
    ("run.telemetry_cpu", 0.4),
    ("run.duration", 12.5),
    ("run.bytes_written", 0.014_336),
    ("run.bytes_read", 0.032_768),
];

fn known_answers() -> BTreeMap<&'static str, f64> {
    KNOWN_ANSWERS.iter().chain(heated::KNOWN_ANSWERS).copied().collect()
}

/// Whether a figure is the known one, but for the rounding of its arithmetic.
fn agrees(value: f64, known: f64) -> bool {
    (value - known).abs() <= 1e-9 * known.abs()
}

fn metric<'a>(analysis: &'a crate::Analysis, step: &str, id: &str) -> &'a Metric {
    let address = format!("{step}:{id}");
    analysis.metric(&address).unwrap_or_else(|| panic!("no {address}"))
}

#[test]
fn every_metric_has_the_value_worked_out_on_paper() {
    let (analysis, fill, expected) = (analyse(&hand_made()), analyse(&filled::run()), known_answers());
    let heat = analyse(&heated::run());
    let capacity = analyse(&capacities::run());
    let ids: Vec<&str> = METRICS.iter().map(|def| def.id).collect();
    assert_eq!(expected.len(), ids.len(), "a metric without a known answer");
    for id in ids {
        let (analysis, step) = match id.split_once('.') {
            Some(("run", _)) => (&analysis, "run"),
            Some(("score", _)) => (&analysis, "score/made"),
            Some(("fill", _)) => (&fill, filled::STEP),
            Some(("heat", _)) => (&heat, heated::STEP),
            Some(("verified", "capacity" | "share_found")) => (&capacity, capacities::STEP),
            _ => (&analysis, "mixes/w30"),
        };
        let got = metric(analysis, step, id);
        let value = got.value.unwrap_or_else(|| panic!("{id} has no value: {:?}", got.voided_by));
        assert!(agrees(value, expected[id]), "{id}: {value}, not {}", expected[id]);
        assert_eq!(got.unit, metric_def(id).expect("a definition").unit);
        assert_eq!(got.spread, None, "one round does not spread");
    }
}

/// The hand-made run as a recording of the first format version, without the engine's account: thread time is worked
/// out from threads and bounds.
fn first_version() -> RunRecords {
    let mut run = hand_made();
    run.steps[0].engine.effort = None;
    run
}

#[test]
fn the_sync_backend_has_a_thread_for_every_operation_in_flight() {
    let mut run = first_version();
    run.steps[0].engine.backend = "sync".to_owned();
    // 1 s of CPU time in 4 s on 4 threads.
    assert_eq!(metric(&analyse(&run), "mixes/w30", "cpu_share").value, Some(6.25));
}

#[test]
fn a_step_without_a_ramp_has_all_of_the_cpu_time_in_its_measured_part() {
    let mut run = first_version();
    assert_eq!(metric(&analyse(&run), "mixes/w30", "cpu_share").value, Some(25.0), "1 s in 4 s, ramp and all");
    set_ramp(&mut run, Nanos::new(0));
    // 1 s of CPU time in 2 s; 400 ms belong to 10,000 operations.
    let analysis = analyse(&run);
    assert_eq!(metric(&analysis, "mixes/w30", "cpu_share").value, Some(50.0));
    assert_eq!(metric(&analysis, "mixes/w30", "cpu_user_per_io").value, Some(40e3));
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

#[test]
fn kinds_schedules_and_checks_have_figures_where_there_are_any() {
    let analysis = analyse(&testing::sample_loads_run());
    let has = |address: &str| analysis.metric(address).is_some_and(|metric| metric.value.is_some());
    assert!(has("paced/r20000:read.response_p99") && has("paced/r20000:open_loop.backlog_growth"));
    assert!(has("mixed/r60w30t10:trim.latency_p99") && has("mixed/r60w30t10:flush.iops"));
    assert!(!has("mixed/r60w30t10:read.response_p99") && !has("mixed/r60w30t10:write_zeroes.iops"));
    assert!(has("groups/oltp:total.iops") && has("verified/check:verified.blocks"));
    assert!(analysis.metric("verified/write:verified.blocks").is_none());
    assert!(analysis.metric("mixed/r60w30t10:open_loop.asked_iops").is_none());
    let mut trims = testing::sample_mixed_run();
    for record in &mut trims.steps {
        (record.read, record.write) = (OpRecord::default(), OpRecord::default());
    }
    for step in trims.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let drivelab_core::plan::Action::Io { workload, .. } = &mut step.action {
            workload.beside.clear();
            workload.write_percent = drivelab_core::units::Percent::ZERO;
            workload.other = drivelab_core::load::OtherOps {
                trim_percent: drivelab_core::units::Percent::new(100).expect("a per cent"),
                ..Default::default()
            };
        }
    }
    let analysis = analyse(&trims);
    assert!(analysis.metric("mixed/r60w30t10:total.iops").is_none(), "a load that moves no data has no total");
    assert!(analysis.metric("mixed/r60w30t10:trim.iops").is_some());
}

#[test]
fn an_overloaded_open_loop_has_latencies_and_growth_but_no_response_times() {
    let analysis = analyse(&testing::sample_overloaded_run());
    let of = |id: &str| metric(&analysis, "overloaded/r300000", id);
    for id in ["read.response_mean", "read.response_p50", "read.response_p99", "read.response_max"] {
        assert_eq!((of(id).value, of(id).voided_by.as_slice()), (None, ["open_loop_overloaded".to_owned()].as_slice()));
    }
    assert!(of("read.latency_p99").value.is_some() && of("read.iops").value.is_some());
    assert!(of("open_loop.backlog_growth").value.is_some_and(|growth| growth > 10_000.0));
}

#[test]
fn rates_of_a_limited_step_are_lower_bounds_and_nothing_else_is() {
    let analysis = analyse(&testing::sample_limited_run());
    let bounds: Vec<&str> =
        analysis.metrics.iter().filter(|metric| metric.lower_bound).map(|metric| metric.id.as_str()).collect();
    assert_eq!(bounds, ["read.throughput", "total.throughput", "read.iops", "total.iops"]);
    assert!(analyse(&sample_run()).metrics.iter().all(|metric| !metric.lower_bound));
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
        record.read = OpRecord::new(count, bytes, errors, histogram, record.elapsed());
        run.intervals[index].read = record.read.clone();
    }
    run
}

#[test]
fn bursts_by_volume_have_rates_over_their_active_time_and_no_figure_per_watt() {
    let mut run = hand_made();
    run.steps[0].open_loop = None;
    run.steps[0].bursts = Some(BurstsDone { count: 3, active: Nanos::from_millis(500) });
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let drivelab_core::plan::Action::Io { workload, .. } = &mut step.action {
            let (volume, duty_percent) =
                (Bytes::new(1 << 20), drivelab_core::units::Percent::new(25).expect("in range"));
            workload.pace.volume_bursts =
                Some(drivelab_core::load::VolumeBursts { volume, duty_percent, on_at_most: None });
        }
    }
    let active = run.steps[0].active();
    let record = &mut run.steps[0];
    for op in [&mut record.read, &mut record.write].into_iter().chain(record.others.iter_mut().map(|o| &mut o.record)) {
        let histogram = op.histogram.clone();
        *op = OpRecord { response: None, ..OpRecord::new(op.count, op.bytes, op.errors, histogram, active) };
    }
    run.intervals[1].read = run.steps[0].read.clone();
    run.intervals[1].write = run.steps[0].write.clone();
    run.intervals[1].others = run.steps[0].others.clone();
    let analysis = analyse(&run);
    let value = |id: &str| metric(&analysis, "mixes/w30", id).value;
    // 7,000 reads and 3,000 writes of 4 KiB in half a second, over two seconds.
    assert_eq!((value("read.iops"), value("total.iops"), value("duration")), (Some(14e3), Some(20e3), Some(2.0)));
    assert!(value("read.throughput").is_some_and(|rate| agrees(rate, 57.344)));
    assert_eq!((value("bursts.active_share"), value("in_flight_mean")), (Some(25.0), Some(0.5)));
    assert!(analysis.metric("mixes/w30:power.throughput_per_watt").is_none() && value("power.mean").is_some());
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
    assert_eq!(interval(&run, "read.latency_p99"), None, "from the merged histogram");
    assert_eq!(interval(&run, "errors"), None, "a sum");
    for combine in [Combine::Median, Combine::Best] {
        run.plan.tests.iter_mut().for_each(|test| test.combine = combine);
        for id in ["read.iops", "read.latency_mean", "read.latency_p99", "errors"] {
            assert_eq!(interval(&run, id), None, "{combine:?} {id}");
        }
        let neutral = interval(&run, "duration").is_some();
        assert_eq!(neutral, combine == Combine::Best, "best takes the mean where no direction is better");
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
