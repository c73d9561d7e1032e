//! What the rows of the table state about their metrics besides words and function: the class of the figure, the kinds
//! of operations that it is about, and the steps that have it.
//!
//! Code that depends on the class of a figure reads it here and never from its name.

use drivelab_core::load::OpKind;
use drivelab_core::metric::{AsAsked, Class, Meaning};
use drivelab_core::record::StepRecord;
use drivelab_core::telemetry::{Quantity, Recorded, SourceKind};
use drivelab_core::workload::Workload;

use crate::metrics::times::Times;
use crate::topics::telemetry::values as telemetry;

/// A measured step: what decides which figures it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured<'a> {
    pub workload: &'a Workload,
    /// It is a point of a load curve.
    pub on_curve: bool,
    /// The executions that its figures come from.
    pub used: &'a [&'a StepRecord],
    pub telemetry: &'a Recorded,
}

impl Measured<'_> {
    fn has(&self, kind: OpKind) -> bool {
        let done = |record: &&StepRecord| record.op(kind).is_some_and(|op| op.count + op.errors > 0);
        self.workload.issues(kind) || self.used.iter().any(done)
    }

    fn has_any(&self, kinds: &[OpKind]) -> bool {
        kinds.iter().any(|kind| self.has(*kind))
    }

    fn recorded(&self, of: fn(&StepRecord) -> bool) -> bool {
        self.used.iter().any(|record| of(record))
    }
}

/// Whether a step has a figure about these kinds of operations.
pub(crate) type Applies = fn(&[OpKind], &Measured<'_>) -> bool;

/// What a row states about its metric.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sort {
    pub(super) meaning: Meaning,
    pub(super) applies: Applies,
}

pub(super) const READ: &[OpKind] = &[OpKind::Read];
pub(super) const WRITE: &[OpKind] = &[OpKind::Write];
pub(super) const TRIM: &[OpKind] = &[OpKind::Trim];
pub(super) const ZEROES: &[OpKind] = &[OpKind::WriteZeroes];
pub(super) const FLUSH: &[OpKind] = &[OpKind::Flush];
/// The operations that move data, which totals are about.
pub(super) const DATA: &[OpKind] = &[OpKind::Read, OpKind::Write];
const NONE: &[OpKind] = &[];

impl Sort {
    const fn new(class: Class, kinds: &'static [OpKind], applies: Applies) -> Sort {
        let timed = matches!(class, Class::Rate | Class::ArrivalRate | Class::OfRates | Class::Depth | Class::Length);
        let as_asked = if class.is_rate() { AsAsked::OnSchedule } else { AsAsked::No };
        Sort { meaning: Meaning { kinds, class, timed, sparse: false, as_asked }, applies }
    }

    /// A rate of these kinds.
    pub(super) const fn rate(kinds: &'static [OpKind]) -> Sort {
        Sort::new(Class::Rate, kinds, any_of_them)
    }

    /// A time of operations of one kind; a percentile or the longest if it is a tail.
    pub(super) const fn times(kinds: &'static [OpKind], times: Times, tail: bool) -> Sort {
        match times {
            Times::Latency if tail => Sort::new(Class::TailLatency, kinds, any_of_them),
            Times::Latency => Sort::new(Class::MeanLatency, kinds, any_of_them),
            Times::Response => Sort::new(Class::Response, kinds, in_an_open_loop),
        }
    }

    /// A figure of another class, about no kind of operation in particular, for the steps that `applies` accepts.
    pub(super) const fn of(class: Class, applies: Applies) -> Sort {
        Sort::new(class, NONE, applies)
    }

    /// About these kinds.
    pub(super) const fn about(mut self, kinds: &'static [OpKind]) -> Sort {
        self.meaning.kinds = kinds;
        self
    }

    /// Only for the steps that `applies` accepts.
    pub(super) const fn only(mut self, applies: Applies) -> Sort {
        self.applies = applies;
        self
    }

    /// Not listed if the facts give no figure.
    pub(super) const fn sparse(mut self) -> Sort {
        self.meaning.sparse = true;
        self
    }

    /// A time or a figure divided by one, although its class does not imply that.
    pub(super) const fn timed(mut self) -> Sort {
        self.meaning.timed = true;
        self
    }

    /// Whether it is as requested.
    pub(super) const fn as_asked(mut self, as_asked: AsAsked) -> Sort {
        self.meaning.as_asked = as_asked;
        self
    }
}

pub(super) const SCORE: Sort = Sort::of(Class::Score, never);
pub(super) const RUN: Sort = Sort::of(Class::Run, never);
/// A part of a fill's course, and figures derived from it.
pub(super) const COURSE_OF_FILL: Sort = Sort::of(Class::OfRates, always).about(WRITE).sparse();
pub(super) const RATE_OF_FILL: Sort = Sort::rate(WRITE).only(always).sparse();
/// Figures about the minutes of a load.
pub(super) const COURSE_OF_HEAT: Sort = Sort::of(Class::OfRates, always).about(DATA).sparse();
pub(super) const RATE_OF_HEAT: Sort = Sort::rate(DATA).only(always).sparse();
pub(super) const LIMIT_OF_HEAT: Sort = Sort::of(Class::Amount, always).sparse();
pub(super) const PER_WATT: Sort = Sort::of(Class::OfRates, per_watt).about(DATA);
pub(super) const CPU_PER_BYTE: Sort = Sort::of(Class::OfRates, cpu_per_byte).about(DATA);

/// Every step, whatever it does.
pub(super) fn always(_: &[OpKind], _: &Measured<'_>) -> bool {
    true
}

/// No step: a figure of several steps or of the run.
fn never(_: &[OpKind], _: &Measured<'_>) -> bool {
    false
}

/// Steps that issue one of the kinds.
fn any_of_them(kinds: &[OpKind], step: &Measured<'_>) -> bool {
    step.has_any(kinds)
}

fn in_an_open_loop(kinds: &[OpKind], step: &Measured<'_>) -> bool {
    let responses = |kind: &OpKind| {
        let timed = |record: &&StepRecord| record.op(*kind).is_some_and(|op| op.response.is_some());
        step.has(*kind) && step.used.iter().any(timed)
    };
    kinds.iter().any(responses)
}

/// Steps that do both, and points of a load curve.
pub(super) fn both_or_on_curve(kinds: &[OpKind], step: &Measured<'_>) -> bool {
    kinds.iter().all(|kind| step.has(*kind)) || step.on_curve && step.has_any(kinds)
}

/// Replays, and points of a load curve.
pub(super) fn replay_or_on_curve(kinds: &[OpKind], step: &Measured<'_>) -> bool {
    replay(kinds, step) || step.on_curve && step.has_any(kinds)
}

/// Points of a load curve in an open loop.
pub(super) fn open_loop_on_curve(kinds: &[OpKind], step: &Measured<'_>) -> bool {
    step.on_curve && open_loop(kinds, step)
}

pub(super) fn open_loop(_: &[OpKind], step: &Measured<'_>) -> bool {
    step.recorded(|record| record.open_loop.is_some())
}

pub(super) fn replay(_: &[OpKind], step: &Measured<'_>) -> bool {
    step.recorded(|record| record.replay.is_some())
}

/// Replays at recorded times.
pub(super) fn timed_replay(_: &[OpKind], step: &Measured<'_>) -> bool {
    step.recorded(|record| record.replay.as_ref().is_some_and(|replay| replay.lateness.is_some()))
}

pub(super) fn bursts(_: &[OpKind], step: &Measured<'_>) -> bool {
    step.recorded(|record| record.bursts.is_some())
}

pub(super) fn verification(_: &[OpKind], step: &Measured<'_>) -> bool {
    step.recorded(|record| record.verification.is_some())
}

/// Steps in which the engine reported its effort.
pub(super) fn effort(_: &[OpKind], step: &Measured<'_>) -> bool {
    step.recorded(|record| record.engine.effort.is_some())
}

/// Steps in which the engine itself checked for completions.
pub(super) fn reaping(_: &[OpKind], step: &Measured<'_>) -> bool {
    step.recorded(|record| record.engine.effort.as_ref().is_some_and(|effort| effort.reap_gap_mean.is_some()))
}

pub(super) fn temperature(_: &[OpKind], step: &Measured<'_>) -> bool {
    telemetry::of_drive(step.telemetry, Quantity::Temperature).is_some()
}

pub(super) fn power(_: &[OpKind], step: &Measured<'_>) -> bool {
    telemetry::of_drive(step.telemetry, Quantity::Power).is_some()
}

/// Not for bursts by volume: their rate is over the active time, the power over the whole time.
fn per_watt(kinds: &[OpKind], step: &Measured<'_>) -> bool {
    power(kinds, step) && step.workload.pace.volume_bursts.is_none() && step.has_any(kinds)
}

/// Not for bursts by volume, as with power.
fn cpu_per_byte(kinds: &[OpKind], step: &Measured<'_>) -> bool {
    host_cpu(kinds, step) && step.workload.pace.volume_bursts.is_none() && step.has_any(kinds)
}

pub(super) fn media_writes(_: &[OpKind], step: &Measured<'_>) -> bool {
    telemetry::media_writes(step.telemetry).is_some()
}

pub(super) fn host_power(_: &[OpKind], step: &Measured<'_>) -> bool {
    telemetry::of_host(step.telemetry, SourceKind::Rapl).is_some()
}

pub(super) fn host_cpu(_: &[OpKind], step: &Measured<'_>) -> bool {
    telemetry::of_host(step.telemetry, SourceKind::Cpu).is_some()
}
