//! Curves of throughput against latency: a load at full speed and at shares of the rate that it reached, and the knee.
//!
//! Values are copied from the metrics, so that voids apply here too. [`drivelab_core::relative`] decides which rates
//! are run.

use drivelab_core::ids::StepId;
use drivelab_core::metric::Metric;
use drivelab_core::plan::{Plan, Step, TestPlan};
use drivelab_core::relative::{Skip, skipped};
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::Serialize;

/// Fewest points that can show a knee: two for the ends of the line and two that may be below it.
const KNEE_POINTS: usize = 4;
/// Least ratio of the last point's latency to the first's: below that, waiting does not grow on this curve.
const KNEE_GROWTH: f64 = 2.0;
/// How far below the straight line the knee must be, as a share of the whole range: less is noise.
const KNEE_DEPTH: f64 = 0.1;

/// A load at full speed and at shares of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Curve {
    /// Name of the test.
    pub test: String,
    /// The step at full speed.
    pub base: StepId,
    /// Its label, for people.
    pub label: String,
    /// Full speed first, then the points in order of execution; those that were not measured are left out.
    pub points: Vec<CurvePoint>,
    /// Shares that were not run, in per cent, and why.
    pub left_out: Vec<LeftOut>,
    /// The point from which waiting grows faster than throughput; absent if there is none.
    pub knee: Option<Knee>,
}

/// One point of a curve. Times are those of reads and writes together; void values are absent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CurvePoint {
    /// The step.
    pub step: StepId,
    /// Share of the full speed in per cent; absent for full speed itself.
    pub percent: Option<u32>,
    /// Requested arrivals per second; absent for full speed.
    pub asked_iops: Option<f64>,
    /// Completed operations per second.
    pub done_iops: Option<f64>,
    /// Throughput, MB/s.
    pub mb_s: Option<f64>,
    /// Mean latency, submission to completion, microseconds.
    pub latency_mean_us: Option<f64>,
    /// 99th percentile of the latency, microseconds.
    pub latency_p99_us: Option<f64>,
    /// Mean response time, intended start to completion, microseconds; void if the backlog grew.
    pub response_mean_us: Option<f64>,
    /// 99th percentile of the response time, microseconds.
    pub response_p99_us: Option<f64>,
    /// Operations per second by which the backlog grew.
    pub backlog_growth: Option<f64>,
}

/// A point that was not run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Share of the full speed in per cent.
    pub percent: u32,
    /// Why, as text.
    pub why: String,
}

/// The knee of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Knee {
    /// The step that is the knee.
    pub step: StepId,
    /// Its share of the full speed in per cent.
    pub percent: u32,
    /// Operations per second there.
    pub iops: f64,
    /// Mean latency there, microseconds.
    pub latency_us: f64,
    /// How far it is below the line from the first to the last point, as a share of the range.
    pub depth: f64,
}

/// Whether a step is on a curve: at full speed or at a share of it.
#[must_use]
pub fn is_on_one(plan: &Plan, step: &Step) -> bool {
    step.relative.is_some() || plan.steps().filter_map(|other| other.relative.as_ref()).any(|other| other.of == step.id)
}

/// Every curve of a test with at least one measured point, in the order of the plan.
#[must_use]
pub fn curves(records: &RunRecords, metrics: &[Metric], test: &TestPlan) -> Vec<Curve> {
    let is_base = |step: &&Step| step.relative.is_none() && is_on_one(&records.plan, step);
    let curve = |base: &Step| {
        let of = |step: &&Step| step.relative.as_ref().is_some_and(|relative| relative.of == base.id);
        let steps: Vec<&Step> = std::iter::once(base).chain(test.steps.iter().filter(of)).collect();
        let points: Vec<CurvePoint> = steps.iter().filter_map(|step| point(metrics, step)).collect();
        let left_out = steps.iter().filter_map(|step| {
            let percent = step.relative.as_ref()?.percent;
            skipped(records, &step.id).map(|why| LeftOut { percent, why: said(records, &why) })
        });
        let left_out = left_out.collect();
        let (test, base, label) = (test.name.clone(), base.id.clone(), name_of(&base.label));
        let knee = knee(&points);
        (!points.is_empty()).then_some(Curve { test, base, label, points, left_out, knee })
    };
    test.steps.iter().filter(is_base).filter_map(curve).collect()
}

/// A label without its position on the curve.
fn name_of(label: &str) -> String {
    label.replacen(", full speed", "", 1)
}

fn said(records: &RunRecords, why: &Skip) -> String {
    match why {
        Skip::TooSlow(per_1000_s) => {
            format!("too little is left of {:.1} operations per second", *per_1000_s as f64 / 1000.0)
        }
        Skip::StoppedAbove(step, latency) => {
            let label = records.plan.step(step).map_or_else(|| step.to_string(), |step| step.label.clone());
            format!("the mean latency of '{label}' was {latency}, above the limit at which the curve ends")
        }
    }
}

fn point(metrics: &[Metric], step: &Step) -> Option<CurvePoint> {
    let of = |id: &str| metrics.iter().find(|metric| metric.id == id && metric.step.as_ref() == Some(&step.id));
    let value = |id: &str| of(id).and_then(|metric| metric.value);
    of("duration")?;
    Some(CurvePoint {
        step: step.id.clone(),
        percent: step.relative.as_ref().map(|relative| relative.percent),
        asked_iops: value("open_loop.asked_iops").filter(|_| step.relative.is_some()),
        done_iops: value("total.iops"),
        mb_s: value("total.throughput"),
        latency_mean_us: value("total.latency_mean"),
        latency_p99_us: value("total.latency_p99"),
        response_mean_us: value("total.response_mean"),
        response_p99_us: value("total.response_p99"),
        backlog_growth: value("open_loop.backlog_growth").filter(|_| step.relative.is_some()),
    })
}

/// The point from which more load mostly adds waiting; docs/metrics.md states the rule.
#[must_use]
pub fn knee(points: &[CurvePoint]) -> Option<Knee> {
    let mut places: Vec<(u32, f64, f64, &StepId)> = points
        .iter()
        .filter_map(|point| Some((point.percent?, point.done_iops?, point.latency_mean_us?, &point.step)))
        .collect();
    places.sort_by_key(|place| place.0);
    let ((_, x0, y0, _), (_, x1, y1, _)) = (*places.first()?, *places.last()?);
    if places.len() < KNEE_POINTS || x1 <= x0 || y1 < KNEE_GROWTH * y0 || y1 <= y0 {
        return None;
    }
    let depth = |x: f64, y: f64| (x - x0) / (x1 - x0) - (y - y0) / (y1 - y0);
    let deepest = places.iter().max_by(|a, b| depth(a.1, a.2).total_cmp(&depth(b.1, b.2)))?;
    let (percent, iops, latency_us, step) = *deepest;
    let depth = depth(iops, latency_us);
    (depth >= KNEE_DEPTH).then(|| Knee { step: step.clone(), percent, iops, latency_us, depth })
}

#[cfg(test)]
mod tests;
