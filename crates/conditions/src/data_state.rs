//! The data state of a device as steps of the plan: the requested state replaces the methodology's own preparation,
//! is issued by the engine, recorded like every step, and repeated when a run starts again.
//!
//! Same blocks and depths as the methodology language's `fill`, `overwrite_random` and `discard`.

use drivelab_core::condition::DataState;
use drivelab_core::ids::StepId;
use drivelab_core::load::OtherOps;
use drivelab_core::plan::{Action, Combine, Order, Plan, Repeats, Rest, Rounds, Step, StepRole, StopRule, TestPlan};
use drivelab_core::units::{Bytes, BytesPerSecond, Nanos, Percent, QueueDepth};
use drivelab_core::workload::{Pattern, Span, Workload};

/// The preparation test, as the methodology language names it.
const PREPARE: &str = "prepare";
/// Filling a large slow drive takes most of a day; a longer time is a fault.
const CAP: Nanos = Nanos::from_secs(48 * 3600);

/// The plan, with its preparation replaced by steps that bring a device of this rate into the state. The state "as
/// found" changes nothing.
#[must_use]
pub fn with_data_state(mut plan: Plan, state: DataState, rate: BytesPerSecond) -> Plan {
    let area = plan.capacity;
    let steps = match state {
        DataState::AsFound => return plan,
        DataState::Fresh => Vec::new(),
        DataState::Filled { percent } if percent == all() => vec![fill(area)],
        // Previous content would make it fuller than stated.
        DataState::Filled { percent } => vec![discard(area), fill(part(area, percent))],
        DataState::OverwrittenRandom => vec![fill(area), overwrite(area)],
        DataState::Discarded => vec![fill(area), discard(area)],
    };
    plan.tests.retain(|test| test.name != PREPARE);
    if !steps.is_empty() {
        let steps = steps.into_iter().map(|step| timed(step, rate)).collect();
        plan.tests.insert(0, preparation(steps, state));
    }
    plan
}

fn preparation(steps: Vec<Step>, state: DataState) -> TestPlan {
    TestPlan {
        name: PREPARE.to_owned(),
        title: "Data state".to_owned(),
        purpose: format!("Bring the target into the requested data state: {state}."),
        steps,
        rounds: Rounds::Fixed { count: 1 },
        repeats: Repeats::default(),
        order: Order::RoundByRound,
        combine: Combine::Mean,
        sources: Vec::new(),
        state: drivelab_core::drive_state::StateWish::default(),
        published_unit: None,
        recovers_to: None,
        twin: None,
    }
}

fn part(area: Bytes, percent: Percent) -> Bytes {
    let part = u128::from(area.get()) * u128::from(percent.get()) / 100;
    Bytes::new(u64::try_from(part).unwrap_or(u64::MAX)).align_down(Bytes::MIB).max(Bytes::MIB.min(area))
}

fn depth(value: u64) -> QueueDepth {
    QueueDepth::new(value).unwrap_or(QueueDepth::ONE)
}

/// All operations.
fn all() -> Percent {
    Percent::new(100).unwrap_or_default()
}

/// Block size: the wanted one, or the largest one that divides a small or odd area.
fn block_of(area: Bytes, wanted: Bytes) -> Bytes {
    let mut block = wanted.get();
    while block > 512 && (block > area.get() || !area.get().is_multiple_of(block)) {
        block /= 2;
    }
    Bytes::new(block)
}

fn fill(area: Bytes) -> Step {
    let workload = Workload {
        write_percent: all(),
        block_size: block_of(area, Bytes::MIB),
        pattern: Pattern::Sequential,
        queue_depth: depth(8),
        span: Span { offset: Bytes::new(0), length: area },
        seed: 11,
        ..Workload::default()
    };
    step("fill", "Fill", workload, StopRule { passes: Some(1), ..StopRule::capped(CAP) }, area)
}

fn overwrite(area: Bytes) -> Step {
    let workload = Workload {
        write_percent: all(),
        block_size: block_of(area, Bytes::new(4096)),
        pattern: Pattern::Random,
        queue_depth: depth(32),
        span: Span { offset: Bytes::new(0), length: area },
        seed: 12,
        ..Workload::default()
    };
    let stop = StopRule { volume: Some(area), ..StopRule::capped(CAP) };
    step("overwrite-random", "Overwrite at random", workload, stop, area)
}

fn discard(area: Bytes) -> Step {
    let workload = Workload {
        other: OtherOps { trim_percent: all(), ..OtherOps::default() },
        block_size: block_of(area, Bytes::new(64 << 20)),
        pattern: Pattern::Sequential,
        span: Span { offset: Bytes::new(0), length: area },
        seed: 13,
        ..Workload::default()
    };
    step("discard", "Discard", workload, StopRule { passes: Some(1), ..StopRule::capped(CAP) }, Bytes::new(0))
}

fn step(slug: &str, what: &str, workload: Workload, stop: StopRule, written: Bytes) -> Step {
    Step {
        id: StepId::new(PREPARE, slug),
        label: format!("{what}: {} in {} blocks", workload.span.length, workload.block_size),
        start_below: None,
        role: StepRole::Prepare,
        action: Action::Io { workload, stop, ramp: Nanos::new(0) },
        rest: Rest::None {},
        axes: Vec::new(),
        approximations: Vec::new(),
        relative: None,
        seeds: Vec::new(),
        estimated_time: Nanos::from_secs(1),
        estimated_written: written,
    }
}

/// The step with its estimated duration at a rate, in whole seconds; a step that moves no data takes one.
fn timed(step: Step, rate: BytesPerSecond) -> Step {
    let seconds = (step.estimated_written.as_f64() / rate.get()).ceil().max(1.0);
    Step { estimated_time: Nanos::new((seconds * 1e9) as u64), ..step }
}
