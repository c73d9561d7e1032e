//! Replays: the operations of the trace are issued, in its order and never before their time, on both backends.
//!
//! Counts, places and intended times are exact. When a busy machine wakes a thread is not, so nothing here asserts a
//! duration.

use drivelab_core::load::OpKind;
use drivelab_core::plan::StopRule;
use drivelab_core::record::StopReason;
use drivelab_core::replay::{ReplayMode, TraceFit, TraceOp, TraceOpener, TraceStream, TraceTrims};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Workload;
use drivelab_engine::{BackendChoice, TraceEntry};

use crate::common::*;

const MIB: u64 = 1 << 20;
const OPERATIONS: u64 = 3000;

/// Operation `number` of the trace: reads and writes of 4 to 64 KiB over 4 MiB, a microsecond apart and 1 ms after
/// every 64th, with some flushes and trims.
fn of(number: u64) -> TraceOp {
    let op = match number % 50 {
        48 => OpKind::Flush,
        49 => OpKind::Trim,
        even if even % 2 == 0 => OpKind::Read,
        _ => OpKind::Write,
    };
    let length = if op == OpKind::Flush { 0 } else { (1 + number % 16) * 4096 };
    let offset = if op == OpKind::Flush { 0 } else { number * 7919 % 1008 * 4096 };
    TraceOp { at_ns: number * 1000 + number / 64 * 1_000_000, op, offset, length }
}

fn made() -> TraceOpener {
    Box::new(|_| Ok(Box::new(Made { next: 0, operations: OPERATIONS, of })))
}

fn all() -> StopRule {
    StopRule { operations: Some(OPERATIONS), ..no_rule() }
}

/// What was issued, by number in the replay.
fn by_number(told: &Told) -> Vec<TraceEntry> {
    let mut entries = take(told);
    entries.sort_by_key(|entry| entry.index);
    entries
}

/// When an operation is meant to start, by its number.
type Due = fn(u64) -> u64;

#[test]
fn every_operation_is_issued_once_at_its_place_and_never_before_its_time() {
    let cap = Nanos::from_millis(1);
    let modes: [(ReplayMode, Due); 3] = [
        (ReplayMode::Timed {}, |number| of(number).at_ns),
        (ReplayMode::Scaled { percent: 50 }, |number| of(number).at_ns / 2),
        // No gap is longer than the cap except those of a thousand and one microseconds.
        (ReplayMode::CappedIdle { cap }, |number| number * 1000 + number / 64 * 999_000),
    ];
    for choice in BOTH {
        for (mode, due) in modes {
            let (mut bench, told) = Bench::replaying(4 * MIB, choice, made());
            let load = replay(4 * MIB, mode, TraceFit::Wrap, TraceTrims::Send);
            let (record, _) = run(&mut bench.engine, &load, &all());
            let entries = by_number(&told);
            assert_eq!(record.stop_reason, StopReason::Operations);
            assert_eq!(entries.len() as u64, OPERATIONS, "{choice:?} {mode:?}");
            for (number, entry) in (0..).zip(&entries) {
                let asked = of(number);
                assert_eq!((entry.index, entry.op), (number, asked.op), "{choice:?} {mode:?}");
                assert_eq!((entry.offset, u64::from(entry.length)), (asked.offset, asked.length), "operation {number}");
                assert_eq!((entry.intended_ns, entry.errno), (due(number), 0), "{mode:?} operation {number}");
                assert!(entry.submit_ns >= entry.intended_ns, "{mode:?} operation {number}");
            }
            let replayed = record.replay.clone().unwrap();
            assert_eq!((replayed.taken, replayed.complete, replayed.moved), (OPERATIONS, true, 0));
            let lateness = replayed.lateness.unwrap().histogram;
            assert_eq!(lateness.count, OPERATIONS);
            let late: u64 = entries.iter().map(|entry| entry.submit_ns - entry.intended_ns).sum();
            assert_eq!(lateness.sum.get(), late, "{choice:?} {mode:?}: lateness is submission minus intended time");
            let bytes = |kind| (0..OPERATIONS).map(of).filter(|op| op.op == kind).map(|op| op.length).sum::<u64>();
            assert_eq!(
                (record.read.bytes.get(), record.write.bytes.get()),
                (bytes(OpKind::Read), bytes(OpKind::Write))
            );
            assert!(record.read.response.is_some());
        }
    }
}

/// The time with operations outstanding, computed from the reported times of each operation.
fn covered(entries: &[TraceEntry]) -> u64 {
    let mut times: Vec<(u64, u64)> = entries.iter().map(|e| (e.submit_ns, e.submit_ns + e.latency_ns)).collect();
    times.sort_unstable();
    let (mut covered, mut reached) = (0, 0);
    for (from, to) in times {
        covered += to.saturating_sub(from.max(reached));
        reached = reached.max(to);
    }
    covered
}

/// Each begin and each end of a busy time is rounded down to 64 ns.
const CUT: u64 = 128 * OPERATIONS;

/// A replay of the whole trace in a closed loop: the busy time in the record, and the busy time computed from the
/// reported times of the operations.
fn closed_loop(choice: BackendChoice, queue_depth: u64) -> (u64, u64) {
    let (mut bench, told) = Bench::replaying(4 * MIB, choice, made());
    let load = replay(4 * MIB, ReplayMode::ClosedLoop {}, TraceFit::Wrap, TraceTrims::Skip);
    let load = Workload { queue_depth: depth(queue_depth, 1).0, ..load };
    let trims = (0..OPERATIONS).filter(|number| of(*number).op == OpKind::Trim).count() as u64;
    let (record, _) = run(&mut bench.engine, &load, &all());
    let entries = by_number(&told);
    let asked: Vec<(OpKind, u64)> =
        (0..OPERATIONS).map(of).filter(|op| op.op != OpKind::Trim).map(|op| (op.op, op.offset)).collect();
    assert_eq!(entries.iter().map(|entry| (entry.op, entry.offset)).collect::<Vec<_>>(), asked, "{choice:?}");
    let replayed = record.replay.clone().unwrap();
    assert_eq!((replayed.skipped_trims, replayed.complete), (trims, true));
    assert_eq!((replayed.taken, replayed.lateness), (OPERATIONS, None));
    let busy = replayed.busy.get();
    assert!(busy > 0 && busy <= record.elapsed().get() + CUT, "{choice:?}: busy {busy} of {}", record.elapsed());
    (busy, covered(&entries))
}

/// A single OS thread reports when operations begin and end in the order in which they do.
#[test]
fn a_closed_loop_keeps_the_order_and_busy_time_is_the_time_with_operations_outstanding() {
    for (choice, queue_depth) in [(BackendChoice::Uring, 1), (BackendChoice::Uring, 4), (BackendChoice::Sync, 1)] {
        let (busy, due) = closed_loop(choice, queue_depth);
        assert!(busy.abs_diff(due) <= CUT, "{choice:?}, {queue_depth}: busy {busy}, by the operations {due}");
    }
}

/// One of several OS threads may lose its CPU between reading the clock and reporting, and events meanwhile are then
/// recorded in another order.
#[test]
fn busy_time_of_several_threads_is_the_same_where_none_of_them_is_held_up() {
    until_seen("busy time as by the operations", || {
        let (busy, due) = closed_loop(BackendChoice::Sync, 4);
        println!("busy {busy}, by the operations {due}");
        busy.abs_diff(due) <= CUT
    });
}

#[test]
fn a_smaller_target_gets_the_trace_wrapped_or_scaled_and_the_share_is_told() {
    for fit in [TraceFit::Wrap, TraceFit::Scale] {
        let (mut bench, told) = Bench::replaying(MIB, BOTH[0], made());
        let load = replay(MIB, ReplayMode::ClosedLoop {}, fit, TraceTrims::Skip);
        let (record, _) = run(&mut bench.engine, &load, &all());
        let entries = by_number(&told);
        assert!(entries.iter().all(|entry| entry.offset + u64::from(entry.length) <= MIB && entry.errno == 0));
        let asked: Vec<TraceOp> = (0..OPERATIONS).map(of).filter(|op| op.op != OpKind::Trim).collect();
        let moved = entries.iter().zip(&asked).filter(|(entry, asked)| entry.offset != asked.offset).count();
        assert_eq!(record.replay.clone().unwrap().moved, moved as u64, "{fit:?}");
        assert!(moved > 2000, "{fit:?}: {moved}");
    }
}

#[test]
fn a_step_that_ends_before_its_trace_says_so() {
    for choice in BOTH {
        let (mut bench, told) = Bench::replaying(4 * MIB, choice, made());
        let load = replay(4 * MIB, ReplayMode::ClosedLoop {}, TraceFit::Wrap, TraceTrims::Skip);
        let rule = StopRule { operations: Some(100), ..no_rule() };
        let (record, _) = run(&mut bench.engine, &load, &rule);
        let replayed = record.replay.clone().unwrap();
        assert_eq!((by_number(&told).len(), replayed.complete), (100, false), "{choice:?}");
        // Two of the operations between these were trims.
        assert_eq!((replayed.taken, replayed.skipped_trims), (102, 2), "{choice:?}");
        let by_volume = StopRule { volume: Some(Bytes::new(MIB)), operations: Some(OPERATIONS), ..no_rule() };
        let (record, _) = run(&mut bench.engine, &load, &by_volume);
        assert_eq!(record.stop_reason, StopReason::Volume);
        let moved = record.read.bytes.get() + record.write.bytes.get();
        assert!(moved <= MIB && moved > MIB - 65_536, "{choice:?}: {moved}");
    }
}

/// More operations than are read ahead. The rest of the trace is read only when all of them were issued, so the loop
/// has met an empty line by then.
const AHEAD: u64 = 33_000;

struct Late {
    next: u64,
    told: Told,
}

impl TraceStream for Late {
    fn next_op(&mut self) -> Result<Option<TraceOp>, String> {
        while self.next == AHEAD && (self.told.lock().unwrap().len() as u64) < AHEAD {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.next += 1;
        let op = TraceOp { at_ns: 0, op: OpKind::Read, offset: self.next % 256 * 4096, length: 4096 };
        Ok((self.next <= AHEAD + 10).then_some(op))
    }
}

#[test]
fn a_trace_that_is_read_too_slowly_is_counted_and_not_taken_for_the_drive() {
    for (choice, mode) in [(BOTH[0], ReplayMode::ClosedLoop {}), (BOTH[1], ReplayMode::Timed {})] {
        let told = Told::default();
        let shared = std::sync::Arc::clone(&told);
        let open: TraceOpener = Box::new(move |_| Ok(Box::new(Late { next: 0, told: std::sync::Arc::clone(&shared) })));
        let mut bench = Bench::telling(MIB, choice, open, told);
        let load = replay(MIB, mode, TraceFit::Wrap, TraceTrims::Skip);
        let rule = StopRule { operations: Some(50_000), ..no_rule() };
        let (record, _) = run(&mut bench.engine, &load, &rule);
        let replayed = record.replay.clone().unwrap();
        assert_eq!((replayed.taken, replayed.complete), (AHEAD + 10, true), "{choice:?}");
        assert!(replayed.starved_operations >= 1, "{choice:?}: {replayed:?}");
        assert!(replayed.starved.get() > 0);
    }
}

#[test]
fn a_trace_that_breaks_off_is_an_error_of_the_step() {
    struct Broken(u64);
    impl TraceStream for Broken {
        fn next_op(&mut self) -> Result<Option<TraceOp>, String> {
            self.0 += 1;
            if self.0 > 50 { Err("line 51: broken".to_owned()) } else { Ok(Some(of(0))) }
        }
    }
    let load = replay(4 * MIB, ReplayMode::ClosedLoop {}, TraceFit::Wrap, TraceTrims::Skip);
    let refused = |load: &Workload, open: TraceOpener| {
        let (mut bench, _) = Bench::replaying(4 * MIB, BOTH[0], open);
        run_with(&mut bench.engine, load, &all(), (0, 100), &Default::default()).unwrap_err().to_string()
    };
    assert_eq!(refused(&load, Box::new(|_| Ok(Box::new(Broken(0))))), "line 51: broken");
    assert_eq!(refused(&load, Box::new(|_| Err("no such trace".to_owned()))), "no such trace");
    let with_threads = Workload { threads: depth(1, 2).1, ..load.clone() };
    assert!(refused(&with_threads, made()).contains("with one thread and without"));
    let only_reads = Workload { write_percent: Default::default(), ..load };
    assert!(refused(&only_reads, made()).contains("is a write, but the trace had none when it was checked"));
}
