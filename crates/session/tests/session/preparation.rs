//! Several preparations in one plan: which ones are repeated when an interrupted run is resumed and its target was
//! lost.

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::ids::StepId;
use drivelab_core::load::OtherOps;
use drivelab_core::plan::{Action, Plan, Rest, Step, StepRole, TestPlan};
use drivelab_core::record::{IntervalRecord, StepRecord, StopReason};
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::Span;
use drivelab_samples::sample_run;
use drivelab_session::Outcome;

use super::common::{Keep, Remember, resumed, run, run_through, started};

/// Answers every step with a record of the sample; is stopped before the execution with this number.
struct Answers {
    ran: Vec<String>,
    stop_before: usize,
}

impl Backend for Answers {
    fn describe(&self) -> String {
        "answers".to_owned()
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        _: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        let mut record = sample_run().steps.swap_remove(0);
        record.key = request.key.clone();
        if self.ran.len() == self.stop_before {
            request.stop.stop(StopCause::Person);
            record.stop_reason = StopReason::Stopped;
        } else {
            self.ran.push(request.key.step.to_string());
        }
        Ok(record)
    }

    fn sync(&mut self) -> Result<(), BackendError> {
        Ok(())
    }
}

/// `prepare` (fill), a, `prepare-b` (fill), b, `prepare-c` (fill, or discard and fill), c.
fn plan(third_discards: bool) -> Plan {
    let mut plan = sample_run().plan;
    let fill = plan.tests[0].steps[0].clone();
    let measured = plan.tests.iter().find(|test| test.name == "depths").expect("the sample has it").clone();
    let test = |name: &str, steps: &[(&str, &Step)]| {
        let mut test = TestPlan { name: name.to_owned(), ..measured.clone() };
        test.steps = steps.iter().map(|(slug, step)| Step { id: StepId::new(name, slug), ..(*step).clone() }).collect();
        test.steps.iter_mut().for_each(|step| step.rest = Rest::None {});
        test
    };
    let mut discard = fill.clone();
    if let Action::Io { workload, .. } = &mut discard.action {
        workload.write_percent = Percent::ZERO;
        workload.other = OtherOps { trim_percent: Percent::new(100).expect("a per cent"), ..OtherOps::default() };
    }
    let load = &measured.steps[0];
    let last = if third_discards { vec![("discard", &discard), ("fill", &fill)] } else { vec![("fill", &fill)] };
    plan.tests = vec![
        test("prepare", &[("fill", &fill)]),
        test("a", &[("load", load)]),
        test("prepare-b", &[("fill", &fill)]),
        test("b", &[("load", load)]),
        test("prepare-c", &last),
        test("c", &[("load", load)]),
    ];
    plan
}

/// The executions that a run, stopped before one of them, does after it is resumed.
fn after(third_discards: bool, stop_before: usize, lost: bool) -> Vec<String> {
    let keep = Keep::default();
    let mut first = Answers { ran: Vec::new(), stop_before };
    let outcome = run_through(started(plan(third_discards)), &mut first, &keep);
    assert!(matches!(outcome, Outcome::Interrupted { .. }), "{outcome:?}");
    let records = keep.records();
    let left: Vec<String> =
        drivelab_session::left(&records, !lost).into_iter().map(|(key, _)| key.step.to_string()).collect();
    let mut rest = Answers { ran: Vec::new(), stop_before: usize::MAX };
    let outcome = run_through(resumed(records, lost), &mut rest, &keep);
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    assert_eq!(left, rest.ran, "what is said to be left is what is done");
    rest.ran
}

#[test]
fn every_block_runs_before_its_test_and_is_put_on_record() {
    let (keep, mut care) = (Keep::default(), Remember::default());
    let mut whole = Answers { ran: Vec::new(), stop_before: usize::MAX };
    assert!(matches!(
        run(started(plan(true)), &mut whole, &mut care, keep, StopToken::default()),
        Outcome::Complete { .. }
    ));
    let order = ["prepare/fill", "a/load", "prepare-b/fill", "b/load", "prepare-c/discard", "prepare-c/fill", "c/load"];
    assert_eq!(whole.ran, order);
    assert_eq!(care.0, ["begins", "done", "begins", "done", "begins", "begins", "done"]);
}

#[test]
fn a_kept_target_is_not_prepared_again() {
    assert_eq!(after(true, 3, false), ["b/load", "prepare-c/discard", "prepare-c/fill", "c/load"]);
    assert_eq!(after(true, 5, false), ["prepare-c/fill", "c/load"], "a block goes on where it stopped");
}

#[test]
fn a_lost_target_gets_all_preparation_up_to_where_the_run_goes_on() {
    let rest = ["prepare/fill", "prepare-b/fill", "b/load", "prepare-c/fill", "c/load"];
    assert_eq!(after(false, 3, true), rest);
    assert_eq!(after(false, 5, true), ["prepare/fill", "prepare-b/fill", "prepare-c/fill", "c/load"]);
    assert_eq!(
        after(false, 1, true),
        ["prepare/fill", "a/load", "prepare-b/fill", "b/load", "prepare-c/fill", "c/load"]
    );
}

#[test]
fn a_discard_whose_blocks_do_not_divide_the_drive_is_one_of_the_whole_drive() {
    // A drive of 1 TB: fills go to the last whole MiB, discards to the last whole 64 MiB.
    let terabyte: u64 = 1_000_204_886_016;
    let mut plan = plan(true);
    for test in &mut plan.tests {
        for step in &mut test.steps {
            let block = if step.id.slug() == "discard" { 64 << 20 } else { 1 << 20 };
            let Action::Io { workload, .. } = &mut step.action else { continue };
            workload.span = Span { offset: Bytes::new(0), length: Bytes::new(terabyte / block * block) };
        }
    }
    let keep = Keep::default();
    let mut first = Answers { ran: Vec::new(), stop_before: 6 };
    run_through(started(plan), &mut first, &keep);
    let mut rest = Answers { ran: Vec::new(), stop_before: usize::MAX };
    run_through(resumed(keep.records(), true), &mut rest, &keep);
    assert_eq!(rest.ran, ["prepare-c/discard", "prepare-c/fill", "c/load"]);
}

#[test]
fn a_discard_of_the_whole_target_makes_what_was_before_it_needless() {
    assert_eq!(after(true, 6, true), ["prepare-c/discard", "prepare-c/fill", "c/load"]);
    let rest = ["prepare/fill", "prepare-b/fill", "b/load", "prepare-c/discard", "prepare-c/fill", "c/load"];
    assert_eq!(after(true, 3, true), rest);
}

/// `prepare` (discard), empty and full (fills that are measured), back (reads).
fn fills() -> Plan {
    let mut plan = plan(true);
    let discard = plan.tests[4].steps[0].clone();
    let fill = Step { role: StepRole::Measure, ..plan.tests[0].steps[0].clone() };
    let read = plan.tests[1].clone();
    let test = |name: &str, step: &Step| TestPlan {
        name: name.to_owned(),
        steps: vec![Step { id: StepId::new(name, "load"), ..step.clone() }],
        ..read.clone()
    };
    plan.tests =
        vec![test("prepare", &discard), test("empty", &fill), test("full", &fill), test("back", &read.steps[0])];
    plan
}

#[test]
fn what_the_first_unfinished_step_rests_on_is_done_once_more_in_order() {
    let after = |stop_before: usize| {
        let keep = Keep::default();
        let mut first = Answers { ran: Vec::new(), stop_before };
        run_through(started(fills()), &mut first, &keep);
        let before = keep.records();
        let mut rest = Answers { ran: Vec::new(), stop_before: usize::MAX };
        run_through(resumed(before.clone(), true), &mut rest, &keep);
        let after = keep.records();
        let again: Vec<String> = after.breaks[0].made_again.iter().map(|key| key.step.to_string()).collect();
        for record in before.steps.iter().filter(|record| again.contains(&record.key.step.to_string())) {
            assert_eq!(after.step(&record.key), Some(record), "its figures stay");
        }
        (rest.ran, again)
    };
    let all = ["prepare/load", "empty/load", "full/load", "back/load"];
    assert_eq!(after(1), (all.map(str::to_owned).to_vec(), Vec::new()));
    assert_eq!(after(2), (all.map(str::to_owned).to_vec(), vec!["empty/load".to_owned()]));
    assert_eq!(after(3), (all.map(str::to_owned).to_vec(), ["empty/load", "full/load"].map(str::to_owned).to_vec()));
}

#[test]
fn a_run_that_is_cut_off_while_it_makes_its_state_again_makes_all_of_it_again() {
    let keep = Keep::default();
    let mut first = Answers { ran: Vec::new(), stop_before: 2 };
    run_through(started(fills()), &mut first, &keep);
    assert!(!keep.records().was_remaking());
    let mut second = Answers { ran: Vec::new(), stop_before: 1 };
    run_through(resumed(keep.records(), true), &mut second, &keep);
    assert_eq!(second.ran, ["prepare/load"]);
    let records = keep.records();
    let changed = drivelab_session::state_changed(&records);
    let said = "the state that it needs was being restored, but that was not finished";
    assert_eq!((records.was_remaking(), changed.as_deref()), (true, Some(said)));
    let mut third = Answers { ran: Vec::new(), stop_before: usize::MAX };
    run_through(resumed(records, true), &mut third, &keep);
    assert_eq!(third.ran, ["prepare/load", "empty/load", "full/load", "back/load"]);
    assert!(!keep.records().was_remaking());
}
