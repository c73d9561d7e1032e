//! One drive of a group: what it records about the group, where it meets the others, and the effect of a stop while
//! it waits.

use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::drive_state::DriveState;
use drivelab_core::event::EventBody;
use drivelab_core::finding::Finding;
use drivelab_core::group::{CoreTime, Group, GroupRole};
use drivelab_core::ids::StepKey;
use drivelab_core::plan::StepRole;
use drivelab_samples::{fold, sample_run};
use drivelab_session::{Outcome, TargetCare, state_changed};

use super::common::{Keep, run, started};
use super::promises::{Playback, plan_without_rests};

/// One drive of a group, which is stopped while it waits for the others before this execution.
struct OfAGroup {
    positions: Vec<u32>,
    /// The position at which it was ready for its first operation, and how often its state had been kept by then.
    ready: Vec<(u32, usize)>,
    stop_at: usize,
    /// Number of preparations that began.
    preparations: usize,
    /// The running execution at each time that the state was kept.
    kept: Vec<Option<StepKey>>,
}

fn group() -> Group {
    Group { role: GroupRole::Together, drive: 1, runs: Vec::new() }
}

impl OfAGroup {
    const fn stopped_at(stop_at: usize) -> Self {
        OfAGroup { positions: Vec::new(), ready: Vec::new(), stop_at, preparations: 0, kept: Vec::new() }
    }
}

impl TargetCare for OfAGroup {
    fn preparation_begins(&mut self) -> Result<(), String> {
        self.preparations += 1;
        Ok(())
    }

    fn preparation_done(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn group(&mut self) -> Option<Group> {
        Some(group())
    }

    fn step_begins(&mut self, position: u32, stop: &StopToken) -> bool {
        self.positions.push(position);
        if self.positions.len() == self.stop_at {
            stop.stop(StopCause::Person);
        }
        !stop.is_stopped()
    }

    fn step_ready(&mut self, position: u32, _: &StopToken) {
        self.ready.push((position, self.kept.len()));
    }

    fn step_over(&mut self) -> Vec<CoreTime> {
        vec![CoreTime { cpu: 0, user_ms: 7, idle_ms: 3, ..CoreTime::default() }]
    }

    fn drive_state(&mut self) -> Option<DriveState> {
        Some(DriveState::empty(sample_run().plan.capacity))
    }

    fn keep_drive_state(&mut self, _: &DriveState, running: Option<&StepKey>) {
        self.kept.push(running.cloned());
    }

    fn closing_findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }
}

#[test]
fn a_run_of_a_group_says_so_first_and_meets_the_others_before_each_execution() {
    let plan = plan_without_rests();
    let due = plan.schedule().len();
    for stop_at in [usize::MAX, 5] {
        let mut care = OfAGroup::stopped_at(stop_at);
        let (recorder, mut backend) = (Keep::default(), Playback::of(sample_run()));
        let outcome = run(started(plan.clone()), &mut backend, &mut care, recorder.clone(), StopToken::default());
        let done = if stop_at == 5 { 4 } else { due };
        assert_eq!(matches!(outcome, Outcome::Interrupted { .. }), stop_at == 5, "{outcome:?}");
        let met: Vec<u32> = (1..).take(due.min(stop_at)).collect();
        assert_eq!(care.positions, met, "positions count the executions of the whole schedule");
        let ready: Vec<u32> = care.ready.iter().map(|(position, _)| *position).collect();
        assert_eq!(ready, (1..).take(done).collect::<Vec<u32>>(), "each that begins meets the others once more");
        let is_kept = care.ready.iter().scan(0, |kept, (_, now)| Some(*now > std::mem::replace(kept, *now)));
        assert!(is_kept.into_iter().all(|kept| kept), "what is kept of a beginning is kept before that");
        assert_eq!(backend.ran.len(), done, "an execution whose meeting was stopped does not run");
        let events = recorder.events();
        assert_eq!(events[1].event, EventBody::InGroup(group()));
        let records = fold(events);
        assert_eq!(records.group.as_ref(), Some(&group()));
        assert_eq!(records.host_cpu.len(), done);
        assert!(records.host_cpu.iter().all(|cpu| cpu.cores[0].user_ms == 7 && cpu.from_ns <= cpu.to_ns));
        assert_eq!(records.finished_count(), done);
    }
}

/// If it is stopped while it waits for the others, the execution has not begun: the target is as the previous
/// execution left it, and a resumed run continues from that point.
#[test]
fn a_stop_while_the_others_are_waited_for_leaves_the_state_as_it_was() {
    let plan = plan_without_rests();
    let schedule = plan.schedule();
    assert!(schedule.iter().any(|(_, step)| step.workload().is_some_and(|load| load.writes())));
    for (before, (key, _)) in schedule.iter().enumerate() {
        let mut care = OfAGroup::stopped_at(before + 1);
        let (recorder, mut backend) = (Keep::default(), Playback::of(sample_run()));
        let outcome = run(started(plan.clone()), &mut backend, &mut care, recorder.clone(), StopToken::default());
        assert!(matches!(outcome, Outcome::Interrupted { .. }), "{outcome:?}");
        let records = recorder.records();
        assert_eq!((records.unfinished(), state_changed(&records)), (None, None), "before {key}");
        assert!(records.drive_states.iter().all(|seen| seen.key != *key), "what is said of {key} is said as it begins");
        assert_eq!(care.kept.last().cloned().flatten(), None, "nothing is under way after the stop before {key}");
        let prepares = |(_, step): &&(StepKey, &_)| is_preparation(step);
        assert_eq!(care.preparations, schedule[..before].iter().filter(prepares).count(), "before {key}");
        let left = drivelab_session::left(&records, true);
        assert_eq!(left.first().map(|(key, _)| key), Some(key), "goes on there");
    }
}

fn is_preparation(step: &drivelab_core::plan::Step) -> bool {
    step.role == StepRole::Prepare
}
