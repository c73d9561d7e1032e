//! What is read equals what was recorded, for any values.

use std::time::Duration;

use drivelab_core::environment::Environment;
use drivelab_core::event::{Event, EventBody, RunState};
use drivelab_core::group::{CoreTime, Group, GroupRole, GroupRun, HostCpu};
use drivelab_core::histogram::{LatencySummary, SparseHistogram};
use drivelab_core::ids::{RunId, StepId, StepKey};
use drivelab_core::listener::Listener;
use drivelab_core::load::OpKind;
use drivelab_core::probe::RawPage;
use drivelab_core::record::{IntervalRecord, IoError, OpRecord, Origin, StreamExtent};
use drivelab_core::telemetry::{Gap, GapCause, Sample, SourceSamples, TelemetryBatch};
use drivelab_core::units::{Bytes, BytesPerSecond, Nanos};
use proptest::prelude::*;
use serde_json::json;

use super::sample;
use crate::{Bundle, Recorder, StoreError, StoreErrorKind, frame, write_note};

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |value| value.is_finite())
}

fn histogram() -> impl Strategy<Value = SparseHistogram> {
    let buckets = prop::collection::vec((any::<u32>(), any::<u64>()), 0..20);
    (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), buckets).prop_map(|(count, sum, min, max, buckets)| {
        SparseHistogram { count, sum: Nanos::new(sum), min: Nanos::new(min), max: Nanos::new(max), buckets }
    })
}

fn latency() -> impl Strategy<Value = LatencySummary> {
    (finite(), any::<[Option<u64>; 3]>(), any::<u64>()).prop_map(|(mean_ns, percentiles, max)| {
        let ([p50, p99, p999], max) = (percentiles.map(|time| time.map(Nanos::new)), Nanos::new(max));
        LatencySummary { mean_ns, p50, p99, p999, max }
    })
}

fn operations() -> impl Strategy<Value = OpRecord> {
    (any::<[u64; 3]>(), finite(), prop::option::of(finite()), prop::option::of(latency()), histogram()).prop_map(
        |([count, bytes, errors], iops, throughput, latency, histogram)| OpRecord {
            count,
            bytes: Bytes::new(bytes),
            errors,
            iops,
            throughput: throughput.map(BytesPerSecond::new),
            latency,
            histogram,
            response: None,
            sizes: Vec::new(),
        },
    )
}

fn key() -> impl Strategy<Value = StepKey> {
    ("\\PC{0,12}", any::<u32>()).prop_map(|(slug, round)| StepKey { step: StepId::new("any", &slug), round })
}

fn interval() -> impl Strategy<Value = EventBody> {
    (key(), any::<u32>(), any::<[u64; 2]>(), any::<bool>(), operations(), operations(), finite()).prop_map(
        |(key, index, [start_ns, end_ns], ramp, read, write, in_flight_mean)| {
            EventBody::Interval(IntervalRecord {
                key,
                index,
                start_ns,
                end_ns,
                ramp,
                read,
                write,
                others: Vec::new(),
                backlog: None,
                stuck: None,
                origin: Origin::Measured,
                condensed: None,
                in_flight_mean,
            })
        },
    )
}

fn step_ended() -> impl Strategy<Value = EventBody> {
    let error = (any::<[u64; 3]>(), any::<bool>(), any::<i32>()).prop_map(|([at_ns, offset, length], write, errno)| {
        let op = if write { OpKind::Write } else { OpKind::Read };
        IoError { at_ns, op, offset, length: Bytes::new(length), errno }
    });
    let stream = (any::<u32>(), any::<[u64; 2]>()).prop_map(|(thread, [lowest, highest_end])| StreamExtent {
        thread,
        lowest,
        highest_end,
    });
    let lists = (prop::collection::vec(error, 0..4), prop::collection::vec(stream, 0..4));
    (key(), any::<[u64; 3]>(), operations(), operations(), finite(), lists, "\\PC{0,20}").prop_map(
        |(key, [start_ns, end_ns, written], read, write, in_flight_mean, (errors, streams), reason)| {
            let mut record = sample::step_record(&key);
            (record.start_ns, record.end_ns, record.written_total) = (start_ns, end_ns, Bytes::new(written));
            (record.read, record.write, record.in_flight_mean) = (read, write, in_flight_mean);
            (record.errors, record.streams, record.engine.reason) = (errors, streams, reason);
            EventBody::StepEnded(record)
        },
    )
}

fn telemetry() -> impl Strategy<Value = EventBody> {
    let values = prop::collection::vec(prop::option::of(finite()), 0..4);
    let sample = (any::<[u64; 2]>(), values).prop_map(|([at_ns, read_ns], values)| Sample { at_ns, read_ns, values });
    let cause = prop_oneof![
        Just(GapCause::Quiet),
        Just(GapCause::Late),
        Just(GapCause::Lost),
        "\\PC{0,20}".prop_map(GapCause::Failed)
    ];
    let gap = (any::<[u64; 2]>(), cause).prop_map(|([from_ns, to_ns], cause)| Gap { from_ns, to_ns, cause });
    let lists = (prop::collection::vec(sample, 0..4), prop::collection::vec(gap, 0..3));
    let source = (any::<u32>(), lists).prop_map(|(source, (samples, gaps))| SourceSamples { source, samples, gaps });
    (any::<u64>(), prop::collection::vec(source, 0..3))
        .prop_map(|(cpu, sources)| EventBody::Telemetry(TelemetryBatch { cpu: Nanos::new(cpu), sources }))
}

/// A page of a drive as a run records it.
fn page() -> impl Strategy<Value = RawPage> {
    ("\\PC{1,20}", prop::collection::vec(any::<u8>(), 0..600), any::<u16>()).prop_map(|(name, bytes, zeros)| RawPage {
        name,
        hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        length: u32::try_from(bytes.len()).unwrap() + u32::from(zeros),
    })
}

fn body() -> impl Strategy<Value = EventBody> {
    prop_oneof![
        4 => interval(),
        2 => step_ended(),
        1 => (key(), "\\PC{0,40}").prop_map(|(key, error)| EventBody::StepFailed { key, error }),
        1 => (key(), any::<u64>()).prop_map(|(key, until_ns)| EventBody::RestStarted { key, until_ns }),
        1 => key().prop_map(|key| EventBody::IdleEnded { key }),
        1 => "\\PC{0,40}".prop_map(|cause| EventBody::Interrupted { cause }),
        2 => telemetry(),
        1 => any::<(bool, u32)>().prop_map(|(alone, drive)| {
            let role = if alone { GroupRole::Alone } else { GroupRole::Together };
            EventBody::InGroup(Group { role, drive, runs: vec![GroupRun { run: RunId::now(), role, drive }] })
        }),
        1 => (key(), any::<[u64; 4]>(), any::<u32>()).prop_map(|(key, [from_ns, to_ns, user_ms, idle_ms], cpu)| {
            let cores = vec![CoreTime { cpu, user_ms, idle_ms, ..CoreTime::default() }];
            EventBody::HostCpu(HostCpu { key, from_ns, to_ns, cores })
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_events_come_back_as_they_were(bodies in prop::collection::vec(body(), 0..12), sealed: bool) {
        let (_folder, data) = sample::data();
        let run = RunId::now();
        let mut all = vec![sample::run_started(run)];
        all.extend(bodies);
        if sealed {
            all.push(EventBody::RunEnded { state: RunState::Failed, message: "x".to_owned() });
        }
        let events = sample::numbered(0, all);
        let mut recorder = sample::create(&data, run).unwrap();
        events.iter().for_each(|event| recorder.event(event).unwrap());
        recorder.finish().unwrap();
        let bundle = Bundle::open(&data.bundle_path(run)).unwrap();
        prop_assert_eq!(bundle.events().unwrap(), events);
        prop_assert_eq!(bundle.state(), if sealed { RunState::Failed } else { RunState::Interrupted });
        bundle.verify().unwrap();
    }

    #[test]
    fn pages_of_the_drive_come_back_to_the_byte(raw in prop::collection::vec(page(), 1..5)) {
        let (_folder, data) = sample::data();
        let run = RunId::now();
        let probe = sample::probe(raw.clone());
        let environment = Environment { probe: Some(Box::new(probe)), ..sample::environment() };
        let mut started = sample::run_started(run);
        if let EventBody::RunStarted(started) = &mut started {
            started.environment = environment.clone();
        }
        let started = sample::numbered(0, vec![started]).remove(0);
        let mut recorder = sample::create_in(&data, run, &environment).unwrap();
        recorder.event(&started).unwrap();
        recorder.finish().unwrap();
        let path = data.bundle_path(run);
        let pages = || Bundle::open(&path).unwrap().records().unwrap().environment.probe.unwrap().raw;
        prop_assert_eq!(&Bundle::open(&path).unwrap().events().unwrap()[0], &started);
        prop_assert_eq!(pages(), raw.clone());
        // A run that lost its first frame gets them from the readable copies.
        std::fs::write(sample::segment_zero(&path), b"").unwrap();
        prop_assert_eq!(pages(), raw);
    }

    #[test]
    fn frames_come_back_as_they_were(number: u32, records: u32, plain in prop::collection::vec(any::<u8>(), 0..3000)) {
        let bytes = frame::encode(number, records, &plain).unwrap();
        let frame = frame::decode(&bytes, 0, Some(number)).unwrap();
        prop_assert_eq!((frame.records, frame.end), (records, bytes.len()));
        prop_assert_eq!(frame.plain, plain);
    }
}

#[test]
fn a_whole_run_is_sealed_and_its_copies_are_exact() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let events = sample::record_part(&data, run, usize::MAX);
    let bundle = Bundle::open(&data.bundle_path(run)).unwrap();
    bundle.verify().unwrap();
    assert_eq!(bundle.events().unwrap(), events);
    assert_eq!(bundle.methodology_toml().unwrap(), sample::METHODOLOGY);
    let records = bundle.records().unwrap();
    assert_eq!((records.state, records.steps.len()), (RunState::Complete, 3));
    assert_eq!(bundle.manifest().drive.as_deref(), Some("Sample Drive 1TB"));
    assert_eq!((bundle.manifest().steps_total, bundle.seal().unwrap().steps_done), (3, 3));
    assert!(!bundle.is_live(), "the recorder lets go after the seal");
    // The readable copies are equal to the first event.
    assert_eq!(bundle.first_event().unwrap(), events[0]);
    let error = Recorder::resume(&data, run).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Sealed);
}

#[test]
fn ordinary_zstd_reads_a_segment_as_json_lines() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let events = sample::record_part(&data, run, usize::MAX);
    let file = std::fs::File::open(sample::segment_zero(&data.bundle_path(run))).unwrap();
    let text = String::from_utf8(zstd::stream::decode_all(file).unwrap()).unwrap();
    let lines: Vec<Event> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, events);
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let events = sample::record_part(&data, run, 3);
    let (mut recorder, _) = Recorder::resume(&data, run).unwrap();
    let key = StepKey { step: StepId::new("depth", "qd1"), round: 1 };
    let mut interval = sample::interval(&key, 0);
    interval.in_flight_mean = f64::NAN;
    let error = recorder.event(&Event { seq: 3, at_ns: 0, event: EventBody::Interval(interval) }).unwrap_err();
    assert!(error.message.contains("event 3") && error.message.contains("in_flight_mean"), "{error}");
    let error = recorder.event(&Event { seq: 4, at_ns: 0, event: events[2].event.clone() }).unwrap_err();
    assert!(error.message.contains("event 3 comes next"), "{error}");
    recorder.event(&Event { seq: 3, at_ns: 0, event: events[2].event.clone() }).unwrap();
    recorder.finish().unwrap();
    assert_eq!(Bundle::open(&data.bundle_path(run)).unwrap().events().unwrap().len(), 4);
}

/// A frame may be as large as the largest event: events that wait with it get a frame of their own.
#[test]
fn the_largest_event_does_not_make_a_frame_that_nobody_can_read() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let mut events = sample::record_part(&data, run, 3);
    let (mut recorder, _) = Recorder::resume(&data, run).unwrap();
    let key = StepKey { step: StepId::new("depth", "qd1"), round: 1 };
    let interval = EventBody::Interval(sample::interval(&key, 0));
    let large = EventBody::Interrupted { cause: "x".repeat(frame::MAX_PLAIN - 200) };
    let more = sample::numbered(3, vec![interval, large]);
    more.iter().for_each(|event| recorder.event(event).unwrap());
    recorder.finish().unwrap();
    events.extend(more);
    let read = Bundle::open(&data.bundle_path(run)).unwrap().events().unwrap();
    assert!(read == events, "{} events of {}", read.len(), events.len());
}

#[test]
fn waiting_intervals_are_written_when_nothing_else_happens() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let events = sample::whole_run(run);
    let mut recorder = sample::create(&data, run).unwrap();
    events[..4].iter().for_each(|event| recorder.event(event).unwrap());
    let recorded = || Bundle::open(&data.bundle_path(run)).unwrap().events().unwrap().len();
    assert!(recorded() < 4, "the interval waits for its frame");
    while recorded() < 4 {
        std::thread::sleep(Duration::from_millis(50));
        recorder.idle().unwrap();
    }
}

#[test]
fn no_fsync_happens_between_the_start_and_the_end_of_a_step() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let mut recorder = sample::create(&data, run).unwrap();
    assert!(super::crash::syncs() > 0, "a new bundle is made durable");
    let mut in_step = false;
    for event in sample::whole_run(run) {
        recorder.event(&event).unwrap();
        // Long enough that the frame of the waiting intervals is due.
        if matches!(event.event, EventBody::Interval(_)) {
            std::thread::sleep(Duration::from_millis(550));
            recorder.idle().unwrap();
        }
        in_step = match &event.event {
            EventBody::StepStarted { .. } => true,
            EventBody::Interval(_) => in_step,
            _ => false,
        };
        let syncs = super::crash::syncs();
        assert_eq!(syncs == 0, in_step, "{syncs} fsyncs with event {}", event.seq);
    }
}

#[test]
fn notes_live_beside_the_run_and_outlive_the_seal() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let claim = json!({"path": "/x", "inode": 7});
    write_note(&data, run, "scratch", &claim).unwrap();
    write_note(&data, run, "given-back", &claim).unwrap();
    write_note(&data, run, "given-back", &json!(null)).unwrap();
    sample::record_part(&data, run, usize::MAX);
    let bundle = Bundle::open(&data.bundle_path(run)).unwrap();
    assert_eq!((bundle.note("scratch"), bundle.note("given-back")), (Some(claim), None));
    let error = write_note(&data, run, "scratch", &json!(null)).unwrap_err();
    assert!(matches!(error, StoreError::Sealed { .. }), "what the seal covers stays: {error}");
    write_note(&data, run, "later", &json!(1)).unwrap();
    bundle.verify().unwrap();
    let error = write_note(&data, run, "../manifest", &json!(1)).unwrap_err();
    assert!(error.to_string().contains("lower-case"), "{error}");
}
