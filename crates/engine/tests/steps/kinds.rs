//! Kinds and sizes of operations as they were issued: shares, flushes after writes, what trims and zeroing leave.

use drivelab_core::clock::StopToken;
use drivelab_core::load::{OpKind, OtherOps, SizeShare};
use drivelab_core::record::{OpRecord, StepRecord, StopReason};
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Workload};
use drivelab_engine::{BackendChoice, TraceEntry};

use crate::common::*;

const MIB: u64 = 1 << 20;

fn percent(percent: u64) -> Percent {
    Percent::new(percent).unwrap()
}

fn count(entries: &[TraceEntry], kind: OpKind) -> usize {
    entries.iter().filter(|entry| entry.op == kind).count()
}

fn other(record: &StepRecord, kind: OpKind) -> &OpRecord {
    &record.others.iter().find(|other| other.op == kind).unwrap().record
}

/// Number of operations of a kind that may have none.
fn other_count(record: &StepRecord, kind: OpKind) -> u64 {
    record.others.iter().filter(|other| other.op == kind).map(|other| other.record.count).sum()
}

/// Within four standard deviations of the requested share.
fn fits(count: usize, total: usize, share: f64) -> bool {
    let (mean, deviation) = (total as f64 * share, (total as f64 * share * (1.0 - share)).sqrt());
    (count as f64 - mean).abs() <= 4.0 * deviation
}

#[test]
fn five_kinds_are_drawn_by_their_shares_and_the_trace_agrees_with_the_record() {
    for choice in BOTH {
        let (mut bench, told) = Bench::traced(8 * MIB, true, choice);
        let other_ops = OtherOps {
            trim_percent: percent(10),
            write_zeroes_percent: percent(15),
            flush_percent: percent(5),
            sync_every: 0,
        };
        let workload = Workload { write_percent: percent(30), other: other_ops, ..workload(8 * MIB) };
        let mut rule = no_rule();
        rule.operations = Some(3000);
        let (record, intervals) = run(&mut bench.engine, &workload, &rule);
        let entries = take(&told);
        assert_eq!((entries.len(), record.error_count()), (3000, 0), "{choice:?} {:?}", record.errors);
        let shares = [0.4, 0.3, 0.1, 0.15, 0.05];
        for (kind, share) in OpKind::ALL.into_iter().zip(shares) {
            let (_, of_kind) = record.kinds().find(|(found, _)| *found == kind).unwrap();
            assert_eq!(of_kind.count, count(&entries, kind) as u64, "{kind:?}");
            assert!(fits(count(&entries, kind), 3000, share), "{kind:?}: {} of 3000", count(&entries, kind));
            let length = if kind == OpKind::Flush { 0 } else { 4096 };
            assert_eq!(of_kind.bytes.get(), of_kind.count * length);
            let parts = intervals.iter().flat_map(|i| i.others.iter().filter(|o| o.op == kind));
            if kind != OpKind::Read && kind != OpKind::Write {
                assert_eq!(parts.map(|part| part.record.count).sum::<u64>(), of_kind.count);
            }
        }
    }
}

#[test]
fn a_flush_follows_every_so_many_writes() {
    for choice in BOTH {
        let (mut bench, told) = Bench::traced(8 * MIB, true, choice);
        let mut load = Workload { write_percent: percent(100), ..workload(8 * MIB) };
        load.other.sync_every = 8;
        load.queue_depth = depth(1, 1).0;
        let mut rule = no_rule();
        rule.operations = Some(400);
        let (record, _) = run(&mut bench.engine, &load, &rule);
        let kinds: Vec<OpKind> = take(&told).iter().map(|entry| entry.op).collect();
        assert_eq!(record.write.count, 400);
        let flushes = other(&record, OpKind::Flush).count;
        assert!((49..=50).contains(&flushes), "{flushes}");
        for (number, kind) in kinds.iter().enumerate() {
            assert_eq!(*kind == OpKind::Flush, number % 9 == 8, "{choice:?} operation {number}");
        }
    }
}

/// Flushes after writes are in addition to the share, also those in flight when the ramp ends: there are as many
/// writes as were requested. Flushes that were drawn count like other operations.
#[test]
fn what_the_ramp_leaves_in_flight_is_charged_without_flushes_on_top() {
    let mut rule = no_rule();
    rule.operations = Some(300);
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let mut measure = |other: OtherOps, (queue_depth, threads)| {
            let load = Workload { write_percent: percent(70), other, queue_depth, threads, ..workload(8 * MIB) };
            let stop = StopToken::default();
            let (record, _) = run_with(&mut bench.engine, &load, &rule, (40, 100), &stop).unwrap();
            assert_eq!((record.stop_reason, record.error_count()), (StopReason::Operations, 0));
            (record.read.count + record.write.count, other_count(&record, OpKind::Flush))
        };
        // Threads of the sync backend that use one share count operations in flight only when they end.
        let depths = if choice == BackendChoice::Uring { depth(16, 2) } else { depth(1, 8) };
        for sync_every in [1, 1, 2] {
            let (drawn, flushes) = measure(OtherOps { sync_every, ..OtherOps::default() }, depths);
            assert_eq!(drawn, 300, "{choice:?}, sync_every {sync_every}");
            assert!(flushes > 0);
        }
        let (drawn, flushes) = measure(OtherOps { flush_percent: percent(30), ..OtherOps::default() }, depths);
        assert_eq!(drawn + flushes, 300, "{choice:?}, flushes drawn");
    }
}

/// A file: trims punch holes, so the file has fewer blocks than before and reads as zeros; its length stays.
#[test]
fn trims_punch_holes_and_zeroing_leaves_zeros() {
    for choice in BOTH {
        for (trim, zeroes) in [(100, 0), (0, 100)] {
            let mut bench = Bench::new(4 * MIB, true, choice);
            std::fs::write(&bench.path, vec![0xA5; 4 << 20]).unwrap();
            let file = std::fs::File::open(&bench.path).unwrap();
            file.sync_all().unwrap();
            let blocks = || std::os::unix::fs::MetadataExt::blocks(&file.metadata().unwrap());
            let before = blocks();
            let other =
                OtherOps { trim_percent: percent(trim), write_zeroes_percent: percent(zeroes), ..OtherOps::default() };
            let load =
                Workload { other, pattern: Pattern::Sequential, block_size: Bytes::new(65536), ..workload(4 * MIB) };
            let (record, _) = run(&mut bench.engine, &load, &passes(1));
            assert_eq!((record.others.len(), record.others[0].record.count, record.error_count()), (1, 64, 0));
            let content = std::fs::read(&bench.path).unwrap();
            assert!(content.len() == 4 << 20 && content.iter().all(|byte| *byte == 0), "{choice:?}");
            if trim > 0 {
                assert!(blocks() < before, "no hole was punched");
            }
        }
    }
}

#[test]
fn mixed_sizes_are_told_apart_and_add_up() {
    for choice in BOTH {
        let (mut bench, told) = Bench::traced(8 * MIB, true, choice);
        let share = |size: u64, operations| SizeShare { block_size: Bytes::new(size), operations };
        let mix = vec![share(4096, 60), share(16384, 30), share(65536, 10)];
        let load = Workload {
            write_percent: percent(50),
            block_size: Bytes::new(65536),
            block_size_mix: mix,
            ..workload(8 * MIB)
        };
        let (record, _) = run(&mut bench.engine, &load, &volume(24 * MIB));
        let entries = take(&told);
        let bytes: u64 = entries.iter().map(|entry| u64::from(entry.length)).sum();
        assert_eq!(record.read.bytes.get() + record.write.bytes.get(), bytes);
        // Each of the four operations in flight may be the one that no longer fits.
        assert!(bytes <= 24 * MIB && bytes > 24 * MIB - 4 * 65536, "{bytes}");
        for (kind, of_kind) in [(OpKind::Read, &record.read), (OpKind::Write, &record.write)] {
            assert_eq!(of_kind.sizes.len(), 3);
            for size in &of_kind.sizes {
                let length = u32::try_from(size.block_size.get()).unwrap();
                let told = entries.iter().filter(|entry| entry.op == kind && entry.length == length);
                assert_eq!(size.count, told.count() as u64);
            }
            assert_eq!(of_kind.sizes.iter().map(|size| size.count).sum::<u64>(), of_kind.count);
        }
        let small = entries.iter().filter(|entry| entry.length == 4096).count();
        assert!(fits(small, entries.len(), 0.6), "{small} of {}", entries.len());
        assert!(entries.iter().all(|entry| entry.offset % u64::from(entry.length) == 0));
    }
}
