//! Data for charts and their tables: sweeps over one axis, and time lines of a step and of a run.
//!
//! Owns the choice of what belongs on one curve. Must not know colours, scales, HTML or how many points fit a page.
//! Sweep values are copied from [`crate::analysis::Analysis`], never computed again.

use std::collections::BTreeSet;

use drivelab_core::histogram::LatencySummary;
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::load::OpKind;
use drivelab_core::metric::Spread;
use drivelab_core::plan::{AxisValue, Step, StepRole, TestPlan};
use drivelab_core::record::IntervalRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::topics::telemetry::values as telemetry;
use crate::values;

/// The axis that distinguishes lines of one chart instead of positions on it.
pub const LINE_AXIS: &str = "op";

/// A test in which one axis or two vary (besides `op`): a chart with one of them as x, and a line for each value of the
/// other.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sweep {
    /// Name of the test.
    pub test: String,
    /// Title of the test, for people.
    pub title: String,
    /// Name of the axis: `queue_depth`, `write_percent`, `block_size`.
    pub axis: String,
    /// Name of the second axis that varies, which distinguishes lines; absent if only one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// One line for each value of the second axis and of `op`; a single line if the test has neither.
    pub lines: Vec<SweepLine>,
}

impl Sweep {
    /// Whether its positions are numbers or sizes, which have an order and distances; names (`zero`, `deallocated`)
    /// have neither.
    #[must_use]
    pub fn is_over_numbers(&self) -> bool {
        self.lines.iter().flat_map(|line| &line.points).all(|point| number_of(&point.label).is_some())
    }
}

/// One line of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SweepLine {
    /// Value of the axis `op`: `read`, `write`; absent if the test has no such axis.
    pub op: Option<String>,
    /// Value of the second axis; absent if only one varies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Points by rising x. Steps without a record have a point without values.
    pub points: Vec<SweepPoint>,
}

/// One position on the axis.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SweepPoint {
    /// The step at this position.
    pub step: StepId,
    /// The axis value as written in the plan: `8`, `4 KiB`.
    pub label: String,
    /// The same as a number (bytes for sizes); the position in the plan, from 0, if the text is not a number.
    pub x: f64,
    /// The step's metrics.
    pub values: Vec<SweepValue>,
}

impl SweepPoint {
    /// The value of one metric, if it exists and is not void.
    #[must_use]
    pub fn value(&self, metric: &str) -> Option<f64> {
        self.values.iter().find(|value| value.metric == metric)?.value
    }
}

/// One metric at one position.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SweepValue {
    /// Id of the metric.
    pub metric: String,
    /// Its value; `null` if it is void.
    pub value: Option<f64>,
    /// How its rounds spread.
    pub spread: Option<Spread>,
}

/// What happened in one interval of a step, for a curve over time or over bytes written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct TimePoint {
    /// End of the interval, seconds since the step began (its ramp included).
    pub t_s: f64,
    /// Length of the interval, seconds.
    pub seconds: f64,
    /// Inside the ramp, which results leave out.
    pub ramp: bool,
    /// Reads and writes together, MB/s (10^6 bytes).
    pub mb_s: f64,
    /// Reads, MB/s.
    pub read_mb_s: f64,
    /// Writes, MB/s.
    pub write_mb_s: f64,
    /// Reads and writes together, operations per second.
    pub iops: f64,
    /// Trims per second.
    pub trim_iops: f64,
    /// Write-zeroes operations per second.
    pub write_zeroes_iops: f64,
    /// Flushes per second.
    pub flush_iops: f64,
    /// Median latency of reads and writes together (of all operations if there are neither), microseconds; like every
    /// percentile, absent if it has too few operations ([`drivelab_core::tails`]).
    pub p50_us: Option<f64>,
    /// 99th percentile of the latency, microseconds.
    pub p99_us: Option<f64>,
    /// 99.9th percentile of the latency, microseconds.
    pub p999_us: Option<f64>,
    /// Longest latency, microseconds.
    pub max_us: Option<f64>,
    /// Median response time of the same operations, microseconds; only in an open loop.
    pub response_p50_us: Option<f64>,
    /// 99th percentile of the response time, microseconds.
    pub response_p99_us: Option<f64>,
    /// Longest response time, microseconds; only in an open loop.
    pub response_max_us: Option<f64>,
    /// Arrivals waiting at the end of the interval; only in an open loop.
    pub backlog: Option<u64>,
    /// Bytes the step has written up to the end of this interval: the position on a curve over volume.
    pub written_bytes: u64,
}

/// One interval on the time line of the whole run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunPoint {
    /// End of the interval, seconds on the run clock (pauses of an interrupted run are not in it).
    pub t_s: f64,
    /// The execution.
    pub key: StepKey,
    /// What happened, with times relative to the step.
    pub point: TimePoint,
}

/// The whole run over time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunTimeLine {
    /// Every recorded interval, ramps included, in the order of time.
    pub points: Vec<RunPoint>,
    /// When the run was interrupted, seconds on the run clock.
    pub breaks_s: Vec<f64>,
}

/// Every sweep of the run, in the order of the plan. Preparation is never one, nor is a curve
/// ([`crate::topics::curve`]).
#[must_use]
pub fn sweeps(records: &RunRecords, analysis: &Analysis) -> Vec<Sweep> {
    records.plan.tests.iter().filter_map(|test| sweep_of(test, analysis)).collect()
}

fn sweep_of(test: &TestPlan, analysis: &Analysis) -> Option<Sweep> {
    if test.steps.iter().any(|step| step.relative.is_some()) {
        // Its own chart has measured rates on the axis, not requested shares.
        return None;
    }
    let steps: Vec<&Step> = test.steps.iter().filter(|step| step.role == StepRole::Measure).collect();
    let (axis, by) = varying(&steps.iter().map(|step| step.axes.as_slice()).collect::<Vec<_>>())?;
    let mut lines: Vec<SweepLine> = Vec::new();
    for (place, step) in steps.into_iter().enumerate() {
        let op = axis_value(&step.axes, LINE_AXIS).map(str::to_owned);
        let other = by.and_then(|by| axis_value(&step.axes, by)).map(str::to_owned);
        let point = sweep_point(step, axis_value(&step.axes, axis)?, place, analysis);
        match lines.iter_mut().find(|line| line.op == op && line.by == other) {
            Some(line) => line.points.push(point),
            None => lines.push(SweepLine { op, by: other, points: vec![point] }),
        }
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let by = by.map(str::to_owned);
    Some(Sweep { test: test.name.clone(), title: test.title.clone(), axis: axis.to_owned(), by, lines })
}

/// The axis that is x, and the second one if two vary (besides `op`), from the axes of a test's steps; `None` if none
/// varies, or more than two.
#[must_use]
pub fn varying<'s>(steps: &[&'s [AxisValue]]) -> Option<(&'s str, Option<&'s str>)> {
    let names: BTreeSet<&str> = steps.iter().flat_map(|axes| axes.iter().map(|axis| axis.axis.as_str())).collect();
    let varies = |name: &&str| {
        let values: BTreeSet<Option<&str>> = steps.iter().map(|axes| axis_value(axes, name)).collect();
        values.len() > 1
    };
    let varying: Vec<&str> = names.into_iter().filter(|name| *name != LINE_AXIS).filter(varies).collect();
    match varying[..] {
        [axis] => Some((axis, None)),
        [one, other] if suits(one, steps) >= suits(other, steps) => Some((one, Some(other))),
        [other, one] => Some((one, Some(other))),
        _ => None,
    }
}

/// How well an axis suits as x, the larger the better: numbers before names, then the one with more values.
fn suits(name: &str, steps: &[&[AxisValue]]) -> (bool, usize) {
    let values: BTreeSet<&str> = steps.iter().filter_map(|axes| axis_value(axes, name)).collect();
    (values.iter().all(|value| number_of(value).is_some()), values.len())
}

/// The value of an axis.
#[must_use]
pub fn axis_value<'s>(axes: &'s [AxisValue], name: &str) -> Option<&'s str> {
    axes.iter().find(|axis| axis.axis == name).map(|axis| axis.value.as_str())
}

fn sweep_point(step: &Step, label: &str, place: usize, analysis: &Analysis) -> SweepPoint {
    let metrics = analysis.metrics.iter().filter(|metric| metric.step.as_ref() == Some(&step.id));
    let values =
        metrics.map(|metric| SweepValue { metric: metric.id.clone(), value: metric.value, spread: metric.spread });
    SweepPoint {
        step: step.id.clone(),
        label: label.to_owned(),
        x: number_of(label).unwrap_or(place as f64),
        values: values.collect(),
    }
}

/// The value of an axis as a number: `8` and `30 %` as they are, sizes in bytes; `None` for names.
#[must_use]
pub fn number_of(label: &str) -> Option<f64> {
    let plain = label.trim_end_matches('%').trim();
    plain.parse().ok().or_else(|| label.parse::<Bytes>().ok().map(Bytes::as_f64))
}

/// The intervals of one execution, in order; empty if none is recorded.
#[must_use]
pub fn time_line(records: &RunRecords, key: &StepKey) -> Vec<TimePoint> {
    let intervals: Vec<&IntervalRecord> = records.intervals.iter().filter(|interval| interval.key == *key).collect();
    points_of(&intervals)
}

/// Every interval of the run and its interruptions.
#[must_use]
pub fn run_time_line(records: &RunRecords) -> RunTimeLine {
    let all: Vec<&IntervalRecord> = records.intervals.iter().collect();
    let executions = all.chunk_by(|a, b| a.key == b.key);
    let mut points: Vec<RunPoint> = executions
        .flat_map(|intervals| {
            let with_times = intervals.iter().zip(points_of(intervals));
            with_times.map(|(interval, point)| RunPoint {
                t_s: seconds(interval.end_ns),
                key: interval.key.clone(),
                point,
            })
        })
        .collect();
    points.sort_by(|a, b| a.t_s.total_cmp(&b.t_s));
    RunTimeLine { points, breaks_s: records.breaks.iter().map(|pause| seconds(pause.at_ns)).collect() }
}

/// The points of one execution's intervals.
fn points_of(intervals: &[&IntervalRecord]) -> Vec<TimePoint> {
    let start_ns = intervals.first().map_or(0, |first| first.start_ns);
    let mut written_bytes = 0;
    let mut points = Vec::with_capacity(intervals.len());
    for interval in intervals {
        written_bytes += interval.write.bytes.get();
        points.push(time_point(interval, start_ns, written_bytes));
    }
    points
}

fn time_point(interval: &IntervalRecord, start_ns: u64, written_bytes: u64) -> TimePoint {
    let (latency, response) = (interval.latency(), interval.response());
    let us = |summary: Option<LatencySummary>, of: fn(&LatencySummary) -> Option<Nanos>| {
        summary.and_then(|summary| Some(of(&summary)?.get() as f64 / values::US))
    };
    // Old recordings have percentiles with too few operations.
    let latency = latency.map(|summary| summary.told_by(interval.timed()));
    let response = response.map(|summary| summary.told_by(interval.timed_responses()));
    let other = |kind: OpKind| interval.op(kind).map_or(0.0, |op| op.iops);
    let (read_mb_s, write_mb_s) = (interval.read.mb_s(), interval.write.mb_s());
    TimePoint {
        t_s: seconds(interval.end_ns.saturating_sub(start_ns)),
        seconds: seconds(interval.end_ns.saturating_sub(interval.start_ns)),
        ramp: interval.ramp,
        mb_s: read_mb_s + write_mb_s,
        read_mb_s,
        write_mb_s,
        iops: interval.read.iops + interval.write.iops,
        trim_iops: other(OpKind::Trim),
        write_zeroes_iops: other(OpKind::WriteZeroes),
        flush_iops: other(OpKind::Flush),
        p50_us: us(latency, |summary| summary.p50),
        p99_us: us(latency, |summary| summary.p99),
        p999_us: us(latency, |summary| summary.p999),
        max_us: us(latency, |summary| Some(summary.max)),
        response_p50_us: us(response, |summary| summary.p50),
        response_p99_us: us(response, |summary| summary.p99),
        response_max_us: us(response, |summary| Some(summary.max)),
        backlog: interval.backlog,
        written_bytes,
    }
}

/// Write amplification over the run: run time in nanoseconds, and bytes written to the media for each byte that hosts
/// wrote in the stretch that ends there; empty if the drive does not count both. A stretch has at least 512 MB of host
/// writes.
#[must_use]
pub fn write_amplification(records: &RunRecords) -> Vec<(u64, f64)> {
    telemetry::write_amplification_over_time(&records.telemetry)
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[cfg(test)]
mod tests;
