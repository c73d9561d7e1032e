//! What a check of one execution looks at, what it reports, and which figures a violation voids.
//!
//! A check is a pure function from [`Subject`] to what it saw. The tables in [`crate::invariants`] and
//! [`crate::conduct`] pair each check with the code and the text of its finding.

use std::collections::BTreeMap;

use drivelab_core::environment::{BlockDeviceFacts, Environment};
use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::metric::{Class, Meaning};
use drivelab_core::plan::{Form, Step, StepRole};
use drivelab_core::record::IntervalRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;

use crate::find_rate;
use crate::findings::state::NOT_EMPTIED;
use crate::values::{self, Execution};

/// One finished execution with all that a check may look at.
#[derive(Debug, Clone)]
pub(crate) struct Subject<'a> {
    /// The step in the plan.
    pub step: &'a Step,
    /// What was asked and what happened.
    pub execution: Execution<'a>,
    /// Its intervals.
    pub intervals: Vec<&'a IntervalRecord>,
    /// What the link can carry, bytes per second and direction.
    pub link: Option<f64>,
    /// Block devices from the target downwards.
    pub devices: &'a [BlockDeviceFacts],
    /// Kind of the file system that the target lies on, where it does.
    pub file_system: Option<&'a str>,
    /// Memory of the host.
    pub memory: Bytes,
    /// The target stores nothing, so that no page cache is involved.
    pub stores_nothing: bool,
    /// A round of a search that is not the one reported: being asked for too much was its purpose.
    pub probe: bool,
    /// Every step of the run was meant to last a moment (form smoke), which a finding about the run says.
    pub moment: bool,
}

/// Figures that a violation makes worthless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voids {
    /// None: the finding only informs.
    Nothing,
    /// Rates of one kind of operation, and the totals they are part of.
    Rates(OpKind),
    /// Every latency of one kind of operation.
    Latency(OpKind),
    /// Percentiles and maximum of the latency of one kind of operation.
    Percentiles(OpKind),
    /// Every response time of one kind of operation.
    Response(OpKind),
    /// Every response time.
    Responses,
    /// Everything about one kind of operation, and the totals it is part of.
    All(OpKind),
    /// The schedule of an open loop and every response time, which counts from it.
    Schedule,
    /// Everything about operations.
    Results,
    /// The same and the operations in flight.
    ResultsAndDepth,
    /// Everything that is divided by time.
    Timed,
}

impl Voids {
    /// Whether a metric of this meaning is one of them.
    pub(crate) fn covers(self, metric: &Meaning) -> bool {
        let class = metric.class;
        let about = |op: OpKind| metric.kinds.contains(&op);
        let of_a_schedule = matches!(class, Class::Schedule | Class::ArrivalRate);
        match self {
            Voids::Nothing => false,
            Voids::Rates(op) => about(op) && matches!(class, Class::Rate | Class::OfRates),
            Voids::Latency(op) => about(op) && matches!(class, Class::MeanLatency | Class::TailLatency),
            Voids::Percentiles(op) => about(op) && class == Class::TailLatency,
            Voids::Response(op) => about(op) && class == Class::Response,
            Voids::Responses => class == Class::Response,
            Voids::All(op) => about(op),
            Voids::Schedule => class == Class::Response || of_a_schedule,
            Voids::Results => class.is_result(),
            Voids::ResultsAndDepth => class.is_result() || class == Class::Depth,
            Voids::Timed => metric.timed,
        }
    }
}

/// How something beside the test changed every figure of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spoils {
    /// They look worse than they are.
    Worse,
    /// It cannot be told whether it was more than the test itself asks for.
    Perhaps,
}

/// What a check saw in one execution.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// The execution.
    pub key: StepKey,
    /// Whether it prepares, so that no figure of a result is its own.
    pub prepares: bool,
    /// The figures it rests on.
    pub evidence: Vec<Evidence>,
    /// What it voids.
    pub voids: Voids,
    /// How it changed every figure of the execution, which stays a measurement and carries a mark.
    pub spoils: Option<Spoils>,
    /// What the statement names: a reason, a feature, an address.
    pub notes: Vec<String>,
}

impl Seen {
    pub(crate) fn new(subject: &Subject<'_>, voids: Voids, evidence: Vec<Evidence>) -> Self {
        let prepares = subject.step.role == StepRole::Prepare;
        Seen { key: subject.execution.record.key.clone(), prepares, evidence, voids, spoils: None, notes: Vec::new() }
    }

    /// As one that changed every figure of the execution.
    pub(crate) fn spoiling(self, how: Spoils) -> Self {
        Seen { spoils: Some(how), ..self }
    }

    /// With something that the statement names.
    pub(crate) fn noting(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// A check with the code and the text of its finding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Check {
    /// Code of the finding.
    pub code: &'static str,
    /// What must hold, for docs/metrics.md; empty where nothing is voided.
    pub rule: &'static str,
    /// The check.
    pub check: fn(&Subject<'_>) -> Vec<Seen>,
    /// The finding's text.
    pub finding: fn(&[Seen]) -> Finding,
}

/// What one check saw in the whole run.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    /// Code of the finding.
    pub code: &'static str,
    /// Where.
    pub seen: Vec<Seen>,
    /// The finding.
    pub finding: Finding,
}

/// What the session found that makes figures worthless, of which the records alone say nothing: steps of a resumed run
/// met what the step that was cut off had written. What they verified stands.
pub(crate) fn recorded(findings: &[Finding], subjects: &[Subject<'_>]) -> Vec<Verdict> {
    let met = findings.iter().filter(|finding| finding.code == NOT_EMPTIED);
    let verdict = |finding: &Finding| {
        let steps = subjects.iter().filter(|subject| finding.steps.contains(&subject.execution.record.key));
        let seen = steps.map(|subject| Seen::new(subject, Voids::Results, Vec::new())).collect();
        Verdict { code: NOT_EMPTIED, seen, finding: finding.clone() }
    };
    met.map(verdict).collect()
}

/// Runs checks over every finished execution; one verdict for each check that saw something.
pub(crate) fn run(checks: &[Check], subjects: &[Subject<'_>]) -> Vec<Verdict> {
    let verdict = |check: &Check| {
        let seen: Vec<Seen> = subjects.iter().flat_map(check.check).collect();
        (!seen.is_empty()).then(|| Verdict { code: check.code, finding: (check.finding)(&seen), seen })
    };
    checks.iter().filter_map(verdict).collect()
}

/// Every finished execution whose step is in the plan.
pub(crate) fn subjects(records: &RunRecords) -> Vec<Subject<'_>> {
    let mut intervals: BTreeMap<&StepKey, Vec<&IntervalRecord>> = BTreeMap::new();
    for interval in &records.intervals {
        intervals.entry(&interval.key).or_default().push(interval);
    }
    let link = link_rate(&records.environment);
    let target = &records.environment.target;
    let (devices, file_system) = (&target.devices[..], target.file_system.as_ref().map(|one| one.kind.as_str()));
    let subject = |record| {
        let record: &drivelab_core::record::StepRecord = record;
        let step = records.plan.step(&record.key.step)?;
        let execution = Execution::new(step, record)?.within(records);
        let intervals = intervals.remove(&record.key).unwrap_or_default();
        let (memory, probe) = (records.environment.testbed.memory, find_rate::is_probe(records, &record.key));
        let stores_nothing = records.environment.target.kind.stores_nothing();
        let moment = records.plan.form == Form::Smoke;
        Some(Subject { step, execution, intervals, link, devices, file_system, memory, stores_nothing, probe, moment })
    };
    records.steps.iter().filter(|record| !values::is_empty(record)).filter_map(subject).collect()
}

/// What the links below the target can carry together; `None` where a device at the bottom has no known link.
fn link_rate(environment: &Environment) -> Option<f64> {
    let bottom = environment.target.devices.iter().filter(|device| device.lies_on.is_empty());
    let rates = bottom.map(|device| device.link.as_ref().and_then(|link| link.bytes_per_second));
    rates.sum::<Option<f64>>().filter(|rate| *rate > 0.0)
}
