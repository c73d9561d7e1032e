//! The document of one load: what `drivelab io --json` prints and docs/formats/io.schema.json describes.
//!
//! A published format: fields are added, never renamed, removed or given another meaning within one schema version.
//! Means are over the whole measured part of all rounds together; percentiles come from the merged histograms and are
//! never averaged.

mod engine;
mod marks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use drivelab_analysis::search::{Found, Try, found};
use drivelab_analysis::{LimitKind, tails};
use drivelab_core::environment::{TargetKind, ToolVersion};
use drivelab_core::event::{RunState, Steadiness};
use drivelab_core::finding::Finding;
use drivelab_core::histogram::SparseHistogram;
use drivelab_core::ids::{RunId, StepId};
use drivelab_core::load::{Arrivals, OpKind, Rate};
use drivelab_core::plan::{Action, Rounds, Step, StepRole, StopRule};
use drivelab_core::record::{IoError, OpRecord, OpenLoop, StepRecord, StopReason, Verification};
use drivelab_core::replay::ReplayRecord;
use drivelab_core::units::{Bytes, BytesPerSecond, Nanos};
use drivelab_core::workload::Workload;
use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::io::engine::EngineDoc;
pub(crate) use crate::documents::io::marks::WrongDoc;
use crate::documents::io::marks::{VoidDoc, spoiled_by, void, voided_by, wrong};
use crate::documents::schema;
use crate::documents::told;
use crate::error::ReportError;
use crate::figure::input::ReportInput;
use crate::words::run_facts;

/// Name of the document.
const SCHEMA: &str = "drivelab.io";
/// Version of the document; raised when readers of the old version would misread the new one.
const SCHEMA_VERSION: u32 = 1;
/// Errors and bad blocks that are listed at most.
const MOST_LISTED: usize = 64;

/// A run of one load.
#[derive(Debug, Clone, Copy)]
pub struct IoInput<'a> {
    /// The run.
    pub run: ReportInput<'a>,
    /// Whether it is kept: only then its id is of use.
    pub saved: bool,
}

/// The result of one load.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IoResults {
    /// Always `drivelab.io`.
    schema: String,
    /// Version of this document, 1.
    schema_version: u32,
    /// The run; null if it was not kept (`--no-save`).
    pub(crate) run: Option<RunId>,
    /// State of the run.
    pub(crate) state: RunState,
    /// Why it failed; empty if it did not.
    pub(crate) message: String,
    /// Wall-clock time of the start, RFC 3339.
    pub(crate) started: String,
    /// The version of drivelab that measured.
    tool: ToolVersion,
    /// The target.
    pub(crate) target: TargetDoc,
    /// What was written before the load, so that no unwritten blocks were read; null if nothing was.
    pub(crate) filled: Option<FillDoc>,
    /// The step that issued the load. Findings name it, and `drivelab explain RUN STEP:METRIC` explains its figures.
    pub(crate) step: StepId,
    /// The load, with everything resolved. Its seed is the value for `--seed` with which the same flags issue the same
    /// operations; the seeds of the loads beside it are such values too.
    pub(crate) workload: Workload,
    /// The seed from which the operations were generated. It is derived from `workload.seed` and the name of the step,
    /// so that no two steps of a methodology visit the same offsets in the same order.
    derived_seed: u64,
    /// When the load should end.
    stop: StopRule,
    /// Ramp in nanoseconds: time at the start of each round that is left out of every figure.
    ramp_ns: u64,
    /// Why the last round ended; null if none did.
    pub(crate) stop_reason: Option<StopReason>,
    /// Measured time in nanoseconds, all rounds together.
    pub(crate) elapsed_ns: u64,
    /// Results by kind of operation, for the kinds that the load issues: `read`, `write`, `trim`, `write_zeroes`,
    /// `flush`.
    pub(crate) operations: BTreeMap<String, OperationDoc>,
    /// Results by group of threads, if several ran at the same time; from the last round. The figures above are their
    /// sums.
    pub(crate) groups: Vec<GroupDoc>,
    /// How the engine ran the load; null if no round ended.
    pub(crate) engine: Option<EngineDoc>,
    /// What limited the load; null if no round ended.
    pub(crate) limited_by: Option<LimitKind>,
    /// The figures on which `limited_by` rests, one sentence.
    pub(crate) limited_because: String,
    /// Whether rates are lower bounds, because the target was not the limit.
    pub(crate) lower_bound: bool,
    /// Codes of the findings that disturb the figures: something outside the test lowered rates or raised latencies.
    pub(crate) spoiled_by: Vec<String>,
    /// In which direction the figures are wrong because of them.
    pub(crate) wrong: WrongDoc,
    /// Codes of the findings that make figures void. No table shows void figures.
    pub(crate) voided_by: Vec<String>,
    /// Which figures are void.
    pub(crate) void: VoidDoc,
    /// Schedule and backlog of the last round; null for a closed loop.
    pub(crate) backlog: Option<OpenLoop>,
    /// The replay of the trace in the last round; null if no trace was replayed.
    pub(crate) replay: Option<ReplayRecord>,
    /// The result of checking headers; null if nothing was checked.
    pub(crate) verification: Option<Verification>,
    /// The first errors of operations, at most 64, plus the first of each error number; the counts are in `operations`.
    pub(crate) errors: Vec<IoError>,
    /// Number of failed operations by error number (errno), including the ramp; 0 means fewer bytes than requested.
    pub(crate) errors_by_errno: BTreeMap<i32, u64>,
    /// Findings about the run, the most severe first.
    pub(crate) findings: Vec<Finding>,
    /// Results of each round, if there are several; otherwise empty.
    pub(crate) rounds: Vec<RoundDoc>,
    /// Whether the load became steady, and in which rounds; null without `--steady`, or if it could not be judged.
    /// If present, the figures above are those of these rounds.
    pub(crate) steadiness: Option<Steadiness>,
    /// The result of a search for a rate; null if there was none. If present, the figures above are those of the round
    /// with the highest rate that stayed within the bound, or of the first round if none did.
    pub(crate) rate_search: Option<SearchDoc>,
}

/// A search for the highest rate at which a percentile of the response time stays within a bound.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchDoc {
    /// The percentile: `p99`.
    pub(crate) percentile: String,
    /// The bound: the longest response time allowed for this percentile, in nanoseconds.
    pub(crate) bound_ns: u64,
    /// Highest rate that stayed within the bound, operations per second; null if none did.
    pub(crate) held_iops: Option<f64>,
    /// Lowest rate that exceeded the bound, operations per second; null if none did.
    pub(crate) missed_iops: Option<f64>,
    /// Whether the search is finished: another round would not narrow the result.
    finished: bool,
    /// Why the search ended; empty if it has not.
    pub(crate) ended: String,
}

/// The target of the load.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TargetDoc {
    /// The file or device.
    pub(crate) path: PathBuf,
    /// Kind of target.
    kind: TargetKind,
    /// Bytes of the target that the load may touch.
    pub(crate) length: Bytes,
    /// Block devices from the file system downwards, by kernel name, with their models.
    pub(crate) devices: Vec<DeviceDoc>,
    /// What is known about direct I/O on the target.
    direct_io: String,
    /// Why writing was allowed; null if the target could not be written.
    guard: Option<String>,
}

/// A block device.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DeviceDoc {
    /// Kernel name.
    pub(crate) name: String,
    /// Model; null if unknown.
    pub(crate) model: Option<String>,
}

/// What was written before the load.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FillDoc {
    /// Bytes written.
    pub(crate) bytes: u64,
    /// Duration in nanoseconds.
    pub(crate) elapsed_ns: u64,
}

/// Results of one kind of operation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OperationDoc {
    /// Operations completed without error.
    pub(crate) count: u64,
    /// Bytes that they moved.
    pub(crate) bytes: u64,
    /// Operations per second.
    pub(crate) iops: f64,
    /// Bytes per second; null for operations that move no data (discards, flushes).
    pub(crate) throughput: Option<f64>,
    /// Operations per second over the busy time, in which at least one operation was in flight (so without the pauses
    /// of a replayed trace); null if no trace was replayed.
    pub(crate) busy_iops: Option<f64>,
    /// Bytes per second over the busy time; null if no trace was replayed, and for operations that move no data.
    pub(crate) busy_throughput: Option<f64>,
    /// Operations that ended in an error; included in no other figure.
    pub(crate) errors: u64,
    /// Latency, from submission to completion; null if nothing completed.
    pub(crate) latency_ns: Option<LatencyDoc>,
    /// Response time, from the intended start to completion; null for a closed loop.
    pub(crate) response_ns: Option<LatencyDoc>,
    /// Results by size of operation; empty if all had one size.
    pub(crate) sizes: Vec<SizeDoc>,
}

/// Results of operations of one size.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SizeDoc {
    /// Bytes of one operation.
    pub(crate) block_size: Bytes,
    /// Operations completed without error.
    count: u64,
    /// Operations per second.
    pub(crate) iops: f64,
    /// Bytes per second; null for operations that move no data (discards, flushes).
    pub(crate) throughput: Option<f64>,
    /// Operations per second over the busy time of a replayed trace; null if no trace was replayed.
    pub(crate) busy_iops: Option<f64>,
    /// Bytes per second over the busy time; null if no trace was replayed, and for operations that move no data.
    pub(crate) busy_throughput: Option<f64>,
    /// Latency, from submission to completion; null if nothing completed.
    pub(crate) latency_ns: Option<LatencyDoc>,
}

/// A distribution of times, in nanoseconds.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct LatencyDoc {
    /// Exact mean.
    pub(crate) mean: f64,
    /// Exact minimum.
    min: u64,
    /// Median; like every percentile null if fewer than five operations lie beyond it.
    pub(crate) p50: Option<u64>,
    /// 90th percentile.
    pub(crate) p90: Option<u64>,
    /// 99th percentile.
    pub(crate) p99: Option<u64>,
    /// 99.9th percentile.
    pub(crate) p999: Option<u64>,
    /// Exact maximum.
    pub(crate) max: u64,
}

/// Results of a group of threads.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GroupDoc {
    /// Name of the group; empty for the main load.
    pub(crate) name: String,
    /// The other namespace of the drive that the group read instead of the target, such as `nvme0n2`; absent if it used
    /// the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on: Option<String>,
    /// Results by kind of operation.
    pub(crate) operations: BTreeMap<String, OperationDoc>,
}

/// Results of one round.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RoundDoc {
    /// Number of the round, from 1.
    pub(crate) round: u32,
    /// Requested rate in operations per second; null for a closed loop.
    pub(crate) asked_iops: Option<f64>,
    /// Measured time in nanoseconds.
    elapsed_ns: u64,
    /// Results by kind of operation.
    pub(crate) operations: BTreeMap<String, OperationDoc>,
}

impl LatencyDoc {
    /// `None` if the histogram is empty.
    fn of(histogram: &SparseHistogram) -> Option<LatencyDoc> {
        let summary = histogram.summary()?;
        let told = |per_cent| tails::percentile(histogram, per_cent).map(Nanos::get);
        Some(LatencyDoc {
            mean: summary.mean_ns,
            min: histogram.min.get(),
            p50: told(50.0),
            p90: told(90.0),
            p99: told(99.0),
            p999: told(99.9),
            max: summary.max.get(),
        })
    }
}

/// The times that rates are based on.
#[derive(Clone, Copy)]
struct Times {
    /// The measured part; for bursts by volume their active time.
    elapsed: Nanos,
    /// The busy time of a replayed trace.
    busy: Option<Nanos>,
}

impl Times {
    /// Of all rounds together.
    fn of(rounds: &[&StepRecord]) -> Times {
        let busy = rounds.iter().map(|record| record.replay.as_ref().map(|replay| replay.busy.get()));
        Times {
            elapsed: Nanos::new(rounds.iter().map(|record| record.active().get()).sum()),
            busy: busy.sum::<Option<u64>>().filter(|busy| *busy > 0).map(Nanos::new),
        }
    }
}

/// Several rounds of one kind of operation, merged.
fn merged(kind: OpKind, records: &[&OpRecord], Times { elapsed, busy }: Times) -> OperationDoc {
    let sum = |of: fn(&OpRecord) -> u64| records.iter().map(|record| of(record)).sum::<u64>();
    let mut latency = SparseHistogram::default();
    let mut response: Option<SparseHistogram> = None;
    let mut sizes: BTreeMap<Bytes, (u64, SparseHistogram)> = BTreeMap::new();
    for record in records {
        latency.merge(&record.histogram);
        if let Some(one) = &record.response {
            response.get_or_insert_default().merge(&one.histogram);
        }
        for size in &record.sizes {
            let (count, histogram) = sizes.entry(size.block_size).or_default();
            *count += size.count;
            histogram.merge(&size.histogram);
        }
    }
    let (count, bytes) = (sum(|record| record.count), Bytes::new(sum(|record| record.bytes.get())));
    // The arithmetic of a single record, so that a single round and its sum cannot differ.
    let over = |time, count, bytes| OpRecord::new(count, bytes, 0, SparseHistogram::default(), time);
    let rates = |count, bytes| (over(elapsed, count, bytes), busy.map(|busy| over(busy, count, bytes)));
    let in_bytes = |rates: &OpRecord| rates.throughput.filter(|_| kind.moves_data()).map(BytesPerSecond::get);
    let size = |(block_size, (count, histogram)): (Bytes, (u64, SparseHistogram))| {
        let (rates, of_busy) = rates(count, Bytes::new(count.saturating_mul(block_size.get())));
        SizeDoc {
            block_size,
            count,
            iops: rates.iops,
            throughput: in_bytes(&rates),
            busy_iops: of_busy.as_ref().map(|rates| rates.iops),
            busy_throughput: of_busy.as_ref().and_then(in_bytes),
            latency_ns: LatencyDoc::of(&histogram),
        }
    };
    let (rates, of_busy) = rates(count, bytes);
    OperationDoc {
        count,
        bytes: bytes.get(),
        iops: rates.iops,
        throughput: in_bytes(&rates),
        busy_iops: of_busy.as_ref().map(|rates| rates.iops),
        busy_throughput: of_busy.as_ref().and_then(in_bytes),
        errors: sum(|record| record.errors),
        latency_ns: LatencyDoc::of(&latency),
        response_ns: response.as_ref().and_then(LatencyDoc::of),
        sizes: sizes.into_iter().map(size).collect(),
    }
}

/// The kinds that a workload issues, and any other that was recorded.
fn by_kind(rounds: &[&StepRecord], workload: &Workload) -> BTreeMap<String, OperationDoc> {
    let times = Times::of(rounds);
    let of = |kind: OpKind| -> Vec<&OpRecord> {
        rounds
            .iter()
            .flat_map(|record| record.kinds().filter(move |(found, _)| *found == kind))
            .map(|(_, r)| r)
            .collect()
    };
    let kinds = OpKind::ALL.into_iter().map(|kind| (kind, of(kind)));
    let issued = kinds.filter(|(kind, found)| workload.issues(*kind) || found.iter().any(|r| r.count + r.errors > 0));
    // The response times of an overloaded open loop grow with the length of the test: they are no result.
    let overloaded = rounds.iter().any(|record| drivelab_analysis::overloaded(record, workload));
    let document = |kind: OpKind, found: &[&OpRecord]| {
        let document = merged(kind, found, times);
        if overloaded { OperationDoc { response_ns: None, ..document } } else { document }
    };
    issued.map(|(kind, found)| (kind.name().to_owned(), document(kind, &found))).collect()
}

fn groups(last: Option<&StepRecord>, workload: &Workload) -> Vec<GroupDoc> {
    let Some(last) = last else { return Vec::new() };
    let on =
        |name: &str| workload.beside.iter().find(|load| load.name == name)?.on.as_ref().map(|on| on.words().to_owned());
    // A load with groups never replays a trace.
    let times = Times { elapsed: last.elapsed(), busy: None };
    let one = |group: &drivelab_core::record::GroupRecord| {
        let main = [(OpKind::Read, &group.read), (OpKind::Write, &group.write)];
        let kinds = main.into_iter().chain(group.others.iter().map(|other| (other.op, &other.record)));
        let seen = kinds.filter(|(_, record)| record.count + record.errors > 0);
        let operations = seen.map(|(kind, record)| (kind.name().to_owned(), merged(kind, &[record], times)));
        GroupDoc { name: group.name.clone(), on: on(&group.name), operations: operations.collect() }
    };
    last.groups.iter().map(one).collect()
}

/// The result of checking, over all rounds.
fn verification(rounds: &[&StepRecord]) -> Option<Verification> {
    let mut checks = rounds.iter().filter_map(|record| record.verification.as_ref());
    let first = checks.next()?.clone();
    Some(checks.fold(first, |mut sum, check| {
        sum.checked += check.checked;
        for (fault, count) in &check.faults {
            *sum.faults.entry(*fault).or_default() += count;
        }
        sum.first.extend(check.first.iter().cloned());
        sum.first.truncate(MOST_LISTED);
        let parts = sum.bad_by_part.len().max(check.bad_by_part.len());
        sum.bad_by_part.resize(parts, 0);
        sum.bad_by_part.iter_mut().zip(&check.bad_by_part).for_each(|(mine, theirs)| *mine += theirs);
        sum.wraps_at = [sum.wraps_at, check.wraps_at].into_iter().flatten().min();
        sum
    }))
}

fn target(input: &ReportInput<'_>) -> TargetDoc {
    let environment = &input.records.environment;
    let target = &environment.target;
    let device = |device: &drivelab_core::environment::BlockDeviceFacts| DeviceDoc {
        name: device.name.clone(),
        model: device.model.as_ref().map(|model| model.trim().to_owned()),
    };
    TargetDoc {
        path: target.path.clone(),
        kind: target.kind,
        length: target.length,
        devices: target.devices.iter().map(device).collect(),
        direct_io: target.direct_io.reason.clone(),
        guard: environment.guard.as_ref().map(|guard| guard.allowed_because.clone()),
    }
}

fn filled(input: &ReportInput<'_>) -> Option<FillDoc> {
    let records = input.records;
    let is_fill = |record: &&StepRecord| {
        records.plan.step(&record.key.step).is_some_and(|step: &Step| step.role == StepRole::Prepare)
    };
    let fills: Vec<&StepRecord> = records.steps.iter().filter(is_fill).collect();
    (!fills.is_empty()).then(|| FillDoc {
        bytes: fills.iter().map(|record| record.write.bytes.get()).sum(),
        elapsed_ns: fills.iter().map(|record| record.elapsed().get()).sum(),
    })
}

/// The document of a run that measured one load: the first measured step of its plan.
pub(crate) fn results(input: &IoInput<'_>) -> Result<IoResults, ReportError> {
    let IoInput { run, saved } = input;
    let records = run.records;
    let measured = records.plan.steps().find_map(|step| match &step.action {
        Action::Io { workload, stop, ramp } if step.role == StepRole::Measure => Some((step, workload, stop, ramp)),
        _ => None,
    });
    let (step, workload, stop, ramp) = measured.ok_or(ReportError::NoLoad)?;
    let all: Vec<&StepRecord> = records.steps.iter().filter(|record| record.key.step == step.id).collect();
    let found = records.plan.test_of(&step.id).and_then(|test| found(test, step, records));
    let reported = found.as_ref().and_then(Found::reported).map(|one| one.round);
    // For a steady load, the window that was judged is reported, as everywhere else.
    let judged =
        records.plan.test_of(&step.id).and_then(|test| records.steadiness.iter().find(|one| one.test == test.name));
    let is_reported = |record: &&&StepRecord| {
        let round = record.key.round;
        reported.is_none_or(|reported| round == reported)
            && judged.is_none_or(|window| (window.first_round..=window.last_round).contains(&round))
    };
    let rounds: Vec<&StepRecord> = all.iter().filter(is_reported).copied().collect();
    let last = rounds.last().copied();
    let limit = run.analysis.limits.iter().find(|limit| limit.step == step.id).map(|limit| &limit.limit);
    let round = |record: &&StepRecord| RoundDoc {
        round: record.key.round,
        asked_iops: record.open_loop.map(|open| open.asked_iops),
        elapsed_ns: record.elapsed().get(),
        operations: by_kind(&[*record], workload),
    };
    Ok(IoResults {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        run: saved.then_some(records.run),
        state: records.state,
        message: records.message.clone(),
        started: records.started.clone(),
        tool: records.tool.clone(),
        target: target(run),
        filled: filled(run),
        step: step.id.clone(),
        workload: as_stated(step, workload, found.as_ref().and_then(Found::reported)),
        derived_seed: workload.seed,
        stop: stop.clone(),
        ramp_ns: ramp.get(),
        stop_reason: last.map(|record| record.stop_reason),
        elapsed_ns: rounds.iter().map(|record| record.elapsed().get()).sum(),
        operations: by_kind(&rounds, workload),
        groups: groups(last, workload),
        engine: EngineDoc::of(&rounds, workload),
        limited_by: limit.map(|limit| limit.limited_by),
        limited_because: limit.map_or_else(String::new, |limit| limit.reason.clone()),
        lower_bound: limit.is_some_and(|limit| limit.lower_bound),
        spoiled_by: spoiled_by(run, step),
        wrong: wrong(run, step),
        voided_by: voided_by(run, step),
        void: void(run, step),
        backlog: last.and_then(|record| record.open_loop),
        replay: last.and_then(|record| record.replay.clone()).map(told::replay),
        verification: verification(&rounds),
        errors: first_errors(&rounds),
        errors_by_errno: errors_by_errno(&rounds),
        findings: run_facts::findings(run).into_iter().cloned().collect(),
        rounds: if all.len() > 1 { all.iter().map(round).collect() } else { Vec::new() },
        steadiness: judged.cloned(),
        rate_search: found.and_then(|found| search(run, step, &found)),
    })
}

fn search(input: &ReportInput<'_>, step: &Step, found: &Found) -> Option<SearchDoc> {
    let Rounds::FindRate(search) = &input.records.plan.test_of(&step.id)?.rounds else { return None };
    let iops = |one: &Try| Rate { per_1000_s: one.per_1000_s, arrivals: Arrivals::default() }.iops();
    Some(SearchDoc {
        percentile: search.percentile_name(),
        bound_ns: search.bound.get(),
        held_iops: found.held.as_ref().map(iops),
        missed_iops: found.missed.as_ref().map(iops),
        finished: found.finished,
        ended: found.ended.to_owned(),
    })
}

/// The first errors of all rounds, plus the first of each error number.
fn first_errors(rounds: &[&StepRecord]) -> Vec<IoError> {
    let mut seen = BTreeSet::new();
    let all = rounds.iter().flat_map(|record| &record.errors).enumerate();
    let kept = all.filter(|(place, error)| seen.insert(error.errno) || *place < MOST_LISTED);
    kept.map(|(_, error)| error.clone()).collect()
}

fn errors_by_errno(rounds: &[&StepRecord]) -> BTreeMap<i32, u64> {
    let mut all = BTreeMap::new();
    for effort in rounds.iter().filter_map(|record| record.engine.effort.as_ref()) {
        for (errno, count) in &effort.errors_by_errno {
            *all.entry(*errno).or_default() += count;
        }
    }
    if all.is_empty() {
        // Old recordings have no counts: count the errors that they list.
        rounds.iter().flat_map(|record| &record.errors).for_each(|error| *all.entry(error.errno).or_default() += 1);
    }
    all
}

/// The load with the seeds as given (old recordings without them: with the derived seeds) and, for a search, at the
/// rate of the round whose figures are reported.
fn as_stated(step: &Step, workload: &Workload, reported: Option<&Try>) -> Workload {
    let mut stated = workload.clone();
    if let (Some(rate), Some(reported)) = (&mut stated.pace.rate, reported) {
        rate.per_1000_s = reported.per_1000_s;
    }
    let (first, beside) = step.seeds.split_first().unwrap_or((&workload.seed, &[]));
    stated.seed = *first;
    stated.beside.iter_mut().zip(beside).for_each(|(load, seed)| load.seed = *seed);
    stated
}

/// JSON Schema of the document.
#[must_use]
pub fn io_schema() -> serde_json::Value {
    schema::of::<IoResults>("drivelab io", "drivelab.io.v1")
}
