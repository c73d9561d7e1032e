//! Queries on a whole plan: its steps, their order, their sums.

use super::types::{Plan, Step, StepRole};
use crate::ids::{StepId, StepKey};
use crate::namespace::OtherNamespace;
use crate::plan::TestPlan;
use crate::units::{Bytes, Nanos};
use crate::workload::Workload;

impl Plan {
    /// All steps of all tests, each once.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.tests.iter().flat_map(|test| &test.steps)
    }

    /// The step with this id.
    #[must_use]
    pub fn step(&self, id: &StepId) -> Option<&Step> {
        self.steps().find(|step| step.id == *id)
    }

    /// The test that holds the step with this id.
    #[must_use]
    pub fn test_of(&self, id: &StepId) -> Option<&TestPlan> {
        self.tests.iter().find(|test| test.steps.iter().any(|step| step.id == *id))
    }

    /// All executions of the plan in order; steady tests and searches with their most rounds.
    #[must_use]
    pub fn schedule(&self) -> Vec<(StepKey, &Step)> {
        (1..=self.sets()).flat_map(|set| self.tests.iter().flat_map(move |test| test.schedule_of_set(set))).collect()
    }

    /// How often the whole set of tests runs.
    #[must_use]
    pub fn sets(&self) -> u32 {
        self.tests.iter().map(|test| test.repeats.sets).max().unwrap_or(1)
    }

    /// Expected time of the whole plan.
    #[must_use]
    pub fn estimated_time(&self) -> Nanos {
        let mut times = (1..).zip(&self.tests).map(|(at, test)| test.estimated_time(at == self.tests.len()));
        let all = times.try_fold(0u64, |sum, time| sum.checked_add(time?.get()));
        all.map_or(Nanos::new(u64::MAX), Nanos::new)
    }

    /// Expected bytes written by the whole plan.
    #[must_use]
    pub fn estimated_written(&self) -> Bytes {
        self.sum(|step| step.estimated_written.get()).map_or(Bytes::new(u64::MAX), Bytes::new)
    }

    /// Whether it writes more on a faster drive.
    #[must_use]
    pub fn writes_by_time(&self) -> bool {
        self.steps().any(Step::writes_by_time)
    }

    /// Whether it takes longer on a slower drive.
    #[must_use]
    pub fn timed_by_rate(&self) -> bool {
        self.steps().any(Step::timed_by_rate)
    }

    /// The other namespace of the drive that its steps read, if any. There is at most one.
    #[must_use]
    pub fn other_namespace(&self) -> Option<&OtherNamespace> {
        self.steps().filter_map(Step::workload).flat_map(Workload::groups).find_map(|load| load.on.as_deref())
    }

    /// Whether any step prepares the target.
    #[must_use]
    pub fn prepares(&self) -> bool {
        self.steps().any(|step| step.role == StepRole::Prepare)
    }

    /// Whether any step needs O_DIRECT.
    #[must_use]
    pub fn needs_direct(&self) -> bool {
        self.steps().filter_map(Step::workload).any(|workload| workload.direct)
    }

    /// Sum over all executions, or `None` on overflow.
    fn sum(&self, of: impl Fn(&Step) -> u64) -> Option<u64> {
        self.tests.iter().try_fold(0u64, |sum, test| {
            let once = test.steps.iter().try_fold(0u64, |sum, step| sum.checked_add(of(step)))?;
            sum.checked_add(once.checked_mul(u64::from(test.expected_rounds()))?)
        })
    }
}
