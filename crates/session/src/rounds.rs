//! Which executions of a test are still to run, when a steady test is steady and what is reported about it, and the
//! rate of the next round of a search.

use drivelab_analysis::findings;
use drivelab_analysis::search::rate_of_round;
use drivelab_analysis::steady::{short_window, snia_window, tracked_value};
use drivelab_core::drive_state::DriveState;
use drivelab_core::event::Steadiness;
use drivelab_core::finding::Finding;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Rounds, Step, StepRole, TestPlan};
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::relative::skipped;
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;

/// Executions of a test in one set, in order, in groups after which a steady test is judged: one round each, or the
/// whole test with fixed rounds.
pub(crate) fn groups(test: &TestPlan, set: u32) -> Vec<Vec<(StepKey, &Step)>> {
    let schedule = test.schedule_of_set(set);
    let size = match test.rounds {
        Rounds::Fixed { .. } | Rounds::FindRate(_) => schedule.len(),
        Rounds::Steady { .. } => test.steps.len(),
    };
    schedule.chunks(size.max(1)).map(<[_]>::to_vec).collect()
}

/// Whether a steady test has its verdict.
pub(crate) fn is_judged(records: &RunRecords, test: &TestPlan) -> bool {
    records.steadiness.iter().any(|verdict| verdict.test == test.name)
}

/// Whether an execution must still run; `again` if the preparation of its test is repeated.
pub(crate) fn is_due(records: &RunRecords, key: &StepKey, step: &Step, again: bool) -> bool {
    let again = step.role == StepRole::Prepare && again;
    let needless = || searched(records, key, step) == Searched::Done || skipped(records, &step.id).is_some();
    again || (!records.is_finished(key) && !needless())
}

/// What a search needs of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Searched {
    /// It does not belong to a search.
    Not,
    /// The search needs it at this rate (arrivals per 1,000 seconds).
    With(u64),
    /// The search has found its rate.
    Done,
}

/// Whether a search needs this execution, according to the rounds before it.
pub(crate) fn searched(records: &RunRecords, key: &StepKey, step: &Step) -> Searched {
    let test = records.plan.test_of(&step.id);
    let Some(Rounds::FindRate(search)) = test.map(|test| &test.rounds) else { return Searched::Not };
    rate_of_round(search, records, step, key.round).map_or(Searched::Done, Searched::With)
}

/// The verdict on a steady test after this many whole rounds: `Some` if it is steady (and has written its minimum),
/// if its most rounds are done, or if it has written its maximum. Fewer than five rounds make no window: the smoke
/// form then has no verdict, and a test that has written its maximum by then is not steady.
pub(crate) fn judge(test: &TestPlan, records: &RunRecords, rounds_done: u32) -> Option<Steadiness> {
    let Rounds::Steady { step, tracked, max, written, at_least } = &test.rounds else { return None };
    let values: Vec<f64> = (1..=rounds_done)
        .map_while(|round| records.step(&StepKey { step: step.clone(), round }))
        .filter(|record| record.stop_reason != StopReason::Stopped)
        .map(|record| tracked_value(record, *tracked))
        .collect();
    let done = written_by(test, records, rounds_done);
    let enough = written.is_some_and(|most| done >= most.get());
    let window = match snia_window(&values) {
        Some(window) => window,
        None if enough && values.len() == rounds_done as usize => short_window(&values)?,
        None => return None,
    };
    let may_end = at_least.is_none_or(|least| done >= least.get());
    (window.steady && may_end || rounds_done >= *max || enough).then(|| Steadiness {
        test: test.name.clone(),
        reached: window.steady,
        first_round: window.first_round,
        last_round: window.last_round,
        range_percent: window.range_percent,
        slope_percent: window.slope_percent,
    })
}

/// How far a preparation with a verdict went, and whether it is flat; `None` for a test that prepares nothing.
/// `state` is that of the target, if it is known.
pub(crate) fn prepared_flat(
    test: &TestPlan,
    records: &RunRecords,
    verdict: &Steadiness,
    state: Option<&DriveState>,
) -> Option<Finding> {
    let step = test.steps.iter().find(|step| step.role == StepRole::Prepare)?;
    let load = step.workload()?;
    let written = Bytes::new(written_by(test, records, verdict.last_round));
    let key = StepKey { step: step.id.clone(), round: verdict.last_round };
    Some(findings::prepared_flat(key, verdict, written, load.span, state.map(|state| state.share_of(load.span))))
}

/// Bytes written in the first `rounds` of a test, without stopped executions: a resumed test judges its rounds again
/// from the first one, and must come to the same result.
fn written_by(test: &TestPlan, records: &RunRecords, rounds: u32) -> u64 {
    let whole = |record: &&StepRecord| record.key.round <= rounds && record.stop_reason != StopReason::Stopped;
    let of_test = records.steps.iter().filter(|record| test.steps.iter().any(|step| step.id == record.key.step));
    let of_test = of_test.filter(whole);
    of_test.map(|record| record.written_total.get()).sum()
}

#[cfg(test)]
mod tests {
    use drivelab_samples::sample_steady_run;

    use super::*;

    /// Seven rounds of the sample, the first two at twice the rate: no window that contains one of these is steady.
    #[test]
    fn a_volume_that_ends_a_test_counts_whole_rounds_up_to_the_one_that_is_judged() {
        let mut records = sample_steady_run();
        for record in &mut records.steps {
            let times = if record.key.round <= 2 { 2 } else { 1 };
            record.read.bytes = Bytes::new(times * record.read.bytes.get());
            record.write.bytes = Bytes::new(times * record.write.bytes.get());
            (record.read.count, record.write.count) = (times * record.read.count, times * record.write.count);
            record.written_total = Bytes::new(100);
        }
        let mut test = records.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. })).cloned();
        let test = test.as_mut().expect("a steady test");
        let Rounds::Steady { step, written, .. } = &mut test.rounds else { unreachable!("found above") };
        // Five rounds exactly.
        *written = Some(Bytes::new(5 * 100 * test.steps.len() as u64));
        let step = step.clone();
        let rounds = |records: &RunRecords, done| judge(test, records, done).map(|verdict| verdict.last_round);
        assert_eq!((rounds(&records, 4), rounds(&records, 5)), (None, Some(5)), "later rounds do not count");
        let last = records.steps.iter_mut().find(|record| record.key == StepKey { step: step.clone(), round: 4 });
        last.expect("a fourth round").stop_reason = StopReason::Stopped;
        assert_eq!(rounds(&records, 5), None, "a round that was stopped has no figure and no volume");
    }

    /// The steady test of the sample, whose rounds wrote 100 bytes in each step, with these volumes in rounds.
    fn judged(most: Option<u64>, least: Option<u64>) -> impl Fn(u32) -> Option<(u32, bool)> {
        let mut records = sample_steady_run();
        records.steps.iter_mut().for_each(|record| record.written_total = Bytes::new(100));
        let test = records.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. })).cloned();
        let mut test = test.expect("a steady test");
        let of_a_round = 100 * test.steps.len() as u64;
        let Rounds::Steady { written, at_least, .. } = &mut test.rounds else { unreachable!("found above") };
        *written = most.map(|rounds| Bytes::new(rounds * of_a_round));
        *at_least = least.map(|rounds| Bytes::new(rounds * of_a_round));
        move |done| judge(&test, &records, done).map(|verdict| (verdict.last_round, verdict.reached))
    }

    #[test]
    fn a_volume_that_is_written_before_five_rounds_ends_a_test_that_is_not_steady() {
        let after = judged(Some(2), None);
        assert_eq!((after(1), after(2)), (None, Some((2, false))));
        let after = judged(Some(1), None);
        assert_eq!(after(1), Some((1, false)));
    }

    #[test]
    fn a_test_that_must_write_more_goes_on_although_it_is_steady() {
        let steady_after = judged(None, None);
        let first = (1..=7).find(|done| steady_after(*done).is_some()).expect("it becomes steady");
        assert_eq!(steady_after(first), Some((first, true)));
        let after = judged(None, Some(u64::from(first) + 1));
        assert_eq!((after(first), after(first + 1)), (None, Some((first + 1, true))));
    }
}
