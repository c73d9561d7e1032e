//! Discarded rounds before those that count, and repeated sets of tests: the numbering of executions.
//!
//! The executions of a step are numbered from 1 over all sets; in each set the discarded rounds come first.

use super::repetition::RestAfter;
use super::types::{Order, Plan, Rest, Rounds, Step, TestPlan};
use crate::ids::StepKey;
use crate::units::Nanos;

impl TestPlan {
    /// Most executions of a step in one set, including discarded ones.
    #[must_use]
    pub const fn rounds_of_a_set(&self) -> u32 {
        match &self.rounds {
            Rounds::Fixed { count } => count.saturating_add(self.repeats.warm_up_rounds),
            Rounds::Steady { max, .. } => *max,
            Rounds::FindRate(search) => search.max,
        }
    }

    /// Most executions of a step, over all sets.
    #[must_use]
    pub const fn max_rounds(&self) -> u32 {
        self.rounds_of_a_set().saturating_mul(self.repeats.sets)
    }

    /// Executions of a step that estimates assume: the most, or those after which a steady test has written as much
    /// as it may, by the steps' own estimates.
    #[must_use]
    pub fn expected_rounds(&self) -> u32 {
        let Rounds::Steady { max, written: Some(most), .. } = &self.rounds else { return self.max_rounds() };
        let of_a_round = self.steps.iter().try_fold(0u64, |sum, step| sum.checked_add(step.estimated_written.get()));
        let enough = of_a_round
            .filter(|written| *written > 0)
            .map_or(*max, |written| u32::try_from(most.get().div_ceil(written)).unwrap_or(u32::MAX).clamp(1, *max));
        enough.saturating_mul(self.repeats.sets)
    }

    /// The set that an execution belongs to, from 1, and its round in that set, from 1.
    #[must_use]
    pub const fn set_and_round(&self, round: u32) -> (u32, u32) {
        let before = round.saturating_sub(1);
        match (before.checked_div(self.rounds_of_a_set()), before.checked_rem(self.rounds_of_a_set())) {
            (Some(sets), Some(rounds)) => (sets + 1, rounds + 1),
            _ => (1, round),
        }
    }

    /// Whether an execution is left out of the figures.
    #[must_use]
    pub const fn is_warm_up(&self, round: u32) -> bool {
        self.set_and_round(round).1 <= self.repeats.warm_up_rounds
    }

    /// The number of an execution as shown to users: `2/9`, `warm-up`, `set 3 2/9`; empty if there is only one.
    #[must_use]
    pub fn round_words(&self, round: u32) -> String {
        let ((set, in_set), warm_up) = (self.set_and_round(round), self.repeats.warm_up_rounds);
        let counted = self.rounds_of_a_set().saturating_sub(warm_up);
        let of_set = match () {
            () if in_set <= warm_up => "warm-up".to_owned(),
            () if counted <= 1 => String::new(),
            () => format!("{}/{counted}", in_set - warm_up),
        };
        if self.repeats.sets > 1 { format!("set {set} {of_set}").trim_end().to_owned() } else { of_set }
    }

    /// All executions of one set in order, from 1, up to the most rounds; a steady test or a search may stop earlier.
    #[must_use]
    pub fn schedule_of_set(&self, set: u32) -> Vec<(StepKey, &Step)> {
        if set == 0 || set > self.repeats.sets {
            return Vec::new();
        }
        let before = (set - 1) * self.rounds_of_a_set();
        let rounds = before + 1..=before + self.rounds_of_a_set();
        let key = |step: &Step, round| StepKey { step: step.id.clone(), round };
        match self.order {
            Order::RoundByRound => {
                rounds.flat_map(|round| self.steps.iter().map(move |step| (key(step, round), step))).collect()
            }
            Order::StepByStep => {
                self.steps.iter().flat_map(|step| rounds.clone().map(move |round| (key(step, round), step))).collect()
            }
        }
    }

    /// All executions in order, set by set.
    #[must_use]
    pub fn schedule(&self) -> Vec<(StepKey, &Step)> {
        (1..=self.repeats.sets).flat_map(|set| self.schedule_of_set(set)).collect()
    }

    /// Expected time of all executions, including rests; there is no rest after the last step of the `last` test of
    /// the plan. `None` on overflow.
    #[must_use]
    pub fn estimated_time(&self, last: bool) -> Option<Nanos> {
        let rounds = u64::from(self.expected_rounds());
        let ends = |step: &Step| last && self.steps.last().is_some_and(|other| other.id == step.id);
        let time = self.steps.iter().try_fold(0u64, |sum, step| {
            let all = step.estimated_time.get().checked_mul(rounds)?;
            let left_out = match self.repeats.rest_after {
                RestAfter::Rounds => 0,
                RestAfter::Steps if ends(step) => rounds,
                RestAfter::Steps => rounds.saturating_sub(u64::from(self.repeats.sets)),
            };
            let resting = rest_of(step.rest, step.estimated_time).checked_mul(left_out)?;
            sum.checked_add(all.saturating_sub(resting))
        });
        time.map(Nanos::new)
    }
}

impl Plan {
    /// Whether the step rests after this execution, if it has a rest at all.
    #[must_use]
    pub fn rests_after(&self, test: &TestPlan, key: &StepKey, step: &Step) -> bool {
        match test.repeats.rest_after {
            RestAfter::Rounds => true,
            RestAfter::Steps => test.set_and_round(key.round).1 == test.rounds_of_a_set() && !self.is_last(step),
        }
    }

    /// Whether a step is the last step of the last test.
    fn is_last(&self, step: &Step) -> bool {
        self.tests.last().and_then(|test| test.steps.last()).is_some_and(|last| last.id == step.id)
    }

    /// Whether an execution is left out of the figures.
    #[must_use]
    pub fn is_warm_up(&self, key: &StepKey) -> bool {
        self.test_of(&key.step).is_some_and(|test| test.is_warm_up(key.round))
    }
}

impl Step {
    /// The estimated time without the rest after it.
    #[must_use]
    pub fn estimated_active(&self) -> Nanos {
        Nanos::new(self.estimated_time.get().saturating_sub(rest_of(self.rest, self.estimated_time)))
    }
}

/// The part of an estimate that is rest.
fn rest_of(rest: Rest, estimate: Nanos) -> u64 {
    match rest {
        Rest::None {} => 0,
        Rest::Fixed { time } => time.get(),
        Rest::DutyCycle { percent, cap } => {
            let idle = u128::from(estimate.get()) * u128::from(100 - percent.get().min(100)) / 100;
            u64::try_from(idle).unwrap_or(u64::MAX).min(cap.get())
        }
    }
}

#[cfg(test)]
mod tests {
    //! Schedules written out by hand.

    use super::*;
    use crate::drive_state::StateWish;
    use crate::ids::StepId;
    use crate::plan::Repeats;
    use crate::plan::{Action, Combine, Form, MethodIdentity, Rest, StepRole};
    use crate::units::Bytes;

    fn test(rounds: u32, repeats: Repeats) -> TestPlan {
        let step = |slug: &str| Step {
            relative: None,
            id: StepId::new("t", slug),
            label: slug.to_owned(),
            role: StepRole::Measure,
            action: Action::Idle { time: Nanos::from_secs(1) },
            rest: Rest::Fixed { time: Nanos::from_secs(10) },
            start_below: None,
            axes: Vec::new(),
            approximations: Vec::new(),
            seeds: Vec::new(),
            estimated_time: Nanos::from_secs(11),
            estimated_written: Bytes::new(0),
        };
        TestPlan {
            name: "t".to_owned(),
            title: String::new(),
            purpose: String::new(),
            steps: vec![step("a"), step("b")],
            rounds: Rounds::Fixed { count: rounds },
            repeats,
            order: Order::StepByStep,
            combine: Combine::Best,
            sources: Vec::new(),
            state: StateWish::default(),
            published_unit: None,
            recovers_to: None,
            twin: None,
        }
    }

    #[test]
    fn each_set_begins_with_its_discarded_round_and_numbers_go_on() {
        let test = test(2, Repeats { warm_up_rounds: 1, sets: 2, rest_after: RestAfter::Steps });
        let all: Vec<String> =
            test.schedule().iter().map(|(key, _)| format!("{}{}", key.step.slug(), key.round)).collect();
        assert_eq!(all, ["a1", "a2", "a3", "b1", "b2", "b3", "a4", "a5", "a6", "b4", "b5", "b6"]);
        let warm: Vec<u32> = (1..=6).filter(|round| test.is_warm_up(*round)).collect();
        assert_eq!((warm, test.max_rounds()), (vec![1, 4], 6));
        let words: Vec<String> = (1..=6).map(|round| test.round_words(round)).collect();
        assert_eq!(words, ["set 1 warm-up", "set 1 1/2", "set 1 2/2", "set 2 warm-up", "set 2 1/2", "set 2 2/2"]);
    }

    #[test]
    fn estimates_of_a_steady_test_end_where_it_has_written_all_that_it_may() {
        let steady = |written: Option<u64>| {
            let mut test = test(1, Repeats::default());
            test.order = Order::RoundByRound;
            test.steps[0].estimated_written = Bytes::new(60);
            test.steps[1].estimated_written = Bytes::new(40);
            let (step, written) = (test.steps[0].id.clone(), written.map(Bytes::new));
            test.rounds =
                Rounds::Steady { step, tracked: crate::plan::Tracked::Iops, max: 25, written, at_least: None };
            (test.expected_rounds(), test.estimated_time(false).map(|time| time.as_secs_f64()))
        };
        assert_eq!(steady(None), (25, Some(25.0 * 22.0)));
        assert_eq!(steady(Some(101)), (2, Some(2.0 * 22.0)), "a round that was begun goes to its end");
        assert_eq!(steady(Some(1)), (1, Some(22.0)));
        assert_eq!(steady(Some(1_000_000)), (25, Some(25.0 * 22.0)));
    }

    #[test]
    fn what_a_step_does_without_its_rest_is_its_active_time() {
        let test = test(1, Repeats::default());
        assert_eq!(test.steps[0].estimated_active(), Nanos::from_secs(1));
        let long = Step { rest: Rest::Fixed { time: Nanos::from_secs(180) }, ..test.steps[0].clone() };
        assert_eq!(long.estimated_active(), Nanos::new(0), "never less than nothing");
    }

    #[test]
    fn the_rest_between_steps_comes_once_a_set_and_not_after_the_last_step() {
        let test = test(2, Repeats { warm_up_rounds: 1, sets: 2, rest_after: RestAfter::Steps });
        let plan = Plan {
            drives: None,
            methodology: MethodIdentity {
                name: String::new(),
                version: String::new(),
                hash: String::new(),
                compared_hash: None,
            },
            title: String::new(),
            profile: String::new(),
            summary: String::new(),
            good_for: String::new(),
            cannot_tell: String::new(),
            form: Form::Quick,
            longest_form: false,
            capacity: Bytes::new(0),
            tests: vec![test.clone()],
            sources: Vec::new(),
            scores: Vec::new(),
            left_out: Vec::new(),
            limits: Vec::new(),
            headlines: Vec::new(),
            set: Vec::new(),
        };
        let rests: Vec<String> = test
            .schedule()
            .iter()
            .filter(|(key, step)| plan.rests_after(&test, key, step))
            .map(|(key, _)| format!("{}{}", key.step.slug(), key.round))
            .collect();
        assert_eq!(rests, ["a3", "a6"]);
        // Twelve executions of a second, and two rests of ten.
        assert_eq!(plan.estimated_time(), Nanos::from_secs(12 + 20));
    }

    #[test]
    fn one_round_of_one_set_has_no_words() {
        assert_eq!(test(1, Repeats::default()).round_words(1), "");
        assert_eq!(test(3, Repeats::default()).round_words(2), "2/3");
    }
}
