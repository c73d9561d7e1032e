//! A run as a whole: its events, folded into the records that analysis and reports use.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::drive_state::{Reused, StateSeen};
use crate::environment::{Environment, ToolVersion};
use crate::event::{Event, EventBody, RunResumed, RunState, Steadiness};
use crate::finding::Finding;
use crate::group::{Group, HostCpu};
use crate::ids::{RunId, StepKey};
use crate::label::Label;
use crate::plan::{Plan, StepRole};
use crate::record::{IntervalRecord, StepRecord, StopReason};
use crate::telemetry::Recorded;

/// A step that could not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedStep {
    /// The execution.
    pub key: StepKey,
    /// What went wrong.
    pub error: String,
}

/// An interruption and, if the run was resumed, how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Break {
    /// Run time of the last event before it, in nanoseconds.
    pub at_ns: u64,
    /// The cause, or that the process ended unexpectedly (killed, power cut).
    pub cause: String,
    /// How the run was resumed.
    pub resumed: Option<RunResumed>,
    /// Finished executions that were repeated after it, because the remaining steps need what they wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_again: Vec<StepKey>,
}

/// A wait for the drive to cool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CooledDown {
    /// The execution that it came before or that it was the action of.
    pub key: StepKey,
    /// Temperature that the drive had to get below, in °C.
    pub below_c: u32,
    /// Run time of its start, in nanoseconds.
    pub from_ns: u64,
    /// Run time of its end; absent if it did not end.
    pub to_ns: Option<u64>,
    /// Temperature of the drive at the end, in °C.
    pub celsius: Option<f64>,
    /// Whether the drive was cool enough.
    pub reached: bool,
}

/// A finished idle step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleStretch {
    /// The execution.
    pub key: StepKey,
    /// Run time of its start, ns.
    pub from_ns: u64,
    /// Run time of its end, ns.
    pub to_ns: u64,
}

/// Everything that was recorded about a run, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecords {
    /// The run.
    pub run: RunId,
    /// Wall-clock time of its start, RFC 3339.
    pub started: String,
    /// The version of drivelab that started it.
    pub tool: ToolVersion,
    /// The plan. A rate that depends on a finished step is in it as soon as that step is recorded.
    pub plan: Plan,
    /// Target and testbed at the start.
    pub environment: Environment,
    /// Records of finished executions. If a preparation was repeated, only its last record is here.
    pub steps: Vec<StepRecord>,
    /// Finished idle steps.
    pub idle_done: Vec<StepKey>,
    /// Times of the finished idle steps.
    pub idle: Vec<IdleStretch>,
    /// Intervals of finished executions and of the running one.
    pub intervals: Vec<IntervalRecord>,
    /// Executions that could not run.
    pub failed_steps: Vec<FailedStep>,
    /// Verdicts on steady tests, one for each test. If a preparation was repeated, the last verdict counts.
    pub steadiness: Vec<Steadiness>,
    /// Findings made during the run.
    pub findings: Vec<Finding>,
    /// Recorded telemetry.
    pub telemetry: Recorded,
    /// The group that the run belongs to, if any.
    pub group: Option<Group>,
    /// Time of the host's CPUs for each execution, if it was watched.
    pub host_cpu: Vec<HostCpu>,
    /// Waits for the drive to cool.
    pub cool_downs: Vec<CooledDown>,
    /// States of the target before executions, in order.
    pub drive_states: Vec<StateSeen>,
    /// Preparation that was left out.
    pub reused: Vec<Reused>,
    /// Interruptions.
    pub breaks: Vec<Break>,
    /// The user's description of the run. It is outside the recording, and may change.
    pub label: Label,
    /// State of the run.
    pub state: RunState,
    /// Why it failed, if it did.
    pub message: String,
    /// Run time of the last event, in nanoseconds.
    pub last_at_ns: u64,
    /// Number of the last event.
    pub last_seq: u64,
    /// The execution that has begun but not ended; after a kill, the one that was running.
    unfinished: Option<StepKey>,
    unfinished_from_ns: u64,
    /// A finished execution that is being repeated: what it measures is not a result.
    making_again: Option<StepKey>,
    /// The state that the remaining steps need is being restored, and none of them has begun since.
    remaking: bool,
    /// Executions that have begun, finished or not: only these can have left records when they begin again.
    begun: HashSet<StepKey>,
    /// Number of cool-down waits from before the last end of an execution or the last resumption: they belong to no
    /// execution that is still to begin.
    waits_past: usize,
    ended_cleanly: bool,
}

/// The events do not begin with [`EventBody::RunStarted`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the first event of a run is not 'run_started': the recording is not a drivelab run, or its start is lost")]
pub struct NotARun;

impl RunRecords {
    /// Begins with the first event.
    ///
    /// # Errors
    /// [`NotARun`] if it is another event.
    pub fn begin(first: Event) -> Result<Self, NotARun> {
        let EventBody::RunStarted(start) = first.event else { return Err(NotARun) };
        Ok(RunRecords {
            run: start.run,
            started: start.started,
            tool: start.tool,
            plan: start.plan,
            environment: start.environment,
            steps: Vec::new(),
            idle_done: Vec::new(),
            idle: Vec::new(),
            intervals: Vec::new(),
            failed_steps: Vec::new(),
            steadiness: Vec::new(),
            findings: Vec::new(),
            telemetry: Recorded::default(),
            group: None,
            host_cpu: Vec::new(),
            cool_downs: Vec::new(),
            drive_states: Vec::new(),
            reused: Vec::new(),
            breaks: Vec::new(),
            label: Label::default(),
            state: RunState::Interrupted,
            message: String::new(),
            last_at_ns: first.at_ns,
            last_seq: first.seq,
            unfinished: None,
            unfinished_from_ns: 0,
            making_again: None,
            remaking: false,
            begun: HashSet::new(),
            waits_past: 0,
            ended_cleanly: false,
        })
    }

    /// Folds a whole recording.
    ///
    /// # Errors
    /// [`NotARun`] if it is empty or does not begin with [`EventBody::RunStarted`].
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Result<Self, NotARun> {
        let mut events = events.into_iter();
        let mut records = RunRecords::begin(events.next().ok_or(NotARun)?)?;
        events.for_each(|event| records.push(event));
        Ok(records)
    }

    /// Adds the next event.
    pub fn push(&mut self, event: Event) {
        let at_ns = self.last_at_ns;
        (self.last_at_ns, self.last_seq) = (event.at_ns, event.seq);
        match event.event {
            EventBody::RunStarted(_)
            | EventBody::RestStarted { .. }
            | EventBody::RestEnded { .. }
            | EventBody::CoolingDown { .. }
            | EventBody::GroundTruth(_) => {}
            EventBody::RunResumed(resumed) => self.resumed(at_ns, resumed),
            EventBody::StepStarted { key } => {
                if !self.begun.insert(key.clone()) {
                    self.forget(&key);
                }
                self.making_again = None;
                self.remaking &= self.plan.step(&key.step).is_none_or(|step| step.role == StepRole::Prepare);
                self.unfinished = Some(key);
                self.unfinished_from_ns = event.at_ns;
            }
            EventBody::MakingAgain { key } => self.making_again = Some(key),
            EventBody::MadeAgain { key, .. } => {
                self.making_again = None;
                self.breaks.last_mut().into_iter().for_each(|last| last.made_again.push(key.clone()));
            }
            EventBody::Interval(interval) if self.making_again.as_ref() == Some(&interval.key) => {}
            EventBody::Interval(interval) => self.intervals.push(interval),
            EventBody::StepEnded(record) => {
                self.ended();
                crate::relative::resolve(&mut self.plan, &record);
                self.steps.push(record);
            }
            EventBody::IdleEnded { key } => {
                self.ended();
                let (from_ns, to_ns) = (self.unfinished_from_ns, event.at_ns);
                self.idle.push(IdleStretch { key: key.clone(), from_ns, to_ns });
                self.idle_done.push(key);
            }
            EventBody::StepFailed { key, error } => {
                self.ended();
                self.failed_steps.push(FailedStep { key, error });
            }
            EventBody::CoolDownStarted { key, below_c, celsius, .. } => {
                let (from_ns, celsius) = (event.at_ns, Some(celsius));
                self.cool_downs.push(CooledDown { key, below_c, from_ns, to_ns: None, celsius, reached: false });
            }
            EventBody::CoolDownEnded { celsius, reached, .. } => {
                if let Some(last) = self.cool_downs.last_mut() {
                    (last.to_ns, last.celsius, last.reached) = (Some(event.at_ns), celsius, reached);
                }
            }
            EventBody::TelemetryDescribed(described) => self.telemetry.describe(described),
            EventBody::Telemetry(batch) => self.telemetry.push(batch),
            EventBody::InGroup(group) => self.group = Some(group),
            EventBody::HostCpu(cpu) => self.host_cpu.push(cpu),
            EventBody::DriveState(seen) => self.drive_states.push(seen),
            EventBody::PreparationReused(reused) => self.reused.push(reused),
            EventBody::Steadiness(verdict) => {
                // A repeated preparation is judged again.
                self.steadiness.retain(|earlier| earlier.test != verdict.test);
                self.steadiness.push(verdict);
            }
            EventBody::Finding(finding) => self.findings.push(finding),
            EventBody::Interrupted { cause } => {
                self.ended_cleanly = true;
                self.breaks.push(Break { at_ns: event.at_ns, cause, resumed: None, made_again: Vec::new() });
            }
            EventBody::RunEnded { state, message } => (self.state, self.message) = (state, message),
        }
    }

    /// The running execution has ended.
    fn ended(&mut self) {
        self.unfinished = None;
        self.waits_past = self.cool_downs.len();
    }

    /// Ends the break before this segment; if there is no `Interrupted` event, the process was killed.
    fn resumed(&mut self, at_ns: u64, resumed: RunResumed) {
        if !self.ended_cleanly {
            let cause = "the process ended unexpectedly (killed, crash or power cut)".to_owned();
            self.breaks.push(Break { at_ns, cause, resumed: None, made_again: Vec::new() });
        }
        self.ended_cleanly = false;
        self.making_again = None;
        self.remaking = resumed.prepared_again;
        if let Some(key) = self.unfinished.take() {
            self.intervals.retain(|interval| interval.key != key);
        }
        self.ended();
        if let Some(last) = self.breaks.last_mut() {
            last.resumed = Some(resumed);
        }
    }

    /// An execution begins again: the records of an earlier attempt are not results.
    fn forget(&mut self, key: &StepKey) {
        self.steps.retain(|record| record.key != *key);
        self.intervals.retain(|interval| interval.key != *key);
        self.failed_steps.retain(|failed| failed.key != *key);
        self.idle_done.retain(|done| done != key);
        self.idle.retain(|idle| idle.key != *key);
        self.host_cpu.retain(|cpu| cpu.key != *key);
        // The current cool-down wait comes before the start of the execution; that of the earlier attempt is past.
        let past = self.waits_past.min(self.cool_downs.len());
        let mut waits = self.cool_downs.split_off(past);
        self.cool_downs.retain(|wait| wait.key != *key);
        self.waits_past = self.cool_downs.len();
        self.cool_downs.append(&mut waits);
    }

    /// The execution that has begun but not ended.
    #[must_use]
    pub const fn unfinished(&self) -> Option<&StepKey> {
        self.unfinished.as_ref()
    }

    /// Whether an earlier process began to restore the state that the remaining steps need, but did not finish: the
    /// content of the target is then not that state.
    #[must_use]
    pub const fn was_remaking(&self) -> bool {
        self.remaking
    }

    /// Whether an execution is finished and kept. One that was stopped midway has figures but is not finished.
    #[must_use]
    pub fn is_finished(&self, key: &StepKey) -> bool {
        self.step(key).is_some_and(|record| record.stop_reason != StopReason::Stopped)
            || self.idle_done.contains(key)
            || self.is_reused(key)
    }

    /// Whether the records contain figures of a virtual drive.
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        self.steps.iter().any(|record| !record.origin.is_measured())
    }

    /// Whether an execution was left out because the target was already in the state that it leaves.
    #[must_use]
    pub fn is_reused(&self, key: &StepKey) -> bool {
        self.reused.iter().any(|reused| reused.keys.contains(key))
    }

    /// Number of executions that are finished and kept.
    #[must_use]
    pub fn finished_count(&self) -> usize {
        self.steps.iter().filter(|record| record.stop_reason != StopReason::Stopped).count() + self.idle_done.len()
    }

    /// The record of an execution.
    #[must_use]
    pub fn step(&self, key: &StepKey) -> Option<&StepRecord> {
        self.steps.iter().find(|record| record.key == *key)
    }
}

#[cfg(test)]
mod tests;
