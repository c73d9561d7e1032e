//! Orders of offsets as they were issued: every block once, backwards, shared by threads, by depth and backend.

use std::collections::{HashMap, HashSet};

use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::load::{Bursts, Pace, VolumeBursts};
use drivelab_core::plan::StopRule;
use drivelab_core::record::StopReason;
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::{Pattern, Streams, Workload};
use drivelab_engine::TraceEntry;

use crate::common::*;

const MIB: u64 = 1 << 20;

fn offsets(entries: &[TraceEntry]) -> HashSet<u64> {
    entries.iter().map(|entry| entry.offset).collect()
}

#[test]
fn one_pass_touches_every_block_once_whatever_the_order_depth_and_sharing() {
    let orders = [
        (Pattern::Sequential, Streams::Disjoint),
        (Pattern::Sequential, Streams::Shared),
        (Pattern::Reverse, Streams::Disjoint),
        (Pattern::RandomOnce, Streams::Disjoint),
        (Pattern::RandomOnce, Streams::Shared),
    ];
    for choice in BOTH {
        for (pattern, streams) in orders {
            let (mut bench, told) = Bench::traced(4 * MIB, true, choice);
            let (queue_depth, threads) = depth(3, 3);
            let load = Workload { pattern, streams, queue_depth, threads, ..workload(4 * MIB) };
            let (record, _) = run(&mut bench.engine, &load, &passes(1));
            let entries = take(&told);
            let context = format!("{choice:?} {pattern:?} {streams:?}");
            assert_eq!((entries.len(), offsets(&entries).len()), (1024, 1024), "{context}");
            assert_eq!(record.stop_reason, StopReason::Passes, "{context}");
            let effort = record.engine.effort.unwrap();
            assert_eq!((effort.operations, effort.depth_asked), (1024, 9), "{context}");
        }
    }
}

#[test]
fn half_the_coverage_is_half_the_blocks() {
    for choice in BOTH {
        let (mut bench, told) = Bench::traced(4 * MIB, true, choice);
        let load = Workload { pattern: Pattern::RandomOnce, ..workload(4 * MIB) };
        let mut rule = no_rule();
        rule.coverage = Some(Percent::new(50).unwrap());
        run(&mut bench.engine, &load, &rule);
        let entries = take(&told);
        assert_eq!((entries.len(), offsets(&entries).len()), (512, 512));
    }
}

#[test]
fn reverse_goes_down() {
    let (mut bench, told) = Bench::traced(MIB, true, BOTH[0]);
    let load = Workload { pattern: Pattern::Reverse, queue_depth: depth(1, 1).0, ..workload(MIB) };
    run(&mut bench.engine, &load, &passes(1));
    let entries = take(&told);
    assert!(entries.windows(2).all(|pair| pair[0].offset == pair[1].offset + 4096));
}

/// Nothing is submitted while a burst is off: every submission is in an "on" part, except those that were decided
/// just before its end.
#[test]
fn bursts_submit_only_while_they_are_on() {
    for choice in BOTH {
        let (mut bench, told) = Bench::traced(4 * MIB, true, choice);
        let (on, off) = (20_000_000, 30_000_000);
        let bursts = Some(Bursts { on: Nanos::new(on), off: Nanos::new(off) });
        let load = Workload { pace: Pace { bursts, ..Pace::default() }, ..workload(4 * MIB) };
        let burst = |entry: &TraceEntry| entry.submit_ns / (on + off);
        let stop = StopToken::default();
        listen(&mut bench.engine, &load, &until_stopped(), (0, 100), &stop, |_| {
            if told.lock().unwrap().iter().map(burst).collect::<HashSet<_>>().len() >= 4 {
                stop.stop(StopCause::Person);
            }
        });
        let mut outside: HashMap<u64, u32> = HashMap::new();
        let entries = take(&told);
        let late = entries.iter().filter(|entry| entry.submit_ns % (on + off) >= on);
        late.for_each(|entry| *outside.entry(burst(entry)).or_default() += 1);
        // At most the operations in flight at the end of each burst.
        assert!(outside.values().all(|late| *late <= 4), "{choice:?}: {outside:?} of {} outside", entries.len());
    }
}

/// Each burst moves its volume, the next one begins when the pause after it is over, and the active time in the
/// record agrees with the trace.
#[test]
fn bursts_by_volume_pause_after_their_volume() {
    for (choice, (depth, threads)) in [(BOTH[0], (1, 1)), (BOTH[0], (4, 2)), (BOTH[1], (1, 1)), (BOTH[1], (2, 2))] {
        let (mut bench, told) = Bench::traced(4 * MIB, true, choice);
        let (volume, duty_percent) = (Bytes::new(32 * 4096), Percent::new(20).unwrap());
        let volume_bursts = Some(VolumeBursts { volume, duty_percent, on_at_most: None });
        let (queue_depth, threads) = crate::common::depth(depth, threads);
        let load =
            Workload { pace: Pace { volume_bursts, ..Pace::default() }, queue_depth, threads, ..workload(4 * MIB) };
        let rule = StopRule { volume: Some(Bytes::new(8 * volume.get())), ..no_rule() };
        let (record, _) = run(&mut bench.engine, &load, &rule);
        let mut entries = take(&told);
        entries.sort_by_key(|entry| entry.submit_ns);
        assert_eq!(entries.len(), 8 * 32, "{choice:?}");
        let (mut active, mut pauses, mut ended) = (0, Vec::new(), None);
        for burst in entries.chunks(32) {
            let begun = burst[0].submit_ns;
            let end = burst.iter().map(|entry| entry.submit_ns + entry.latency_ns).max().unwrap();
            if let Some((before, end)) = ended {
                let pause: u64 = begun - end;
                assert!(pause >= 4 * (end - before), "{choice:?}: {pause} after {}", end - before);
                pauses.push(pause);
            }
            active += end - begun;
            ended = Some((begun, end));
        }
        let done = record.bursts.expect("the record has bursts");
        assert_eq!(done.count, 8, "{choice:?}");
        // The engine counts from the moment at which the first operation was drawn, which is before its submission.
        assert!(done.active.get() >= active, "{choice:?}: {} of {active}", done.active.get());
        // Pauses are not active time. The time between a draw and its submission is in both, and is at most a quarter
        // of the pause that follows. No burst follows the last one, so the pause before it does not count.
        let paused: u64 = pauses[..pauses.len() - 1].iter().sum();
        assert!(done.active.get() + paused / 2 <= record.elapsed().get(), "{choice:?}: {done:?}, {paused} paused");
        let rate = record.read.bytes.as_f64() / done.active.as_secs_f64();
        assert!((record.read.mb_s() * 1e6 / rate - 1.0).abs() < 1e-9, "{choice:?}: rates are over the active time");
    }
}

#[test]
fn thinking_keeps_a_slot_from_its_next_operation() {
    for choice in BOTH {
        let (mut bench, told) = Bench::traced(4 * MIB, true, choice);
        let think_time = Nanos::from_millis(5);
        let load =
            Workload { pace: Pace { think_time, ..Pace::default() }, queue_depth: depth(1, 1).0, ..workload(4 * MIB) };
        run(&mut bench.engine, &load, &StopRule { operations: Some(30), ..no_rule() });
        let entries = take(&told);
        assert_eq!(entries.len(), 30);
        for pair in entries.windows(2) {
            assert!(pair[1].submit_ns >= pair[0].submit_ns + pair[0].latency_ns + think_time.get());
        }
    }
}
