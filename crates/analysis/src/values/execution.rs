//! An execution with its request and its times.

use drivelab_core::ids::StepId;
use drivelab_core::plan::{Action, Step, StepRole};
use drivelab_core::record::{Effort, IntervalRecord, IssueMode, StepRecord, StopReason};
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::Recorded;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

use crate::topics::fill::{self, FillShape};

/// Bytes in a megabyte.
pub(crate) const MB: f64 = 1e6;
/// Bytes in a gigabyte.
pub(crate) const GB: f64 = 1e9;
/// Nanoseconds in a microsecond.
pub(crate) const US: f64 = 1e3;
/// Nanoseconds in a second.
pub(super) const SECOND: f64 = 1e9;

/// An execution and its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Execution<'a> {
    /// What happened.
    pub record: &'a StepRecord,
    /// The requested load.
    pub workload: &'a Workload,
    /// Length of the ramp before the measured part, in seconds; the engine's CPU times include it.
    pub(super) ramp_s: f64,
    /// Telemetry of its run, if known.
    pub watched: Option<&'a Recorded>,
    /// Bytes of the target, if known.
    pub(crate) target: Option<Bytes>,
    /// Its step.
    pub(crate) step: &'a Step,
    /// The intervals of the run, including those of other executions; none if they are not known.
    pub(crate) intervals: &'a [IntervalRecord],
    /// The executions of the run and the time of its last event, in nanoseconds; none if they are not known.
    run: (&'a [StepRecord], u64),
}

impl<'a> Execution<'a> {
    /// An execution of a step; `None` if the step issues no I/O.
    pub(crate) const fn new(step: &'a Step, record: &'a StepRecord) -> Option<Self> {
        match &step.action {
            Action::Io { workload, ramp, .. } => Some(Execution {
                record,
                workload,
                ramp_s: ramp.get() as f64 / SECOND,
                watched: None,
                target: None,
                step,
                intervals: &[],
                run: (&[], 0),
            }),
            Action::Idle { .. } | Action::CoolDown(_) => None,
        }
    }

    /// The same execution with the records of its run.
    pub(crate) fn within(self, records: &'a RunRecords) -> Self {
        let target = Some(records.environment.target.length);
        let run = (&records.steps[..], records.last_at_ns);
        Execution { watched: Some(&records.telemetry), target, intervals: &records.intervals, run, ..self }
    }

    /// The executions of the whole run; none if they are not known.
    pub(crate) const fn of_run(&self) -> &'a [StepRecord] {
        self.run.0
    }

    /// What it shows about the drive's write cache, if it is a fill.
    pub(crate) fn fill(&self) -> Option<FillShape> {
        let (intervals, span) = fill::course(self.step, &self.record.key, self.intervals)?;
        fill::shape(&intervals, span)
    }

    /// The rest after it, if it was complete: its start and end on the run clock, nanoseconds.
    pub(crate) fn rest(&self) -> Option<(u64, u64)> {
        let from = self.record.end_ns;
        let length = self.step.rest.after(self.record.elapsed()).get();
        let to = from.checked_add(length)?;
        let (steps, last) = self.run;
        let undisturbed = !steps.iter().any(|other| (from..to).contains(&other.start_ns));
        (length > 0 && undisturbed && last >= to).then_some((from, to))
    }

    /// Operating-system threads that issued I/O: the sync backend needs one for every operation in flight.
    fn issuing_threads(&self) -> f64 {
        if self.record.engine.issue_mode() == IssueMode::Threads {
            self.workload.total_depth() as f64
        } else {
            self.workload.groups().map(|group| f64::from(group.threads.get())).sum()
        }
    }

    /// Time of the issuing threads, summed, the ramp included: as the engine measured it, or computed if it did not
    /// (recordings of the first format version). `None` if no time passed.
    pub(super) fn thread_seconds(&self) -> Option<f64> {
        let measured = self.record.engine.effort.as_ref().map(|effort| effort.thread_time.as_secs_f64());
        let time = match measured {
            Some(time) => time,
            None => (duration(*self)? + self.ramp_s) * self.issuing_threads(),
        };
        (time > 0.0).then_some(time)
    }

    /// The engine's account of its own work.
    pub(super) fn effort(&self) -> Option<&'a Effort> {
        self.record.engine.effort.as_ref()
    }
}

/// Whether an execution was stopped before anything completed, so that it is not a measurement.
pub(crate) fn is_empty(record: &StepRecord) -> bool {
    matches!(record.stop_reason, StopReason::Stopped) && record.kinds().all(|(_, op)| op.count == 0)
}

/// Length of the measured part in seconds; `None` if its end is not after its start.
pub(crate) fn duration(execution: Execution<'_>) -> Option<f64> {
    let elapsed = execution.record.elapsed().as_secs_f64();
    (elapsed > 0.0).then_some(elapsed)
}

/// The time by which rates are divided, in seconds: the active time if bursts end by volume, else [`duration`]. `None`
/// if there is none.
pub(crate) fn active(execution: Execution<'_>) -> Option<f64> {
    let active = execution.record.active().as_secs_f64();
    (duration(execution).is_some() && active > 0.0).then_some(active)
}

/// Operations of all kinds that ended in the measured part, with or without an error.
pub(crate) fn done(record: &StepRecord) -> u64 {
    record.kinds().map(|(_, op)| op.count + op.errors).sum()
}

/// Whether the figures of a step are results.
pub(crate) fn is_measured(records: &RunRecords, step: &StepId) -> bool {
    records.plan.step(step).is_some_and(|step| step.role == StepRole::Measure)
}
