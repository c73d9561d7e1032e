//! The sample run itself: complete, interrupted, resumed and steady.

use drivelab_core::environment::ToolVersion;
use drivelab_core::event::{EVENT_VERSION, Event, EventBody, RunResumed, RunStarted, RunState, Steadiness};
use drivelab_core::ids::{RunId, StepKey};
use drivelab_core::plan::{Action, Plan, Rounds, Step};
use drivelab_core::run::RunRecords;

use super::environment::sample_environment;
use super::load::{pace_of, step_events};
use super::plan::{sample_plan, steady_plan};

/// The id of the sample run.
const SAMPLE_RUN: &str = "01980000-5a4d-7000-8000-000000000001";
/// Time between two consecutive events.
const MOMENT_NS: u64 = 1_000_000;

/// The release build that the sample seems to come from.
#[must_use]
pub fn sample_tool() -> ToolVersion {
    ToolVersion { version: "0.1.0".to_owned(), commit: "0123456789ab".to_owned(), profile: "release".to_owned() }
}

/// The id that every sample run has.
///
/// # Panics
/// Never: the text is a constant.
#[must_use]
#[expect(clippy::expect_used, reason = "a constant that is a UUID")]
pub fn sample_id() -> RunId {
    SAMPLE_RUN.parse().expect("a UUID")
}

/// A complete run of [`sample_plan`]: fill, corners in three rounds, mixes, depths and one sustained write that falls
/// from 1,900 to 450 MB/s.
#[must_use]
pub fn sample_run() -> RunRecords {
    fold(sample_events())
}

/// The events of [`sample_run`].
#[must_use]
pub fn sample_events() -> Vec<Event> {
    let mut tape = Tape::start(sample_plan());
    tape.run_all(|_| true);
    tape.end(RunState::Complete);
    tape.events
}

/// The first half of [`sample_run`], as left by a process that was killed during a step.
#[must_use]
pub fn sample_unfinished_run() -> RunRecords {
    fold(unfinished_events())
}

/// The run of [`sample_unfinished_run`], continued by a second process that had to fill the target again.
#[must_use]
pub fn sample_resumed_run() -> RunRecords {
    let events = unfinished_events();
    let done = fold(events.clone());
    let mut tape = Tape { plan: done.plan.clone(), events, now_ns: done.last_at_ns + MOMENT_NS };
    tape.push(EventBody::RunResumed(RunResumed {
        segment: 1,
        resumed: "2026-03-01T10:07:30Z".to_owned(),
        tool: sample_tool(),
        environment: sample_environment(),
        target_state: "the scratch file was gone; it was made and filled again".to_owned(),
        prepared_again: true,
        kept_steps: u32::try_from(done.steps.len()).unwrap_or(u32::MAX),
    }));
    tape.run_all(|key| key.step.as_str().starts_with("prepare/") || !done.is_finished(key));
    tape.end(RunState::Complete);
    fold(tape.events)
}

/// A complete run of [`steady_plan`]: random writes that become steady in rounds 3 to 7.
#[must_use]
pub fn sample_steady_run() -> RunRecords {
    let mut tape = Tape::start(steady_plan());
    tape.run_all(|key| key.round <= 7);
    let test = tape.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. }));
    if let Some(test) = test.map(|test| test.name.clone()) {
        tape.push(EventBody::Steadiness(Steadiness {
            test,
            reached: true,
            first_round: 3,
            last_round: 7,
            range_percent: 2.0,
            slope_percent: 0.4,
        }));
    }
    tape.end(RunState::Complete);
    fold(tape.events)
}

/// Folds the events of a run.
///
/// # Panics
/// If they do not begin with `run_started`.
#[must_use]
#[expect(clippy::expect_used, reason = "for tests: a broken sample must be seen at once")]
pub fn fold(events: Vec<Event>) -> RunRecords {
    RunRecords::from_events(events).expect("a run begins with run_started")
}

/// Events up to the middle of the mixes; the last step has no end.
fn unfinished_events() -> Vec<Event> {
    let mut events = sample_events();
    let cut = events.iter().position(|event| match &event.event {
        EventBody::Interval(interval) => interval.key.step.as_str() == "mixes/w50" && interval.index == 1,
        _ => false,
    });
    events.truncate(cut.map_or(events.len(), |index| index + 1));
    events
}

/// A recording that is being generated.
pub(super) struct Tape {
    plan: Plan,
    pub(super) events: Vec<Event>,
    now_ns: u64,
}

impl Tape {
    pub(super) fn start(plan: Plan) -> Self {
        let mut tape = Tape { plan: plan.clone(), events: Vec::new(), now_ns: 0 };
        tape.push(EventBody::RunStarted(RunStarted {
            event_version: EVENT_VERSION,
            run: sample_id(),
            started: "2026-03-01T10:00:00Z".to_owned(),
            tool: sample_tool(),
            plan,
            environment: sample_environment(),
        }));
        tape
    }

    pub(super) fn push(&mut self, event: EventBody) {
        let seq = self.events.last().map_or(0, |last| last.seq + 1);
        self.events.push(Event { seq, at_ns: self.now_ns, event });
        self.now_ns += MOMENT_NS;
    }

    pub(super) fn run_all(&mut self, wanted: impl Fn(&StepKey) -> bool) {
        let schedule: Vec<(StepKey, Step)> =
            self.plan.schedule().into_iter().map(|(key, step)| (key, step.clone())).collect();
        for (key, step) in schedule.into_iter().filter(|(key, _)| wanted(key)) {
            self.push(EventBody::StepStarted { key: key.clone() });
            match &step.action {
                Action::Io { .. } => {
                    let (intervals, record) = step_events(&step, key.round, self.now_ns, pace_of(&step));
                    for interval in intervals {
                        self.now_ns = interval.end_ns;
                        self.push(EventBody::Interval(interval));
                    }
                    self.push(EventBody::StepEnded(record));
                }
                Action::Idle { time } => {
                    self.now_ns += time.get();
                    self.push(EventBody::IdleEnded { key });
                }
                Action::CoolDown(_) => self.push(EventBody::IdleEnded { key }),
            }
        }
    }

    pub(super) fn end(&mut self, state: RunState) {
        self.push(EventBody::RunEnded { state, message: String::new() });
    }
}
