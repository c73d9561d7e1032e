//! Runs of one methodology under several arms (encryption, power states) beside each other: what each costs against the
//! runs without any, what power it took, and how much CPU time a gigabyte takes. docs/guide/conditions.md defines the
//! figures. All of it comes from digests, so a stored run is set beside others at any time.

use drivelab_core::condition::{Condition, Series};
use drivelab_core::ids::RunId;
use drivelab_core::load::OpKind;
use drivelab_core::metric::Metric;
use drivelab_core::published::Bound;

use super::rounds::{over_rounds, rounds_of};
use super::table::{ArmCell, ArmColumn, ArmRow, Arms};
use crate::across::side_by_side::{AlignedStep, align};
use crate::digest::{Digest, StepDigest};

/// Sets runs of one plan beside each other.
#[must_use]
pub fn arms(runs: &[&Digest]) -> Arms {
    let column = |run: &&Digest| ArmColumn {
        run: run.run.id,
        arm: run.condition().arm(),
        idle_watts: run.run.idle_watts,
        cpu_s_per_gb: run.run.cpu_s_per_gb,
    };
    let bases: Vec<bool> = runs.iter().map(|run| is_base(run)).collect();
    let aligned = align(runs);
    let shared = |label: &str| aligned.steps().filter(|step| step.facts.label == label).count() > 1;
    let of_tests = aligned.tests.iter().flat_map(|test| test.steps.iter().map(move |step| (test.title, step)));
    let labelled = of_tests.map(|(test, step)| {
        let label = &step.facts.label;
        let label = if shared(label) { format!("{test}: {label}") } else { label.clone() };
        ArmRow { label, ..row(step, &bases) }
    });
    let rows = labelled.collect();
    let arms = Arms { arms: runs.iter().map(column).collect(), rows, over_rounds: Vec::new() };
    // Ids of runs sort by the time at which the runs began.
    let places: Vec<(RunId, Option<&Series>)> = runs.iter().map(|run| (run.run.id, series(run))).collect();
    Arms { over_rounds: over_rounds(&arms, &rounds_of(&places), &bases), ..arms }
}

fn series(run: &Digest) -> Option<&Series> {
    run.run.environment.condition.as_ref()?.series.as_ref()
}

fn is_base(run: &Digest) -> bool {
    run.condition().arm() == Condition::default().arm()
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

/// What every arm did in a step; `bases` says which runs are of the arm `none`.
fn row(step: &AlignedStep<'_>, bases: &[bool]) -> ArmRow {
    let reads = step.facts.ops.contains(&OpKind::Read);
    let kind = match (reads, step.facts.ops.contains(&OpKind::Write)) {
        (true, true) => "total",
        (false, true) => "write",
        _ => "read",
    };
    let rate = |run: &Option<&StepDigest>| Rate::of(run_rate((*run)?)?);
    let runs = || step.of.iter().zip(bases);
    let base: Vec<Rate> = runs().filter(|(_, base)| **base).filter_map(|(run, _)| rate(run)).collect();
    let means: Vec<f64> = base.iter().map(|rate| rate.value).collect();
    let is_bound = |step: &StepDigest| run_rate(step).is_some_and(|metric| metric.lower_bound);
    let base_is_bound = runs().any(|(run, base)| *base && run.is_some_and(is_bound));
    let cell = |(run, is_base): (&Option<&StepDigest>, &bool)| {
        let Some(step) = run else { return ArmCell::default() };
        let (own, value) = (rate(run), |id: &str| step.metric(id)?.value);
        let at_least = is_bound(step);
        let cost_bound = match (at_least, base_is_bound) {
            (true, false) => Some(Bound::AtMost),
            (false, true) => Some(Bound::AtLeast),
            _ => None,
        };
        let costed = own.filter(|_| !(base_is_bound && (at_least || *is_base)));
        let cost = costed.and_then(|own| cost_percent(own.value, &means));
        ArmCell {
            throughput: own.map(|own| own.value),
            at_least,
            wrong: run_rate(step).and_then(|metric| metric.wrong),
            spoiled_by: run_rate(step).map(|metric| metric.spoiled_by.clone()).unwrap_or_default(),
            iops: value(&format!("{kind}.iops")).filter(|_| step.facts.trace.is_none()),
            cost_percent: cost,
            cost_bound: cost_bound.filter(|_| cost.is_some()),
            cost_off_percent: costed
                .filter(|_| !is_base && cost_bound.is_none())
                .and_then(|own| cost_off_percent(own, &base)),
            watts: value("power.mean"),
            mb_s_per_watt: value("power.throughput_per_watt"),
            cpu_s_per_gb: step.facts.cpu_s_per_gb,
        }
    };
    ArmRow { step: step.facts.id.clone(), label: step.facts.label.clone(), cells: runs().map(cell).collect() }
}

/// The metric that is the rate of a step.
fn run_rate(step: &StepDigest) -> Option<&Metric> {
    step.metric(step.facts.rate.as_deref().unwrap_or("read.throughput"))
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

#[cfg(test)]
mod tests;
