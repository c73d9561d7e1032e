//! The session: goes through the plan, runs each step, rests, judges steady tests, and ends or interrupts the run.

use std::sync::Arc;

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::clock::{RunClock, StopCause, StopToken};
use drivelab_core::event::{EventBody, RunResumed, RunStarted, RunState, Steadiness};
use drivelab_core::group::HostCpu;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Action, Step, StepRole, TestPlan};
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::relative::is_resolved;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{Observer, Phase};
use drivelab_core::units::Nanos;
use drivelab_core::workload::Workload;

use crate::again::{self, Again};
use crate::care::TargetCare;
use crate::emit::Emitter;
use crate::fanout::{Fanout, RecorderLost};
use crate::ledger::Ledger;
use crate::parts::{Halt, Session};
use crate::rounds::{Searched, groups, is_due, is_judged, judge, prepared_flat, searched};
use crate::watch::{Watch, phase_of};

/// Consecutive steps with device errors after which the run is given up.
const FAILING_STEPS_LIMIT: u32 = 3;

/// How a run begins.
#[expect(clippy::large_enum_variant, reason = "there is one per process")]
pub enum Start {
    /// A new run.
    New(RunStarted),
    /// A new process continues an interrupted run.
    Resumed {
        /// Content of the recording.
        records: RunRecords,
        /// The record of the resumption.
        resumed: RunResumed,
    },
}

/// How a run (or this process's part of it) ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every step was done.
    Complete {
        /// Operations that ended in an error, over the whole run.
        device_errors: u64,
    },
    /// Stopped before its end; can be resumed.
    Interrupted {
        /// Who or what requested the stop: the user, or a drive that got too hot.
        cause: String,
    },
    /// Ended early and cannot continue.
    Failed {
        /// What went wrong: what, where, likely why, what to do.
        message: String,
        /// Operations that ended in an error, over the whole run.
        device_errors: u64,
        /// Whether the host cannot do something that the user required.
        host_unfit: bool,
    },
    /// The recording failed; the run can be resumed from what it contains.
    RecorderLost {
        /// What went wrong.
        message: String,
    },
}

/// Result of an I/O step.
struct Ran {
    /// Time that the target was busy with it.
    active: Nanos,
    record: Result<StepRecord, BackendError>,
    /// Whether its writes to the page cache reached the target.
    written_out: Result<(), BackendError>,
}

impl<'a> Session<'a> {
    /// Emits the first event. `clock` is at 0 for a new run, and at the last recorded time for a resumed one.
    ///
    /// # Errors
    /// [`RecorderLost`] if even the first event cannot be recorded.
    pub fn begin(
        start: Start,
        backend: &'a mut dyn Backend,
        care: &'a mut dyn TargetCare,
        clock: Arc<dyn RunClock>,
        stop: StopToken,
        fanout: Fanout,
    ) -> Result<Self, RecorderLost> {
        let (first, before) = match start {
            Start::New(started) => (EventBody::RunStarted(started), None),
            Start::Resumed { records, resumed } => (EventBody::RunResumed(resumed), Some(records)),
        };
        let state_lost = matches!(&first, EventBody::RunResumed(resumed) if resumed.prepared_again);
        let not_emptied = match (&first, &before) {
            (EventBody::RunResumed(resumed), Some(records)) => again::not_emptied(records, resumed),
            _ => None,
        };
        let again = before.as_ref().filter(|_| state_lost).map(Again::of).unwrap_or_default();
        let next_seq = before.as_ref().map_or(0, |records| records.last_seq + 1);
        let mut emitter = Emitter::new(Arc::clone(&clock), next_seq, fanout);
        let first = match emitter.emit_and_wait(first) {
            Ok(first) => first,
            Err(lost) => return Err(emitter.finish().err().unwrap_or(lost)),
        };
        let (mut records, group) = match before {
            Some(mut records) => {
                records.push(first);
                (records, None)
            }
            None => {
                let records = RunRecords::begin(first).map_err(|error| RecorderLost(error.to_string()))?;
                (records, care.group().map(EventBody::InGroup))
            }
        };
        let findings = not_emptied.into_iter().chain(care.opening_findings()).map(EventBody::Finding);
        for body in group.into_iter().chain(findings) {
            match emitter.emit_and_wait(body) {
                Ok(event) => records.push(event),
                Err(lost) => return Err(emitter.finish().err().unwrap_or(lost)),
            }
        }
        let watch = Watch::default();
        let ledger = Ledger::of(care, clock.now_ns());
        Ok(Session {
            backend,
            care,
            clock,
            stop,
            emitter,
            records,
            ledger,
            watch,
            again,
            preparing: false,
            failing_steps: 0,
        })
    }

    /// Adds a telemetry observer; its samples are recorded with the run.
    #[must_use]
    pub fn observed(self, observer: Option<Box<dyn Observer>>) -> Self {
        Session { watch: Watch::by(observer), ..self }
    }

    /// Runs the remaining plan, to its end or until it is stopped, and finishes all listeners.
    #[must_use]
    pub fn run(mut self) -> Outcome {
        let plan = self.records.plan.clone();
        let walked = self.describe().and_then(|()| {
            (1..=plan.sets()).try_for_each(|set| plan.tests.iter().try_for_each(|test| self.run_test(test, set)))
        });
        let device_errors = self.records.steps.iter().map(StepRecord::error_count).sum();
        let host_unfit = matches!(walked, Err(Halt::HostUnfit(_)));
        let (last, outcome) = match walked {
            Ok(()) => (
                EventBody::RunEnded { state: RunState::Complete, message: String::new() },
                Outcome::Complete { device_errors },
            ),
            Err(Halt::Failed(message) | Halt::HostUnfit(message)) => (
                EventBody::RunEnded { state: RunState::Failed, message: message.clone() },
                Outcome::Failed { message, device_errors, host_unfit },
            ),
            Err(Halt::Stopped) if self.stop.cause() == Some(StopCause::Recorder) => {
                return self.recorder_lost(RecorderLost("the recorder failed".to_owned()));
            }
            Err(Halt::Stopped) => {
                let cause = self.why_stopped();
                (EventBody::Interrupted { cause: cause.clone() }, Outcome::Interrupted { cause })
            }
            Err(Halt::Recorder(lost)) => return self.recorder_lost(lost),
        };
        match self.last_words(last) {
            Ok(()) => self.emitter.finish().map_or_else(|lost| Outcome::RecorderLost { message: lost.0 }, |()| outcome),
            Err(lost) => self.recorder_lost(lost),
        }
    }

    /// The findings that are only possible at the end, and the last event.
    fn last_words(&mut self, last: EventBody) -> Result<(), RecorderLost> {
        self.watch.finish(&mut self.emitter)?;
        for finding in self.care.closing_findings() {
            self.emitter.emit(EventBody::Finding(finding))?;
        }
        self.emitter.emit_and_wait(last).map(|_| ())
    }

    /// Nothing more can be recorded; the recorder's own message, if there is one, states why.
    fn recorder_lost(self, lost: RecorderLost) -> Outcome {
        let message = self.emitter.finish().err().unwrap_or(lost).0;
        Outcome::RecorderLost { message }
    }

    fn run_test(&mut self, test: &TestPlan, set: u32) -> Result<(), Halt> {
        if set > test.repeats.sets {
            return Ok(());
        }
        self.make_again(test, set)?;
        let again = self.again.tests.contains(&test.name);
        if is_judged(&self.records, test) && !again {
            return Ok(());
        }
        self.state_for(test, again)?;
        let again = self.again.tests.contains(&test.name);
        if is_judged(&self.records, test) && !again {
            return Ok(());
        }
        for (round, group) in (1..).zip(groups(test, set)) {
            for (key, step) in group {
                if !is_due(&self.records, &key, step, again) {
                    continue;
                }
                if self.stop.is_stopped_between_steps() {
                    return Err(Halt::Stopped);
                }
                self.run_step(&key, step)?;
            }
            if let Some(verdict) = judge(test, &self.records, round) {
                self.judged(test, verdict)?;
                break;
            }
        }
        if std::mem::take(&mut self.preparing) {
            self.backend.sync().map_err(|error| Halt::Failed(error.to_string()))?;
            self.care.preparation_done().map_err(Halt::Failed)?;
        }
        Ok(())
    }

    /// A steady test has its verdict. For a preparation, a finding also reports how far it went.
    fn judged(&mut self, test: &TestPlan, verdict: Steadiness) -> Result<(), Halt> {
        let finding = prepared_flat(test, &self.records, &verdict, self.ledger.as_ref().map(Ledger::state));
        self.note(EventBody::Steadiness(verdict))?;
        finding.map_or(Ok(()), |finding| self.note(EventBody::Finding(finding)))
    }

    /// Repeats the finished executions of a test that later ones depend on; their figures stay as they are.
    fn make_again(&mut self, test: &TestPlan, set: u32) -> Result<(), Halt> {
        for (key, step) in test.schedule_of_set(set) {
            if !self.again.executions.contains(&key) {
                continue;
            }
            if self.stop.is_stopped_between_steps() {
                return Err(Halt::Stopped);
            }
            self.note(EventBody::MakingAgain { key: key.clone() })?;
            let (active, record) = match &step.action {
                Action::Io { .. } => {
                    self.state_before(&key)?;
                    let Ran { active, record, written_out } = self.drive(&key, step)?;
                    let record = record.and_then(|record| written_out.map(|()| record)).map_err(|error| {
                        Halt::Failed(format!(
                            "the state that later steps need could not be restored: step {key}: {error}"
                        ))
                    })?;
                    (active, Some(record))
                }
                Action::Idle { time } => {
                    self.enter(phase_of(step))?;
                    self.wait_until(self.clock.now_ns() + time.get())?;
                    self.enter(Phase::Ordinary)?;
                    (*time, None)
                }
                // A drive's temperature is not restored.
                Action::CoolDown(_) => (Nanos::new(0), None),
            };
            let reason = record.as_ref().map(|record| record.stop_reason);
            if reason == Some(StopReason::Stopped) {
                return Err(Halt::Stopped);
            }
            self.note(EventBody::MadeAgain { key: key.clone(), record })?;
            if reason == Some(StopReason::Errors) {
                return Err(Halt::Failed(format!(
                    "the state that later steps need could not be restored: step {key} ended in errors"
                )));
            }
            self.rest(&key, step, active)?;
        }
        Ok(())
    }

    /// Emits an event between steps and adds it to the records of the run.
    pub(crate) fn note(&mut self, body: EventBody) -> Result<(), Halt> {
        let event = self.emitter.emit_and_wait(body)?;
        self.records.push(event);
        Ok(())
    }

    fn run_step(&mut self, key: &StepKey, step: &Step) -> Result<(), Halt> {
        // A stop may end either wait. Until both have ended, the recording does not show the execution as begun.
        if let Some(wait) = step.start_below {
            self.cool_down(key, wait)?;
        }
        if !self.care.step_begins(self.position(key), &self.stop) {
            return Err(Halt::Stopped);
        }
        if step.role == StepRole::Prepare {
            self.care.preparation_begins().map_err(Halt::Failed)?;
            self.preparing = true;
        }
        self.note_state(key)?;
        self.note(EventBody::StepStarted { key: key.clone() })?;
        self.enter(phase_of(step))?;
        self.care.step_ready(self.position(key), &self.stop);
        let started_ns = self.clock.now_ns();
        let active = match &step.action {
            Action::Idle { time } => {
                self.wait_until(started_ns + time.get())?;
                self.note(EventBody::IdleEnded { key: key.clone() })?;
                *time
            }
            Action::CoolDown(wait) => {
                self.cool_down(key, *wait)?;
                self.note(EventBody::IdleEnded { key: key.clone() })?;
                Nanos::new(self.clock.now_ns() - started_ns)
            }
            Action::Io { .. } => self.run_io(key, step)?,
        };
        self.enter(Phase::Ordinary)?;
        let cores = self.care.step_over();
        if !cores.is_empty() {
            let (key, to_ns) = (key.clone(), self.clock.now_ns());
            self.note(EventBody::HostCpu(HostCpu { key, from_ns: started_ns, to_ns, cores }))?;
        }
        self.rest(key, step, active)
    }

    /// Position of an execution in the whole schedule, from 1.
    fn position(&self, key: &StepKey) -> u32 {
        let at = self.records.plan.schedule().iter().position(|(one, _)| one == key);
        u32::try_from(at.map_or(0, |at| at + 1)).unwrap_or(u32::MAX)
    }

    /// Runs an I/O step; returns how long the target was busy with it.
    fn run_io(&mut self, key: &StepKey, step: &Step) -> Result<Nanos, Halt> {
        let Ran { active, record, written_out } = self.drive(key, step)?;
        match record {
            Ok(record) => self.step_ended(step, record)?,
            Err(error) => self.step_failed(key, &error)?,
        }
        written_out.map(|()| active).map_err(|error| {
            Halt::Failed(format!(
                "what step {key} wrote to the page cache could not be written to the target: {error}; check the kernel \
                 log and the drive's health before trying again"
            ))
        })
    }

    /// Lets the backend run an I/O step, passes on its intervals and updates the record of the target's state.
    fn drive(&mut self, key: &StepKey, step: &Step) -> Result<Ran, Halt> {
        let nothing = |why: &str| {
            let record = Err(BackendError::Unfit(why.to_owned()));
            Ok(Ran { active: Nanos::new(0), record, written_out: Ok(()) })
        };
        // The plan of the records contains the rates that follow from earlier steps.
        let Some(step) = self.records.plan.step(&step.id).cloned() else { return nothing("it is not in the plan") };
        let Action::Io { workload, stop, ramp } = &step.action else { return nothing("it issues no I/O") };
        if !is_resolved(&step) {
            return nothing("the step that its rate depends on is not on record");
        }
        let workload = &at_rate(&reseeded(workload, key, &step), searched(&self.records, key, &step));
        let started_ns = self.clock.now_ns();
        let request = StepRequest {
            key,
            workload,
            stop_rule: stop,
            ramp: *ramp,
            interval: interval_length(&step),
            clock: &*self.clock,
            stop: &self.stop,
        };
        let (emitter, watch, clock) = (&mut self.emitter, &mut self.watch, &self.clock);
        let mut lost = None;
        let record = self.backend.run_step(request, &mut |interval| {
            if lost.is_none() {
                let taken = emitter.emit(EventBody::Interval(interval));
                lost = taken.and_then(|_| watch.collect_now_and_then(emitter, clock.now_ns())).err();
            }
        });
        if let Some(lost) = lost {
            return Err(lost.into());
        }
        for truth in self.backend.truths() {
            self.emitter.emit(EventBody::GroundTruth(truth))?;
        }
        let active = Nanos::new(self.clock.now_ns() - started_ns);
        let written_out = self.state_after(&step, record.as_ref().ok());
        Ok(Ran { active, record, written_out })
    }

    fn step_ended(&mut self, step: &Step, record: StepRecord) -> Result<(), Halt> {
        let (reason, first_error) = (record.stop_reason, record.errors.first().cloned());
        let errors = record.error_count();
        self.note(EventBody::StepEnded(record))?;
        if reason == StopReason::Stopped {
            return Err(Halt::Stopped);
        }
        let cause = first_error.map_or_else(String::new, |error| {
            format!(
                "; first error: {} of {} at byte {} ended with {}",
                error.op.name(),
                error.length,
                error.offset,
                describe_errno(error.errno)
            )
        });
        if step.role == StepRole::Prepare && errors > 0 {
            return Err(Halt::Failed(format!(
                "the target could not be prepared: {errors} operations failed in '{}'{cause}; measurements on it \
                 would be meaningless. Check the kernel log and the free space, and try another target",
                step.label
            )));
        }
        self.failing_steps = if reason == StopReason::Errors { self.failing_steps + 1 } else { 0 };
        if self.failing_steps >= FAILING_STEPS_LIMIT {
            return Err(Halt::Failed(format!(
                "{FAILING_STEPS_LIMIT} steps in a row ended in errors of the target{cause}; check the kernel log and the \
                 drive's health before trying again"
            )));
        }
        Ok(())
    }

    fn step_failed(&mut self, key: &StepKey, error: &BackendError) -> Result<(), Halt> {
        let message = format!("step {key} could not run: {error}");
        self.note(EventBody::StepFailed { key: key.clone(), error: error.to_string() })?;
        Err(match error {
            BackendError::HostUnfit(_) => Halt::HostUnfit(message),
            BackendError::Unfit(_) | BackendError::System { .. } => Halt::Failed(message),
        })
    }

    fn rest(&mut self, key: &StepKey, step: &Step, active: Nanos) -> Result<(), Halt> {
        let length = step.rest.after(active);
        let plan = &self.records.plan;
        let rests = plan.test_of(&step.id).is_none_or(|test| plan.rests_after(test, key, step));
        // If the user waits for the end of the step, there is no rest.
        if length.get() == 0 || !rests || self.stop.stops_after_step() {
            return Ok(());
        }
        let until_ns = self.clock.now_ns() + length.get();
        self.emitter.emit(EventBody::RestStarted { key: key.clone(), until_ns })?;
        self.wait_until(until_ns)?;
        self.emitter.emit(EventBody::RestEnded { key: key.clone() })?;
        Ok(())
    }
}

/// The load at the rate that a search needs; the record's `open_loop.asked_iops` shows the rate.
fn at_rate(workload: &Workload, searched: Searched) -> Workload {
    let mut workload = workload.clone();
    if let (Some(rate), Searched::With(per_1000_s)) = (&mut workload.pace.rate, searched) {
        rate.per_1000_s = per_1000_s;
    }
    workload
}

/// Later rounds of a preparation write to different places: a round is a part of one long load.
fn reseeded(workload: &Workload, key: &StepKey, step: &Step) -> Workload {
    let mut workload = workload.clone();
    if step.role == StepRole::Prepare && key.round > 1 {
        workload.seed = workload.seed.wrapping_add(u64::from(key.round) << 32);
    }
    workload
}

/// About forty intervals in a short step, one per second in a long one: enough points for a curve, few enough to store.
fn interval_length(step: &Step) -> Nanos {
    let expected = match &step.action {
        Action::Io { stop, ramp, .. } => {
            stop.time.map_or(step.estimated_active(), |time| Nanos::new(time.get() + ramp.get()))
        }
        Action::Idle { time } => *time,
        Action::CoolDown(wait) => wait.cap,
    };
    Nanos::new((expected.get() / 40).clamp(100_000_000, 1_000_000_000))
}

/// An error number as text.
fn describe_errno(errno: i32) -> String {
    if errno == 0 { "fewer bytes than asked".to_owned() } else { std::io::Error::from_raw_os_error(errno).to_string() }
}
