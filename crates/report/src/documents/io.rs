//! The document of one load: what `drivelab io --json` prints and docs/formats/io.schema.json describes.
//!
//! A published format: fields are added, never renamed, removed or given another meaning within one schema version.
//! Means are over the whole measured part, of all rounds together where there are several; percentiles come from the
//! merged histograms and are never averaged.

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
/// Version of the document; raised when a reader of the old one would go wrong.
const SCHEMA_VERSION: u32 = 1;
/// Errors and bad blocks that are listed.
const MOST_LISTED: usize = 64;

/// A run of one load.
#[derive(Debug, Clone, Copy)]
pub struct IoInput<'a> {
    /// The run.
    pub run: ReportInput<'a>,
    /// Whether it is kept, so that its name means something.
    pub saved: bool,
}

/// The result of one load.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IoResults {
    /// Always `drivelab.io`.
    schema: String,
    /// Version of this document, 1.
    schema_version: u32,
    /// The run; absent where nothing was kept (`--no-save`).
    pub(crate) run: Option<RunId>,
    /// How the run stands.
    pub(crate) state: RunState,
    /// Why it failed; empty where it did not.
    pub(crate) message: String,
    /// Wall-clock time of the start, RFC 3339.
    pub(crate) started: String,
    /// Which drivelab measured.
    tool: ToolVersion,
    /// What it ran on.
    pub(crate) target: TargetDoc,
    /// What was written before, so that nothing unwritten was read; absent where nothing was.
    pub(crate) filled: Option<FillDoc>,
    /// The step that issued it: findings name it, and `drivelab explain RUN STEP:METRIC` explains its figures.
    pub(crate) step: StepId,
    /// The load, with everything resolved. Its seed is the one that `--seed` takes, so that the same flags with it
    /// issue the same operations; so are those of the loads beside it.
    pub(crate) workload: Workload,
    /// The seed that the operations were made from: derived from `workload.seed` and the name of the step, so that no
    /// two steps of a methodology visit the same offsets in the same order.
    derived_seed: u64,
    /// When it was to end.
    stop: StopRule,
    /// Time at the start of each round that is left out of every figure, in nanoseconds.
    ramp_ns: u64,
    /// Why the last round ended; absent where none did.
    pub(crate) stop_reason: Option<StopReason>,
    /// Measured time in nanoseconds, all rounds together.
    pub(crate) elapsed_ns: u64,
    /// By kind, those that the load issues: `read`, `write`, `trim`, `write_zeroes`, `flush`.
    pub(crate) operations: BTreeMap<String, OperationDoc>,
    /// By group of threads, where several ran at the same time; the figures above are their sums. Of the last round.
    pub(crate) groups: Vec<GroupDoc>,
    /// How the engine ran it; absent where no round ended.
    pub(crate) engine: Option<EngineDoc>,
    /// What kept the load from being faster; absent where no round ended.
    pub(crate) limited_by: Option<LimitKind>,
    /// The figures that this rests on, one sentence.
    pub(crate) limited_because: String,
    /// Whether rates are lower bounds: not the target was the limit.
    pub(crate) lower_bound: bool,
    /// Codes of the findings that spoil the figures: something beside the test changed them, rates to the low side and
    /// latencies to the high one.
    pub(crate) spoiled_by: Vec<String>,
    /// In which direction they spoil them.
    pub(crate) wrong: WrongDoc,
    /// Codes of the findings that make figures void: no table shows these.
    pub(crate) voided_by: Vec<String>,
    /// Which figures they make void.
    pub(crate) void: VoidDoc,
    /// Schedule and backlog of the last round; null in a closed loop.
    pub(crate) backlog: Option<OpenLoop>,
    /// What was done with the trace in the last round; null where none was replayed.
    pub(crate) replay: Option<ReplayRecord>,
    /// What checking headers found; null where nothing was checked.
    pub(crate) verification: Option<Verification>,
    /// The first errors of operations, at most 64, and the first of each number; the counts are in `operations`.
    pub(crate) errors: Vec<IoError>,
    /// Operations that failed, by error number, those of the ramp included; 0 stands for fewer bytes than asked.
    pub(crate) errors_by_errno: BTreeMap<i32, u64>,
    /// Statements about the run, the gravest first.
    pub(crate) findings: Vec<Finding>,
    /// Each round for itself, where there are several.
    pub(crate) rounds: Vec<RoundDoc>,
    /// Whether and in which rounds the load was steady; null where that was not asked for (`--steady`), or nothing
    /// could be judged. The figures above are then those of these rounds.
    pub(crate) steadiness: Option<Steadiness>,
    /// What a search for a rate found; null where none was asked for. The figures above are then those of the round
    /// with the highest rate that kept the bound, or of the first round where none did.
    pub(crate) rate_search: Option<SearchDoc>,
}

/// A search for the highest rate at which a percentile of the response time keeps a bound.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchDoc {
    /// The percentile: `p99`.
    pub(crate) percentile: String,
    /// Longest response time that it may have, in nanoseconds.
    pub(crate) bound_ns: u64,
    /// Highest rate that kept the bound, operations per second; null where none did.
    pub(crate) held_iops: Option<f64>,
    /// Lowest rate that did not; null where all did.
    pub(crate) missed_iops: Option<f64>,
    /// Whether another round would tell no more.
    finished: bool,
    /// Why it ended after so many rounds; empty where it goes on.
    pub(crate) ended: String,
}

/// What the load ran on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TargetDoc {
    /// The file or device.
    pub(crate) path: PathBuf,
    /// What it is.
    kind: TargetKind,
    /// Bytes that could be touched.
    pub(crate) length: Bytes,
    /// Block devices from the file system downwards, by kernel name, with their models.
    pub(crate) devices: Vec<DeviceDoc>,
    /// What is known about direct I/O there.
    direct_io: String,
    /// Why it might be written; null where it could not be.
    guard: Option<String>,
}

/// A block device.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DeviceDoc {
    /// Kernel name.
    pub(crate) name: String,
    /// Model, where it is known.
    pub(crate) model: Option<String>,
}

/// What was written before the load.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FillDoc {
    /// Bytes.
    pub(crate) bytes: u64,
    /// Time it took, in nanoseconds.
    pub(crate) elapsed_ns: u64,
}

/// What one kind of operation did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OperationDoc {
    /// Completed operations without error.
    pub(crate) count: u64,
    /// Bytes those moved.
    pub(crate) bytes: u64,
    /// Operations per second.
    pub(crate) iops: f64,
    /// Bytes per second; null of a kind that moves no data (discards, flushes).
    pub(crate) throughput: Option<f64>,
    /// Operations per second over the busy time, in which at least one operation was outstanding, so without the pauses
    /// of a replayed trace; null where none was replayed.
    pub(crate) busy_iops: Option<f64>,
    /// Bytes per second over the same time.
    pub(crate) busy_throughput: Option<f64>,
    /// Operations that ended in an error; counted nowhere else.
    pub(crate) errors: u64,
    /// Submission to completion; null where nothing completed.
    pub(crate) latency_ns: Option<LatencyDoc>,
    /// Intended start to completion; null in a closed loop.
    pub(crate) response_ns: Option<LatencyDoc>,
    /// The same by size of operation; empty where all were of one size.
    pub(crate) sizes: Vec<SizeDoc>,
}

/// What operations of one size did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SizeDoc {
    /// Bytes of one operation.
    pub(crate) block_size: Bytes,
    /// Completed operations without error.
    count: u64,
    /// Operations per second.
    pub(crate) iops: f64,
    /// Bytes per second; null of a kind that moves no data (discards, flushes).
    pub(crate) throughput: Option<f64>,
    /// Operations per second over the busy time of a replayed trace; null where none was replayed.
    pub(crate) busy_iops: Option<f64>,
    /// Bytes per second over the same time.
    pub(crate) busy_throughput: Option<f64>,
    /// Submission to completion; null where nothing completed.
    pub(crate) latency_ns: Option<LatencyDoc>,
}

/// A distribution of times, in nanoseconds.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct LatencyDoc {
    /// Exact mean.
    pub(crate) mean: f64,
    /// Exact minimum.
    min: u64,
    /// Median; null, as every percentile, with fewer than five operations beyond it.
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

/// What a group of threads did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GroupDoc {
    /// Its name; empty for the main load.
    pub(crate) name: String,
    /// The other namespace of the drive that it read in place of the target, `nvme0n2`; absent where it is the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on: Option<String>,
    /// By kind, as above.
    pub(crate) operations: BTreeMap<String, OperationDoc>,
}

/// One round.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RoundDoc {
    /// Number, from 1.
    pub(crate) round: u32,
    /// Rate that was asked for, operations per second; null in a closed loop.
    pub(crate) asked_iops: Option<f64>,
    /// Measured time in nanoseconds.
    elapsed_ns: u64,
    /// By kind, as above.
    pub(crate) operations: BTreeMap<String, OperationDoc>,
}

impl LatencyDoc {
    /// `None` where the histogram is empty.
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

/// What rates are over.
#[derive(Clone, Copy)]
struct Times {
    /// The measured part, of bursts by volume their active time.
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

/// The same kind in several rounds, as one.
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
    // The same arithmetic as for one record, so that a round for itself and its sum cannot differ.
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

/// The kinds that a workload issues, or that were seen all the same.
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
    // An overloaded loop's response times grow with the length of the test: no results.
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
    // Only a load by itself replays a trace.
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

/// What checking found, over all rounds.
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
    // Of a steady load, the window that was judged is reported, as everywhere else.
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

/// Of all rounds, the first errors and the first of each number.
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
        // Recordings from before they were counted know those that they kept.
        rounds.iter().flat_map(|record| &record.errors).for_each(|error| *all.entry(error.errno).or_default() += 1);
    }
    all
}

/// The load with the seeds that were stated (recordings from before these were kept show those that were derived), and,
/// of a search, at the rate of the round whose figures are reported.
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
