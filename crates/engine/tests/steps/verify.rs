//! Headers end to end: a later step and a later process find what a step wrote, and every way in which a drive can
//! return wrong data is recognised.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use drivelab_core::load::Verify;
use drivelab_core::record::{DataFault, StopReason, Verification};
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Span, Workload};
use drivelab_engine::{BackendChoice, Engine, Options, Written};

use crate::common::*;

const MIB: u64 = 1 << 20;

fn writes(pattern: Pattern, verify: Verify, choice: BackendChoice) -> Workload {
    // The sync backend seals one block at a time.
    let (queue_depth, threads) = if choice == BackendChoice::Sync { depth(1, 3) } else { depth(4, 2) };
    let write_percent = Percent::new(100).unwrap();
    Workload { write_percent, pattern, verify, queue_depth, threads, ..workload(4 * MIB) }
}

fn reads() -> Workload {
    Workload { pattern: Pattern::Sequential, verify: Verify::Check, ..workload(4 * MIB) }
}

fn engine(bench: &Bench, choice: BackendChoice, written: Option<Written>) -> Engine {
    let mut options = Options::new(choice);
    (options.run, options.written) = (77, written);
    Engine::open(target(&bench.path, 4 * MIB, true), options).unwrap()
}

fn check(bench: &Bench, choice: BackendChoice, written: Option<Written>) -> Verification {
    let (record, _) = run(&mut engine(bench, choice, written), &reads(), &passes(1));
    assert_eq!(record.error_count(), 0);
    record.verification.unwrap()
}

#[test]
fn what_was_written_is_found_again_by_the_next_step_whatever_the_order() {
    for choice in BOTH {
        for pattern in [Pattern::Sequential, Pattern::Random, Pattern::RandomOnce, Pattern::Reverse] {
            let bench = Bench::new(4 * MIB, true, choice);
            let mut engine = engine(&bench, choice, None);
            let mut rule = no_rule();
            rule.operations = Some(1500);
            let (record, _) = run(&mut engine, &writes(pattern, Verify::Headers, choice), &rule);
            assert_eq!((record.write.count, record.error_count()), (1500, 0), "{choice:?} {pattern:?}");
            let (checked, _) = run(&mut engine, &reads(), &passes(1));
            let found = checked.verification.unwrap();
            assert!(found.faults.is_empty() && found.checked > 500, "{choice:?} {pattern:?} {found:?}");
        }
    }
}

#[test]
fn reading_back_at_once_checks_every_write() {
    for choice in BOTH {
        let bench = Bench::new(4 * MIB, true, choice);
        let mut rule = no_rule();
        rule.operations = Some(500);
        let load = writes(Pattern::Random, Verify::AtOnce, choice);
        let (record, _) = run(&mut engine(&bench, choice, None), &load, &rule);
        let found = record.verification.unwrap();
        assert_eq!((record.write.count, record.read.count, found.checked), (500, 500, 500), "{choice:?}");
        assert!(found.faults.is_empty(), "{choice:?} {found:?}");
    }
}

/// Read-backs are in addition to the volume, also those in flight when the ramp ends; an operation that waits at that
/// time for a write to its own block belongs to the volume. With few blocks, writes wait for each other nearly
/// always.
#[test]
fn what_the_ramp_leaves_in_flight_is_charged_without_what_reads_back() {
    for choice in BOTH {
        let bench = Bench::new(4 * MIB, true, choice);
        let mut engine = engine(&bench, choice, None);
        for (blocks, round) in [(1024, 0), (1024, 1), (1024, 2), (40, 3), (40, 4), (40, 5)] {
            let load = writes(Pattern::Random, Verify::AtOnce, choice);
            let (queue_depth, threads) = if choice == BackendChoice::Sync { depth(1, 8) } else { depth(32, 2) };
            // Each thread has blocks of its own.
            let span = Span { offset: Bytes::new(0), length: Bytes::new(blocks * 4096) };
            let load = Workload { queue_depth, threads, span, seed: round, ..load };
            let stop = drivelab_core::clock::StopToken::default();
            let (record, _) = run_with(&mut engine, &load, &volume(2 * MIB), (30, 100), &stop).unwrap();
            assert_eq!((record.stop_reason, record.error_count()), (StopReason::Volume, 0));
            assert_eq!(record.write.bytes.get(), 2 * MIB, "{choice:?}, {blocks} blocks, seed {round}");
            assert!(record.verification.unwrap().faults.is_empty());
        }
    }
}

/// Another process has only the run's record or, if the run was killed, not even that.
#[test]
fn a_later_process_checks_by_the_record_or_by_what_is_on_the_target() {
    for choice in BOTH {
        for pattern in [Pattern::Sequential, Pattern::Random] {
            let bench = Bench::new(4 * MIB, true, choice);
            let load = writes(pattern, Verify::Headers, choice);
            let mut rule = no_rule();
            rule.operations = Some(1200);
            let (record, _) = run(&mut engine(&bench, choice, None), &load, &rule);
            let written = Written::by(77, &load, &record).unwrap();
            let killed = Written { positions: None, ..written.clone() };
            for written in [written, killed] {
                let found = check(&bench, choice, Some(written));
                assert!(found.faults.is_empty() && found.checked > 0, "{choice:?} {pattern:?} {found:?}");
            }
        }
    }
}

#[test]
fn each_lie_of_a_drive_has_its_name() {
    let choice = BackendChoice::Uring;
    let bench = Bench::new(4 * MIB, true, choice);
    let load = writes(Pattern::Sequential, Verify::Headers, choice);
    let file = OpenOptions::new().read(true).write(true).open(&bench.path).unwrap();
    let block = |number: u64| {
        let mut block = vec![0; 4096];
        file.read_exact_at(&mut block, number * 4096).unwrap();
        block
    };
    let put = |number: u64, bytes: &[u8]| file.write_all_at(bytes, number * 4096).unwrap();
    let mut engine = engine(&bench, choice, None);
    run(&mut engine, &load, &passes(1));
    let older = block(5);
    let (record, _) = run(&mut engine, &load, &passes(2));
    let (second, torn, mut flipped) = (block(300), block(10), block(20));
    // The first of the two passes wrote what the earlier step wrote: the second pass's write is lost here.
    put(5, &older);
    put(40, &vec![0; 4096]);
    put(41, &second);
    flipped[100] ^= 1;
    put(20, &flipped);
    let mut two = torn.clone();
    two[2048..].copy_from_slice(&block(11)[2048..]);
    put(10, &two);
    put(60, &vec![0x5A; 4096]);
    file.sync_all().unwrap();
    let found = check(&bench, choice, Written::by(77, &load, &record));
    let count = |fault: DataFault| found.faults.get(&fault).copied().unwrap_or(0);
    assert_eq!(count(DataFault::Stale), 1, "{found:?}");
    assert_eq!(count(DataFault::Zero), 1, "{found:?}");
    assert_eq!(count(DataFault::Misplaced), 1, "{found:?}");
    assert_eq!(count(DataFault::Corrupt) + count(DataFault::Torn), 2, "{found:?}");
    assert_eq!(count(DataFault::Foreign), 1, "{found:?}");
    let misplaced = found.first.iter().find(|bad| bad.fault == DataFault::Misplaced).unwrap();
    assert_eq!((misplaced.offset, misplaced.belongs_at), (41 * 4096, Some(300 * 4096)));
}

/// A drive that reports 4 MiB and has one: every write lands at its address modulo 1 MiB.
#[test]
fn counterfeit_capacity_is_told_with_its_size() {
    let choice = BackendChoice::Uring;
    let bench = Bench::new(4 * MIB, true, choice);
    let load = writes(Pattern::Sequential, Verify::Headers, choice);
    let (record, _) = run(&mut engine(&bench, choice, None), &load, &passes(1));
    let content = std::fs::read(&bench.path).unwrap();
    let real = content[3 << 20..].to_vec();
    let fake: Vec<u8> = real.iter().copied().cycle().take(4 << 20).collect();
    std::fs::write(&bench.path, fake).unwrap();
    let found = check(&bench, choice, Written::by(77, &load, &record));
    assert_eq!(found.faults.get(&DataFault::Wrapped).copied(), Some(768), "{:?}", found.faults);
    assert_eq!(found.wraps_at, Some(Bytes::new(MIB)));
}

#[test]
fn nothing_to_check_is_an_error_that_says_what_to_do() {
    let bench = Bench::new(4 * MIB, true, BackendChoice::Uring);
    let stop = drivelab_core::clock::StopToken::default();
    let error = run_with(&mut engine(&bench, BackendChoice::Uring, None), &reads(), &passes(1), (0, 100), &stop);
    assert!(error.unwrap_err().to_string().contains("--of RUN"));
}

/// At full depth on few blocks, writes wait for each other nearly always. A write that waits when the time is over
/// was never issued, and the record must not say that it was.
#[test]
fn a_write_that_was_still_waiting_at_the_end_is_not_missed() {
    let bench = Bench::new(4 * MIB, true, BackendChoice::Uring);
    let mut engine = engine(&bench, BackendChoice::Uring, None);
    let span = Span { offset: Bytes::new(0), length: Bytes::new(40 * 4096) };
    let (queue_depth, threads) = depth(32, 1);
    let (mut rounds_that_wrote, mut round) = (0, 0);
    // On a busy machine a thread may get no CPU in its 20 ms, and then nothing was written.
    while rounds_that_wrote < 8 && round < 200 {
        let load = writes(Pattern::Random, Verify::Headers, BackendChoice::Uring);
        let (written, _) = run(&mut engine, &Workload { span, queue_depth, threads, seed: round, ..load }, &time(20));
        let (checked, _) = run(&mut engine, &Workload { span, ..reads() }, &passes(1));
        let found = checked.verification.unwrap();
        assert!(found.faults.is_empty() && (found.checked > 0) == (written.write.count > 0), "{found:?}");
        rounds_that_wrote += u32::from(written.write.count > 0);
        round += 1;
    }
    assert!(rounds_that_wrote > 0, "nothing was ever written");
}
