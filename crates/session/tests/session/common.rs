//! Shared by all tests of the session: a recorder that keeps events, a target without care, the start of a run and
//! running it.

use std::sync::{Arc, Mutex};

use drivelab_core::backend::Backend;
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::event::{Event, EventBody, RunResumed, RunStarted};
use drivelab_core::finding::Finding;
use drivelab_core::listener::{Listener, ListenerError};
use drivelab_core::plan::Plan;
use drivelab_core::run::RunRecords;
use drivelab_samples::{fold, sample_environment, sample_events, sample_tool};
use drivelab_session::{Fanout, Outcome, Screen, Session, Start, TargetCare};

/// Remembers what the session reported about the target.
#[derive(Default)]
pub(crate) struct Remember(pub(crate) Vec<&'static str>);

impl TargetCare for Remember {
    fn preparation_begins(&mut self) -> Result<(), String> {
        self.0.push("begins");
        Ok(())
    }

    fn preparation_done(&mut self) -> Result<(), String> {
        self.0.push("done");
        Ok(())
    }

    fn closing_findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }
}

/// Keeps every event.
#[derive(Clone, Default)]
pub(crate) struct Keep(Arc<Mutex<Vec<Event>>>);

impl Listener for Keep {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        self.0.lock().expect("no listener panics").push(event.clone());
        Ok(())
    }
}

impl Keep {
    pub(crate) fn events(&self) -> Vec<Event> {
        self.0.lock().expect("no listener panics").clone()
    }

    /// The records of the events.
    pub(crate) fn records(&self) -> RunRecords {
        fold(self.events())
    }
}

/// The sample run's start, with another plan.
pub(crate) fn started(plan: Plan) -> Start {
    let first = sample_events().swap_remove(0).event;
    let EventBody::RunStarted(start) = first else { panic!("a run begins with run_started") };
    Start::New(RunStarted { plan, ..start })
}

/// The start of a resumed run.
pub(crate) fn resumed(records: RunRecords, prepared_again: bool) -> Start {
    let resumed = RunResumed {
        segment: 1,
        resumed: "2026-03-01T11:00:00Z".to_owned(),
        tool: sample_tool(),
        environment: sample_environment(),
        target_state: String::new(),
        prepared_again,
        kept_steps: 0,
    };
    Start::Resumed { records, resumed }
}

/// Runs to the end, which is also reached if the recorder is lost.
pub(crate) fn run(
    start: Start,
    backend: &mut dyn Backend,
    care: &mut dyn TargetCare,
    recorder: impl Listener + 'static,
    stop: StopToken,
) -> Outcome {
    run_with_screens(start, backend, care, recorder, Vec::new(), stop)
}

/// The same with screens.
pub(crate) fn run_with_screens(
    start: Start,
    backend: &mut dyn Backend,
    care: &mut dyn TargetCare,
    recorder: impl Listener + 'static,
    screens: Vec<Screen>,
    stop: StopToken,
) -> Outcome {
    let at_ns = if let Start::Resumed { records, .. } = &start { records.last_at_ns } else { 0 };
    let fanout = Fanout::start(Box::new(recorder), screens, stop.clone());
    let clock = Arc::new(MonotonicClock::starting_at(at_ns));
    match Session::begin(start, backend, care, clock, stop, fanout) {
        Ok(session) => session.run(),
        Err(lost) => Outcome::RecorderLost { message: lost.0 },
    }
}

/// Runs on a target without care.
pub(crate) fn run_through(start: Start, backend: &mut dyn Backend, keep: &Keep) -> Outcome {
    run(start, backend, &mut Remember::default(), keep.clone(), StopToken::default())
}
