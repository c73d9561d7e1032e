//! Waits for a cool drive, and runs that are ended by heat. The clock is virtual, so the tests do not wait in real
//! time.

use std::sync::{Arc, Mutex};

use drivelab_core::clock::{StopCause, StopToken, VirtualClock};
use drivelab_core::event::{Event, EventBody};
use drivelab_core::plan::{CoolDown, StepRole};
use drivelab_core::telemetry::{
    About, Disturbs, Observer, Phase, Quantity, SeriesDescription, SourceDescription, SourceId, SourceKind,
    TelemetryBatch, TelemetryDescribed,
};
use drivelab_core::units::Nanos;
use drivelab_samples::{fold, sample_run};
use drivelab_session::{Fanout, Outcome, Session};

use super::common::{Keep, Remember, started};
use super::promises::{Playback, plan_without_rests};

/// A thermometer with these temperatures in order, which then stays at the last one; `None` is a failed reading.
/// Without any there is no thermometer.
struct Thermometer {
    celsius: Vec<Option<f64>>,
    phases: Arc<Mutex<Vec<Phase>>>,
    /// Set when the last temperature is read.
    stop: Option<StopToken>,
}

fn source() -> SourceDescription {
    SourceDescription {
        id: SourceId::new("hwmon:it"),
        kind: SourceKind::Hwmon,
        about: About::Drive("it".to_owned()),
        origin: String::new(),
        accuracy: String::new(),
        disturbs: Disturbs::Nothing,
        every: Nanos::from_secs(1),
        cost: None,
        series: vec![SeriesDescription::new("composite", Quantity::Temperature)],
    }
}

impl Observer for Thermometer {
    fn described(&self) -> TelemetryDescribed {
        let sources = if self.celsius.is_empty() { Vec::new() } else { vec![source()] };
        TelemetryDescribed { sources, ..TelemetryDescribed::default() }
    }

    fn enter(&mut self, phase: Phase) {
        self.phases.lock().expect("no test panics here").push(phase);
    }

    fn collect(&mut self) -> Option<TelemetryBatch> {
        Some(TelemetryBatch::default())
    }

    fn drive_temperature(&mut self) -> Option<(String, f64)> {
        if self.celsius.len() > 1 {
            return self.celsius.remove(0).map(|now| ("it".to_owned(), now));
        }
        self.stop.iter().for_each(|stop| stop.stop(StopCause::Person));
        self.celsius.first().copied().flatten().map(|now| ("it".to_owned(), now))
    }

    fn too_hot(&self) -> Option<String> {
        Some("the drive reached 99 °C".to_owned())
    }

    fn finish(&mut self) -> Option<TelemetryBatch> {
        Some(TelemetryBatch::default())
    }
}

/// [`beside_one`] with readings that never fail.
fn beside(celsius: &[f64], stop: StopToken) -> (Outcome, Vec<Event>, Vec<Phase>) {
    beside_one(celsius.iter().copied().map(Some).collect(), stop)
}

/// Runs the sample plan with a thermometer; the first step must begin below 50 °C, with a wait of at most a minute.
fn beside_one(celsius: Vec<Option<f64>>, stop: StopToken) -> (Outcome, Vec<Event>, Vec<Phase>) {
    let mut plan = plan_without_rests();
    plan.tests[0].steps[0].start_below = Some(CoolDown { below_c: 50, cap: Nanos::from_secs(60) });
    let (recorder, mut backend, mut care) = (Keep::default(), Playback::of(sample_run()), Remember::default());
    let phases = Arc::new(Mutex::new(Vec::new()));
    let thermometer = Thermometer { celsius, phases: Arc::clone(&phases), stop: None };
    let clock = Arc::new(VirtualClock::default());
    let fanout = Fanout::start(Box::new(recorder.clone()), Vec::new(), stop.clone());
    let session = Session::begin(started(plan), &mut backend, &mut care, clock, stop, fanout).expect("a recorder");
    let outcome = session.observed(Some(Box::new(thermometer))).run();
    let phases = phases.lock().expect("no test panics here").clone();
    (outcome, recorder.events(), phases)
}

#[test]
fn a_step_waits_until_the_drive_is_cool_and_says_how_it_goes() {
    let (outcome, events, phases) = beside(&[62.0, 58.0, 53.5, 49.5], StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    let place = |of: fn(&EventBody) -> bool| events.iter().position(|event| of(&event.event)).expect("the event");
    let described = place(|body| matches!(body, EventBody::TelemetryDescribed(_)));
    let waits = place(|body| matches!(body, EventBody::CoolDownStarted { below_c: 50, .. }));
    let cooling = place(|body| matches!(body, EventBody::CoolingDown { celsius, .. } if *celsius < 59.0));
    let cool = place(|body| matches!(body, EventBody::CoolDownEnded { reached: true, .. }));
    let begins = place(|body| matches!(body, EventBody::StepStarted { .. }));
    assert!(described < waits && waits < cooling && cooling < cool && cool < begins);
    assert!(matches!(&events[events.len() - 2].event, EventBody::Telemetry(_)), "the rest is recorded before the end");
    assert_eq!(phases[..2], [Phase::Idle, Phase::Ordinary], "a drive that cools is left alone");
    assert!(phases.contains(&Phase::LatencyCritical), "the sample has a step with one operation in flight");
    let records = fold(events);
    assert_eq!((records.cool_downs.len(), records.cool_downs[0].celsius), (1, Some(49.5)));
}

#[test]
fn a_drive_that_does_not_cool_holds_nobody_up_for_ever_and_is_named() {
    let (outcome, events, _) = beside(&[62.0], StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    let analysis = drivelab_analysis::analyse(&fold(events));
    assert!(analysis.findings.iter().any(|finding| finding.code == "not_cooled_down"));
    let (outcome, events, _) = beside(&[40.0], StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    assert!(
        events.iter().all(|event| !matches!(event.event, EventBody::CoolDownStarted { .. })),
        "a cool drive does not wait"
    );
    let (outcome, ..) = beside(&[], StopToken::default());
    assert!(
        matches!(&outcome, Outcome::Failed { message, .. } if message.contains("no source reports the drive's temperature")),
        "{outcome:?}"
    );
}

#[test]
fn a_first_temperature_that_is_missing_is_asked_for_again_before_a_run_is_given_up() {
    let late = |failures: usize| {
        let readings = std::iter::repeat_n(None, failures).chain([Some(40.0)]).collect();
        beside_one(readings, StopToken::default())
    };
    for failures in [1, 5] {
        let (outcome, events, _) = late(failures);
        assert!(matches!(outcome, Outcome::Complete { .. }), "after {failures} readings that failed: {outcome:?}");
        let begins = events.iter().find(|event| matches!(event.event, EventBody::StepStarted { .. })).expect("a step");
        let asked_again_ns = failures as u64 * 1_000_000_000;
        assert!(begins.at_ns >= asked_again_ns, "a pause before each question, on the run's clock: {}", begins.at_ns);
    }
    let (outcome, ..) = late(6);
    assert!(
        matches!(&outcome, Outcome::Failed { message, .. }
            if message.contains("the drive's temperature could not be read in 6 tries; check its sensor")),
        "a thermometer that fails is one all the same: {outcome:?}"
    );
    let stop = StopToken::default();
    stop.stop(StopCause::Person);
    let (outcome, ..) = beside_one(vec![None], stop);
    assert!(matches!(outcome, Outcome::Interrupted { .. }), "nobody waits for it who is told to stop: {outcome:?}");
}

#[test]
fn a_stop_while_the_drive_cools_begins_no_preparation() {
    let stop = StopToken::default();
    let mut plan = plan_without_rests();
    plan.tests[0].steps[0].start_below = Some(CoolDown { below_c: 50, cap: Nanos::from_secs(60) });
    assert_eq!(plan.tests[0].steps[0].role, StepRole::Prepare);
    let (recorder, mut backend, mut care) = (Keep::default(), Playback::of(sample_run()), Remember::default());
    let celsius = vec![Some(62.0), Some(60.0)];
    let thermometer = Thermometer { celsius, phases: Arc::default(), stop: Some(stop.clone()) };
    let clock = Arc::new(VirtualClock::default());
    let fanout = Fanout::start(Box::new(recorder.clone()), Vec::new(), stop.clone());
    let session = Session::begin(started(plan), &mut backend, &mut care, clock, stop, fanout).expect("a recorder");
    let outcome = session.observed(Some(Box::new(thermometer))).run();
    assert!(matches!(outcome, Outcome::Interrupted { .. }), "{outcome:?}");
    let events = recorder.events();
    assert!(events.iter().any(|event| matches!(event.event, EventBody::CoolDownStarted { .. })), "it was waiting");
    assert!(events.iter().all(|event| !matches!(event.event, EventBody::StepStarted { .. })));
    assert!(care.0.is_empty(), "a target that nothing was written to needs no second preparation: {:?}", care.0);
}

#[test]
fn heat_interrupts_a_run_with_its_reason() {
    let stop = StopToken::default();
    stop.stop(StopCause::Heat);
    let (outcome, events, _) = beside(&[40.0], stop);
    assert_eq!(outcome, Outcome::Interrupted { cause: "the drive reached 99 °C".to_owned() });
    let last = &events.last().expect("events").event;
    assert!(matches!(last, EventBody::Interrupted { cause } if cause == "the drive reached 99 °C"), "{last:?}");
}
