//! The record of the target's state: recorded before every step, used by preparation and tests, lost when other
//! programs write.

use std::sync::{Arc, Mutex};

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::clock::StopToken;
use drivelab_core::drive_state::{DriveState, HostCounters, StateNeeds, StateSeen};
use drivelab_core::event::EventBody;
use drivelab_core::finding::Finding;
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::plan::{Action, Plan, Rest, Rounds, StepRole, TestPlan, Tracked};
use drivelab_core::record::{IntervalRecord, StepRecord};
use drivelab_core::units::Bytes;
use drivelab_samples::sample_run;
use drivelab_session::{Outcome, TargetCare};

use super::common::{Keep, resumed, run as run_session, started};

/// Answers every step with the sample's record of its fill: the whole span, written once.
#[derive(Default)]
struct Fills {
    ran: Vec<StepKey>,
    seeds: Vec<u64>,
    /// The kernel's counter.
    counted: Arc<Mutex<u64>>,
    /// Data in the page cache: it reaches the device, and is counted, at the next step or sync.
    cached: u64,
    /// Whether the device accepts none of the data in the page cache.
    broken: bool,
}

impl Fills {
    fn write_out(&mut self) {
        *self.counted.lock().expect("no panic") += std::mem::take(&mut self.cached);
    }
}

impl Backend for Fills {
    fn describe(&self) -> String {
        "fills".to_owned()
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        _: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        self.write_out();
        self.ran.push(request.key.clone());
        self.seeds.push(request.workload.seed);
        let mut record = sample_run().steps.swap_remove(0);
        record.key = request.key.clone();
        record.written_total = if request.workload.writes() { length() } else { Bytes::new(0) };
        self.cached = record.written_total.get();
        if request.workload.direct {
            self.write_out();
        }
        Ok(record)
    }

    fn sync(&mut self) -> Result<(), BackendError> {
        if self.broken {
            let what = "making 'it' durable (fdatasync)".to_owned();
            return Err(BackendError::System { what, source: std::io::Error::from_raw_os_error(5) });
        }
        self.write_out();
        Ok(())
    }
}

fn length() -> Bytes {
    sample_run().plan.capacity
}

/// A device with a given state.
struct Device {
    state: DriveState,
    counted: Arc<Mutex<u64>>,
    /// What another program writes between two checks, from the third check on.
    others: u64,
    looks: u32,
    kept: Vec<(DriveState, bool)>,
}

impl TargetCare for Device {
    fn preparation_begins(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn preparation_done(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn drive_state(&mut self) -> Option<DriveState> {
        Some(self.state.clone())
    }

    fn counters(&mut self) -> Option<HostCounters> {
        self.looks += 1;
        if self.looks == 3 {
            *self.counted.lock().expect("no panic") += self.others;
        }
        let written = Bytes::new(*self.counted.lock().expect("no panic"));
        Some(HostCounters { written, discarded: Bytes::new(0) })
    }

    fn keep_drive_state(&mut self, state: &DriveState, running: Option<&StepKey>) {
        self.kept.push((state.clone(), running.is_some()));
    }

    fn closing_findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }
}

/// The sample's preparation, and one of its steps that only reads.
fn plan() -> Plan {
    let mut plan = sample_run().plan;
    let reads = |test: &&drivelab_core::plan::TestPlan| {
        let writes = |step: &drivelab_core::plan::Step| step.workload().is_none_or(|load| load.writes());
        test.steps.iter().all(|step| step.role == StepRole::Measure && !writes(step))
    };
    let mut measured = plan.tests.iter().find(reads).expect("a test that reads").clone();
    measured.steps.truncate(1);
    measured.steps[0].rest = Rest::None {};
    measured.rounds = Rounds::Fixed { count: 1 };
    plan.tests.truncate(1);
    plan.tests.push(measured);
    plan
}

/// A run on a device: what was executed, what was recorded, what was kept.
fn run(plan: Plan, state: DriveState, others: u64) -> (Fills, Vec<EventBody>, Vec<(DriveState, bool)>) {
    let (keep, counted) = (Keep::default(), Arc::default());
    let mut backend = Fills { counted: Arc::clone(&counted), ..Fills::default() };
    let mut care = Device { state, counted, others, looks: 0, kept: Vec::new() };
    let outcome = run_session(started(plan), &mut backend, &mut care, keep.clone(), StopToken::default());
    assert!(matches!(outcome, Outcome::Complete { .. }));
    let events = keep.events().into_iter().map(|event| event.event).collect();
    (backend, events, care.kept)
}

fn states(events: &[EventBody]) -> Vec<&StateSeen> {
    events.iter().filter_map(|event| if let EventBody::DriveState(seen) = event { Some(seen) } else { None }).collect()
}

fn findings(events: &[EventBody]) -> Vec<&Finding> {
    events.iter().filter_map(|event| if let EventBody::Finding(found) = event { Some(found) } else { None }).collect()
}

fn reused(events: &[EventBody]) -> bool {
    events.iter().any(|event| matches!(event, EventBody::PreparationReused(_)))
}

#[test]
fn the_state_is_said_before_every_step_and_kept_after_it() {
    let (backend, events, kept) = run(plan(), DriveState::empty(length()), 0);
    let states = states(&events);
    let keys: Vec<&StepKey> = states.iter().map(|seen| &seen.key).collect();
    assert_eq!(keys, backend.ran.iter().collect::<Vec<&StepKey>>());
    assert_eq!((states[0].state.fill(), states[1].state.fill()), (0.0, 1.0));
    assert_eq!(states[1].state.written, Some(length()));
    assert!(findings(&events).is_empty(), "{:?}", findings(&events));
    // While the fill runs the state is unknown; before and after a step that reads, it is known.
    assert_eq!(kept.iter().map(|(_, running)| *running).collect::<Vec<bool>>(), [true, false, false, false]);
    assert_eq!(kept[3].0.written, Some(length()));
}

#[test]
fn preparation_that_still_holds_is_left_out_where_the_plan_lets_it() {
    let (_, _, kept) = run(plan(), DriveState::empty(length()), 0);
    let left = kept.last().expect("a state").0.clone();
    let mut lets = plan();
    lets.tests[0].state.reuse = true;
    let (backend, events, _) = run(lets.clone(), left.clone(), 0);
    assert!(reused(&events) && backend.ran.len() == 1, "{:?}", backend.ran);
    let why = events
        .iter()
        .find_map(|event| if let EventBody::PreparationReused(one) = event { Some(&one.why) } else { None });
    let words = left.last.expect("a load").words();
    let said = format!("skipped: the target is already in the state that this preparation leaves ({words})");
    assert_eq!(why, Some(&said));
    for (plan, state) in [(plan(), left), (lets, DriveState::empty(length()))] {
        let (backend, events, _) = run(plan, state, 0);
        assert!(!reused(&events) && backend.ran.len() == 2, "{:?}", backend.ran);
    }
}

#[test]
fn preparation_that_is_to_be_done_again_is_left_out_where_the_target_is_so_already() {
    let keep = Keep::default();
    let counted = Arc::default();
    let mut lets = plan();
    lets.tests[0].state.reuse = true;
    let device = |state| Device { state, counted: Arc::clone(&counted), others: 0, looks: 0, kept: Vec::new() };
    let mut backend = Fills { counted: Arc::clone(&counted), ..Fills::default() };
    let mut care = device(DriveState::empty(length()));
    run_session(started(lets), &mut backend, &mut care, keep.clone(), StopToken::default());
    let left = care.kept.last().expect("a state").0.clone();
    let before = backend.ran.len();
    let mut care = device(left);
    // The last step, which only reads, was interrupted.
    let cut_off = || {
        let mut records = keep.records();
        records.steps.pop();
        records
    };
    run_session(resumed(cut_off(), true), &mut backend, &mut care, keep.clone(), StopToken::default());
    assert_eq!(backend.ran.len(), before + 1, "{:?}", backend.ran);
    let mut care = device(DriveState::empty(length()));
    run_session(resumed(cut_off(), true), &mut backend, &mut care, keep.clone(), StopToken::default());
    assert_eq!(backend.ran.len(), before + 3, "{:?}", backend.ran);
}

#[test]
fn what_others_write_meanwhile_is_a_finding_and_makes_the_state_unknown() {
    let others = 1 << 30;
    let (_, events, _) = run(plan(), DriveState::empty(length()), others);
    let found = findings(&events);
    assert_eq!(found.iter().map(|found| found.code.as_str()).collect::<Vec<&str>>(), ["foreign_writes"]);
    let slack = 8.0 * 1_048_576.0;
    let seen = found[0].evidence[0].value;
    assert!((others as f64 - slack..=others as f64).contains(&seen), "{seen}");
    let last = states(&events).last().expect("a state").state.clone();
    assert!(last.unknown.is_some() && last.written.is_none() && last.pieces.is_empty(), "{last:?}");
}

/// A measured step that writes through the page cache, with steps that read before and after it.
fn through_the_cache(reads_before: usize, reads_behind: usize) -> Plan {
    let mut plan = plan();
    let named = |test: &TestPlan, name: String| {
        let mut test = TestPlan { name: name.clone(), ..test.clone() };
        test.steps.iter_mut().for_each(|step| step.id = StepId::new(&name, "load"));
        test
    };
    let mut writes = named(&plan.tests[0], "writes".to_owned());
    let step = &mut writes.steps[0];
    (step.role, step.rest) = (StepRole::Measure, Rest::None {});
    let Action::Io { workload, .. } = &mut step.action else { panic!("a load") };
    workload.direct = false;
    let reads = |count: usize, place: &str| -> Vec<TestPlan> {
        (0..count).map(|at| named(&plan.tests[1], format!("{place}-{at}"))).collect()
    };
    plan.tests = [reads(reads_before, "before"), vec![writes], reads(reads_behind, "behind")].concat();
    plan
}

#[test]
fn what_a_run_itself_wrote_through_the_page_cache_is_no_foreign_write() {
    for (before, behind) in [(0, 3), (2, 1), (1, 0)] {
        let (mut backend, events, kept) = run(through_the_cache(before, behind), DriveState::empty(length()), 0);
        assert_eq!(backend.ran.len(), before + 1 + behind);
        assert!(findings(&events).is_empty(), "{:?}", findings(&events));
        // The device is closed, and the kernel writes its cached data to it.
        backend.write_out();
        let counted = *backend.counted.lock().expect("no panic");
        let (last, running) = kept.last().expect("a state");
        assert_eq!(last.counters.map(|counters| counters.written), Some(Bytes::new(counted)), "for the next run");
        assert!(!running && counted == length().get());
        assert_eq!(last.written, Some(length()), "what is known of it stays known");
    }
}

#[test]
fn a_device_that_does_not_take_what_the_page_cache_holds_ends_the_run() {
    let (keep, counted) = (Keep::default(), Arc::default());
    let mut backend = Fills { counted: Arc::clone(&counted), broken: true, ..Fills::default() };
    let mut care = Device { state: DriveState::empty(length()), counted, others: 0, looks: 0, kept: Vec::new() };
    let start = started(through_the_cache(0, 1));
    let outcome = run_session(start, &mut backend, &mut care, keep.clone(), StopToken::default());
    let Outcome::Failed { message, .. } = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("'it' durable") && message.contains("page cache"), "{message}");
    assert_eq!((backend.ran.len(), keep.records().steps.len()), (1, 1), "what was measured is on record");
    let (last, running) = care.kept.last().expect("a state");
    assert!(!running && last.unknown.is_some() && last.written.is_none(), "{last:?}");
}

#[test]
fn a_state_that_a_test_needs_and_does_not_find_is_a_finding() {
    let needs = |fill, media_writes| {
        let mut plan = plan();
        // These runs have no telemetry.
        let needs = StateNeeds { fill: Some(fill), media_writes, temperature: media_writes, ..StateNeeds::default() };
        plan.tests[1].state.needs = Some(needs);
        let (_, events, _) = run(plan, DriveState::empty(length()), 0);
        findings(&events).into_iter().map(|found| found.statement.clone()).collect::<Vec<String>>()
    };
    assert_eq!(needs(100, false), Vec::<String>::new());
    let said = needs(100, true);
    assert!(said.len() == 1 && said[0].contains("no source counts what the drive writes to its media"), "{said:?}");
    assert!(said[0].contains("; no source reports the drive's temperature"), "{said:?}");
}

#[test]
fn a_preparation_until_flat_goes_to_other_places_each_time_and_says_how_far_it_went() {
    let mut plan = plan();
    let step = plan.tests[0].steps[0].id.clone();
    plan.tests[0].rounds = Rounds::Steady { step, tracked: Tracked::Throughput, max: 9, written: None, at_least: None };
    let (backend, events, _) = run(plan, DriveState::empty(length()), 0);
    // Every slice is as fast as the one before: five slices are the window.
    assert_eq!(backend.ran.len(), 5 + 1);
    let mut seeds = backend.seeds[..5].to_vec();
    seeds.dedup();
    assert_eq!(seeds.len(), 5, "{seeds:?}");
    let found = findings(&events);
    assert_eq!(found[0].code, "prepared_flat");
    assert_eq!(found[0].steps.iter().map(|key| key.round).collect::<Vec<u32>>(), [5], "which tells it from others");
    assert!(found[0].statement.contains("5 slices") && found[0].statement.contains("5.0 times"), "{:?}", found[0]);
    let share = found[0].evidence.last().expect("the share that holds data");
    assert_eq!(share.value, 100.0);
}
