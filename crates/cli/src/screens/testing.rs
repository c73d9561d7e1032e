//! Made-up runs for the tests of the screens: a plan of five steps of every kind, and a drive whose rates the test
//! chooses. All times are calculated, so the true remaining time is known at every event.

use drivelab_core::event::{EVENT_VERSION, Event, EventBody, RunResumed, RunStarted, RunState, Steadiness};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::histogram::Histogram;
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::plan::{
    Action, Combine, Form, MethodIdentity, Order, Plan, Repeats, Rest, Rounds, Step, StepRole, StopRule, TestPlan,
    Tracked,
};
use drivelab_core::record::{EngineReport, IntervalRecord, OpRecord, Origin, StepRecord, StopReason};
use drivelab_core::units::{Bytes, Nanos, Percent, QueueDepth, Threads};
use drivelab_core::workload::{DataPattern, Pattern, Span, Streams, Workload};
use drivelab_samples::{sample_environment, sample_id, sample_tool};

pub(super) const SECOND: u64 = 1_000_000_000;
/// Time between a step and the next, as a real session needs it.
const BETWEEN_NS: u64 = 50_000_000;
const SPAN: u64 = 4 << 30;

fn load(write_percent: u64, pattern: Pattern, block: u64, depth: u64) -> Workload {
    Workload {
        write_percent: Percent::new(write_percent).expect("in range"),
        block_size: Bytes::new(block),
        pattern,
        streams: Streams::Disjoint,
        span: Span { offset: Bytes::new(0), length: Bytes::new(SPAN) },
        queue_depth: QueueDepth::new(depth).expect("in range"),
        threads: Threads::new(1).expect("in range"),
        data: DataPattern::Incompressible,
        direct: true,
        seed: 1,
        ..Workload::default()
    }
}

fn stop() -> StopRule {
    StopRule::capped(Nanos::from_secs(600))
}

fn step(id: (&str, &str), label: &str, role: StepRole, action: Action, rest: Rest, seconds: u64) -> Step {
    Step {
        id: StepId::new(id.0, id.1),
        label: label.to_owned(),
        role,
        action,
        rest,
        start_below: None,
        axes: Vec::new(),
        approximations: Vec::new(),
        relative: None,
        seeds: Vec::new(),
        estimated_time: Nanos::from_secs(seconds),
        estimated_written: Bytes::new(0),
    }
}

fn test(name: &str, step: Step, rounds: Rounds) -> TestPlan {
    TestPlan {
        name: name.to_owned(),
        title: name.to_owned(),
        purpose: String::new(),
        steps: vec![step],
        rounds,
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

/// Fill; sequential read with a ramp in 2 rounds; a mix by volume on half duty; idle; random writes until steady.
pub(super) fn plan() -> Plan {
    let io = |workload, stop, ramp| Action::Io { workload, stop, ramp: Nanos::from_secs(ramp) };
    let fill = io(load(100, Pattern::Sequential, 1 << 20, 8), StopRule { passes: Some(1), ..stop() }, 0);
    let five = StopRule { time: Some(Nanos::from_secs(5)), ..stop() };
    let read = io(load(0, Pattern::Sequential, 1 << 20, 8), five, 1);
    let volume = StopRule { volume: Some(Bytes::new(1 << 30)), ..stop() };
    let mix = io(load(30, Pattern::Random, 4096, 4), volume, 0);
    let three = StopRule { time: Some(Nanos::from_secs(3)), ..stop() };
    let steady = io(load(100, Pattern::Random, 4096, 32), three, 0);
    let half = Rest::DutyCycle { percent: Percent::new(50).expect("in range"), cap: Nanos::from_secs(60) };
    let idle = Action::Idle { time: Nanos::from_secs(5) };
    let two = Rest::Fixed { time: Nanos::from_secs(2) };
    let (measure, none, once) = (StepRole::Measure, Rest::None {}, Rounds::Fixed { count: 1 });
    let steady_step = StepId::new("steady", "rnd-4k-q32t1-write");
    let until_steady =
        Rounds::Steady { step: steady_step, tracked: Tracked::Iops, max: 8, written: None, at_least: None };
    let tests = vec![
        test("prepare", step(("prepare", "fill"), "fill the target", StepRole::Prepare, fill, none, 9), once.clone()),
        test(
            "corners",
            step(("corners", "seq-1m-q8t1-read"), "SEQ 1 MiB Q8T1 read", measure, read, none, 6),
            Rounds::Fixed { count: 2 },
        ),
        test("mixes", step(("mixes", "w30"), "RND 4 KiB Q4T1 30 % writes", measure, mix, half, 12), once.clone()),
        test("pause", step(("pause", "idle"), "idle", measure, idle, none, 5), once),
        test(
            "steady",
            step(("steady", "rnd-4k-q32t1-write"), "RND 4 KiB Q32T1 write", measure, steady, two, 5),
            until_steady,
        ),
    ];
    Plan {
        methodology: MethodIdentity {
            name: "five".to_owned(),
            version: "1.0.0".to_owned(),
            hash: "5a".repeat(32),
            compared_hash: None,
        },
        title: "Five steps".to_owned(),
        profile: String::new(),
        summary: String::new(),
        good_for: String::new(),
        cannot_tell: String::new(),
        form: Form::Quick,
        longest_form: false,
        capacity: Bytes::new(SPAN),
        tests,
        sources: Vec::new(),
        drives: None,
        scores: Vec::new(),
        left_out: Vec::new(),
        limits: Vec::new(),
        headlines: Vec::new(),
        set: Vec::new(),
    }
}

/// A recording under construction.
pub(super) struct Tape {
    pub(super) events: Vec<Event>,
    pub(super) now_ns: u64,
}

impl Tape {
    pub(super) fn start() -> Self {
        let mut tape = Tape { events: Vec::new(), now_ns: 0 };
        tape.push(EventBody::RunStarted(RunStarted {
            event_version: EVENT_VERSION,
            run: sample_id(),
            started: "2026-03-01T10:00:00Z".to_owned(),
            tool: sample_tool(),
            plan: plan(),
            environment: sample_environment(),
        }));
        tape.now_ns += BETWEEN_NS;
        tape
    }

    pub(super) fn push(&mut self, event: EventBody) {
        let seq = self.events.len() as u64;
        self.events.push(Event { seq, at_ns: self.now_ns, event });
    }

    /// One execution at this rate in bytes per second; at most `intervals` are done, and the step ends only if that
    /// was enough.
    pub(super) fn execute(&mut self, step: &Step, round: u32, rate: f64, intervals: u32) {
        let key = StepKey { step: step.id.clone(), round };
        self.push(EventBody::StepStarted { key: key.clone() });
        let started = self.now_ns;
        match &step.action {
            Action::Idle { time } => {
                self.now_ns += time.get();
                self.push(EventBody::IdleEnded { key: key.clone() });
            }
            Action::CoolDown(_) => self.push(EventBody::IdleEnded { key: key.clone() }),
            Action::Io { workload, stop, ramp } => {
                let bytes = stop.volume.or(stop.passes.map(|_| workload.span.length));
                let by_volume = bytes.map(|bytes| (bytes.as_f64() / rate * 1e9) as u64);
                let end =
                    started + ramp.get() + stop.time.map_or(u64::MAX, Nanos::get).min(by_volume.unwrap_or(u64::MAX));
                for index in 0..intervals {
                    let from = self.now_ns;
                    self.now_ns = (from + SECOND).min(end);
                    let ramp = from < started + ramp.get();
                    let record = interval(workload, &key, index, (from, self.now_ns), rate, ramp);
                    self.push(EventBody::Interval(record));
                    if self.now_ns == end {
                        break;
                    }
                }
                if self.now_ns < end {
                    return;
                }
                let whole = interval(workload, &key, 0, (started + ramp.get(), end), rate, false);
                let reason = if by_volume.is_some() { StopReason::Volume } else { StopReason::Time };
                self.push(EventBody::StepEnded(record_of(whole, reason)));
            }
        }
        let rest = match step.rest {
            Rest::None {} => 0,
            Rest::Fixed { time } => time.get(),
            Rest::DutyCycle { .. } => self.now_ns - started,
        };
        if rest > 0 {
            self.push(EventBody::RestStarted { key: key.clone(), until_ns: self.now_ns + rest });
            self.now_ns += rest;
            self.push(EventBody::RestEnded { key });
        }
        self.now_ns += BETWEEN_NS;
    }

    pub(super) fn end(mut self, state: RunState, message: &str) -> Vec<Event> {
        self.push(EventBody::RunEnded { state, message: message.to_owned() });
        self.events
    }
}

fn record_of(whole: IntervalRecord, stop_reason: StopReason) -> StepRecord {
    StepRecord {
        key: whole.key,
        start_ns: whole.start_ns,
        end_ns: whole.end_ns,
        stop_reason,
        read: whole.read,
        write: whole.write,
        others: Vec::new(),
        groups: Vec::new(),
        open_loop: None,
        bursts: None,
        verification: None,
        replay: None,
        in_flight_mean: whole.in_flight_mean,
        errors: Vec::new(),
        streams: Vec::new(),
        written_total: Bytes::new(0),
        origin: Origin::Measured,
        engine: EngineReport {
            backend: "io_uring".to_owned(),
            reason: "chosen".to_owned(),
            refused: Vec::new(),
            direct_verified: true,
            cpu_user: Nanos::new(0),
            cpu_system: Nanos::new(0),
            punted: false,
            mode: None,
            fell_back: None,
            effort: None,
        },
    }
}

fn interval(
    workload: &Workload,
    key: &StepKey,
    index: u32,
    (start_ns, end_ns): (u64, u64),
    rate: f64,
    ramp: bool,
) -> IntervalRecord {
    let elapsed = Nanos::new(end_ns - start_ns);
    let block = workload.block_size.as_f64();
    let count = (rate * elapsed.as_secs_f64() / block).round() as u64;
    let writes = count * u64::from(workload.write_percent.get()) / 100;
    let op = |count: u64, slower: u64| {
        let mut histogram = Histogram::default();
        let mean = elapsed.get() * workload.total_depth() / count.max(1) * slower;
        // As many as a p99 needs, with the same spread.
        (0..count.min(1_000)).for_each(|one| histogram.record(mean * (95 + one / 100) / 100));
        OpRecord::new(count, Bytes::new(count * workload.block_size.get()), 0, histogram.sparse(), elapsed)
    };
    IntervalRecord {
        key: key.clone(),
        index,
        start_ns,
        end_ns,
        ramp,
        read: op(count - writes, 1),
        write: op(writes, 2),
        others: Vec::new(),
        backlog: None,
        stuck: None,
        origin: Origin::Measured,
        condensed: None,
        in_flight_mean: workload.total_depth() as f64,
    }
}

/// The whole plan; `rate` in bytes per second by execution, `steady` rounds of the last test.
pub(super) fn run(rate: impl Fn(&StepKey) -> f64, steady: u32) -> Vec<Event> {
    let mut tape = Tape::start();
    for (key, step) in plan().schedule() {
        if key.step.as_str().starts_with("steady/") && key.round > steady {
            continue;
        }
        tape.execute(step, key.round, rate(&key), u32::MAX);
    }
    tape.push(EventBody::Steadiness(verdict(steady)));
    tape.end(RunState::Complete, "")
}

fn verdict(rounds: u32) -> Steadiness {
    Steadiness {
        test: "steady".to_owned(),
        reached: true,
        first_round: rounds.saturating_sub(4),
        last_round: rounds,
        range_percent: 6.2,
        slope_percent: -1.4,
    }
}

/// Rates near what the plan expects, by execution.
pub(super) fn usual(key: &StepKey) -> f64 {
    match key.step.as_str() {
        "prepare/fill" => 480e6,
        "mixes/w30" => 180e6,
        "steady/rnd-4k-q32t1-write" => 900e6 / f64::from(key.round),
        _ => 3_456e6,
    }
}

/// A complete run in which the fill takes twice as long as planned.
pub(super) fn short_run() -> Vec<Event> {
    run(|key| if key.step.as_str() == "prepare/fill" { 190e6 } else { usual(key) }, 6)
}

/// A finding, an interruption, a resume, a failed step, a failed run.
pub(super) fn broken_run() -> Vec<Event> {
    let plan = plan();
    let schedule = plan.schedule();
    let mut tape = Tape::start();
    tape.push(EventBody::Finding(virtual_disk()));
    for (key, step) in schedule.iter().take(2) {
        tape.execute(step, key.round, usual(key), u32::MAX);
    }
    tape.execute(schedule[2].1, 2, 3_456e6, 2);
    tape.push(EventBody::Interrupted { cause: "Ctrl-C".to_owned() });
    tape.push(EventBody::RunResumed(RunResumed {
        segment: 1,
        resumed: "2026-03-01T11:00:00Z".to_owned(),
        tool: sample_tool(),
        environment: sample_environment(),
        target_state: "the scratch file was gone; it was made and filled again".to_owned(),
        prepared_again: true,
        kept_steps: 2,
    }));
    tape.execute(schedule[0].1, 1, 480e6, u32::MAX);
    tape.execute(schedule[2].1, 2, 3_456e6, u32::MAX);
    let (key, error) = (schedule[3].0.clone(), "the target has gone: is its cable loose?\u{1b}[2J".to_owned());
    tape.push(EventBody::StepStarted { key: key.clone() });
    tape.push(EventBody::StepFailed { key, error });
    tape.end(RunState::Failed, "the target has gone")
}

pub(super) fn virtual_disk() -> Finding {
    Finding {
        code: "virtual_disk".to_owned(),
        severity: Severity::Warning,
        statement: "The target lies on a virtual disk of KVM.".to_owned(),
        answers: false,
        steps: Vec::new(),
        evidence: Vec::new(),
        likely_cause: String::new(),
        next_action: "Do not compare it with a drive.".to_owned(),
    }
}
