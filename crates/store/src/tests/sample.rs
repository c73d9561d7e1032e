//! A small run: a plan of three steps, and what a session would emit for it.

use std::path::{Path, PathBuf};

use drivelab_core::environment::{
    BlockDeviceFacts, Environment, FileSystemFacts, LinkFacts, TargetFacts, TargetKind, TestbedFacts, ToolVersion,
};
use drivelab_core::event::{EVENT_VERSION, Event, EventBody, RunResumed, RunStarted, RunState};
use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::histogram::Histogram;
use drivelab_core::ids::{RunId, StepId, StepKey};
use drivelab_core::listener::Listener;
use drivelab_core::plan::{
    Action, Combine, Form, MethodIdentity, Order, Plan, Repeats, Rest, Rounds, Source, Step, StepRole, StopRule,
    TestPlan,
};
use drivelab_core::probe::{Health, RawPage, TargetIdentity, TargetProbe, WriteOutlook};
use drivelab_core::record::{EngineReport, IntervalRecord, OpRecord, Origin, StepRecord, StopReason};
use drivelab_core::run::RunRecords;
use drivelab_core::target::{DirectIo, GuardDecision};
use drivelab_core::units::{Bytes, Nanos, Percent, QueueDepth, Threads};
use drivelab_core::workload::{DataPattern, Pattern, Span, Streams, Workload};

use crate::{DataDir, NewBundle, Recorder, StoreError};

/// The sample's methodology file.
pub(super) const METHODOLOGY: &str = "# a comment that must survive\nname = \"sample\"\n";
/// When the sample began.
pub(super) const STARTED: &str = "2026-11-21T03:00:00Z";

pub(super) fn tool() -> ToolVersion {
    ToolVersion { version: "0.1.0".to_owned(), commit: "0123abc".to_owned(), profile: "debug".to_owned() }
}

fn workload(queue_depth: u64) -> Workload {
    Workload {
        write_percent: Percent::new(30).unwrap(),
        block_size: Bytes::new(4096),
        pattern: Pattern::Random,
        streams: Streams::Disjoint,
        span: Span { offset: Bytes::new(0), length: Bytes::new(1 << 30) },
        queue_depth: QueueDepth::new(queue_depth).unwrap(),
        threads: Threads::new(1).unwrap(),
        data: DataPattern::Incompressible,
        direct: true,
        seed: 42,
        ..Workload::default()
    }
}

fn step(queue_depth: u64) -> Step {
    let stop = StopRule { time: Some(Nanos::from_secs(4)), ..StopRule::capped(Nanos::from_secs(10)) };
    Step {
        id: StepId::new("depth", &format!("qd{queue_depth}")),
        label: format!("RND 4 KiB Q{queue_depth}T1"),
        role: StepRole::Measure,
        action: Action::Io { workload: workload(queue_depth), stop, ramp: Nanos::new(0) },
        rest: Rest::None {},
        start_below: None,
        axes: Vec::new(),
        approximations: Vec::new(),
        relative: None,
        seeds: Vec::new(),
        estimated_time: Nanos::from_secs(4),
        estimated_written: Bytes::new(1 << 20),
    }
}

pub(super) fn plan() -> Plan {
    Plan {
        methodology: MethodIdentity {
            name: "sample".to_owned(),
            version: "1.0.0".to_owned(),
            hash: "ab".repeat(32),
            compared_hash: None,
        },
        title: "Sample".to_owned(),
        profile: String::new(),
        summary: "For tests.".to_owned(),
        good_for: String::new(),
        cannot_tell: "Anything.".to_owned(),
        form: Form::Quick,
        longest_form: false,
        capacity: Bytes::new(1 << 30),
        tests: vec![TestPlan {
            name: "depth".to_owned(),
            title: "Queue depth".to_owned(),
            purpose: "What does depth buy?".to_owned(),
            steps: vec![step(1), step(2), step(4)],
            rounds: Rounds::Fixed { count: 1 },
            repeats: Repeats::default(),
            order: Order::RoundByRound,
            combine: Combine::Mean,
            sources: vec!["ours".to_owned()],
            state: drivelab_core::drive_state::StateWish::default(),
            published_unit: None,
            recovers_to: None,
            twin: None,
        }],
        sources: vec![Source { id: "ours".to_owned(), citation: "this file".to_owned() }],
        drives: None,
        scores: Vec::new(),
        left_out: Vec::new(),
        limits: Vec::new(),
        headlines: Vec::new(),
        set: Vec::new(),
    }
}

fn device(name: &str, model: Option<&str>) -> BlockDeviceFacts {
    BlockDeviceFacts {
        name: name.to_owned(),
        partition: None,
        model: model.map(str::to_owned),
        serial: Some("SAMPLE-0001".to_owned()),
        firmware: None,
        capacity: Bytes::new(1_000_204_886_016),
        transport: "nvme".to_owned(),
        link: model.map(|_| LinkFacts {
            negotiated: "PCIe 4.0 x4".to_owned(),
            possible: None,
            bytes_per_second: Some(7_876_923_076.923_077),
        }),
        rotational: Some(false),
        logical_block_size: Bytes::new(512),
        physical_block_size: Bytes::new(4096),
        scheduler: Some("none".to_owned()),
        nr_requests: Some(1023),
        write_cache: None,
        virtual_because: None,
        lies_on: Vec::new(),
        passes_on: None,
        encrypts: false,
        request_size: None,
    }
}

pub(super) fn environment() -> Environment {
    let path = PathBuf::from("/mnt/drive/.drivelab-scratch-x");
    let file_system = FileSystemFacts {
        kind: "ext4".to_owned(),
        mount_point: PathBuf::from("/mnt/drive"),
        source: "/dev/mapper/crypt".to_owned(),
        options: "rw,relatime".to_owned(),
        total: Bytes::new(1 << 40),
        free: Bytes::new(1 << 39),
    };
    let direct_io = DirectIo {
        supported: true,
        memory_align: Bytes::new(4),
        offset_align: Bytes::new(512),
        reason: "statx says so".to_owned(),
    };
    Environment {
        ceilings: None,
        watching_cost: None,
        probe: None,
        drive_facts: None,
        condition: None,
        source: None,
        content: None,
        data_sheet: None,
        target: TargetFacts {
            path,
            kind: TargetKind::ScratchFile,
            length: Bytes::new(1 << 30),
            file_system: Some(file_system),
            devices: vec![device("dm-0", None), device("nvme0n1", Some("Sample Drive 1TB"))],
            direct_io,
            used_by: Vec::new(),
            holes: None,
        },
        testbed: TestbedFacts {
            tag: None,
            note: None,
            kernel: "6.12.0".to_owned(),
            cpu_model: Some("Sample CPU \"quoted\"".to_owned()),
            cpus: 8,
            governor: None,
            board: None,
            firmware: None,
            memory: Bytes::new(32 << 30),
            hypervisor: None,
            load_average_1m: 1.0,
            cpu_busy: None,
            cpu_stolen: None,
            foreign_io: Some(0.125),
            host: None,
            unknown: vec!["governor: no cpufreq".to_owned()],
        },
        guard: Some(GuardDecision {
            allowed_because: "made for this run".to_owned(),
            destroy_named: None,
            device: None,
        }),
        bundle_on_same_device: false,
    }
}

/// What the sample's drive reported, with these pages.
pub(super) fn probe(raw: Vec<RawPage>) -> TargetProbe {
    TargetProbe {
        path: PathBuf::from("/dev/nvme0n1"),
        identity: TargetIdentity::default(),
        devices: vec![device("nvme0n1", Some("Sample Drive 1TB"))],
        used_by: Vec::new(),
        writing: WriteOutlook::WithDestroy { id: "Sample".to_owned() },
        health: Health::Good,
        warnings: Vec::new(),
        temperatures: Vec::new(),
        queues: None,
        pcie: None,
        nvme: None,
        ata: None,
        contradictions: Vec::new(),
        not_known: Vec::new(),
        raw,
    }
}

/// Begins a bundle of the sample.
pub(super) fn create(data: &DataDir, run: RunId) -> Result<Recorder, StoreError> {
    create_in(data, run, &environment())
}

/// The same with another environment.
pub(super) fn create_in(data: &DataDir, run: RunId, environment: &Environment) -> Result<Recorder, StoreError> {
    let (tool, plan) = (tool(), plan());
    Recorder::create(
        data,
        &NewBundle { run, started: STARTED, tool: &tool, plan: &plan, environment, methodology_toml: METHODOLOGY },
    )
}

pub(super) fn run_started(run: RunId) -> EventBody {
    EventBody::RunStarted(RunStarted {
        event_version: EVENT_VERSION,
        run,
        started: STARTED.to_owned(),
        tool: tool(),
        plan: plan(),
        environment: environment(),
    })
}

fn operations(seed: u64) -> OpRecord {
    let mut histogram = Histogram::default();
    (0..40).for_each(|n| histogram.record(80_000 + (seed * 977 + n * n * 313) % 50_000));
    OpRecord::new(40, Bytes::new(40 * 4096), 0, histogram.sparse(), Nanos::from_millis(333))
}

pub(super) fn interval(key: &StepKey, index: u32) -> IntervalRecord {
    IntervalRecord {
        key: key.clone(),
        index,
        start_ns: u64::from(index) * 1_000_000_000,
        end_ns: u64::from(index + 1) * 1_000_000_000,
        ramp: false,
        read: operations(u64::from(index)),
        write: OpRecord::default(),
        others: Vec::new(),
        backlog: None,
        stuck: None,
        origin: Origin::Measured,
        condensed: None,
        in_flight_mean: 1.0 / 3.0,
    }
}

/// The record of this execution, always the same.
pub(super) fn step_record(key: &StepKey) -> StepRecord {
    StepRecord {
        key: key.clone(),
        start_ns: 0,
        end_ns: 2_000_000_000,
        stop_reason: StopReason::Time,
        read: operations(key.step.as_str().len() as u64),
        write: OpRecord::default(),
        others: Vec::new(),
        groups: Vec::new(),
        open_loop: None,
        bursts: None,
        verification: None,
        replay: None,
        in_flight_mean: 0.999,
        errors: Vec::new(),
        streams: Vec::new(),
        written_total: Bytes::new(0),
        origin: Origin::Measured,
        engine: EngineReport {
            backend: "sync".to_owned(),
            reason: "asked for".to_owned(),
            refused: Vec::new(),
            direct_verified: true,
            cpu_user: Nanos::new(1),
            cpu_system: Nanos::new(2),
            punted: false,
            mode: None,
            fell_back: None,
            effort: None,
        },
    }
}

fn finding() -> EventBody {
    EventBody::Finding(Finding {
        code: "busy_machine".to_owned(),
        severity: Severity::Warning,
        statement: "The machine is busy.".to_owned(),
        answers: false,
        steps: Vec::new(),
        evidence: vec![Evidence { what: "load".to_owned(), value: 9.1, limit: Some(1.0), unit: "tasks".to_owned() }],
        likely_cause: "another program".to_owned(),
        next_action: "stop it".to_owned(),
    })
}

/// The events of a session from the state of `records` (or from the start) to the end.
pub(super) fn rest_of_run(run: RunId, records: Option<&RunRecords>) -> Vec<EventBody> {
    let mut bodies = match records {
        None => vec![run_started(run), finding()],
        Some(records) => vec![EventBody::RunResumed(RunResumed {
            segment: u32::try_from(records.breaks.len() + 1).unwrap(),
            resumed: STARTED.to_owned(),
            tool: tool(),
            environment: environment(),
            target_state: "still there".to_owned(),
            prepared_again: false,
            kept_steps: u32::try_from(records.steps.len()).unwrap(),
        })],
    };
    for (key, _) in plan().schedule() {
        if records.is_some_and(|records| records.is_finished(&key)) {
            continue;
        }
        bodies.push(EventBody::StepStarted { key: key.clone() });
        bodies.extend((0..2).map(|index| EventBody::Interval(interval(&key, index))));
        bodies.push(EventBody::StepEnded(step_record(&key)));
    }
    bodies.push(EventBody::RunEnded { state: RunState::Complete, message: String::new() });
    bodies
}

pub(super) fn numbered(first: u64, bodies: Vec<EventBody>) -> Vec<Event> {
    let numbers = first..;
    numbers.zip(bodies).map(|(seq, event)| Event { seq, at_ns: seq * 1000, event }).collect()
}

/// All events of an undisturbed run.
pub(super) fn whole_run(run: RunId) -> Vec<Event> {
    numbered(0, rest_of_run(run, None))
}

/// Records the first `count` events of the sample and drops the recorder without an end, like a kill after a flush.
pub(super) fn record_part(data: &DataDir, run: RunId, count: usize) -> Vec<Event> {
    let events: Vec<Event> = whole_run(run).into_iter().take(count).collect();
    let mut recorder = create(data, run).unwrap();
    events.iter().for_each(|event| recorder.event(event).unwrap());
    events
}

/// Continues a run to its end, as a session would.
pub(super) fn go_on(data: &DataDir, run: RunId) {
    let (mut recorder, records) = Recorder::resume(data, run).unwrap();
    let events = numbered(records.last_seq + 1, rest_of_run(run, Some(&records)));
    events.iter().for_each(|event| recorder.event(event).unwrap());
    recorder.finish().unwrap();
}

/// A data folder that is removed after the test.
pub(super) fn data() -> (tempfile::TempDir, DataDir) {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::open(&folder.path().join("data")).unwrap();
    (folder, data)
}

/// The first segment of a run.
pub(super) fn segment_zero(bundle: &Path) -> PathBuf {
    bundle.join("events/0000.jsonl.zst")
}
