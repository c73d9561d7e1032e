//! Turns events into what is done, what is running, what comes next and a realistic estimate of the remaining time.
//! Pure: no clock.
//!
//! The remaining time has three parts: the running step by its own stop rule (time, or bytes left at the measured
//! rate), the steps ahead by the plan's estimate, and a correction of that estimate by how long finished steps of the
//! same kind took. A steady test may end early, so its estimate is a range. Any event except the first may be missing:
//! the result then uses the other events. Must not know: terminals, the time of day.

mod estimate;
mod running;
mod slot;
mod time_left;

use drivelab_analysis::{Disturbed, LimitedBy, LiveOthers, rate};
use drivelab_core::event::{Event, EventBody, RunResumed, RunStarted, RunState};
use drivelab_core::ids::StepKey;
use drivelab_core::plan::StepRole;
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::units::{Bytes, Nanos};

pub(super) use running::{Latest, Running};
pub use time_left::TimeLeft;

use estimate::Pace;
use slot::Slot;

use super::figures::clean;

/// The state of the run, as far as events show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No event yet.
    Before,
    /// In progress.
    Going,
    /// Stopped before its end.
    Interrupted,
    /// Ended.
    Ended(RunState),
}

/// What is measured on what.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) title: String,
    pub(super) form: &'static str,
    pub(super) target: String,
    pub(super) length: Bytes,
}

/// Waiting between steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resting {
    pub(super) until_ns: u64,
}

/// The state that events are folded into.
#[derive(Debug)]
pub struct Progress {
    head: Option<Head>,
    slots: Vec<Slot>,
    done: usize,
    running: Option<Running>,
    resting: Option<Resting>,
    pace: Pace,
    last_end_ns: Option<u64>,
    phase: Phase,
    at_ns: u64,
    others: LiveOthers,
    /// Executions that the last event has shown to be disturbed.
    disturbed: Vec<Disturbed>,
}

impl Default for Progress {
    fn default() -> Self {
        Progress {
            head: None,
            slots: Vec::new(),
            done: 0,
            running: None,
            resting: None,
            pace: Pace::default(),
            last_end_ns: None,
            phase: Phase::Before,
            at_ns: 0,
            others: LiveOthers::default(),
            disturbed: Vec::new(),
        }
    }
}

impl Progress {
    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        self.at_ns = self.at_ns.max(event.at_ns);
        self.disturbed = self.others.event(event);
        if self.phase == Phase::Before {
            self.phase = Phase::Going;
        }
        match &event.event {
            EventBody::RunStarted(start) => self.started(start),
            EventBody::RunResumed(RunResumed { .. }) => self.resumed(),
            EventBody::StepStarted { key } | EventBody::MakingAgain { key } => self.step_started(key, event.at_ns),
            EventBody::Interval(record) => {
                if self.running.as_ref().is_none_or(|running| running.key != record.key) {
                    // The start was missed.
                    let length = record.end_ns.saturating_sub(record.start_ns);
                    let started = record.start_ns.saturating_sub(length.saturating_mul(u64::from(record.index)));
                    self.step_started(&record.key, started);
                }
                if let Some(running) = &mut self.running {
                    running.interval(record);
                }
            }
            EventBody::MadeAgain { .. } => {
                self.running = None;
                self.last_end_ns = Some(event.at_ns);
            }
            EventBody::StepEnded(record) => self.step_ended(record, event.at_ns),
            EventBody::IdleEnded { key } => self.ended(key, event.at_ns, true),
            EventBody::StepFailed { key, .. } => self.ended(key, event.at_ns, false),
            EventBody::RestStarted { until_ns, .. } => {
                self.resting = Some(Resting { until_ns: *until_ns });
            }
            EventBody::CoolDownStarted { until_ns, .. } => self.resting = Some(Resting { until_ns: *until_ns }),
            EventBody::CoolDownEnded { .. } => {
                self.resting = None;
                self.last_end_ns = None;
            }
            EventBody::RestEnded { .. } => {
                self.resting = None;
                self.last_end_ns = Some(event.at_ns);
            }
            EventBody::Steadiness(verdict) => self.pass_where(|slot| slot.test == verdict.test),
            EventBody::Finding(_)
            | EventBody::CoolingDown { .. }
            | EventBody::TelemetryDescribed(_)
            | EventBody::Telemetry(_)
            | EventBody::InGroup(_)
            | EventBody::DriveState(_)
            | EventBody::GroundTruth(_)
            | EventBody::HostCpu(_) => {}
            EventBody::PreparationReused(reused) => self.pass_where(|slot| reused.keys.contains(&slot.key)),
            EventBody::Interrupted { .. } => self.halt(Phase::Interrupted),
            EventBody::RunEnded { state, .. } => self.halt(Phase::Ended(*state)),
        }
    }

    fn started(&mut self, start: &RunStarted) {
        let target = &start.environment.target;
        self.head = Some(Head {
            title: clean(&start.plan.title),
            form: start.plan.form.words(&start.plan.methodology.name),
            target: clean(&target.path.to_string_lossy()),
            length: target.length,
        });
        self.slots = (1..=start.plan.sets())
            .flat_map(|set| start.plan.tests.iter().flat_map(move |test| slot::slots(&start.plan, test, set)))
            .collect();
        self.done = 0;
        self.phase = Phase::Going;
    }

    /// What was running at the interruption is lost; the time between the segments says nothing about the pace.
    fn resumed(&mut self) {
        (self.running, self.resting, self.last_end_ns) = (None, None, None);
        self.phase = Phase::Going;
    }

    fn halt(&mut self, phase: Phase) {
        (self.running, self.resting) = (None, None);
        self.phase = phase;
    }

    fn step_started(&mut self, key: &StepKey, at_ns: u64) {
        if let Some(end) = self.last_end_ns.take() {
            self.pace.gap(at_ns.saturating_sub(end));
        }
        self.resting = None;
        let slot = self.slots.iter().position(|slot| slot.key == *key);
        if let Some(index) = slot
            && self.slots.get(index).is_some_and(|slot| slot.role == StepRole::Measure)
        {
            // Steps run in the plan's order, so steps before this one without events are over.
            self.pass_range(index);
        }
        let ramp_ns = slot.and_then(|index| self.slots.get(index)).map_or(0, |slot| slot.goal.ramp_ns);
        self.running = Some(Running::new(key.clone(), slot, at_ns, ramp_ns));
    }

    fn step_ended(&mut self, record: &StepRecord, at_ns: u64) {
        match record.stop_reason {
            StopReason::Time | StopReason::Volume | StopReason::Passes | StopReason::Operations | StopReason::Cap => {
                self.ended(&record.key, at_ns, true);
            }
            // It runs again after `resume`.
            StopReason::Stopped => self.running = None,
            StopReason::Errors => self.ended(&record.key, at_ns, false),
        }
    }

    /// An execution is over; `typical` means that its length tells something about others of its kind.
    fn ended(&mut self, key: &StepKey, at_ns: u64, typical: bool) {
        let running = self.running.take().filter(|running| running.key == *key);
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.key == *key) {
            self.done += usize::from(!slot.passed);
            slot.passed = true;
            if let Some(running) = running
                && typical
            {
                self.pace.finished(slot, at_ns.saturating_sub(running.started_ns));
            }
        }
        self.last_end_ns = Some(at_ns);
    }

    fn pass_where(&mut self, of: impl Fn(&Slot) -> bool) {
        for slot in self.slots.iter_mut().filter(|slot| !slot.passed && of(slot)) {
            slot.passed = true;
            self.done += 1;
        }
    }

    fn pass_range(&mut self, end: usize) {
        for slot in self.slots.iter_mut().take(end).filter(|slot| !slot.passed) {
            slot.passed = true;
            self.done += 1;
        }
    }

    /// Executions that are over, including failed and left-out ones; never decreases.
    #[must_use]
    pub const fn done(&self) -> usize {
        self.done
    }

    /// Executions in the plan; steady tests count with their most rounds.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.slots.len()
    }

    /// Run time of the last event, in nanoseconds.
    #[must_use]
    pub const fn at_ns(&self) -> u64 {
        self.at_ns
    }

    /// Remaining time at this run time; `None` while nothing is known or after an interruption, exactly zero at the
    /// end.
    #[must_use]
    pub fn left(&self, now_ns: u64) -> Option<TimeLeft> {
        match self.phase {
            Phase::Before | Phase::Interrupted => None,
            Phase::Ended(_) => Some(TimeLeft { at_least: Nanos::new(0), at_most: Nanos::new(0) }),
            Phase::Going => self.head.as_ref().map(|_| {
                let resting_until_ns = self.resting.map(|resting| resting.until_ns);
                self.pace.estimate(&self.slots, (self.running.as_ref(), resting_until_ns), now_ns)
            }),
        }
    }

    /// Remaining time of the running step or rest only.
    #[must_use]
    pub fn left_here(&self, now_ns: u64) -> Option<Nanos> {
        if let Some(resting) = self.resting {
            return Some(Nanos::new(resting.until_ns.saturating_sub(now_ns)));
        }
        let running = self.running.as_ref()?;
        let slot = self.slots.get(running.slot?)?;
        Some(estimate::nanos(self.pace.left_of(running, slot, now_ns)))
    }

    pub(super) const fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) const fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    pub(super) const fn running(&self) -> Option<&Running> {
        self.running.as_ref()
    }

    pub(super) const fn resting(&self) -> Option<Resting> {
        self.resting
    }

    /// Number of the running step among all executions, from 1.
    pub(super) fn position(&self) -> Option<usize> {
        Some(self.running.as_ref()?.slot? + 1)
    }

    /// Whether the running step only waits.
    pub(super) fn is_idle(&self) -> bool {
        let slot = self.running.as_ref().and_then(|running| running.slot).and_then(|index| self.slots.get(index));
        slot.is_some_and(|slot| slot.kind == slot::Kind::Idle)
    }

    /// Whether the running step replays a trace with pauses, which are part of its live rates.
    pub(super) fn has_pauses(&self) -> bool {
        let slot = self.running.as_ref().and_then(|running| running.slot).and_then(|index| self.slots.get(index));
        slot.and_then(|slot| slot.workload.as_ref()).is_some_and(rate::has_pauses_of_a_trace)
    }

    /// The label of an execution, with its round if the test has several.
    pub(super) fn label(&self, key: &StepKey) -> String {
        let slot = self.slots.iter().find(|slot| slot.key == *key);
        slot.map_or_else(|| clean(&key.to_string()), Slot::label_with_round)
    }

    /// Executions that the last event has shown to be disturbed by other I/O.
    pub(super) fn disturbed(&self) -> &[Disturbed] {
        &self.disturbed
    }

    /// What limited a finished execution; unknown if it is not in the plan.
    pub(super) fn limited_by(&self, record: &StepRecord) -> LimitedBy {
        let slot = self.slots.iter().find(|slot| slot.key == record.key);
        let workload = slot.and_then(|slot| slot.workload.as_ref());
        workload.map_or(LimitedBy::Unknown, |workload| drivelab_analysis::limited_by(record, workload))
    }

    /// Width that holds most labels of this plan, between 20 and 28 columns.
    pub(super) fn label_width(&self) -> usize {
        let longest = self.slots.iter().map(|slot| slot.label_with_round().chars().count()).max();
        longest.unwrap_or(0).clamp(20, 28)
    }

    /// Labels of the next executions.
    pub(super) fn next(&self, count: usize) -> Vec<String> {
        let from = self.position().unwrap_or(0);
        let coming = self.slots.iter().skip(from).filter(|slot| !slot.passed);
        coming.take(count).map(Slot::label_with_round).collect()
    }
}

#[cfg(test)]
mod tests;
