//! What a check of one execution examines, what it reports, and which figures a violation voids.

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::finding::Evidence;
use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::metric::{Class, Meaning};
use drivelab_core::plan::{Step, StepRole};
use drivelab_core::record::IntervalRecord;
use drivelab_core::units::Bytes;

use crate::values::Execution;

/// One finished execution with everything that a check may use.
#[derive(Debug, Clone)]
pub(crate) struct Subject<'a> {
    /// The step in the plan.
    pub step: &'a Step,
    /// The request and the record.
    pub execution: Execution<'a>,
    /// Its intervals.
    pub intervals: Vec<&'a IntervalRecord>,
    /// Maximum rate of the link, bytes per second for each direction.
    pub link: Option<f64>,
    /// Block devices from the target downwards.
    pub devices: &'a [BlockDeviceFacts],
    /// Kind of the file system that the target is on, if it is on one.
    pub file_system: Option<&'a str>,
    /// Memory of the host.
    pub memory: Bytes,
    /// The target stores nothing, so that no page cache is involved.
    pub stores_nothing: bool,
    /// A round of a search that is not the reported one: a load beyond the limit was its purpose.
    pub probe: bool,
    /// Every step of the run lasts only a moment (form smoke), which a finding about the run reports.
    pub moment: bool,
}

/// Figures that a violation voids.
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
    /// Everything about operations, and the operations in flight.
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

/// How other I/O changed every figure of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spoils {
    /// They look worse than they are.
    Worse,
    /// It is unknown whether it was more than the test itself causes.
    Perhaps,
}

/// What a check saw in one execution.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// The execution.
    pub key: StepKey,
    /// Whether it prepares, so that it has no results.
    pub prepares: bool,
    /// The figures that it rests on.
    pub evidence: Vec<Evidence>,
    /// What it voids.
    pub voids: Voids,
    /// How it changed every figure of the execution; the figures remain measurements, with a mark.
    pub spoils: Option<Spoils>,
    /// Details that the statement names: a reason, a feature, an address.
    pub notes: Vec<String>,
}

impl Seen {
    pub(crate) fn new(subject: &Subject<'_>, voids: Voids, evidence: Vec<Evidence>) -> Self {
        let prepares = subject.step.role == StepRole::Prepare;
        Seen { key: subject.execution.record.key.clone(), prepares, evidence, voids, spoils: None, notes: Vec::new() }
    }

    /// Marks it as a disturbance of every figure of the execution.
    pub(crate) fn spoiling(self, how: Spoils) -> Self {
        Seen { spoils: Some(how), ..self }
    }

    /// Adds a detail that the statement names.
    pub(crate) fn noting(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// A result that voids nothing.
pub(crate) fn told(subject: &Subject<'_>, found: Option<Vec<Evidence>>) -> Vec<Seen> {
    found.map(|found| Seen::new(subject, Voids::Nothing, found)).into_iter().collect()
}
