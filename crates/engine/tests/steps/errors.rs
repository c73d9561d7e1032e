//! I/O that really fails: a file truncated while it is read, a device without space.

use drivelab_core::load::OpKind;
use drivelab_core::record::StopReason;
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Workload};
use drivelab_engine::Engine;

use crate::common::*;

const MIB: u64 = 1 << 20;

/// Half of the span is beyond the end of the file, so about half of all random reads return nothing.
#[test]
fn short_reads_are_errors_that_are_counted_kept_and_survived() {
    for choice in BOTH {
        for direct in [true, false] {
            let mut bench = Bench::new(4 * MIB, direct, choice);
            std::fs::OpenOptions::new().write(true).open(&bench.path).unwrap().set_len(2 * MIB).unwrap();
            let workload = Workload { direct, ..workload(4 * MIB) };
            let (record, intervals) = run(&mut bench.engine, &workload, &volume(4 * MIB));
            assert_eq!(record.read.count + record.read.errors, 1024, "{choice:?}");
            assert!((400..624).contains(&record.read.errors), "{}", record.read.errors);
            assert_eq!(record.read.histogram.count, record.read.count, "errors have no latency");
            assert_eq!(intervals.iter().map(|interval| interval.read.errors).sum::<u64>(), record.read.errors);
            assert_eq!((record.errors.len(), record.stop_reason), (64, StopReason::Volume));
            for error in &record.errors {
                assert!(
                    error.offset >= 2 * MIB
                        && error.errno == 0
                        && error.op == OpKind::Read
                        && error.length.get() == 4096
                );
                assert!((record.start_ns..=record.end_ns).contains(&error.at_ns));
            }
        }
    }
}

/// Through a ring the kernel returns only a part of a large read of /dev/zero when other programs need the CPU. Such
/// a part is not an error: the rest is requested again.
#[test]
fn a_transfer_done_in_parts_is_one_operation() {
    for choice in BOTH {
        let zero = target(std::path::Path::new("/dev/zero"), 64 * MIB, false);
        let mut engine = Engine::open(zero, choice).unwrap();
        let load = Workload { direct: false, block_size: Bytes::new(MIB), ..workload(64 * MIB) };
        let (record, _) = run(&mut engine, &load, &volume(2048 * MIB));
        assert_eq!((record.read.count, record.read.errors), (2048, 0), "{choice:?}: {:?}", record.errors.first());
    }
}

/// Nothing but errors ends the step, long before its own rule would.
#[test]
fn a_target_that_only_fails_ends_the_step() {
    for choice in BOTH {
        let mut bench = Bench::new(MIB, true, choice);
        std::fs::OpenOptions::new().write(true).open(&bench.path).unwrap().set_len(0).unwrap();
        let (record, _) = run(&mut bench.engine, &workload(MIB), &no_rule());
        assert_eq!((record.stop_reason, record.read.count), (StopReason::Errors, 0));
        assert!(record.read.errors >= 1000 || record.elapsed().as_secs_f64() >= 1.0);
        assert!(record.read.latency.is_none());
    }
}

#[test]
fn a_full_device_ends_the_step_at_once_and_says_why() {
    for choice in BOTH {
        let mut engine = Engine::open(target(std::path::Path::new("/dev/full"), MIB, false), choice).unwrap();
        let write_percent = Percent::new(100).unwrap();
        let workload = Workload { write_percent, direct: false, pattern: Pattern::Sequential, ..workload(MIB) };
        let (record, _) = run(&mut engine, &workload, &no_rule());
        assert_eq!((record.stop_reason, record.write.count), (StopReason::Errors, 0));
        assert!((1..=8).contains(&record.write.errors), "{}", record.write.errors);
        assert!(record.errors.iter().all(|error| error.errno == libc::ENOSPC && error.op == OpKind::Write));
        assert_eq!(record.written_total.get(), 0);
    }
}
