//! The results document: what `drivelab report --format json` writes and docs/formats/results.schema.json describes.
//!
//! A published format: fields are added, never renamed, removed or given another meaning within one schema version.

use std::io::{self, Write};

use drivelab_analysis::arms::Arms;
use drivelab_analysis::buyer::Checked;
use drivelab_analysis::curve::Curve;
use drivelab_analysis::data_sheet::{Sheet, sheet};
use drivelab_analysis::map::SpeedMap;
use drivelab_analysis::scores::ScoreFigure;
use drivelab_analysis::suitability::Suitability;
use drivelab_analysis::{Analysis, StepLimit, metric_def};
use drivelab_core::environment::{Environment, ToolVersion};
use drivelab_core::event::{RunState, Steadiness};
use drivelab_core::finding::Finding;
use drivelab_core::histogram::LatencySummary;
use drivelab_core::ids::{RunId, StepId, StepKey};
use drivelab_core::label::Label;
use drivelab_core::load::OpKind;
use drivelab_core::metric::{Class, Metric};
use drivelab_core::plan::{Form, MethodIdentity, Repeats, Source, Step};
use drivelab_core::record::{IntervalRecord, OpRecord, Origin, SizeRecord, StepRecord, Stuck};
use drivelab_core::telemetry::{Gap, RecordedSource, Sample, SourceDescription, TemperatureLimit};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::documents::schema;
use crate::documents::told;
use crate::error::ReportError;
use crate::figure::input::ReportInput;
use crate::marker;
use crate::views::across::compare;
use crate::views::run::scores;
use crate::views::test::{curve, map};
use crate::words::run_facts;

/// Version of the document; raised when readers of the old version would misread the new one.
const SCHEMA_VERSION: u32 = 1;

/// A results document, of one run or of several.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "made once for each report")]
pub(crate) enum Results<'a> {
    /// Results of one run.
    One(RunResults<'a>),
    /// Results of several runs.
    Several(SeveralResults<'a>),
}

/// The results of one run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunResults<'a> {
    /// Always `drivelab.results`.
    pub(crate) schema: String,
    /// Version of this document, 1.
    pub(crate) schema_version: u32,
    /// The run.
    pub(crate) run: RunDoc,
    /// Target and testbed at the start of the run.
    pub(crate) environment: Environment,
    /// The user's description of the run; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<Label>,
    /// Every figure, in the order of the plan, with those of the whole run last. docs/metrics.md defines them.
    pub(crate) metrics: Vec<MetricDoc>,
    /// Findings about the run, the most severe first.
    pub(crate) findings: Vec<FindingDoc>,
    /// Every step of the plan with its executions.
    pub(crate) steps: Vec<StepDoc<'a>>,
    /// Telemetry recorded during the I/O; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) telemetry: Option<TelemetryDoc<'a>>,
    /// What limited each executed step.
    pub(crate) limits: Vec<StepLimit>,
    /// Load curves (a load at full speed and at shares of it) with their knees; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) curves: Vec<Curve>,
    /// The drive's data sheet compared with the measured figures; absent if the methodology has no test for a printed
    /// figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data_sheet: Option<Sheet>,
    /// Verdict and answers of `drivelab check`; absent for other runs, and for a check that was not completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checked: Option<Checked>,
    /// Facts about the drive, and what it is good for by the rules of the computer that made this document; absent if
    /// nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suitability: Option<Suitability>,
    /// Scores: figures that the methodology computes from several steps; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) scores: Vec<ScoreFigure>,
    /// Speed maps: sequential reads of a whole span by position; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) maps: Vec<SpeedMap>,
    /// What this copy of the document leaves out to stay small; absent in the full document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// The results of several runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SeveralResults<'a> {
    /// Always `drivelab.results`.
    schema: String,
    /// Version of this document, 1.
    schema_version: u32,
    /// Whether every run may be compared with every other: same content of the methodology, same form, not smoke.
    comparable: bool,
    /// Why runs are not comparable, a sentence each.
    not_comparable_because: Vec<String>,
    /// Each run as its own document.
    runs: Vec<RunResults<'a>>,
    /// The figures of all runs, each with its run id.
    metrics: Vec<MetricDoc>,
    /// The findings of all runs, each with its run id.
    findings: Vec<FindingDoc>,
    /// Comparisons of runs under several arms, one for each drive; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arms: Vec<Arms>,
}

/// The run itself.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunDoc {
    /// Id of the run.
    id: RunId,
    /// State of the run.
    state: RunState,
    /// Why it failed; empty if it did not.
    message: String,
    /// The form of the methodology. Results of different forms are not comparable.
    form: Form,
    /// Name, version and hashes of the methodology. Results of different `compared_hash` are not comparable.
    method: MethodIdentity,
    /// Title of the methodology.
    title: String,
    /// Purpose of the methodology.
    summary: String,
    /// Sources that the methodology cites.
    sources: Vec<Source>,
    /// The version of drivelab that measured.
    tool: ToolVersion,
    /// Version of the analysis that computed metrics and findings.
    analysis_version: u32,
    /// Wall-clock time of the start, RFC 3339.
    started: String,
    /// Duration on the run clock in nanoseconds, without interruptions.
    duration_ns: u64,
    /// Interruptions, and how the run continued.
    breaks: Vec<BreakDoc>,
    /// Executions that failed.
    failed_steps: Vec<FailedDoc>,
    /// Steady-state verdicts of the tests that look for it.
    steadiness: Vec<Steadiness>,
}

/// Telemetry recorded during the I/O.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TelemetryDoc<'a> {
    /// CPU time in nanoseconds that reading the sources took.
    cpu_ns: u64,
    /// Whether sources were also read in idle and latency-critical steps.
    always: bool,
    /// Temperature above which the run ends; null if there is no such limit.
    abort_above: Option<TemperatureLimit>,
    /// What could not be recorded, and why.
    remarks: Vec<String>,
    /// The sources with their samples.
    pub(crate) sources: Vec<TelemetrySourceDoc<'a>>,
}

/// A source and its samples.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TelemetrySourceDoc<'a> {
    /// The source. Its series are in the order of the values of a sample.
    #[serde(flatten)]
    description: SourceDescription,
    /// Samples in chronological order.
    pub(crate) samples: &'a [Sample],
    /// Periods without samples.
    gaps: &'a [Gap],
}

/// An interruption.
#[derive(Debug, Serialize, JsonSchema)]
struct BreakDoc {
    /// Run time of the last event before the interruption, in nanoseconds.
    at_ns: u64,
    /// Cause.
    cause: String,
    /// Wall-clock time at which the run was resumed, RFC 3339; null if it was not.
    resumed: Option<String>,
    /// State of the prepared target on resuming; null if the run was not resumed.
    target_state: Option<String>,
    /// Whether preparation was repeated; null if the run was not resumed.
    prepared_again: Option<bool>,
}

/// An execution that failed.
#[derive(Debug, Serialize, JsonSchema)]
struct FailedDoc {
    /// The execution.
    key: StepKey,
    /// What went wrong.
    error: String,
}

/// A figure.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MetricDoc {
    /// The run it belongs to; present in documents of several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunId>,
    /// The figure.
    #[serde(flatten)]
    metric: Metric,
}

/// A finding.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct FindingDoc {
    /// The run it is about; present in documents of several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunId>,
    /// The finding.
    #[serde(flatten)]
    finding: Finding,
}

/// A step of the plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StepDoc<'a> {
    /// Name of the test it belongs to.
    test: String,
    /// The step with all its parameters.
    step: Step,
    /// Repetition beyond rounds: warm-up rounds, which do not count, and sets.
    #[serde(skip_serializing_if = "Repeats::is_plain")]
    repeats: Repeats,
    /// Its finished executions.
    rounds: Vec<StepRecord>,
    /// The intervals of its executions, without histograms.
    #[serde(serialize_with = "interval_docs")]
    #[schemars(with = "Vec<IntervalDoc>")]
    pub(crate) intervals: Vec<&'a IntervalRecord>,
}

/// Converts each interval while it is written: a long run has a hundred thousand of them.
fn interval_docs<S: Serializer>(intervals: &[&IntervalRecord], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(intervals.iter().map(|one| interval(one)))
}

/// An interval without its histograms.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IntervalDoc {
    /// Round, from 1.
    round: u32,
    /// Number in the execution, from 0.
    index: u32,
    /// Start, nanoseconds on the run clock.
    start_ns: u64,
    /// End, nanoseconds on the run clock.
    end_ns: u64,
    /// Whether it is part of the ramp, which is left out of results.
    ramp: bool,
    /// Reads.
    read: OpDoc,
    /// Writes.
    write: OpDoc,
    /// Other kinds of operation that the workload issues; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<OtherDoc>,
    /// Mean number of operations in flight.
    in_flight_mean: f64,
    /// Operations that had arrived but were not yet submitted at the end; only for an open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    backlog: Option<u64>,
    /// Operations in flight for longer than the watchdog's limit; absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    stuck: Option<Stuck>,
    /// Origin of its figures; absent if they were measured.
    #[serde(skip_serializing_if = "Origin::is_measured")]
    origin: Origin,
}

/// Operations of a kind other than read and write in an interval.
#[derive(Debug, Serialize, JsonSchema)]
struct OtherDoc {
    /// The kind.
    op: OpKind,
    /// Their results.
    #[serde(flatten)]
    record: OpDoc,
}

/// One kind of operation in an interval.
#[derive(Debug, Serialize, JsonSchema)]
struct OpDoc {
    /// Completed operations.
    count: u64,
    /// Bytes they moved.
    bytes: u64,
    /// Operations that ended in an error.
    errors: u64,
    /// Latency figures in nanoseconds; null if there were no operations.
    latency: Option<LatencySummary>,
    /// Response time figures in nanoseconds; only for an open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<LatencySummary>,
    /// Operations by size; only if sizes were mixed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<SizeDoc>,
}

/// Operations of one size in an interval.
#[derive(Debug, Serialize, JsonSchema)]
struct SizeDoc {
    /// Bytes of one operation.
    block_size: u64,
    /// Completed operations.
    count: u64,
    /// Latency figures in nanoseconds; null if there were no operations.
    latency: Option<LatencySummary>,
}

fn op(record: &OpRecord) -> OpDoc {
    let OpRecord { count, bytes, errors, iops: _, throughput: _, latency, histogram, response, sizes } = record;
    let size = |size: &SizeRecord| SizeDoc {
        block_size: size.block_size.get(),
        count: size.count,
        latency: told::summary(size.latency, size.histogram.count),
    };
    OpDoc {
        count: *count,
        bytes: bytes.get(),
        errors: *errors,
        latency: told::summary(*latency, histogram.count),
        response: response.as_ref().and_then(|response| told::summary(response.summary, response.histogram.count)),
        sizes: sizes.iter().map(size).collect(),
    }
}

fn interval(record: &IntervalRecord) -> IntervalDoc {
    let IntervalRecord {
        key,
        index,
        start_ns,
        end_ns,
        ramp,
        read,
        write,
        others,
        in_flight_mean,
        backlog,
        stuck,
        origin,
        condensed: _,
    } = record;
    IntervalDoc {
        round: key.round,
        index: *index,
        start_ns: *start_ns,
        end_ns: *end_ns,
        ramp: *ramp,
        read: op(read),
        write: op(write),
        others: others.iter().map(|other| OtherDoc { op: other.op, record: op(&other.record) }).collect(),
        in_flight_mean: *in_flight_mean,
        backlog: *backlog,
        stuck: *stuck,
        origin: *origin,
    }
}

/// The document of one run.
pub(crate) fn results<'a>(input: &ReportInput<'a>) -> RunResults<'a> {
    RunResults {
        schema: marker::SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        run: run_doc(input),
        environment: input.records.environment.clone(),
        label: Some(&input.records.label).filter(|label| !label.is_empty()).cloned(),
        metrics: metrics(input.analysis, None),
        findings: findings(input, None),
        steps: steps(input),
        telemetry: telemetry(input),
        limits: input.analysis.limits.clone(),
        curves: input.records.plan.tests.iter().flat_map(|test| curve::of_test(input, test)).collect(),
        data_sheet: sheet(input.records, input.analysis),
        checked: input.analysis.checked.clone(),
        suitability: input.analysis.suitability.clone(),
        scores: scores::of_run(input),
        maps: input.records.plan.tests.iter().flat_map(|test| map::of_test(input, test)).collect(),
        left_out: Vec::new(),
    }
}

fn telemetry<'a>(input: &ReportInput<'a>) -> Option<TelemetryDoc<'a>> {
    let recorded = &input.records.telemetry;
    let source = |source: &'a RecordedSource| TelemetrySourceDoc {
        description: source.description.clone(),
        samples: &source.samples,
        gaps: &source.gaps,
    };
    (!recorded.sources.is_empty()).then(|| TelemetryDoc {
        cpu_ns: recorded.cpu.get(),
        always: recorded.always,
        abort_above: recorded.abort_above.clone(),
        remarks: recorded.remarks.clone(),
        sources: recorded.sources.iter().map(source).collect(),
    })
}

fn metrics(analysis: &Analysis, run: Option<RunId>) -> Vec<MetricDoc> {
    analysis.metrics.iter().map(|metric| MetricDoc { run, metric: metric.clone() }).collect()
}

fn findings(input: &ReportInput<'_>, run: Option<RunId>) -> Vec<FindingDoc> {
    run_facts::findings(input).into_iter().map(|finding| FindingDoc { run, finding: finding.clone() }).collect()
}

fn run_doc(input: &ReportInput<'_>) -> RunDoc {
    let records = input.records;
    let plan = &records.plan;
    RunDoc {
        id: records.run,
        state: records.state,
        message: records.message.clone(),
        form: plan.form,
        method: plan.methodology.clone(),
        title: plan.title.clone(),
        summary: plan.summary.clone(),
        sources: plan.sources.clone(),
        tool: records.tool.clone(),
        analysis_version: input.analysis.analysis_version,
        started: records.started.clone(),
        duration_ns: records.last_at_ns,
        breaks: records.breaks.iter().map(break_doc).collect(),
        failed_steps: records
            .failed_steps
            .iter()
            .map(|failed| FailedDoc { key: failed.key.clone(), error: failed.error.clone() })
            .collect(),
        steadiness: records.steadiness.clone(),
    }
}

fn break_doc(one: &drivelab_core::run::Break) -> BreakDoc {
    let resumed = one.resumed.as_ref();
    BreakDoc {
        at_ns: one.at_ns,
        cause: one.cause.clone(),
        resumed: resumed.map(|resumed| resumed.resumed.clone()),
        target_state: resumed.map(|resumed| resumed.target_state.clone()),
        prepared_again: resumed.map(|resumed| resumed.prepared_again),
    }
}

fn steps<'a>(input: &ReportInput<'a>) -> Vec<StepDoc<'a>> {
    let records = input.records;
    let rounds =
        |id: &StepId| records.steps.iter().filter(|record| record.key.step == *id).cloned().map(told::step).collect();
    let intervals = |id: &StepId| records.intervals.iter().filter(|one| one.key.step == *id).collect();
    let of_test = |test: &drivelab_core::plan::TestPlan| -> Vec<StepDoc<'a>> {
        let doc = |step: &Step| StepDoc {
            test: test.name.clone(),
            step: step.clone(),
            repeats: test.repeats,
            rounds: rounds(&step.id),
            intervals: intervals(&step.id),
        };
        test.steps.iter().map(doc).collect()
    };
    records.plan.tests.iter().flat_map(of_test).collect()
}

/// For one run its document; for several all of their documents and the joined lists.
pub(crate) fn document<'a>(inputs: &[ReportInput<'a>]) -> Results<'a> {
    if let [only] = inputs {
        return Results::One(results(only));
    }
    let comparison = compare::compare(inputs);
    Results::Several(SeveralResults {
        schema: marker::SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        comparable: comparison.is_whole(),
        not_comparable_because: comparison.refused,
        runs: inputs.iter().map(results).collect(),
        metrics: inputs.iter().flat_map(|input| metrics(input.analysis, Some(input.records.run))).collect(),
        findings: inputs.iter().flat_map(|input| findings(input, Some(input.records.run))).collect(),
        arms: comparison.arms.into_iter().map(|view| view.arms).collect(),
    })
}

pub(crate) fn json(inputs: &[ReportInput<'_>]) -> Result<serde_json::Value, ReportError> {
    Ok(serde_json::to_value(document(inputs))?)
}

/// Text up to a number of bytes; a write beyond that fails.
struct UpTo {
    text: Vec<u8>,
    most: usize,
}

impl Write for UpTo {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A part that is left out of a run's document, and how.
type Cut = (&'static str, fn(&mut RunResults<'_>));

/// The parts that the copy of the document in a page may leave out, in this order.
const CUTS: [Cut; 8] = [
    (SAMPLES, |run| {
        let sources = run.telemetry.iter_mut().flat_map(|watched| &mut watched.sources);
        sources.for_each(|source| source.samples = &[]);
    }),
    (OWN_LISTS, |run| {
        run.metrics.clear();
        run.findings.clear();
    }),
    ("the intervals of each step", |run| run.steps.iter_mut().for_each(|step| step.intervals.clear())),
    ("the buckets of the histograms", |run| {
        run.steps.iter_mut().flat_map(|step| &mut step.rounds).for_each(told::clear_buckets);
    }),
    ("the records of each round", |run| run.steps.iter_mut().for_each(|step| step.rounds.clear())),
    ("the steps of the plan", |run| run.steps.clear()),
    (ACCOUNT, |run| run.metrics.retain(|metric| !is_account(&metric.metric.id))),
    ("what limited each step", |run| run.limits.clear()),
];
/// Their curves and the figures computed from them stay in the page.
const SAMPLES: &str = "the telemetry samples";
/// The page shows them in its table of measurement overhead.
const ACCOUNT: &str = "the metrics of measurement overhead";

/// Whether a metric is about measurement overhead.
fn is_account(id: &str) -> bool {
    metric_def(id).is_some_and(|def| def.meaning.class == Class::Account)
}

/// Only in a document of several runs: the list of all runs has every figure too, so nothing is lost.
const OWN_LISTS: &str = "the run's own lists of metrics and findings: they are in the lists of all runs";

/// A copy of the document, and in words what it leaves out.
type Copied = (String, Vec<&'static str>);

/// The document as text for a page, with the first `cuts` cuts made, and in words what they leave out. `None` if it is
/// longer than `most` bytes: the page needs another cut then.
pub(crate) fn embedded(inputs: &[ReportInput<'_>], cuts: usize, most: usize) -> Result<Option<Copied>, ReportError> {
    let mut document = document(inputs);
    let several = matches!(document, Results::Several(_));
    let made = CUTS.into_iter().take(cuts).filter(|(what, _)| several || *what != OWN_LISTS);
    let watched = inputs.iter().any(|input| !input.records.telemetry.sources.is_empty());
    let made: Vec<Cut> = made.filter(|(what, _)| watched || *what != SAMPLES).collect();
    if let (Results::Several(all), true) = (&mut document, made.iter().any(|(what, _)| *what == ACCOUNT)) {
        all.metrics.retain(|metric| !is_account(&metric.metric.id));
    }
    let runs: &mut [RunResults<'_>] = match &mut document {
        Results::One(run) => std::slice::from_mut(run),
        Results::Several(several) => &mut several.runs,
    };
    for run in runs {
        for (what, cut) in &made {
            cut(run);
            let whole = format!("{what}; `drivelab report {} --format json` writes them", run.run.id);
            run.left_out.push(if *what == OWN_LISTS { OWN_LISTS.to_owned() } else { whole });
        }
    }
    let lost = made.iter().map(|(what, _)| *what).filter(|what| *what != OWN_LISTS).collect();
    let mut out = UpTo { text: Vec::new(), most };
    match serde_json::to_writer(&mut out, &document) {
        Ok(()) => Ok(Some((String::from_utf8_lossy(&out.text).into_owned(), lost))),
        Err(error) if error.io_error_kind() == Some(io::ErrorKind::FileTooLarge) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// JSON Schema of the results document.
pub(crate) fn results_schema() -> serde_json::Value {
    schema::of::<Results<'_>>("drivelab results", "drivelab.results.v1")
}
