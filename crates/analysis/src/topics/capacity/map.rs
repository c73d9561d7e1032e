//! A drive by position: how fast each part of a sequential read was, and which parts were slow or bad.
//!
//! Owns the division into parts and the limit below which one is slow. Pure: from intervals, errors and bad blocks of
//! one execution to parts. In a sample ([`drivelab_core::places`]) a part is described by the places in it.

use drivelab_core::ids::StepId;
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Action, Step, StepRole, TestPlan};
use drivelab_core::record::{IntervalRecord, MAP_PARTS, StepRecord, map_part};
use drivelab_core::run::RunRecords;
use drivelab_core::workload::{Pattern, Workload};
use schemars::JsonSchema;
use serde::Serialize;

use crate::by_position::cut;
use crate::stats;

/// A part is slow below this share of the median of all parts: the inside of a hard disk is about half as fast as its
/// outside.
pub(crate) const SLOW: f64 = 0.4;

/// The parts of a span, from its start to its end.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SpeedMap {
    /// Name of the test.
    pub test: String,
    /// The step.
    pub step: StepId,
    /// Its label, for people.
    pub label: String,
    /// Only a sample of the blocks was read.
    pub sampled: bool,
    /// Median of the parts' rates, MB/s.
    pub median_mb_s: Option<f64>,
    /// 64 equal parts of the span, up to rounding to whole bytes.
    pub parts: Vec<MapPart>,
}

/// One part.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MapPart {
    /// First byte.
    pub from: u64,
    /// First byte after it.
    pub to: u64,
    /// Operations on it that ended, with or without an error.
    pub operations: u64,
    /// Rate, MB/s; absent if nothing of it was read.
    pub mb_s: Option<f64>,
    /// Failed reads.
    pub errors: u64,
    /// Blocks that did not hold what had been written, if that was checked.
    pub bad_blocks: u64,
    /// Its state.
    pub state: PartState,
}

/// State of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartState {
    /// Read at a usual rate.
    Ok,
    /// Below 40 % of the median.
    Slow,
    /// With failed reads, or with blocks that did not hold what had been written.
    Bad,
    /// Nothing of it was read.
    NotRead,
}

impl PartState {
    /// Its name in tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            PartState::Ok => "ok",
            PartState::Slow => "slow",
            PartState::Bad => "bad",
            PartState::NotRead => "not read",
        }
    }
}

/// The maps of a test: the last execution of each step that reads a span sequentially once.
#[must_use]
pub fn maps(records: &RunRecords, test: &TestPlan) -> Vec<SpeedMap> {
    let measured = test.steps.iter().filter(|step| step.role == StepRole::Measure);
    measured.filter_map(|step| of_step(records, test, step)).collect()
}

fn of_step(records: &RunRecords, test: &TestPlan, step: &Step) -> Option<SpeedMap> {
    let workload = scans(step)?;
    let record = records.steps.iter().rfind(|record| record.key.step == step.id)?;
    let intervals: Vec<&IntervalRecord> = records.intervals.iter().filter(|one| one.key == record.key).collect();
    let parts = parts(workload, record, &intervals);
    let rates: Vec<f64> = parts.iter().filter_map(|part| part.mb_s).collect();
    let median = stats::median(&rates);
    let parts = parts.into_iter().map(|part| MapPart { state: state(&part, median), ..part }).collect();
    let (test, label) = (test.name.clone(), step.label.clone());
    Some(SpeedMap {
        test,
        step: step.id.clone(),
        label,
        sampled: workload.places.is_some(),
        median_mb_s: median,
        parts,
    })
}

/// The load of a step that reads all of a span, or places in it, sequentially once.
fn scans(step: &Step) -> Option<&Workload> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let one = workload.threads.get() == 1 && workload.beside.is_empty() && workload.block_size_mix.is_empty();
    let in_order = workload.pattern == Pattern::Sequential && workload.stride.is_none();
    let reads = workload.read_percent() == 100 && workload.seek_percent.is_zero();
    // A plain read of the span is a fill that is read back; its curve over time shows the result.
    let scans = workload.places.is_some() || matches!(stop.errors, drivelab_core::plan::OnError::Keep);
    (one && in_order && reads && scans && stop.passes == Some(1)).then_some(workload)
}

/// The parts without their states.
fn parts(workload: &Workload, record: &StepRecord, intervals: &[&IntervalRecord]) -> Vec<MapPart> {
    let (span, block) = (workload.span, workload.block_size.get().max(1));
    let begins = begins(workload);
    let length = u128::from(span.length.get());
    let edge = |part: usize| {
        let at = (length * part as u128).div_ceil(MAP_PARTS as u128);
        span.offset.get() + u64::try_from(at).unwrap_or(u64::MAX)
    };
    let bad = |part: usize| {
        let found = record.verification.as_ref().and_then(|found| found.bad_by_part.get(part));
        found.copied().unwrap_or_default()
    };
    let mut parts: Vec<MapPart> = (0..MAP_PARTS)
        .map(|part| MapPart {
            from: edge(part),
            to: edge(part + 1),
            operations: 0,
            mb_s: None,
            errors: 0,
            bad_blocks: bad(part),
            state: PartState::NotRead,
        })
        .collect();
    let listed = record.errors.iter().filter(|error| error.op == OpKind::Read);
    let all_listed = listed.clone().count() as u64 >= record.read.errors;
    for part in listed.filter(|_| all_listed).filter_map(|error| map_part(span, error.offset)) {
        parts[part].errors += 1;
    }
    // The first errors are on record and the read ascends, so none came before the lowest of them.
    let lowest = record.errors.iter().filter_map(|error| map_part(span, error.offset)).min().unwrap_or(0);
    let mut done = 0;
    for interval in intervals {
        let (errors, ended) = (interval.read.errors, interval.read.count + interval.read.errors);
        if ended == 0 {
            continue;
        }
        // It is not recorded which operations of an interval failed. The errors are spread over those from the lowest
        // address on, and rounded as a sum, so that none is counted twice.
        let spread_from = done.max(begins[lowest]).min(done + ended - 1);
        let errors_up_to = |operation: u64| {
            let (through, all) = (operation.saturating_sub(spread_from), done + ended - spread_from);
            (2 * u128::from(errors) * u128::from(through) + u128::from(all)) / (2 * u128::from(all))
        };
        for (at, part) in parts.iter_mut().enumerate() {
            let (from, to) = (begins[at].max(done), begins[at + 1].min(done + ended));
            part.operations += to.saturating_sub(from);
            if from < to && !all_listed {
                part.errors += u64::try_from(errors_up_to(to) - errors_up_to(from)).unwrap_or(u64::MAX);
            }
        }
        done += ended;
    }
    let places: Vec<f64> = begins.iter().map(|operation| *operation as f64).collect();
    let of_each = |passed: fn(&IntervalRecord) -> f64| {
        let ended = |one: &IntervalRecord| (one.read.count + one.read.errors) as f64;
        cut(intervals.iter().map(|one| (ended(one), passed(one))), &places)
    };
    let seconds = of_each(|one| one.end_ns.saturating_sub(one.start_ns) as f64 / 1e9);
    let good = of_each(|one| one.read.count as f64);
    for (part, (seconds, good)) in parts.iter_mut().zip(seconds.into_iter().zip(good)) {
        part.mb_s = (seconds > 0.0 && good > 0.0).then(|| good * block as f64 / seconds / 1e6);
    }
    parts
}

/// The number of the first operation in each part, and the number of all at the end.
fn begins(workload: &Workload) -> Vec<u64> {
    let (block, length) = (workload.block_size.get().max(1), u128::from(workload.span.length.get()));
    let places = workload.places.map(|places| places.blocks(workload.span, workload.block_size));
    let first = |part: usize| {
        // The first block that begins in the part.
        let byte = (length * part as u128).div_ceil(MAP_PARTS as u128);
        let number = u64::try_from(byte.div_ceil(u128::from(block))).unwrap_or(u64::MAX);
        places.as_ref().map_or(number, |places| places.partition_point(|place| *place < number) as u64)
    };
    (0..=MAP_PARTS).map(first).collect()
}

fn state(part: &MapPart, median: Option<f64>) -> PartState {
    match (part.mb_s, median) {
        _ if part.errors + part.bad_blocks > 0 => PartState::Bad,
        (None, _) => PartState::NotRead,
        (Some(rate), Some(median)) if rate < SLOW * median => PartState::Slow,
        (Some(_), _) => PartState::Ok,
    }
}

/// Regions of a map in one state, each with its mean rate.
#[must_use]
pub fn regions(map: &SpeedMap) -> Vec<MapPart> {
    let mut regions: Vec<MapPart> = Vec::new();
    // Operations of the region that have a rate, and the time that they took, in whatever unit.
    let (mut rated, mut time) = (0.0, 0.0);
    for part in &map.parts {
        let own = part.mb_s.map_or((0.0, 0.0), |rate| (part.operations as f64, part.operations as f64 / rate));
        match regions.last_mut().filter(|last| last.state == part.state) {
            Some(last) => {
                (rated, time) = (rated + own.0, time + own.1);
                last.to = part.to;
                last.operations += part.operations;
                last.errors += part.errors;
                last.bad_blocks += part.bad_blocks;
                last.mb_s = (time > 0.0).then(|| rated / time);
            }
            None => {
                (rated, time) = own;
                regions.push(part.clone());
            }
        }
    }
    regions
}

#[cfg(test)]
mod tests;
