//! One execution of the plan's schedule, with the basis for the estimate of its length.

use drivelab_analysis::steady::WINDOW;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Action, Plan, Rest, Rounds, Step, StepRole, StopRule, TestPlan};
use drivelab_core::units::Nanos;
use drivelab_core::workload::Workload;

use crate::screens::figures::clean;

/// Steps whose lengths are corrected together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Ends by time.
    Timed,
    /// Ends by bytes, only reads.
    Reading,
    /// Ends by bytes, with writes.
    Writing,
    /// Does nothing.
    Idle,
}

impl Kind {
    /// Number of kinds.
    pub(super) const COUNT: usize = 4;
}

/// When the step ends; all times in nanoseconds since its start, including the ramp.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Goal {
    pub(super) ramp_ns: u64,
    pub(super) time_ns: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) at_least_ns: u64,
    pub(super) cap_ns: Option<u64>,
}

/// One execution.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) key: StepKey,
    pub(super) test: String,
    label: String,
    rounds: u32,
    /// Its round, if their number is fixed: `2/9`, `warm-up`.
    words: String,
    /// Rounds that run even if the test ends as early as possible.
    certain: u32,
    pub(super) role: StepRole,
    pub(super) kind: Kind,
    pub(super) goal: Goal,
    /// Estimated length without the rest.
    pub(super) own_ns: u64,
    pub(super) rest: Rest,
    /// What it issues, if anything.
    pub(super) workload: Option<Workload>,
    /// Finished, or will not run.
    pub(super) passed: bool,
}

impl Slot {
    pub(super) fn label_with_round(&self) -> String {
        match (self.rounds, self.certain < self.rounds) {
            (0 | 1, _) => self.label.clone(),
            (_, false) => format!("{} ({})", self.label, self.words),
            (rounds, true) => format!("{} ({}/≤{rounds})", self.label, self.key.round),
        }
    }

    /// Whether it runs even if its test ends as early as possible.
    pub(super) const fn certain(&self) -> bool {
        self.key.round <= self.certain
    }
}

/// The executions of a test in one set, in order.
pub(super) fn slots(plan: &Plan, test: &TestPlan, set: u32) -> Vec<Slot> {
    let certain = match test.rounds {
        Rounds::Fixed { .. } => test.max_rounds(),
        // Until the window is full.
        Rounds::Steady { .. } => u32::try_from(WINDOW).unwrap_or(u32::MAX),
        // Even the lowest rate may be too high.
        Rounds::FindRate(_) => 1,
    };
    let slot = |(key, step): (StepKey, &Step)| {
        let total = step.estimated_time.get();
        // The plan's estimate includes the rest; for a duty cycle, the active share gives its length.
        let active = match step.rest {
            Rest::None {} | Rest::Fixed { .. } => total,
            Rest::DutyCycle { percent, .. } => {
                u64::try_from(u128::from(total) * u128::from(percent.get()) / 100).unwrap_or(total)
            }
        };
        let resting = step.rest.after(Nanos::new(active)).get();
        let rest = if plan.rests_after(test, &key, step) { step.rest } else { Rest::None {} };
        let words = test.round_words(key.round);
        let (kind, goal) = goal(&step.action);
        Slot {
            key,
            test: test.name.clone(),
            label: clean(&step.label),
            rounds: test.max_rounds(),
            words,
            certain,
            role: step.role,
            kind,
            goal,
            own_ns: total.saturating_sub(resting),
            rest,
            workload: step.workload().cloned(),
            passed: false,
        }
    };
    test.schedule_of_set(set).into_iter().map(slot).collect()
}

/// Bytes after which the step ends by its own rule; `None` if bytes do not decide it.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate; a float that is too large saturates"
)]
fn bytes_to_move(workload: &Workload, stop: &StopRule) -> Option<u64> {
    let span = workload.pass_bytes().get();
    let moving = f64::from(100 - workload.other.flush_percent.get().min(100)) / 100.0;
    let per_operation = workload.mean_block_size() * moving;
    // The figures of the intervals cover all groups, but the rule is about the first group.
    if !workload.beside.is_empty() || per_operation == 0.0 {
        return None;
    }
    let rules = [
        stop.volume.map(|volume| volume.get()),
        stop.passes.map(|count| span.saturating_mul(u64::from(count))),
        stop.coverage.map(|share| span / 100 * u64::from(share.get())),
        stop.operations.map(|count| (count as f64 * per_operation) as u64),
    ];
    rules.into_iter().flatten().min()
}

fn goal(action: &Action) -> (Kind, Goal) {
    match action {
        Action::Idle { time } => (Kind::Idle, Goal { time_ns: Some(time.get()), ..Goal::default() }),
        Action::CoolDown(_) => (Kind::Idle, Goal::default()),
        Action::Io { workload, stop, ramp } => {
            let after_ramp = |time: Nanos| ramp.get().saturating_add(time.get());
            let bytes = bytes_to_move(workload, stop);
            let kind = match bytes {
                None => Kind::Timed,
                Some(_) if workload.writes() => Kind::Writing,
                Some(_) => Kind::Reading,
            };
            let goal = Goal {
                ramp_ns: ramp.get(),
                time_ns: stop.time.map(after_ramp),
                bytes,
                at_least_ns: stop.at_least.map_or(0, after_ramp),
                cap_ns: Some(stop.cap.get()),
            };
            (kind, goal)
        }
    }
}
