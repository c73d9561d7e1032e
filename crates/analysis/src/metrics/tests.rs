//! Every metric on hand-made records with the answer computed by hand, and which figures a step has.

mod capacities;
mod filled;
mod hand_made;
mod heated;
mod mistakes;
mod paced;
mod rounds;

use std::collections::BTreeMap;

use drivelab_core::metric::Metric;
use drivelab_core::record::{BurstsDone, OpRecord};
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_samples as testing;

use super::*;
use crate::analyse;
use crate::metrics::tests::hand_made::{flat, hand_made, multiplied, set_ramp};
use drivelab_samples::{sample_run, sample_unfinished_run};

/// What every metric of [`hand_made`] is, computed by hand.
const KNOWN_ANSWERS: &[(&str, f64)] = &[
    ("read.throughput", 14.336),
    ("write.throughput", 6.144),
    ("total.throughput", 20.48),
    ("read.iops", 3_500.0),
    ("write.iops", 1_500.0),
    ("total.iops", 5_000.0),
    // 387,107 and 151,410 ns of 10,000; rank 9,900 is among the 2,030 reads of 90 ns.
    ("total.latency_mean", 0.053_851_7),
    ("total.latency_p99", 0.090),
    ("total.response_mean", 0.153_851_7),
    ("total.response_p99", 0.190),
    ("read.latency_mean", 0.387_107 / 7.0),
    ("read.latency_p50", 0.040),
    ("read.latency_p99", 0.090),
    ("read.latency_p999", 0.120),
    ("read.latency_p9999", 0.127),
    ("read.latency_max", 0.127),
    ("write.latency_mean", 0.050_47),
    ("write.latency_p50", 0.050),
    ("write.latency_p99", 0.060),
    ("write.latency_p999", 0.100),
    ("write.latency_p9999", 0.110),
    ("write.latency_max", 0.110),
    ("trim.iops", 500.0),
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
    ("read.response_p9999", 0.227),
    ("read.response_max", 0.227),
    ("write.response_mean", 0.150_47),
    ("write.response_p50", 0.150),
    ("write.response_p99", 0.160),
    ("write.response_p999", 0.200),
    ("write.response_p9999", 0.210),
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
    ("replay.bytes", 40.96),
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
    ("host_cpu.per_gb", 0.375 / 0.02048),
    ("host_cpu.steal", 10.0),
    // Of the run in `filled`: 32 GiB, a hundredth of them in 1 s before the cache ended.
    ("fill.peak", filled::HUNDREDTH_MB),
    ("fill.cache_size", 20.0 * filled::HUNDREDTH_MB / 1e3),
    ("fill.cache_share", 20.0),
    // 50 hundredths in 4 s each, 20 in 8 s each.
    ("fill.sustained", 70.0 * filled::HUNDREDTH_MB / 360.0),
    // The last 20 hundredths took 160 s, the 20 before them 80 s, and the earlier ones 1 s each.
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

fn metric<'a>(analysis: &'a crate::analysis::Analysis, step: &str, id: &str) -> &'a Metric {
    let address = format!("{step}:{id}");
    analysis.metric(&address).unwrap_or_else(|| panic!("no {address}"))
}

#[test]
fn every_metric_has_the_value_worked_out_on_paper() {
    let (analysis, fill, expected) = (analyse(&hand_made()), analyse(&filled::run()), known_answers());
    let heat = analyse(&heated::run());
    let capacity = analyse(&capacities::run());
    let (many, most) = (analyse(&multiplied(10)), analyse(&multiplied(20)));
    let ids: Vec<&str> = METRICS.iter().map(|def| def.id).collect();
    assert_eq!(expected.len(), ids.len(), "a metric without a known answer");
    for id in ids {
        let (analysis, step) = match id.split_once('.') {
            Some(("run", _)) => (&analysis, "run"),
            Some(("score", _)) => (&analysis, "score/made"),
            Some(("fill", _)) => (&fill, filled::STEP),
            Some(("heat", _)) => (&heat, heated::STEP),
            Some(("verified", "capacity" | "share_found")) => (&capacity, capacities::STEP),
            // Which take 5,000 operations each, and 50,000.
            _ if id.ends_with("_p999") => (&many, "mixes/w30"),
            _ if id.ends_with("_p9999") => (&most, "mixes/w30"),
            _ => (&analysis, "mixes/w30"),
        };
        let got = metric(analysis, step, id);
        let value = got.value.unwrap_or_else(|| panic!("{id} has no value: {:?}", got.voided_by));
        assert!(agrees(value, expected[id]), "{id}: {value}, not {}", expected[id]);
        assert_eq!(got.unit, metric_def(id).expect("a definition").unit);
        assert_eq!(got.spread, None, "one round does not spread");
    }
}

#[test]
fn a_percentile_of_too_few_operations_is_absent_and_not_void() {
    let analysis = analyse(&hand_made());
    let of = |id: &str| metric(&analysis, "mixes/w30", id);
    assert!(of("read.latency_p999").value.is_some(), "7 of 7,000 lie beyond it");
    assert!(analysis.metric("mixes/w30:read.latency_p9999").is_none(), "not even listed");
    for id in ["write.latency_p999", "trim.latency_p999", "flush.response_p999"] {
        let got = of(id);
        assert_eq!((got.value, got.rounds.len(), got.voided_by.len()), (None, 0, 0), "{id}");
    }
    assert!(of("trim.latency_p99").value.is_some() && of("trim.latency_max").value.is_some());
}

#[test]
fn a_discard_moves_no_bytes() {
    let analysis = analyse(&hand_made());
    assert!(analysis.metric("mixes/w30:trim.iops").is_some());
    assert!(analysis.metric("mixes/w30:trim.throughput").is_none(), "nothing was transferred");
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

#[test]
fn bursts_by_volume_have_rates_over_their_active_time_and_no_figure_per_watt_or_of_cpu_time() {
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
    assert!(analysis.metric("mixes/w30:host_cpu.per_gb").is_none() && value("host_cpu.busy").is_some());
}

#[test]
fn cpu_time_of_a_few_ticks_is_no_figure_per_gigabyte() {
    let per_gb = |busy_s: f64| {
        let mut run = hand_made();
        let cpu = run
            .telemetry
            .sources
            .iter_mut()
            .find(|one| one.description.kind == drivelab_core::telemetry::SourceKind::Cpu)
            .expect("CPUs");
        let names: Vec<String> = cpu.description.series.iter().map(|series| series.name.clone()).collect();
        // All of it in one kind of time, over the 4 s between both readings, of which the measured part is 2 s.
        for (at, name) in names.iter().enumerate() {
            let since = match name.as_str() {
                "cpu0.user" => busy_s,
                "cpu0.idle" => 4.0 - busy_s,
                _ => 0.0,
            };
            cpu.samples[1].values[at] = cpu.samples[0].values[at].map(|from| from + since);
        }
        metric(&analyse(&run), "mixes/w30", "host_cpu.per_gb").value
    };
    assert_eq!(per_gb(0.198), None, "99 ms in the measured part");
    assert!(per_gb(0.202).is_some_and(|value| agrees(value, 0.0505 / 0.02048)));
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
