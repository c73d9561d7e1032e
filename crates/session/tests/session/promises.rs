//! The session's guarantees: order, what is kept, what is repeated, which listeners may delay it and which may not.
//!
//! The backend here replays the records of `analysis`'s sample run, so that every step's outcome is known; clocks,
//! threads and channels are the real ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::clock::{RunClock, StopCause, StopToken, VirtualClock};
use drivelab_core::event::{Event, EventBody, RunState};
use drivelab_core::ids::StepKey;
use drivelab_core::listener::{Listener, ListenerError};
use drivelab_core::plan::{Plan, Rounds, Step, StepRole};
use drivelab_core::record::{IntervalRecord, StepRecord, StopReason};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use drivelab_samples::{fold, sample_events, sample_run};
use drivelab_session::{Fanout, Outcome, Screen, Session};

use super::common::{Keep, Remember, resumed, run, run_with_screens, started};

/// Called before each step with the number of steps already run.
pub(crate) type Before = Box<dyn FnMut(usize, &StopToken)>;

/// Replays known records.
pub(crate) struct Playback {
    records: RunRecords,
    pub(crate) ran: Vec<StepKey>,
    before: Before,
}

impl Playback {
    pub(crate) fn of(records: RunRecords) -> Self {
        Playback { records, ran: Vec::new(), before: Box::new(|_, _| {}) }
    }
}

impl Backend for Playback {
    fn describe(&self) -> String {
        "playback".to_owned()
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        interval: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        (self.before)(self.ran.len(), request.stop);
        self.ran.push(request.key.clone());
        self.records.intervals.iter().filter(|i| i.key == *request.key).cloned().for_each(&mut *interval);
        let mut record = self.records.step(request.key).cloned().ok_or(BackendError::Unfit("no such record".into()))?;
        if request.stop.is_stopped() {
            record.stop_reason = StopReason::Stopped;
        }
        Ok(record)
    }

    fn sync(&mut self) -> Result<(), BackendError> {
        Ok(())
    }
}

/// The sample plan without rests, so that a test does not wait for them.
pub(crate) fn plan_without_rests() -> Plan {
    let mut plan = sample_run().plan;
    for step in plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        step.rest = drivelab_core::plan::Rest::None {};
    }
    plan
}

#[test]
fn a_run_does_every_execution_once_in_order_and_its_events_have_no_gap() {
    let (recorder, mut backend, mut care) = (Keep::default(), Playback::of(sample_run()), Remember::default());
    let plan = plan_without_rests();
    let outcome = run(started(plan.clone()), &mut backend, &mut care, recorder.clone(), StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    let due: Vec<StepKey> = plan.schedule().into_iter().map(|(key, _)| key).collect();
    assert_eq!(backend.ran, due);
    let events = recorder.events();
    assert!(events.iter().enumerate().all(|(index, event)| event.seq == index as u64));
    assert!(events.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns), "time went back");
    assert!(matches!(events.last().unwrap().event, EventBody::RunEnded { state: RunState::Complete, .. }));
    assert_eq!(fold(events).steps.len(), due.len());
    assert_eq!(care.0.last(), Some(&"done"));
    assert_eq!(care.0.iter().filter(|word| **word == "done").count(), 1);
}

#[test]
fn a_stop_keeps_what_is_finished_and_resume_does_the_rest_and_nothing_twice() {
    let (recorder, mut backend, mut care) = (Keep::default(), Playback::of(sample_run()), Remember::default());
    backend.before = Box::new(|done, stop| {
        if done == 5 {
            stop.stop(StopCause::Person);
        }
    });
    let plan = plan_without_rests();
    let outcome = run(started(plan.clone()), &mut backend, &mut care, recorder.clone(), StopToken::default());
    assert!(matches!(outcome, Outcome::Interrupted { .. }), "{outcome:?}");
    let first = fold(recorder.events());
    let kept: Vec<StepKey> = backend.ran[..5].to_vec();
    assert!(kept.iter().all(|key| first.is_finished(key)));
    assert!(!first.is_finished(&backend.ran[5]), "the stopped step is not finished");
    assert_eq!(first.steps.len(), 6, "but what it measured is kept");

    let mut again = Playback::of(sample_run());
    let outcome =
        run(resumed(first, false), &mut again, &mut Remember::default(), recorder.clone(), StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    assert_eq!(again.ran.first(), Some(&backend.ran[5]), "goes on at the first unfinished step");
    assert!(again.ran.iter().all(|key| !kept.contains(key)), "a finished step ran twice");
    let whole = fold(recorder.events());
    assert_eq!(whole.steps.len(), plan.schedule().len());
    assert_eq!((whole.state, whole.breaks.len()), (RunState::Complete, 1));
    assert!(recorder.events().windows(2).all(|pair| pair[1].seq == pair[0].seq + 1), "numbers go on without a gap");
}

/// Two sets of one discarded round and two that count, for every test except the preparation; records of all of them.
fn two_sets() -> (Plan, RunRecords) {
    let (mut plan, mut records) = (plan_without_rests(), sample_run());
    for test in &mut plan.tests {
        if test.steps.iter().all(|step| step.role == StepRole::Measure) {
            test.rounds = drivelab_core::plan::Rounds::Fixed { count: 2 };
            test.order = drivelab_core::plan::Order::StepByStep;
            test.repeats = drivelab_core::plan::Repeats { warm_up_rounds: 1, sets: 2, ..Default::default() };
        }
    }
    let firsts: Vec<StepRecord> = records.steps.iter().filter(|record| record.key.round == 1).cloned().collect();
    for (key, _) in plan.schedule() {
        if records.step(&key).is_none() {
            let first = firsts.iter().find(|record| record.key.step == key.step).expect("a record of the step");
            records.steps.push(StepRecord { key, ..first.clone() });
        }
    }
    (plan, records)
}

#[test]
fn sets_run_one_after_the_other_and_a_resumed_run_goes_on_in_its_set() {
    let (plan, records) = two_sets();
    let due: Vec<StepKey> = plan.schedule().into_iter().map(|(key, _)| key).collect();
    let last_of = |set: u32| {
        let of_set = |key: &StepKey| plan.test_of(&key.step).expect("its test").set_and_round(key.round).0 == set;
        (due.iter().position(of_set), due.iter().rposition(of_set))
    };
    assert!(last_of(1).1 < last_of(2).0, "the second set begins when the first has ended");
    let stop_at = due.len() * 2 / 3;
    let (recorder, mut backend) = (Keep::default(), Playback::of(records.clone()));
    let stop = StopToken::default();
    backend.before = Box::new(move |ran, stop: &StopToken| {
        if ran == stop_at {
            stop.stop(StopCause::Person);
        }
    });
    let outcome = run(started(plan.clone()), &mut backend, &mut Remember::default(), recorder.clone(), stop);
    assert!(matches!(outcome, Outcome::Interrupted { .. }), "{outcome:?}");
    assert_eq!(backend.ran, due[..=stop_at]);
    let kept = fold(recorder.events());
    let left: Vec<StepKey> = drivelab_session::left(&kept, true).into_iter().map(|(key, _)| key).collect();
    assert_eq!(left, due[stop_at..]);
    let mut again = Playback::of(records);
    let outcome = run(resumed(kept, false), &mut again, &mut Remember::default(), recorder, StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    assert_eq!(again.ran, due[stop_at..], "each execution is done once, in its set");
}

/// A stop that is requested during a step waits for its end: the step counts, and the next one does not begin.
#[test]
fn a_stop_after_the_step_keeps_the_step_and_begins_no_other() {
    let records = sample_run();
    let due: Vec<StepKey> = records.plan.schedule().into_iter().map(|(key, _)| key).collect();
    let stopping_at = |at: usize, taken_back: bool| {
        let (recorder, mut backend) = (Keep::default(), Playback::of(records.clone()));
        backend.before = Box::new(move |ran, stop: &StopToken| {
            if ran == at {
                stop.stop_after_step(true);
                stop.stop_after_step(!taken_back);
            }
        });
        let start = started(records.plan.clone());
        let outcome = run(start, &mut backend, &mut Remember::default(), recorder.clone(), StopToken::default());
        (outcome, backend.ran, fold(recorder.events()))
    };
    let (outcome, whole, _) = stopping_at(usize::MAX, false);
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    for at in [0, 1, whole.len() / 2, whole.len() - 2] {
        let (outcome, ran, kept) = stopping_at(at, false);
        assert!(matches!(&outcome, Outcome::Interrupted { cause } if cause.contains("by the user")), "{outcome:?}");
        assert_eq!(ran, whole[..=at], "the step ran to its end and no other was begun");
        assert!(kept.steps.iter().all(|record| record.stop_reason != StopReason::Stopped), "every step is whole");
        let left = drivelab_session::left(&kept, true).into_iter().map(|(key, _)| key);
        assert_eq!(left.filter(|key| ran.contains(key)).count(), 0, "what ran need not be done again");
    }
    // The stop does not wait for a rest after the step, and if no steps remain, the run is complete.
    let (outcome, ran, _) = stopping_at(whole.len() - 1, false);
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    assert_eq!(ran.len(), whole.len());
    let (outcome, ..) = stopping_at(1, true);
    assert!(matches!(outcome, Outcome::Complete { .. }), "taken back: {outcome:?}");
    assert!(due.len() >= whole.len());
}

fn measures(step: &Step) -> bool {
    step.role == StepRole::Measure
}

#[test]
fn a_target_that_is_gone_gets_its_state_again_and_finished_measurements_are_kept() {
    let records = sample_run();
    let changes = |step: &Step| step.workload().is_some_and(Workload::changes_target);
    let schedule = records.plan.schedule();
    let changing: Vec<StepKey> =
        schedule.iter().filter(|(_, step)| changes(step)).map(|(key, _)| key.clone()).collect();
    let last = schedule.last().map(|(key, _)| key.clone()).expect("a step");
    let mut events = sample_events();
    let cut = events.iter().rposition(|event| matches!(event.event, EventBody::StepStarted { .. })).unwrap();
    events.truncate(cut);
    let (mut backend, mut care) = (Playback::of(records), Remember::default());
    let (kept, recorder) = (fold(events), Keep::default());
    let outcome = run(resumed(kept.clone(), true), &mut backend, &mut care, recorder.clone(), StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    // What the missing step depends on, in the order of the plan, and that step.
    let before: Vec<StepKey> = changing.into_iter().filter(|key| *key != last).collect();
    assert_eq!(backend.ran, [before, vec![last]].concat());
    let mut whole = kept.clone();
    recorder.events().into_iter().for_each(|event| whole.push(event));
    for record in kept.steps.iter().filter(|record| whole.plan.step(&record.key.step).is_some_and(measures)) {
        assert_eq!(whole.step(&record.key), Some(record), "a finished figure stays as it is");
        let intervals =
            |records: &RunRecords| records.intervals.iter().filter(|interval| interval.key == record.key).count();
        assert_eq!(intervals(&whole), intervals(&kept), "{}", record.key);
    }
    let again = &whole.breaks.last().expect("a break").made_again;
    assert!(!again.is_empty() && again.iter().all(|key| whole.plan.step(&key.step).is_some_and(measures)));
    assert_eq!((care.0.first(), care.0.last()), (Some(&"begins"), Some(&"done")));
}

#[test]
fn a_steady_test_ends_when_the_window_is_steady() {
    let mut records = drivelab_samples::sample_steady_run();
    for record in records.steps.iter_mut().filter(|record| record.key.round <= 2) {
        // Twice the rate of the later rounds: no window that contains one of these rounds is steady.
        (record.read.count, record.write.count) = (2 * record.read.count, 2 * record.write.count);
        record.read.bytes = Bytes::new(2 * record.read.bytes.get());
        record.write.bytes = Bytes::new(2 * record.write.bytes.get());
    }
    let mut plan = records.plan.clone();
    plan.tests
        .iter_mut()
        .flat_map(|test| &mut test.steps)
        .for_each(|step| step.rest = drivelab_core::plan::Rest::None {});
    let (recorder, mut backend) = (Keep::default(), Playback::of(records));
    let outcome = run(started(plan), &mut backend, &mut Remember::default(), recorder.clone(), StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    let got = fold(recorder.events()).steadiness;
    assert_eq!(got.len(), 1);
    assert_eq!((got[0].reached, got[0].first_round, got[0].last_round), (true, 3, 7));
}

/// A recorder that fails at the event with this number.
struct FailAt(u64);

impl Listener for FailAt {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        if event.seq < self.0 { Ok(()) } else { Err(ListenerError { message: "no space left".to_owned() }) }
    }
}

#[test]
fn a_lost_recorder_ends_the_run_with_its_own_words() {
    let total = sample_events().len() as u64;
    for at in [0, 1, 2, 10, total / 2] {
        let stop = StopToken::default();
        let mut backend = Playback::of(sample_run());
        let outcome = run(started(plan_without_rests()), &mut backend, &mut Remember::default(), FailAt(at), stop);
        assert_eq!(outcome, Outcome::RecorderLost { message: "no space left".to_owned() }, "failing at event {at}");
    }
}

/// A recorder that panics at the event with this number.
struct PanicAt(u64);

impl Listener for PanicAt {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        assert!(event.seq < self.0, "a bug in the recorder");
        Ok(())
    }
}

#[test]
fn a_recorder_that_panics_is_noticed_and_named() {
    for at in [0, 2] {
        let mut backend = Playback::of(sample_run());
        let stop = StopToken::default();
        let outcome = run(started(plan_without_rests()), &mut backend, &mut Remember::default(), PanicAt(at), stop);
        let Outcome::RecorderLost { message } = outcome else { panic!("{outcome:?}") };
        assert!(message.contains("panicked"), "{message}");
    }
}

#[test]
fn a_steady_test_is_judged_by_whole_rounds_also_after_a_stop_in_the_middle_of_one() {
    let records = drivelab_samples::sample_steady_run();
    let steady = records.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. })).expect("one");
    assert!(!steady.steps.is_empty());
    let due: Vec<StepKey> = drivelab_session::left(&records, true).into_iter().map(|(key, _)| key).collect();
    assert!(
        due.iter().all(|key| key.step.as_str().split('/').next() != Some(&*steady.name)),
        "judged: nothing is left"
    );
    let mut cut = records.clone();
    cut.steadiness.clear();
    let last = cut.steps.iter().map(|record| record.key.round).max().expect("rounds");
    cut.steps.retain(|record| record.key.round < last || record.key.step == steady.steps[0].id);
    let rounds: Vec<u32> = drivelab_session::left(&cut, true).into_iter().map(|(key, _)| key.round).collect();
    assert!(rounds.iter().all(|round| *round >= last), "{rounds:?}");
}

/// A recorder that does not return from one event until it is released.
struct Stall {
    release: Receiver<()>,
    at: u64,
}

impl Listener for Stall {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        if event.seq == self.at {
            let _ = self.release.recv();
        }
        Ok(())
    }
}

#[test]
fn a_recorder_five_seconds_behind_stops_the_run() {
    let (release, released) = channel();
    let records = sample_run();
    let (mut seq, mut at) = (0, 0);
    for event in sample_events() {
        if at == 0 && matches!(event.event, EventBody::Interval(_)) {
            at = seq;
        }
        seq += 1;
    }
    let clock = Arc::new(ByHand::default());
    let mut backend =
        SlowIntervals { playback: Playback::of(records), clock: Arc::clone(&clock), release: Some(release) };
    let stop = StopToken::default();
    let fanout = Fanout::start(Box::new(Stall { release: released, at }), Vec::new(), stop.clone());
    let mut care = Remember::default();
    let session = Session::begin(started(plan_without_rests()), &mut backend, &mut care, clock, stop.clone(), fanout)
        .ok()
        .unwrap();
    let outcome = session.run();
    let Outcome::RecorderLost { message } = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("behind"), "{message}");
    assert!(message.ends_with("or start a new run with --data DIR on another disk"), "{message}");
    assert_eq!(stop.cause(), Some(StopCause::Recorder));
}

/// Real time that passes only when the test says so, instead of a test that sleeps.
#[derive(Default)]
struct ByHand(VirtualClock);

impl RunClock for ByHand {
    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }

    fn sleep_until(&self, at_ns: u64, stop: &StopToken) -> bool {
        self.0.sleep_until(at_ns, stop)
    }
}

/// Numbers of intervals that a drive has given and that a recorder has taken.
#[derive(Default)]
struct Intervals {
    given: AtomicU64,
    taken: AtomicU64,
}

/// How far the slow recorder is behind.
const BEHIND: u64 = 30;

/// A recorder that takes an interval only when the drive is 30 further, or at its end.
struct Slow(Arc<Intervals>);

impl Listener for Slow {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        if matches!(event.event, EventBody::Interval(_)) {
            let due = HOUR.min(self.0.taken.load(Ordering::SeqCst) + BEHIND);
            while self.0.given.load(Ordering::SeqCst) < due {
                std::thread::yield_now();
            }
            self.0.taken.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }
}

/// Intervals of an hour.
const HOUR: u64 = 3_600;

/// A drive whose first step has an hour of one-second intervals, which it emits instantly; records the largest
/// recorder queue.
struct Hour {
    playback: Playback,
    clock: Arc<VirtualClock>,
    intervals: Arc<Intervals>,
    most_behind: u64,
}

impl Backend for Hour {
    fn describe(&self) -> String {
        "made up".to_owned()
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        interval: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        let one = self.playback.records.intervals.iter().find(|i| i.key == *request.key).cloned();
        if let Some(one) = one.filter(|_| self.most_behind == 0) {
            for given in 1..=HOUR {
                self.clock.advance(1_000_000_000);
                self.intervals.given.store(given, Ordering::SeqCst);
                interval(one.clone());
                self.most_behind = self.most_behind.max(given - self.intervals.taken.load(Ordering::SeqCst));
            }
        }
        self.playback.run_step(request, &mut |_| {})
    }

    fn sync(&mut self) -> Result<(), BackendError> {
        Ok(())
    }
}

#[test]
fn in_virtual_time_a_slow_recorder_is_waited_for() {
    let (clock, intervals) = (Arc::new(VirtualClock::default()), Arc::new(Intervals::default()));
    let playback = Playback::of(sample_run());
    let mut drive = Hour { playback, clock: Arc::clone(&clock), intervals: Arc::clone(&intervals), most_behind: 0 };
    let (stop, mut care) = (StopToken::default(), Remember::default());
    let fanout = Fanout::start(Box::new(Slow(Arc::clone(&intervals))), Vec::new(), stop.clone());
    let session =
        Session::begin(started(plan_without_rests()), &mut drive, &mut care, clock, stop, fanout).ok().unwrap();
    let outcome = session.run();
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    assert_eq!(intervals.taken.load(Ordering::SeqCst), HOUR, "nothing is lost");
    assert!((BEHIND..=64).contains(&drive.most_behind), "{} were waiting", drive.most_behind);
}

/// Emits intervals for longer than the recorder may be behind in its first step, then releases the recorder.
struct SlowIntervals {
    playback: Playback,
    clock: Arc<ByHand>,
    release: Option<Sender<()>>,
}

impl Backend for SlowIntervals {
    fn describe(&self) -> String {
        "slow".to_owned()
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        interval: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        let Some(release) = self.release.take() else { return self.playback.run_step(request, interval) };
        let one = self.playback.records.intervals.iter().find(|i| i.key == *request.key).cloned();
        for _ in 0..130 {
            if request.stop.is_stopped() {
                break;
            }
            one.clone().into_iter().for_each(&mut *interval);
            self.clock.0.advance(50_000_000);
        }
        let _ = release.send(());
        self.playback.run_step(request, &mut |_| {})
    }

    fn sync(&mut self) -> Result<(), BackendError> {
        Ok(())
    }
}

/// A screen that takes nothing until the run is over: until the other end of the channel is dropped.
struct Asleep(Receiver<()>);

impl Listener for Asleep {
    fn event(&mut self, _: &Event) -> Result<(), ListenerError> {
        let _ = self.0.recv();
        Ok(())
    }
}

/// Wakes a sleeping screen after the recorder has received the last event.
struct WakeAtEnd(Keep, Option<Sender<()>>);

impl Listener for WakeAtEnd {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        if matches!(event.event, EventBody::RunEnded { .. }) {
            self.1 = None;
        }
        self.0.event(event)
    }
}

#[test]
fn a_screen_that_sleeps_or_fails_holds_nothing_up_and_loses_nothing_for_the_recorder() {
    let (running, over) = channel();
    let recorder = Keep::default();
    let screens = vec![
        Screen { listener: Box::new(Asleep(over)), capacity: 2, patience: None },
        Screen { listener: Box::new(FailAt(3)), capacity: 2, patience: None },
    ];
    let mut backend = Playback::of(sample_run());
    let outcome = run_with_screens(
        started(plan_without_rests()),
        &mut backend,
        &mut Remember::default(),
        WakeAtEnd(recorder.clone(), Some(running)),
        screens,
        StopToken::default(),
    );
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    assert!(recorder.events().iter().enumerate().all(|(index, event)| event.seq == index as u64));
    assert_eq!(fold(recorder.events()).state, RunState::Complete);
}

/// A screen that never returns from the event that ends the run.
struct Hangs;

impl Listener for Hangs {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        if matches!(event.event, EventBody::RunEnded { .. }) {
            loop {
                std::thread::park();
            }
        }
        Ok(())
    }
}

#[test]
fn a_screen_that_never_comes_back_does_not_hold_the_end_of_a_run() {
    let patience = Some(Duration::from_millis(50));
    let screens = vec![Screen { listener: Box::new(Hangs), capacity: 1000, patience }];
    let recorder = Keep::default();
    let start = started(plan_without_rests());
    let (done, over) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let (mut backend, mut care) = (Playback::of(sample_run()), Remember::default());
        let outcome = run_with_screens(start, &mut backend, &mut care, recorder, screens, StopToken::default());
        done.send(matches!(outcome, Outcome::Complete { .. })).expect("the test waits");
    });
    assert_eq!(over.recv_timeout(Duration::from_secs(60)), Ok(true), "the run ends, without its screen");
}
