//! Records whose CPU time is known.

use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::plan::StepRole;
use drivelab_samples::{sample_run, with_host_cpu};

use super::*;

fn near(value: Option<f64>, wanted: f64) -> bool {
    value.is_some_and(|value| (value - wanted).abs() < 1e-9 * wanted.abs().max(1.0))
}

/// Bytes of all intervals of a step, its ramps too.
fn moved(records: &RunRecords, step: &StepId) -> f64 {
    let own = records.intervals.iter().filter(|interval| interval.key.step == *step);
    own.map(|interval| interval.read.bytes.as_f64() + interval.write.bytes.as_f64()).sum()
}

fn steps(records: &RunRecords) -> Vec<&Step> {
    let measured = |step: &&Step| step.role == StepRole::Measure && step.workload().is_some();
    records.plan.steps().filter(measured).collect()
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
    // Over several steps time and bytes are added up, not averaged; the preparation does not count.
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
