//! Groups of threads with loads of their own at the same time: reported separately, added up, kept to their weights.

use std::fs::{File, read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;

use drivelab_core::backend::BackendError;
use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::load::{Arrivals, OpKind, Pace, Rate, Verify};
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::record::StopReason;
use drivelab_core::target::{DirectIo, ReadOnlyParts, ReadOnlyTarget};
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Span, Workload};
use drivelab_engine::{BackendChoice, Engine, Options};

use crate::common::*;

const MIB: u64 = 1 << 20;

#[test]
fn groups_run_together_and_end_with_the_first() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let beside = Workload {
            name: "scan".to_owned(),
            pattern: Pattern::Sequential,
            block_size: Bytes::new(65536),
            ..workload(8 * MIB)
        };
        let main = Workload {
            name: "main".to_owned(),
            write_percent: Percent::new(100).unwrap(),
            beside: vec![beside],
            ..workload(8 * MIB)
        };
        let mut rule = no_rule();
        rule.operations = Some(2000);
        let (record, intervals) = run(&mut bench.engine, &main, &rule);
        assert_eq!(record.stop_reason, StopReason::Operations);
        let names: Vec<&str> = record.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["main", "scan"]);
        assert_eq!((record.groups[0].write.count, record.groups[0].read.count), (2000, 0));
        assert!(record.groups[1].read.count > 0 && record.groups[1].write.count == 0);
        assert_eq!((record.write.count, record.read.count), (2000, record.groups[1].read.count));
        assert_eq!(record.read.bytes.get(), record.read.count * 65536);
        assert_eq!(intervals.iter().map(|interval| interval.read.count).sum::<u64>(), record.read.count);
        assert_eq!(record.engine.effort.unwrap().depth_asked, 8);
    }
}

#[test]
fn weights_hold_in_a_closed_loop() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let group = |name: &str, weight| Workload {
            name: name.to_owned(),
            pace: Pace { weight, ..Pace::default() },
            ..workload(8 * MIB)
        };
        let main = Workload { beside: vec![group("small", 1)], ..group("large", 3) };
        let (record, _) = run(&mut bench.engine, &main, &time(400));
        let (large, small) = (record.groups[0].read.count as f64, record.groups[1].read.count as f64);
        // Each may be ahead of the other by its operations in flight.
        assert!((large / 3.0 - small).abs() <= 16.0, "{choice:?}: {large} and {small}");
    }
}

#[test]
fn groups_with_rates_keep_each_its_own() {
    let mut bench = Bench::new(8 * MIB, true, BOTH[0]);
    let group = |name: &str, per_second: u64| {
        let rate = Some(Rate { per_1000_s: per_second * 1000, arrivals: Arrivals::Constant });
        Workload { name: name.to_owned(), pace: Pace { rate, ..Pace::default() }, ..workload(8 * MIB) }
    };
    let main = Workload { beside: vec![group("slow", 100)], ..group("fast", 1000) };
    let (record, _) = run(&mut bench.engine, &main, &time(500));
    let open = record.open_loop.unwrap();
    assert_eq!(open.asked_iops, 1100.0);
    assert!(open.arrived.abs_diff(550) <= 2, "{open:?}");
    assert!(record.groups[1].read.count <= 50, "{}", record.groups[1].read.count);
}

/// Longer than the target, so that reads beyond its end show where they went.
const OTHER: u64 = 12 * MIB;

/// An engine on a writable file, with a second file that is open for reading only; operations on both are reported.
fn with_another(choice: BackendChoice) -> (Bench, Told) {
    let (mut bench, told) = Bench::traced(8 * MIB, true, choice);
    let path = bench.folder.path().join("other");
    zeros(&path, OTHER);
    let buffered = OwnedFd::from(File::open(&path).unwrap());
    let kept = Arc::clone(&told);
    let mut options = Options::new(choice);
    options.trace = Some(Box::new(move |entries, _| kept.lock().unwrap().extend_from_slice(entries)));
    options.other = Some(ReadOnlyTarget::new(ReadOnlyParts {
        direct: Some(File::options().read(true).custom_flags(libc::O_DIRECT).open(&path).unwrap().into()),
        path,
        buffered,
        length: Bytes::new(OTHER),
        direct_io: DirectIo {
            supported: true,
            memory_align: Bytes::new(512),
            offset_align: Bytes::new(512),
            reason: "made by a test".to_owned(),
        },
        reason: "it is another namespace".to_owned(),
    }));
    bench.engine = Engine::open(target(&bench.path, 8 * MIB, true), options).unwrap();
    (bench, told)
}

/// Random writes on the target, with sequential reads over the whole other namespace at the same time.
fn writers_and_readers() -> Workload {
    let on = OtherNamespace {
        name: "nvme0n2".to_owned(),
        nsid: 2,
        capacity: Bytes::new(OTHER),
        logical_block: Bytes::new(512),
    };
    let readers = Workload {
        name: "readers".to_owned(),
        pattern: Pattern::Sequential,
        block_size: Bytes::new(65536),
        on: Some(Box::new(on)),
        span: Span { offset: Bytes::new(0), length: Bytes::new(OTHER) },
        ..workload(OTHER)
    };
    let write_percent = Percent::new(100).unwrap();
    Workload { name: "main".to_owned(), write_percent, beside: vec![readers], ..workload(8 * MIB) }
}

#[test]
fn a_group_reads_another_namespace_while_the_target_is_written() {
    for choice in BOTH {
        let (mut bench, told) = with_another(choice);
        // Until the readers have covered it once and both groups were seen.
        let stop = StopToken::default();
        let (record, _) = listen(&mut bench.engine, &writers_and_readers(), &until_stopped(), (0, 100), &stop, |_| {
            let seen = told.lock().unwrap();
            let read = seen.iter().filter(|entry| entry.op == OpKind::Read).map(|entry| u64::from(entry.length));
            if read.sum::<u64>() > OTHER && seen.iter().any(|entry| entry.op == OpKind::Write) {
                stop.stop(StopCause::Person);
            }
        });
        assert_eq!(record.error_count(), 0, "{choice:?}: {:?}", record.errors);
        assert!(record.engine.direct_verified, "{choice:?}: both are open with O_DIRECT");
        let (main, readers) = (&record.groups[0], &record.groups[1]);
        assert!(main.write.count > 0 && main.read.count == 0, "{choice:?}");
        assert!(readers.read.bytes.get() > OTHER && readers.write.count == 0, "{choice:?}: {readers:?}");
        // The target ends before most of the places that were read, so reads from the target would have failed.
        assert!(told.lock().unwrap().iter().any(|entry| entry.offset >= 8 * MIB), "{choice:?}");
        assert!(read(&bench.path).unwrap().iter().any(|byte| *byte != 0), "{choice:?}: nothing was written");
        assert!(read(bench.folder.path().join("other")).unwrap().iter().all(|byte| *byte == 0), "{choice:?}");
    }
}

#[test]
fn what_would_do_more_than_read_another_namespace_is_refused() {
    let refused = |change: fn(&mut Workload), open: bool, says: &str| {
        let mut bench = if open { with_another(BOTH[0]).0 } else { Bench::new(8 * MIB, true, BOTH[0]) };
        let mut load = writers_and_readers();
        change(&mut load);
        let ran = run_with(&mut bench.engine, &load, &time(50), (0, 100), &StopToken::default());
        let Err(BackendError::Unfit(why)) = ran else { panic!("{says}: it ran") };
        assert!(why.contains(says), "{why}");
    };
    refused(|load| load.beside[0].write_percent = Percent::new(1).unwrap(), true, "only with direct reads");
    refused(|load| load.beside[0].other.trim_percent = Percent::new(100).unwrap(), true, "only with direct reads");
    refused(|load| load.beside[0].other.flush_percent = Percent::new(10).unwrap(), true, "only with direct reads");
    refused(|load| load.beside[0].direct = false, true, "only with direct reads");
    refused(|load| load.beside[0].verify = Verify::Check, true, "only with direct reads");
    refused(|load| *load = Workload { beside: Vec::new(), ..load.beside[0].clone() }, true, "only an additional group");
    refused(|_| (), false, "'readers' reads nvme0n2, which is not open");
    let shrunk = |load: &mut Workload| load.beside[0].on.as_mut().unwrap().capacity = Bytes::new(2 * OTHER);
    refused(shrunk, true, "when the run was planned");
    let beyond = |load: &mut Workload| load.beside[0].span.offset = Bytes::new(OTHER);
    refused(beyond, true, "ends outside the target, which has 12582912 bytes");
}
