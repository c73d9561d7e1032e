//! The fold: which records of an execution that begins again are dropped, and which are kept.

use serde_json::json;

use super::*;
use crate::event::RunStarted;
use crate::ids::StepId;
use crate::record::{EngineReport, Origin};
use crate::units::{Bytes, Nanos};

/// The first event, as it is read from a recording.
fn started() -> EventBody {
    let start: RunStarted = serde_json::from_value(json!({
        "event_version": 1,
        "run": RunId::now(),
        "started": "2026-01-01T00:00:00Z",
        "tool": {"version": "0.1.0", "commit": "none", "profile": "debug"},
        "plan": {
            "methodology": {"name": "example", "version": "1.0.0", "hash": "0"},
            "title": "Example", "summary": "None.", "form": "quick", "capacity": 4096, "tests": [], "sources": [],
        },
        "environment": {
            "target": {
                "path": "/target", "kind": "scratch_file", "length": 4096,
                "file_system": {
                    "kind": "ext4", "mount_point": "/", "source": "/dev/sda", "options": "rw", "total": 1, "free": 1,
                },
                "devices": [],
                "direct_io": {"supported": true, "memory_align": 512, "offset_align": 512, "reason": "a test"},
            },
            "testbed": {"kernel": "6", "cpus": 2, "memory": 1, "load_average_1m": 0.0, "unknown": []},
            "guard": {"allowed_because": "a test", "destroy_named": null},
            "bundle_on_same_device": false,
        },
    }))
    .unwrap();
    EventBody::RunStarted(start)
}

fn key(name: &str) -> StepKey {
    StepKey { step: StepId::new("test", name), round: 1 }
}

fn begins(name: &str) -> EventBody {
    EventBody::StepStarted { key: key(name) }
}

fn interval(name: &str, index: u32) -> EventBody {
    let (read, write) = (crate::record::OpRecord::default(), crate::record::OpRecord::default());
    let (start_ns, end_ns) = (0, 1);
    let key = key(name);
    EventBody::Interval(IntervalRecord {
        key,
        index,
        start_ns,
        end_ns,
        ramp: false,
        read,
        write,
        others: Vec::new(),
        backlog: None,
        stuck: None,
        origin: Origin::Measured,
        condensed: None,
        in_flight_mean: 1.0,
    })
}

/// `written` distinguishes the attempts.
fn ends(name: &str, stop_reason: StopReason, written: u64) -> EventBody {
    EventBody::StepEnded(StepRecord {
        key: key(name),
        start_ns: 0,
        end_ns: 1,
        stop_reason,
        read: crate::record::OpRecord::default(),
        write: crate::record::OpRecord::default(),
        others: Vec::new(),
        groups: Vec::new(),
        open_loop: None,
        bursts: None,
        verification: None,
        replay: None,
        in_flight_mean: 1.0,
        errors: Vec::new(),
        streams: Vec::new(),
        written_total: Bytes::new(written),
        origin: Origin::Measured,
        engine: EngineReport {
            backend: "sync".to_owned(),
            reason: "a test".to_owned(),
            refused: Vec::new(),
            direct_verified: true,
            cpu_user: Nanos::new(0),
            cpu_system: Nanos::new(0),
            punted: false,
            mode: None,
            fell_back: None,
            effort: None,
        },
    })
}

fn resumed() -> EventBody {
    let EventBody::RunStarted(start) = started() else { unreachable!("made above") };
    EventBody::RunResumed(RunResumed {
        segment: 1,
        resumed: start.started,
        tool: start.tool,
        environment: start.environment,
        target_state: "made again".to_owned(),
        prepared_again: true,
        kept_steps: 1,
    })
}

fn fold(bodies: Vec<EventBody>) -> RunRecords {
    let events = (0..).zip(bodies).map(|(seq, event)| Event { seq, at_ns: seq, event });
    RunRecords::from_events(events).unwrap()
}

/// (step, index) of all intervals kept.
fn intervals(records: &RunRecords) -> Vec<(&str, u32)> {
    records.intervals.iter().map(|interval| (interval.key.step.slug(), interval.index)).collect()
}

#[test]
fn a_repeated_preparation_counts_once_and_leaves_the_others_alone() {
    let records = fold(vec![
        started(),
        begins("fill"),
        interval("fill", 0),
        interval("fill", 1),
        ends("fill", StopReason::Volume, 1),
        begins("read"),
        interval("read", 0),
        ends("read", StopReason::Time, 2),
        begins("write"),
        interval("write", 0),
        resumed(),
        begins("fill"),
        interval("fill", 0),
        ends("fill", StopReason::Volume, 3),
        begins("write"),
        interval("write", 0),
        interval("write", 1),
        ends("write", StopReason::Time, 4),
    ]);
    assert_eq!(intervals(&records), [("read", 0), ("fill", 0), ("write", 0), ("write", 1)]);
    let kept: Vec<(&str, u64)> =
        records.steps.iter().map(|record| (record.key.step.slug(), record.written_total.get())).collect();
    assert_eq!(kept, [("read", 2), ("fill", 3), ("write", 4)]);
    assert_eq!((records.finished_count(), records.unfinished()), (3, None));
}

#[test]
fn an_execution_that_was_stopped_or_failed_is_forgotten_when_it_begins_again() {
    let before = vec![
        started(),
        begins("read"),
        interval("read", 0),
        ends("read", StopReason::Stopped, 1),
        begins("write"),
        EventBody::StepFailed { key: key("write"), error: "no".to_owned() },
        begins("idle"),
        EventBody::IdleEnded { key: key("idle") },
        EventBody::Interrupted { cause: "a test".to_owned() },
    ];
    let records = fold(before.clone());
    assert_eq!((records.steps.len(), records.failed_steps.len(), records.idle_done.len()), (1, 1, 1));
    assert_eq!((records.finished_count(), intervals(&records).len()), (1, 1));
    let again = [resumed(), begins("read"), begins("write"), begins("idle")];
    let records = fold(before.into_iter().chain(again).collect());
    assert_eq!((records.steps.len(), records.failed_steps.len(), records.idle_done.len()), (0, 0, 0));
    assert_eq!((intervals(&records).len(), records.unfinished()), (0, Some(&key("idle"))));
}

#[test]
fn the_last_verdict_on_a_test_counts() {
    let verdict = |test: &str, reached, last_round| {
        let (first_round, range_percent, slope_percent) = (last_round - 4, 1.0, 1.0);
        Steadiness { test: test.to_owned(), reached, first_round, last_round, range_percent, slope_percent }
    };
    let (first, other, second) =
        (verdict("prepare", false, 8), verdict("writes", true, 5), verdict("prepare", true, 6));
    let judged = [&first, &other].map(|verdict| EventBody::Steadiness(verdict.clone()));
    let before = [vec![started()], judged.to_vec()].concat();
    assert_eq!(fold(before.clone()).steadiness, [first, other.clone()]);
    let repeated = [before, vec![resumed(), EventBody::Steadiness(second.clone())]].concat();
    assert_eq!(fold(repeated).steadiness, [other, second]);
}

#[test]
fn a_wait_belongs_to_the_try_that_it_stands_before() {
    let waits = |celsius: f64| {
        let (key, below_c, reached) = (key("read"), 40, celsius < 40.0);
        let from = EventBody::CoolDownStarted { key: key.clone(), below_c, celsius: 70.0, until_ns: 9 };
        [from, EventBody::CoolDownEnded { key, celsius: Some(celsius), reached }]
    };
    let warm = |bodies: Vec<EventBody>| -> Vec<Option<f64>> {
        fold(bodies).cool_downs.iter().map(|wait| wait.celsius).collect()
    };
    let stopped = [vec![started()], waits(60.0).to_vec(), vec![begins("read"), interval("read", 0)]].concat();
    assert_eq!(warm(stopped.clone()), [Some(60.0)]);
    // Hours later the drive is cool, and no wait is needed.
    let cool = [stopped.clone(), vec![resumed(), begins("read")]].concat();
    assert_eq!(warm(cool), []);
    let cooled = [stopped.clone(), vec![resumed()], waits(39.0).to_vec(), vec![begins("read")]].concat();
    assert_eq!(warm(cooled), [Some(39.0)]);
    let other = [stopped, vec![ends("read", StopReason::Time, 1), begins("write"), begins("write")]].concat();
    assert_eq!(warm(other), [Some(60.0)], "of another execution");
}
