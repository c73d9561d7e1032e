//! Known answers, worked out on paper, and records whose CPU time and power are known.

use drivelab_core::condition::{Arm, Luks2};
use drivelab_core::ids::StepId;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::Combine;

use super::*;
use crate::analyse;
use crate::testing::{sample_arms, sample_run, sample_watched_run, under_arm, with_host_cpu};

fn near(value: Option<f64>, wanted: f64) -> bool {
    value.is_some_and(|value| (value - wanted).abs() < 1e-9 * wanted.abs().max(1.0))
}

#[test]
fn the_cost_is_the_loss_against_the_mean_of_the_runs_without() {
    // 900 and 1,100 MB/s without: 1,000 on average; 750 cost a quarter, 1,050 less than nothing.
    let base = [900.0, 1100.0];
    assert!(near(cost_percent(750.0, &base), 25.0));
    assert!(near(cost_percent(1050.0, &base), -5.0));
    assert!(near(cost_percent(900.0, &base), 10.0));
    assert_eq!(cost_percent(900.0, &[]), None);
    assert_eq!(cost_percent(900.0, &[0.0]), None);
}

#[test]
fn a_cost_is_as_uncertain_as_the_rounds_and_the_runs_without_say() {
    let rate = |value: f64, half_interval: Option<f64>| Rate { value, half_interval };
    // Runs without at 900 and 1,100, so 100 to each side of 1,000: a tenth of 50 % is 5; nothing is known of the rate.
    assert!(near(cost_off_percent(rate(500.0, None), &[rate(900.0, None), rate(1100.0, None)]), 5.0));
    // One run without, 40 to each side: 0.04 · 0.75 = 0.03; the rate 40 of 1,000: 0.04; squares add up to 0.05.
    assert!(near(cost_off_percent(rate(750.0, Some(40.0)), &[rate(1000.0, Some(40.0))]), 5.0));
    // The mean of two is surer than each: sqrt(30² + 40²) / 2 = 25 of 1,000, but they are 60 apart: 30.
    let two = [rate(970.0, Some(30.0)), rate(1030.0, Some(40.0))];
    assert!(near(cost_off_percent(rate(1000.0, None), &two), 3.0));
    assert_eq!(cost_off_percent(rate(750.0, Some(40.0)), &[rate(1000.0, None)]), None, "one run of one round");
    assert_eq!(cost_off_percent(rate(750.0, None), &[]), None);
    assert_eq!(cost_off_percent(rate(750.0, None), &[rate(0.0, None), rate(0.0, None)]), None);
}

/// Bytes of all intervals of a step, its ramps too.
fn moved(records: &RunRecords, step: &StepId) -> f64 {
    let own = records.intervals.iter().filter(|interval| interval.key.step == *step);
    own.map(|interval| interval.read.bytes.as_f64() + interval.write.bytes.as_f64()).sum()
}

fn steps(records: &RunRecords) -> Vec<&Step> {
    loads(records).collect()
}

#[test]
fn cpu_time_is_read_from_the_records_over_all_rounds_and_ramps_without_stolen_time() {
    let records = sample_run();
    assert_eq!(cpu_s_per_gb(&records, &steps(&records)), None, "nobody watched the CPUs");
    let records = with_host_cpu(records, [300, 200]);
    let keys: Vec<StepKey> = records.steps.iter().map(|record| record.key.clone()).collect();
    let steps = steps(&records);
    let corner = steps.iter().find(|step| step.id.as_str() == "corners/seq-1m-q8t1-read").unwrap();
    // Three rounds of half a second.
    assert!(near(cpu_s_per_gb(&records, &[corner]), 1.5 / (moved(&records, &corner.id) / 1e9)));
    // Over several steps time and bytes are added up, and no mean of means is taken; the preparation is none of them.
    let measured: Vec<&StepKey> = keys.iter().filter(|key| steps.iter().any(|step| step.id == key.step)).collect();
    let bytes: f64 = steps.iter().map(|step| moved(&records, &step.id)).sum();
    assert!(measured.len() < keys.len());
    #[expect(clippy::cast_precision_loss, reason = "a sample run has few steps")]
    let seconds = 0.5 * measured.len() as f64;
    assert!(near(cpu_s_per_gb(&records, &steps), seconds / (bytes / 1e9)));
}

#[test]
fn a_ramp_moves_bytes_too() {
    let mut records = with_host_cpu(sample_run(), [1_000, 1_000]);
    records.host_cpu.retain(|cpu| cpu.key.step.slug() == "seq-1m-q8t1-read" && cpu.key.round == 1);
    let of = |records: &RunRecords| cpu_s_per_gb(records, &steps(records)).unwrap();
    let before = of(&records);
    let own = records.host_cpu[0].key.clone();
    let ramp = records.intervals.iter().find(|interval| interval.key == own).unwrap();
    let share = ramp.read.bytes.as_f64();
    let bytes = 2.0 / before * 1e9;
    records.intervals.push(drivelab_core::record::IntervalRecord { ramp: true, ..ramp.clone() });
    assert!(near(Some(of(&records)), 2.0 / ((bytes + share) / 1e9)));
}

#[test]
fn executions_that_nobody_watched_add_no_bytes_and_few_ticks_give_no_figure() {
    let mut records = with_host_cpu(sample_run(), [60, 40]);
    let rounds: Vec<StepKey> = records
        .steps
        .iter()
        .map(|record| record.key.clone())
        .filter(|key| key.step.as_str() == "corners/seq-1m-q8t1-read")
        .collect();
    assert_eq!(rounds.len(), 3);
    records.host_cpu.retain(|cpu| cpu.key == rounds[1]);
    let all = steps(&records);
    let own = records.intervals.iter().filter(|interval| interval.key == rounds[1]);
    let bytes: f64 = own.map(|interval| interval.read.bytes.as_f64()).sum();
    assert!(near(cpu_s_per_gb(&records, &all), 0.1 / (bytes / 1e9)), "the second round alone");
    let (few, mut none) = (with_host_cpu(sample_run(), [60, 39]).host_cpu, records.clone());
    none.intervals.clear();
    assert_eq!(cpu_s_per_gb(&none, &steps(&none)), None, "nothing was moved");
    records.host_cpu = few.into_iter().filter(|cpu| cpu.key == rounds[1]).collect();
    assert_eq!(cpu_s_per_gb(&records, &steps(&records)), None, "99 ms are a few ticks");
}

#[test]
fn arms_have_their_power_and_their_cpu_time_beside_their_rates() {
    let luks = with_host_cpu(under_arm(sample_watched_run(), Arm::Luks2(Luks2::default())), [300, 200]);
    let (mut luks, mut without) = (luks, sample_run());
    // The intervals of rounds are of their mean, so the corners have to be means.
    for plan in [&mut luks.plan, &mut without.plan] {
        plan.tests.iter_mut().for_each(|test| test.combine = Combine::Mean);
    }
    let analyses = [analyse(&without), analyse(&luks)];
    let runs =
        [ArmRun { records: &without, analysis: &analyses[0] }, ArmRun { records: &luks, analysis: &analyses[1] }];
    let found = arms(&runs);
    let names: Vec<&str> = found.arms.iter().map(|arm| arm.arm.as_str()).collect();
    assert_eq!(names, ["none", "luks2"]);
    assert_eq!(found.arms[0].cpu_s_per_gb, None);
    assert_eq!(found.arms[1].cpu_s_per_gb, cpu_s_per_gb(&luks, &steps(&luks)));
    for row in &found.rows {
        let [without, luks] = row.cells.as_slice() else { panic!("two arms") };
        assert_eq!((without.watts, without.mb_s_per_watt, without.cpu_s_per_gb), (None, None, None), "{row:?}");
        assert_eq!((without.cost_percent, luks.cost_percent), (Some(0.0), Some(0.0)), "the same figures");
        assert_eq!(without.cost_off_percent, None);
        assert!(near(luks.watts, 5.0), "{row:?}");
        assert!(luks.cpu_s_per_gb.is_some());
    }
    let corner = found.rows.iter().find(|row| row.step.as_str() == "corners/seq-1m-q8t1-read").unwrap();
    let luks = &corner.cells[1];
    assert!(near(luks.mb_s_per_watt, luks.throughput.unwrap() / 5.0));
    assert!(luks.cost_off_percent.is_some_and(|off| off > 0.0), "three rounds have an interval: {luks:?}");
}

#[test]
fn an_arm_that_is_slower_costs_a_share_and_takes_more_cpu_time_for_each_gigabyte() {
    let runs = sample_arms();
    let analyses: Vec<Analysis> = runs.iter().map(analyse).collect();
    let pairs: Vec<ArmRun<'_>> =
        runs.iter().zip(&analyses).map(|(records, analysis)| ArmRun { records, analysis }).collect();
    let found = arms(&pairs);
    let cpu = |at: usize| found.arms[at].cpu_s_per_gb.unwrap();
    // Five times the time for four fifths of the bytes.
    assert!((cpu(1) / cpu(0) - 6.25).abs() < 0.1, "{} {}", cpu(0), cpu(1));
    assert_eq!(found.arms[0].cpu_s_per_gb, found.arms[2].cpu_s_per_gb);
    for row in &found.rows {
        assert!((row.cells[1].cost_percent.unwrap() - 20.0).abs() < 1.0, "{row:?}");
    }
}

#[test]
fn a_replayed_trace_is_compared_by_its_rate_without_its_pauses() {
    let runs: Vec<RunRecords> =
        sample_arms().into_iter().map(|run| crate::testing::replayed(run, "sustained")).collect();
    let analyses: Vec<Analysis> = runs.iter().map(crate::analyse).collect();
    let all: Vec<ArmRun<'_>> =
        runs.iter().zip(&analyses).map(|(records, analysis)| ArmRun { records, analysis }).collect();
    let arms = arms(&all);
    let row = arms.rows.iter().find(|row| row.step.as_str().starts_with("sustained/")).expect("the sample has it");
    for (cell, analysis) in row.cells.iter().zip(&analyses) {
        let busy = analysis.step_metric(&row.step, crate::rate::BUSY_RATE).and_then(|metric| metric.value);
        assert!(busy.is_some());
        assert_eq!((cell.throughput, cell.iops), (busy, None), "operations per second contain the pauses");
    }
    let plain = arms.rows.iter().find(|row| !row.step.as_str().starts_with("sustained/")).expect("other steps");
    assert!(plain.cells.iter().all(|cell| cell.iops.is_some()));
}
