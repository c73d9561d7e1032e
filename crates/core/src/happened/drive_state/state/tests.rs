//! States worked out by hand: how loads change them, when a preparation is still valid, when another program wrote.

use serde_json::json;

use super::*;
use crate::ids::StepId;
use crate::plan::{Rest, StopRule};
use crate::units::Percent;

const GIB: u64 = 1 << 30;

fn bytes(gib: u64) -> Bytes {
    Bytes::new(gib * GIB)
}

/// A load over a part of 16 GiB.
fn load(op: OpKind, pattern: Pattern, from: u64, length: u64) -> Workload {
    let all = Percent::new(100).expect("a share");
    let mut load =
        Workload { pattern, span: Span { offset: bytes(from), length: bytes(length) }, ..Workload::default() };
    match op {
        OpKind::Trim => load.other.trim_percent = all,
        _ => load.write_percent = all,
    }
    load
}

fn step(workload: Workload, passes: u32) -> Step {
    let stop = StopRule { passes: Some(passes), ..StopRule::capped(Nanos::from_secs(1)) };
    Step {
        id: StepId::new("prepare", "fill"),
        label: String::new(),
        role: StepRole::Prepare,
        action: Action::Io { workload, stop, ramp: Nanos::new(0) },
        rest: Rest::None {},
        start_below: None,
        axes: Vec::new(),
        approximations: Vec::new(),
        relative: None,
        seeds: Vec::new(),
        estimated_time: Nanos::new(0),
        estimated_written: Bytes::new(0),
    }
}

/// A record of an execution that wrote and trimmed this many bytes.
fn record(round: u32, written: Bytes, trimmed: Bytes) -> StepRecord {
    let op = |bytes: Bytes| {
        json!({"count": 1, "bytes": bytes, "errors": 0, "iops": 0.0, "throughput": 0.0,
        "latency": null, "histogram": crate::histogram::SparseHistogram::default()})
    };
    serde_json::from_value(json!({
        "key": StepKey { step: StepId::new("prepare", "fill"), round },
        "start_ns": 0, "end_ns": 1, "stop_reason": "passes",
        "read": op(Bytes::new(0)), "write": op(written), "others": [{"op": "trim", "record": op(trimmed)}],
        "in_flight_mean": 1.0, "errors": [], "streams": [], "written_total": written,
        "engine": {"backend": "x", "reason": "", "refused": [], "direct_verified": true, "cpu_user": 0,
            "cpu_system": 0, "punted": false},
    }))
    .expect("a record")
}

fn wrote(state: &mut DriveState, workload: Workload, gib: u64) {
    state.after(&step(workload, 1), &record(1, bytes(gib), Bytes::new(0)));
}

fn trimmed(state: &mut DriveState, workload: Workload, gib: u64) {
    state.after(&step(workload, 1), &record(1, Bytes::new(0), bytes(gib)));
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6, "{value}, not {expected}");
}

#[test]
fn half_a_fill_and_a_random_pass_cover_what_chance_leaves() {
    let mut state = DriveState::empty(bytes(16));
    wrote(&mut state, load(OpKind::Write, Pattern::Sequential, 0, 8), 8);
    near(state.fill(), 0.5);
    // One pass of random writes over everything misses 1/e of the other half.
    wrote(&mut state, load(OpKind::Write, Pattern::Random, 0, 16), 16);
    near(state.fill(), 0.5 + 0.5 * (1.0 - (-1.0_f64).exp()));
    assert_eq!((state.written, state.pieces.len()), (Some(bytes(24)), 2));
    let last = state.last.expect("a load");
    assert_eq!((last.pattern, last.moved, last.block_size), (Pattern::Random, bytes(16), Bytes::new(4096)));
    // The same again as a later round: the same places.
    let again = step(load(OpKind::Write, Pattern::Random, 0, 16), 1);
    let again = Step { role: StepRole::Measure, ..again };
    let before = state.fill();
    state.after(&again, &record(2, bytes(16), Bytes::new(0)));
    near(state.fill(), before);
    assert_eq!(state.last.map(|last| last.moved), Some(bytes(32)), "the same load went on");
}

#[test]
fn a_sequential_load_that_begins_again_covers_nothing_new() {
    let mut state = DriveState::empty(bytes(16));
    for _ in 0..3 {
        wrote(&mut state, load(OpKind::Write, Pattern::Sequential, 0, 16), 4);
    }
    near(state.fill(), 0.25);
    assert_eq!(state.written, Some(bytes(12)));
}

#[test]
fn a_discard_of_everything_begins_a_new_account_and_one_of_a_part_does_not() {
    let mut state = DriveState::unknown(bytes(16), "never seen");
    wrote(&mut state, load(OpKind::Write, Pattern::Sequential, 0, 16), 16);
    near(state.fill(), 1.0);
    assert_eq!((state.written, state.unknown.is_some()), (None, true));
    trimmed(&mut state, load(OpKind::Trim, Pattern::Sequential, 0, 4), 4);
    near(state.fill(), 0.75);
    assert_eq!(state.written, None);
    trimmed(&mut state, load(OpKind::Trim, Pattern::Sequential, 0, 16), 16);
    assert_eq!((state.fill(), state.written, state.unknown.clone()), (0.0, Some(Bytes::new(0)), None));
    assert_eq!(state.last.map(|last| last.op), Some(OpKind::Trim));
}

#[test]
fn discards_of_all_parts_are_a_discard_of_everything() {
    let mut state = DriveState::unknown(bytes(16), "nobody asked");
    trimmed(&mut state, load(OpKind::Trim, Pattern::Sequential, 0, 12), 12);
    assert_eq!(state.written, None, "a quarter is missing");
    trimmed(&mut state, load(OpKind::Trim, Pattern::Sequential, 12, 4), 4);
    assert_eq!((state.written, state.fill()), (Some(Bytes::new(0)), 0.0));
}

#[test]
fn hot_places_and_jumps_are_bytes_but_no_cover() {
    let mut state = DriveState::empty(bytes(16));
    let mut skewed = load(OpKind::Write, Pattern::Sequential, 0, 16);
    skewed.seek_percent = Percent::new(5).expect("a share");
    wrote(&mut state, skewed, 32);
    assert_eq!(state.written, Some(bytes(32)));
    assert!(state.fill() > 0.0 && state.fill() < 1e-6, "one block at least: {}", state.fill());
}

#[test]
fn a_preparation_holds_until_anything_else_is_written() {
    let fill = step(load(OpKind::Write, Pattern::Sequential, 0, 16), 2);
    let discard = step(load(OpKind::Trim, Pattern::Sequential, 0, 16), 1);
    let both = [discard, fill];
    let mut state = DriveState::empty(bytes(16));
    assert!(state.lacks(&both).is_some_and(|why| why.contains("nothing was written")));
    wrote(&mut state, load(OpKind::Write, Pattern::Sequential, 0, 16), 16);
    assert!(state.lacks(&both).is_some_and(|why| why.contains("shorter")), "{:?}", state.lacks(&both));
    wrote(&mut state, load(OpKind::Write, Pattern::Sequential, 0, 16), 16);
    assert_eq!(state.lacks(&both), None);
    // Twice what the discard allows.
    let mut more = state.clone();
    wrote(&mut more, load(OpKind::Write, Pattern::Sequential, 0, 16), 16);
    assert!(more.lacks(&both).is_some_and(|why| why.contains("more was written")), "{:?}", more.lacks(&both));
    assert_eq!(more.lacks(&both[1..]), None, "without the discard it is only a longer fill");
    wrote(&mut state, load(OpKind::Write, Pattern::Random, 0, 16), 1);
    assert!(state.lacks(&both).is_some_and(|why| why.contains("a different one: random writes of 4 KiB over 16 GiB")));
    state.forget("somebody wrote");
    assert!(state.lacks(&both).is_some_and(|why| why.contains("somebody wrote")));
}

#[test]
fn random_writes_hold_only_over_a_full_span() {
    let steps = [
        step(load(OpKind::Write, Pattern::Sequential, 0, 16), 1),
        step(load(OpKind::Write, Pattern::Random, 0, 16), 1),
    ];
    let mut state = DriveState::empty(bytes(16));
    wrote(&mut state, load(OpKind::Write, Pattern::Random, 0, 16), 16);
    assert!(state.lacks(&steps).is_some_and(|why| why.contains("only 63 %")), "{:?}", state.lacks(&steps));
    wrote(&mut state, load(OpKind::Write, Pattern::Sequential, 0, 16), 16);
    wrote(&mut state, load(OpKind::Write, Pattern::Random, 0, 16), 16);
    assert_eq!(state.lacks(&steps), None);
}

#[test]
fn needs_that_are_not_met_are_named_one_by_one() {
    let needs = StateNeeds {
        fill: Some(100),
        empty: false,
        pattern: Some(Pattern::Random),
        block_size: Some(Bytes::new(4096)),
        idle: Some(Nanos::from_secs(60)),
        media_writes: false,
        temperature: false,
    };
    let mut state = DriveState::empty(bytes(16));
    let all = [Span { offset: bytes(0), length: bytes(16) }];
    assert_eq!(state.unmet(&needs, &all).len(), 4);
    wrote(&mut state, load(OpKind::Write, Pattern::Sequential, 0, 16), 16);
    wrote(&mut state, load(OpKind::Write, Pattern::Random, 0, 16), 1);
    assert_eq!(state.unmet(&needs, &all), ["nothing should have been written for 60 s; time since last write: 0 s"]);
    state.idle = Some(Nanos::from_secs(61));
    assert!(state.unmet(&needs, &all).is_empty());
    let empty = StateNeeds { empty: true, ..StateNeeds::default() };
    assert!(state.unmet(&empty, &all)[0].ends_with("some of it was"), "{:?}", state.unmet(&empty, &all));
    let mut half = DriveState::empty(bytes(16));
    wrote(&mut half, load(OpKind::Write, Pattern::Sequential, 0, 8), 8);
    let behind = [Span { offset: bytes(8), length: bytes(8) }];
    assert_eq!((half.unmet(&empty, &all).len(), half.unmet(&empty, &behind).len()), (1, 0));
    let mut emptied = DriveState::unknown(bytes(16), "never seen");
    trimmed(&mut emptied, load(OpKind::Trim, Pattern::Sequential, 0, 8), 4);
    assert_eq!(emptied.unmet(&empty, &[load(OpKind::Trim, Pattern::Sequential, 0, 8).span]).len(), 1, "half of it");
    trimmed(&mut emptied, load(OpKind::Trim, Pattern::Sequential, 0, 8), 8);
    let first = [load(OpKind::Trim, Pattern::Sequential, 0, 8).span];
    assert_eq!((emptied.unmet(&empty, &first).len(), emptied.unmet(&empty, &behind).len()), (0, 1));
    wrote(&mut emptied, load(OpKind::Write, Pattern::Random, 0, 8), 1);
    assert_eq!(emptied.unmet(&empty, &first).len(), 1);
    half.forget("somebody wrote");
    assert!(half.unmet(&empty, &behind)[0].ends_with("somebody wrote"));
}

#[test]
fn counters_that_moved_more_than_we_wrote_are_somebody_else() {
    let at = |written, discarded| HostCounters { written: Bytes::new(written), discarded: Bytes::new(discarded) };
    let (before, own) = (at(1000, 50), at(500, 0));
    assert_eq!(at(1500, 50).foreign(before, own, Bytes::new(0)), None);
    assert_eq!(at(1564, 50).foreign(before, own, Bytes::new(64)), None, "as much as was under way");
    assert_eq!(at(1565, 50).foreign(before, own, Bytes::new(64)), Some(at(1, 0)));
    assert_eq!(at(1500, 90).foreign(before, own, Bytes::new(0)), Some(at(0, 40)));
    assert_eq!(at(10, 0).foreign(before, own, Bytes::new(0)), None, "counted anew since");
}

#[test]
fn an_account_that_an_earlier_version_kept_is_read() {
    let kept = json!({"length": 4096, "written": 4096, "celsius": 41.5, "idle": 5});
    let expected = DriveState {
        written: Some(Bytes::new(4096)),
        idle: Some(Nanos::new(5)),
        ..DriveState::empty(Bytes::new(4096))
    };
    assert_eq!(serde_json::from_value::<DriveState>(kept).expect("a state"), expected, "a temperature is left out");
}

#[test]
fn pieces_stay_few() {
    let mut state = DriveState::empty(Bytes::new(1000 * GIB));
    for at in 0..200 {
        wrote(&mut state, load(OpKind::Write, Pattern::Sequential, at * 4, 2), 2);
    }
    assert_eq!(state.pieces.len(), MOST_PIECES);
    near(state.fill(), 0.4);
}

#[test]
fn what_cannot_be_compared_with_the_counters_is_not() {
    let direct = step(load(OpKind::Write, Pattern::Random, 0, 16), 1);
    let mut buffered = direct.clone();
    if let Action::Io { workload, .. } = &mut buffered.action {
        workload.direct = false;
    }
    let record = record(1, bytes(2), Bytes::new(0));
    let (own, slack) = own_changes(&direct, &record).expect("direct writes are counted");
    assert_eq!((own.written, own.discarded, slack), (bytes(2), Bytes::new(0), Bytes::new(4096)));
    assert_eq!(own_changes(&buffered, &record), None);
    let on_handle = load(OpKind::Write, Pattern::Random, 0, 16);
    let placed = step(Workload { placement_handle: Some(1), ..on_handle }, 1);
    assert_eq!(own_changes(&placed, &record), None, "the kernel does not count what is placed by handle");
}

#[test]
fn a_load_keeps_a_state_only_where_all_is_written_by_its_like() {
    let write = |pattern| load(OpKind::Write, pattern, 0, 16);
    let full = |pattern| {
        let mut state = DriveState::empty(bytes(16));
        state.change(&write(Pattern::Sequential), OpKind::Write, bytes(16), false);
        state.change(&write(pattern), OpKind::Write, bytes(4), false);
        state
    };
    assert!(full(Pattern::Sequential).is_kept_by(&write(Pattern::Sequential)));
    assert!(!full(Pattern::Random).is_kept_by(&write(Pattern::Random)), "each random write moves a drive on");
    assert!(!full(Pattern::RandomOnce).is_kept_by(&write(Pattern::RandomOnce)), "most lies there in order");
    assert!(!full(Pattern::Sequential).is_kept_by(&write(Pattern::Random)), "the last load was a different one");
    assert!(!DriveState::empty(bytes(16)).is_kept_by(&write(Pattern::Sequential)), "a fill of an empty one");
    assert!(!full(Pattern::Sequential).is_kept_by(&load(OpKind::Trim, Pattern::Sequential, 0, 16)));
    let read = Workload { write_percent: Percent::ZERO, ..write(Pattern::Random) };
    assert!(DriveState::unknown(bytes(16), "nobody knows").is_kept_by(&read), "who reads changes nothing");
}
