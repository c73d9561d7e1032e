//! Runs of one methodology under several arms (encryption, power states) beside each other: what each costs against the
//! runs without any, and how much CPU time a gigabyte takes. docs/guide/conditions.md defines the figures.

use drivelab_core::condition::Condition;
use drivelab_core::ids::{RunId, StepId};
use drivelab_core::plan::{Step, StepRole};
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Analysis;

/// CPU time of the whole host and bytes moved while a step ran, all its rounds and ramps together.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepCpu {
    /// The step.
    pub step: StepId,
    /// Seconds in which CPUs were busy with anything (`/proc/stat`: user, nice, system, irq, softirq), summed over
    /// CPUs.
    pub busy_s: f64,
    /// Bytes that the step's operations moved in that time.
    pub bytes: u64,
}

/// One run under one arm.
#[derive(Debug, Clone, Copy)]
pub struct ArmRun<'a> {
    /// The records.
    pub records: &'a RunRecords,
    /// Their analysis.
    pub analysis: &'a Analysis,
    /// CPU time by step; empty where it was not measured.
    pub cpu: &'a [StepCpu],
}

/// One run in the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmColumn {
    /// The run.
    pub run: RunId,
    /// The arm: `none`, `luks2:inline`, `power state 2`.
    pub arm: String,
    /// CPU seconds for each GB (10^9 bytes) over all measured steps.
    pub cpu_s_per_gb: Option<f64>,
}

/// What one arm did in one step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmCell {
    /// MB/s.
    pub throughput: Option<f64>,
    /// Operations per second.
    pub iops: Option<f64>,
    /// Loss of throughput against the mean of the runs of the arm `none`, per cent; below zero where it is faster. Of
    /// the runs of `none` themselves: how far apart they are.
    pub cost_percent: Option<f64>,
    /// CPU seconds for each GB in this step.
    pub cpu_s_per_gb: Option<f64>,
}

/// One measured step and what every arm did in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmRow {
    /// The step.
    pub step: StepId,
    /// Its label.
    pub label: String,
    /// In the order of the arms.
    pub cells: Vec<ArmCell>,
}

/// The comparison.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Arms {
    /// The runs, in the order in which they were measured.
    pub arms: Vec<ArmColumn>,
    /// The steps.
    pub rows: Vec<ArmRow>,
}

/// Sets runs of one plan beside each other.
#[must_use]
pub fn arms(runs: &[ArmRun<'_>]) -> Arms {
    let column = |run: &ArmRun<'_>| ArmColumn {
        run: run.records.run,
        arm: condition(run).arm(),
        cpu_s_per_gb: cpu_per_gb(run.cpu.iter()),
    };
    let plan = runs.first().map(|run| &run.records.plan);
    let steps = plan.into_iter().flat_map(|plan| plan.steps()).filter(|step| step.role == StepRole::Measure);
    let rows = steps.filter(|step| step.workload().is_some()).map(|step| row(runs, step)).collect();
    Arms { arms: runs.iter().map(column).collect(), rows }
}

fn condition(run: &ArmRun<'_>) -> Condition {
    run.records.environment.condition.as_ref().map(|facts| facts.asked).unwrap_or_default()
}

fn is_base(run: &ArmRun<'_>) -> bool {
    condition(run).arm() == Condition::default().arm()
}

fn row(runs: &[ArmRun<'_>], step: &Step) -> ArmRow {
    let figure = |run: &ArmRun<'_>, quantity: &str| {
        let workload = step.workload()?;
        let kind = match (workload.reads(), workload.writes()) {
            (true, true) => "total",
            (false, true) => "write",
            _ => "read",
        };
        run.analysis.step_metric(&step.id, &format!("{kind}.{quantity}"))?.value
    };
    let base: Vec<f64> = runs.iter().filter(|run| is_base(run)).filter_map(|run| figure(run, "throughput")).collect();
    let cell = |run: &ArmRun<'_>| {
        let throughput = figure(run, "throughput");
        ArmCell {
            throughput,
            iops: figure(run, "iops"),
            cost_percent: throughput.and_then(|rate| cost_percent(rate, &base)),
            cpu_s_per_gb: cpu_per_gb(run.cpu.iter().filter(|cpu| cpu.step == step.id)),
        }
    };
    ArmRow { step: step.id.clone(), label: step.label.clone(), cells: runs.iter().map(cell).collect() }
}

/// 100 · (1 − rate / mean of the base), where there is a base that moved anything.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "there are few arms")]
pub fn cost_percent(rate: f64, base: &[f64]) -> Option<f64> {
    let mean = base.iter().sum::<f64>() / base.len() as f64;
    (mean > 0.0).then(|| 100.0 * (1.0 - rate / mean))
}

/// CPU seconds over 10^9 bytes, where any were moved.
#[expect(clippy::cast_precision_loss, reason = "bytes stay below 2^53")]
fn cpu_per_gb<'c>(cpu: impl Iterator<Item = &'c StepCpu>) -> Option<f64> {
    let (busy, bytes) =
        cpu.fold((0.0, 0_u64), |(busy, bytes), one| (busy + one.busy_s, bytes.saturating_add(one.bytes)));
    (bytes > 0).then(|| busy / (bytes as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_core::ids::StepId;

    #[test]
    fn the_cost_is_the_loss_against_the_mean_of_the_runs_without() {
        // 900 and 1,100 MB/s without: 1,000 on average; 750 cost a quarter, 1,050 less than nothing.
        let base = [900.0, 1100.0];
        let near = |value: Option<f64>, wanted: f64| value.is_some_and(|value| (value - wanted).abs() < 1e-9);
        assert!(near(cost_percent(750.0, &base), 25.0));
        assert!(near(cost_percent(1050.0, &base), -5.0));
        assert!(near(cost_percent(900.0, &base), 10.0));
        assert_eq!(cost_percent(900.0, &[]), None);
        assert_eq!(cost_percent(900.0, &[0.0]), None);
    }

    #[test]
    fn cpu_time_is_shared_out_over_the_bytes_and_not_over_steps() {
        let step = |slug: &str, busy_s: f64, bytes: u64| StepCpu { step: StepId::new("t", slug), busy_s, bytes };
        let all = [step("a", 3.0, 1_000_000_000), step("b", 1.0, 3_000_000_000)];
        assert_eq!(cpu_per_gb(all.iter()), Some(1.0));
        assert_eq!(cpu_per_gb(all[..1].iter()), Some(3.0));
        assert_eq!(cpu_per_gb([].iter()), None);
        assert_eq!(cpu_per_gb([step("a", 1.0, 0)].iter()), None);
    }
}
