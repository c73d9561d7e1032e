//! Runs of one methodology under several arms (encryption, power states) beside each other: what each costs against the
//! runs without any, what power it took, and how much CPU time a gigabyte takes. docs/guide/conditions.md defines the
//! figures. All of it comes from records, so a stored run is set beside others at any time.

use drivelab_core::condition::{Condition, Series};
use drivelab_core::metric::Metric;
use drivelab_core::plan::{Step, StepRole};
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::Quantity;

use super::rounds::over_rounds;
use super::table::{ArmCell, ArmColumn, ArmRow, Arms};
use crate::analysis::Analysis;
use crate::rate::{rate_metric, replays};
use crate::topics::telemetry::course;

/// Least CPU time for a figure per GB, ms. The kernel counts in ticks of mostly 10 ms for each CPU and kind, so below
/// this the count says more about the ticks than about the work.
pub const LEAST_CPU_MS: u64 = 100;

/// One run under one arm.
#[derive(Debug, Clone, Copy)]
pub struct ArmRun<'a> {
    /// The records.
    pub records: &'a RunRecords,
    /// Their analysis.
    pub analysis: &'a Analysis,
}

/// Sets runs of one plan beside each other.
#[must_use]
pub fn arms(runs: &[ArmRun<'_>]) -> Arms {
    let steps: Vec<&Step> = runs.first().into_iter().flat_map(|run| loads(run.records)).collect();
    let column = |run: &ArmRun<'_>| ArmColumn {
        run: run.records.run,
        arm: condition(run).arm(),
        idle_watts: idle_watts(run.records),
        cpu_s_per_gb: cpu_s_per_gb(run.records, &steps),
    };
    let (columns, rows) = (runs.iter().map(column).collect(), steps.iter().map(|step| row(runs, step)).collect());
    let arms = Arms { arms: columns, rows, over_rounds: Vec::new() };
    let place = |run: &ArmRun<'_>| run.records.environment.condition.as_ref()?.series.clone();
    let places: Vec<Option<Series>> = runs.iter().map(place).collect();
    let bases: Vec<bool> = runs.iter().map(is_base).collect();
    Arms { over_rounds: over_rounds(&arms, &places, &bases), ..arms }
}

/// The measured steps that issue I/O.
fn loads(records: &RunRecords) -> impl Iterator<Item = &Step> {
    records.plan.steps().filter(|step| step.role == StepRole::Measure && step.workload().is_some())
}

fn condition(run: &ArmRun<'_>) -> Condition {
    run.records.environment.condition.as_ref().map(|facts| facts.asked).unwrap_or_default()
}

fn is_base(run: &ArmRun<'_>) -> bool {
    condition(run).arm() == Condition::default().arm()
}

/// A rate and half its 95 % interval over the rounds, where there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The rate.
    pub value: f64,
    /// Half the interval, in the same unit.
    pub half_interval: Option<f64>,
}

impl Rate {
    fn of(metric: &Metric) -> Option<Rate> {
        let interval = metric.spread.and_then(|spread| spread.confidence);
        Some(Rate { value: metric.value?, half_interval: interval.map(|ends| (ends.high - ends.low) / 2.0) })
    }
}

fn row(runs: &[ArmRun<'_>], step: &Step) -> ArmRow {
    let kind = match step.workload().map(|workload| (workload.reads(), workload.writes())) {
        Some((true, true)) => "total",
        Some((false, true)) => "write",
        _ => "read",
    };
    let of_rate = rate_metric(step).unwrap_or("read.throughput");
    let metric = |run: &ArmRun<'_>, id: &str| run.analysis.step_metric(&step.id, id).cloned();
    let rate = |run: &ArmRun<'_>| Rate::of(&metric(run, of_rate)?);
    let base: Vec<Rate> = runs.iter().filter(|run| is_base(run)).filter_map(rate).collect();
    let means: Vec<f64> = base.iter().map(|rate| rate.value).collect();
    let cell = |run: &ArmRun<'_>| {
        let (own, value) = (rate(run), |id: &str| metric(run, id)?.value);
        ArmCell {
            throughput: own.map(|own| own.value),
            at_least: metric(run, of_rate).is_some_and(|metric| metric.lower_bound),
            wrong: metric(run, of_rate).and_then(|metric| metric.wrong),
            iops: value(&format!("{kind}.iops")).filter(|_| !replays(step)),
            cost_percent: own.and_then(|own| cost_percent(own.value, &means)),
            cost_off_percent: own.filter(|_| !is_base(run)).and_then(|own| cost_off_percent(own, &base)),
            watts: value("power.mean"),
            mb_s_per_watt: value("power.throughput_per_watt"),
            cpu_s_per_gb: cpu_s_per_gb(run.records, &[step]),
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

/// How far a cost may be off to either side, per cent. Relative errors of the rate and of the base add as squares. The
/// rate's is half the 95 % interval of its rounds (nothing, where it has too few); the base's is the larger of the same
/// for the mean of its runs and half the distance between the lowest and the highest of them, which holds the drift
/// while the arms were measured. `None` where neither is known of the base.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "there are few arms")]
pub fn cost_off_percent(rate: Rate, base: &[Rate]) -> Option<f64> {
    let values: Vec<f64> = base.iter().map(|one| one.value).collect();
    let mean = crate::stats::mean(&values).filter(|mean| *mean > 0.0)?;
    let squares = base.iter().map(|one| one.half_interval.map(|half| half * half)).sum::<Option<f64>>();
    let rounds = squares.map(|squares| squares.sqrt() / base.len() as f64);
    let apart = crate::stats::range(&values).filter(|_| base.len() > 1).map(|(low, high)| (high - low) / 2.0);
    let base_off = [rounds, apart].into_iter().flatten().reduce(f64::max)? / mean;
    let own_off = rate.half_interval.unwrap_or(0.0) / mean;
    Some(100.0 * own_off.hypot(base_off * rate.value / mean))
}

/// Average power of the drive over the idle steps (`action = "idle"`), W, each by its length. `None` without one, and
/// where nothing told the drive's power long enough.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a run stay below 2^53")]
pub fn idle_watts(records: &RunRecords) -> Option<f64> {
    let (source, series) = crate::topics::telemetry::values::of_drive(&records.telemetry, Quantity::Power)?;
    let told = crate::topics::telemetry::values::idle_steps(records).filter_map(|idle| {
        let course = course(source, series, idle.from_ns, idle.to_ns)?;
        Some((idle.to_ns.saturating_sub(idle.from_ns) as f64, course.mean))
    });
    let (length, energy) = told.fold((0.0, 0.0), |(all, sum), (length, watts)| (all + length, sum + length * watts));
    (length > 0.0).then(|| energy / length)
}

/// CPU time of the whole host, whoever used it, for each 10^9 bytes that these steps moved, s/GB: over every execution
/// of which the host's CPUs are on record, ramps included. `None` where none is, where nothing was moved, and below
/// [`LEAST_CPU_MS`].
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "milliseconds and bytes stay below 2^53")]
pub fn cpu_s_per_gb(records: &RunRecords, steps: &[&Step]) -> Option<f64> {
    let (mut used_ms, mut bytes) = (0, 0);
    for cpu in records.host_cpu.iter().filter(|cpu| steps.iter().any(|step| step.id == cpu.key.step)) {
        used_ms += cpu.cores.iter().map(drivelab_core::group::CoreTime::busy_ms).sum::<u64>();
        let own = records.intervals.iter().filter(|interval| interval.key == cpu.key);
        bytes += own.map(|interval| interval.read.bytes.get() + interval.write.bytes.get()).sum::<u64>();
    }
    (used_ms >= LEAST_CPU_MS && bytes > 0).then(|| used_ms as f64 / 1e3 / (bytes as f64 / 1e9))
}

#[cfg(test)]
mod tests;
