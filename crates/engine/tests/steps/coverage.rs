//! What a step touches: every block once in a pass, the stretches of parallel streams, exact volumes, seeds.
//!
//! Method: write random bytes over a file of zeros and check which blocks are no longer zero. If there are as many
//! operations as blocks and no block is zero, each was touched exactly once.

use std::path::Path;

use drivelab_core::record::StopReason;
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::{Pattern, Span, Streams, Workload};
use drivelab_engine::BackendChoice;

use crate::common::*;

const MIB: u64 = 1 << 20;

fn writes(span: u64) -> Workload {
    Workload { write_percent: Percent::new(100).unwrap(), ..workload(span) }
}

/// For each 4 KiB block of the file, whether it holds anything but zeros.
fn touched(path: &Path) -> Vec<bool> {
    std::fs::read(path).unwrap().chunks(4096).map(|block| block.iter().any(|byte| *byte != 0)).collect()
}

#[test]
fn one_sequential_pass_touches_every_block_exactly_once() {
    for choice in BOTH {
        for (depth_and_threads, direct) in [((1, 1), true), ((8, 1), true), ((4, 3), true), ((8, 2), false)] {
            let mut bench = Bench::new(4 * MIB, direct, choice);
            let (queue_depth, threads) = depth(depth_and_threads.0, depth_and_threads.1);
            let workload = Workload { pattern: Pattern::Sequential, queue_depth, threads, direct, ..writes(4 * MIB) };
            let (record, _) = run(&mut bench.engine, &workload, &passes(1));
            let context = format!("{choice:?} {depth_and_threads:?}: {:?}", record.engine);
            assert_eq!((record.write.count, record.read.count, record.error_count()), (1024, 0, 0), "{context}");
            assert_eq!((record.stop_reason, record.engine.direct_verified), (StopReason::Passes, direct));
            assert!(touched(&bench.path).iter().all(|touched| *touched), "{context}");
            assert_eq!(record.written_total.get(), 4 * MIB);
        }
    }
}

#[test]
fn disjoint_streams_share_the_span_and_overlapping_ones_cover_it_each() {
    for choice in BOTH {
        let mut bench = Bench::new(4 * MIB, true, choice);
        let (queue_depth, threads) = depth(2, 3);
        let offset = Bytes::new(MIB);
        let span = Span { offset, length: Bytes::new(3 * MIB - 8192) };
        let mut workload = Workload { pattern: Pattern::Sequential, queue_depth, threads, span, ..workload(4 * MIB) };
        let (record, _) = run(&mut bench.engine, &workload, &passes(1));
        assert_eq!(record.streams.len(), 3);
        assert_eq!(record.streams[0].lowest, MIB);
        assert_eq!(record.streams[2].highest_end, 4 * MIB - 8192);
        for pair in record.streams.windows(2) {
            assert_eq!(pair[0].highest_end, pair[1].lowest, "stretches meet and do not overlap");
        }
        workload.streams = Streams::Overlapping;
        let (record, _) = run(&mut bench.engine, &workload, &passes(1));
        assert_eq!(record.read.count, 3 * span.length.get() / 4096);
        for stream in &record.streams {
            assert_eq!((stream.lowest, stream.highest_end), (MIB, span.end()));
        }
        workload.pattern = Pattern::Random;
        assert!(run(&mut bench.engine, &workload, &volume(MIB)).0.streams.is_empty());
    }
}

#[test]
fn a_volume_is_moved_exactly_and_nothing_outside_the_span_is_touched() {
    for choice in BOTH {
        let mut bench = Bench::new(4 * MIB, true, choice);
        let (queue_depth, threads) = depth(8, 3);
        let span = Span { offset: Bytes::new(MIB), length: Bytes::new(2 * MIB) };
        let workload = Workload { span, queue_depth, threads, ..writes(4 * MIB) };
        let (record, _) = run(&mut bench.engine, &workload, &volume(5 * MIB + 4095));
        assert_eq!((record.write.bytes.get(), record.stop_reason), (5 * MIB, StopReason::Volume));
        let touched = touched(&bench.path);
        assert!(touched[..256].iter().chain(&touched[768..]).all(|touched| !touched));
        assert!(touched[256..768].iter().any(|touched| *touched));
    }
}

/// A pass over a small file ends immediately; `at_least` makes the stream wrap until there is enough to measure.
#[test]
fn the_least_time_keeps_a_pass_going() {
    for choice in BOTH {
        let mut bench = Bench::new(MIB, true, choice);
        let workload = Workload { pattern: Pattern::Sequential, ..workload(MIB) };
        let mut rule = passes(1);
        rule.at_least = Some(Nanos::from_millis(300));
        let (record, intervals) = run(&mut bench.engine, &workload, &rule);
        // From the start of the step instead of the first submission: on a busy machine a thread may wake up late.
        assert!(record.end_ns - intervals[0].start_ns >= 300_000_000, "{:?}", record.elapsed());
        assert!(record.read.count >= 256);
        assert_eq!(record.stop_reason, StopReason::Passes);
    }
}

/// Same seed, same operations: on another backend, at another depth. Another seed: other operations.
#[test]
fn the_seed_decides_every_operation_whatever_the_backend_and_depth() {
    let outcome = |choice: BackendChoice, queue_depth: u64, seed: u64| {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let (queue_depth, threads) = depth(queue_depth, 2);
        let write_percent = Percent::new(40).unwrap();
        let workload = Workload { queue_depth, threads, write_percent, seed, ..writes(8 * MIB) };
        let (record, _) = run(&mut bench.engine, &workload, &volume(4 * MIB));
        assert_eq!(record.read.count + record.write.count, 1024);
        (record.write.count, touched(&bench.path))
    };
    let first = outcome(BackendChoice::Uring, 8, 1);
    assert_eq!(first, outcome(BackendChoice::Sync, 3, 1));
    assert_eq!(first, outcome(BackendChoice::Uring, 1, 1));
    assert_ne!(first, outcome(BackendChoice::Uring, 8, 2));
}

#[test]
fn a_written_file_can_be_made_durable() {
    let mut bench = Bench::new(MIB, true, BackendChoice::Auto);
    run(&mut bench.engine, &writes(MIB), &volume(MIB));
    drivelab_core::backend::Backend::sync(&mut bench.engine).unwrap();
}
