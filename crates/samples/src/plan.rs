//! A made-up plan in the form of the built-in methodology `quick`, and one with a steady test.

use drivelab_core::ids::StepId;
use drivelab_core::plan::{
    Action, Approximation, AxisValue, Combine, Form, MethodIdentity, Order, Plan, Repeats, Rest, Rounds, Source, Step,
    StepRole, StopRule, TestPlan, Tracked,
};
use drivelab_core::units::{Bytes, Nanos, Percent, QueueDepth, Threads};
use drivelab_core::workload::{DataPattern, Pattern, Span, Streams, Workload};

/// Size of the sample's target.
pub(super) const CAPACITY: Bytes = Bytes::new(32 << 30);
const MIB: u64 = 1 << 20;
pub(super) const KIB: u64 = 1 << 10;

/// Fill, corners (3 rounds, best), mixes, depths, sustained write.
#[must_use]
pub fn sample_plan() -> Plan {
    let tests = vec![
        test("prepare", "Fill the target", vec![fill()], 1, Combine::Mean),
        test("corners", "Four corners", corners(), 3, Combine::Best),
        test("mixes", "Mixed random", mixes(), 1, Combine::Mean),
        test("depths", "Random reads by queue depth", depths(), 1, Combine::Mean),
        test("sustained", "Sustained write", vec![sustained()], 1, Combine::Mean),
    ];
    plan("sample", tests)
}

/// Fill, then 4 KiB random writes until steady, at most 25 rounds.
#[must_use]
pub fn steady_plan() -> Plan {
    let step = measure("steady", "rnd-4k-write", "RND 4 KiB Q8T2 write", random(100, 8, 2), Vec::new());
    let watched = step.id.clone();
    let mut steady = test("steady", "Random writes until steady", vec![step], 1, Combine::Mean);
    steady.rounds = Rounds::Steady { step: watched, tracked: Tracked::Iops, max: 25, written: None, at_least: None };
    plan("sample-steady", vec![test("prepare", "Fill the target", vec![fill()], 1, Combine::Mean), steady])
}

pub(super) fn plan(name: &str, tests: Vec<TestPlan>) -> Plan {
    Plan {
        methodology: MethodIdentity {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            hash: "5a".repeat(32),
            compared_hash: None,
        },
        title: "Sample".to_owned(),
        profile: String::new(),
        summary: "A made-up methodology for tests.".to_owned(),
        good_for: "Testing drivelab.".to_owned(),
        cannot_tell: "Anything about a drive: every figure is made up.".to_owned(),
        form: Form::Quick,
        longest_form: false,
        capacity: CAPACITY,
        tests,
        sources: vec![Source { id: "made-up".to_owned(), citation: "Made up for drivelab's own tests.".to_owned() }],
        drives: None,
        scores: Vec::new(),
        left_out: Vec::new(),
        limits: Vec::new(),
        headlines: Vec::new(),
        set: Vec::new(),
    }
}

pub(super) fn test(name: &str, title: &str, steps: Vec<Step>, rounds: u32, combine: Combine) -> TestPlan {
    TestPlan {
        name: name.to_owned(),
        title: title.to_owned(),
        purpose: format!("{title}: a made-up test."),
        steps,
        rounds: Rounds::Fixed { count: rounds },
        repeats: Repeats::default(),
        order: Order::RoundByRound,
        combine,
        sources: vec!["made-up".to_owned()],
        state: drivelab_core::drive_state::StateWish::default(),
        published_unit: None,
        recovers_to: None,
        twin: None,
    }
}

fn corners() -> Vec<Step> {
    let shapes = [
        ("seq", "1m", Pattern::Sequential, MIB, 8),
        ("seq", "1m", Pattern::Sequential, MIB, 1),
        ("rnd", "4k", Pattern::Random, 4 * KIB, 32),
        ("rnd", "4k", Pattern::Random, 4 * KIB, 1),
    ];
    let mut steps = Vec::new();
    for (op, write_percent) in [("read", 0), ("write", 100)] {
        for (order, size, pattern, block_size, depth) in shapes {
            let block = Bytes::new(block_size);
            let axes = vec![
                axis("pattern", if pattern == Pattern::Random { "random" } else { "sequential" }),
                axis("block_size", &block.to_string()),
                axis("queue_depth", &depth.to_string()),
                axis("op", op),
            ];
            let label = format!("{} {block} Q{depth}T1 {op}", order.to_uppercase());
            let load = workload(write_percent, block, pattern, depth, 1);
            steps.push(measure("corners", &format!("{order}-{size}-q{depth}t1-{op}"), &label, load, axes));
        }
    }
    steps
}

fn mixes() -> Vec<Step> {
    let step = |percent: u64| {
        let axes = vec![axis("write_percent", &percent.to_string())];
        let label = format!("RND 4 KiB Q4T1, {percent} % writes");
        let mut step = measure("mixes", &format!("w{percent}"), &label, random(percent, 4, 1), axes);
        step.approximations =
            vec![Approximation { parameter: "time".to_owned(), reason: "the source states one minute".to_owned() }];
        step
    };
    [0, 30, 50, 70, 100].map(step).into()
}

fn depths() -> Vec<Step> {
    let step = |depth: u64| {
        let axes = vec![axis("queue_depth", &depth.to_string())];
        measure("depths", &format!("q{depth}"), &format!("RND 4 KiB Q{depth}T1 read"), random(0, depth, 1), axes)
    };
    [1, 2, 4, 8, 16, 32, 64].map(step).into()
}

fn sustained() -> Step {
    let load = workload(100, Bytes::new(MIB), Pattern::Sequential, 8, 1);
    let mut step = measure("sustained", "whole-file-write", "SEQ 1 MiB Q8T1 write of the whole file", load, Vec::new());
    until_passed(&mut step);
    step
}

fn fill() -> Step {
    let mut step = sustained();
    step.id = StepId::new("prepare", "fill");
    step.label = "Fill with SEQ 1 MiB Q8T1 writes".to_owned();
    step.role = StepRole::Prepare;
    step
}

/// Makes a step cover its whole span once.
fn until_passed(step: &mut Step) {
    if let Action::Io { stop, .. } = &mut step.action {
        *stop = StopRule { passes: Some(1), ..StopRule::capped(Nanos::from_secs(600)) };
    }
    step.estimated_written = CAPACITY;
    step.estimated_time = Nanos::from_secs(45);
}

pub(super) fn measure(test: &str, slug: &str, label: &str, workload: Workload, axes: Vec<AxisValue>) -> Step {
    let time = Nanos::from_secs(4);
    let stop = StopRule { time: Some(time), ..StopRule::capped(Nanos::from_secs(60)) };
    Step {
        id: StepId::new(test, slug),
        label: label.to_owned(),
        role: StepRole::Measure,
        action: Action::Io { workload, stop, ramp: Nanos::new(0) },
        rest: Rest::None {},
        start_below: None,
        axes,
        approximations: Vec::new(),
        relative: None,
        seeds: Vec::new(),
        estimated_time: time,
        estimated_written: Bytes::new(0),
    }
}

pub(super) fn random(write_percent: u64, queue_depth: u64, threads: u64) -> Workload {
    workload(write_percent, Bytes::new(4 * KIB), Pattern::Random, queue_depth, threads)
}

#[expect(clippy::expect_used, reason = "for tests: all arguments are constants inside their ranges")]
pub(super) fn workload(
    write_percent: u64,
    block_size: Bytes,
    pattern: Pattern,
    queue_depth: u64,
    threads: u64,
) -> Workload {
    Workload {
        write_percent: Percent::new(write_percent).expect("a percentage"),
        block_size,
        pattern,
        streams: Streams::Disjoint,
        span: Span { offset: Bytes::new(0), length: CAPACITY },
        queue_depth: QueueDepth::new(queue_depth).expect("a depth"),
        threads: Threads::new(threads).expect("a number of threads"),
        data: DataPattern::Incompressible,
        direct: true,
        seed: 42,
        ..Workload::default()
    }
}

pub(super) fn axis(name: &str, value: &str) -> AxisValue {
    AxisValue { axis: name.to_owned(), value: value.to_owned() }
}
