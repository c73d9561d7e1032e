//! Workloads that do not fit the target are refused with one clear sentence, before anything is issued.

use drivelab_core::backend::BackendError;
use drivelab_core::clock::StopToken;
use drivelab_core::target::PlacementHandles;
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Span, Workload};
use drivelab_engine::{BackendChoice, Engine, Options};
use drivelab_rig::or_skip;

use crate::common::*;

const MIB: u64 = 1 << 20;

fn refusal(engine: &mut Engine, workload: &Workload) -> String {
    match run_with(engine, workload, &passes(1), (0, 100), &StopToken::default()) {
        Err(BackendError::Unfit(message)) => message,
        other => panic!("not refused as unfit: {other:?}"),
    }
}

#[test]
fn each_misfit_has_its_own_sentence() {
    let mut bench = Bench::new(MIB, true, BackendChoice::Sync);
    let fits = Workload { write_percent: Percent::new(100).unwrap(), ..workload(MIB) };
    let span = |offset, length| Span { offset: Bytes::new(offset), length: Bytes::new(length) };
    let (deep, many) = depth(64, 32);
    let cases = [
        (Workload { span: span(0, MIB + 4096), ..fits.clone() }, "ends outside the target"),
        (Workload { span: span(0, u64::MAX / 4096 * 4096), ..fits.clone() }, "ends outside the target"),
        (Workload { span: span(0, 6000), ..fits.clone() }, "whole blocks"),
        (Workload { span: span(0, 0), ..fits.clone() }, "whole blocks"),
        (Workload { span: span(512, MIB / 2), ..fits.clone() }, "whole blocks"),
        (Workload { block_size: Bytes::new(0), ..fits.clone() }, "block size of"),
        (Workload { block_size: Bytes::new(1000), span: span(0, 100_000), ..fits.clone() }, "multiples of"),
        (Workload { queue_depth: deep, threads: many, ..fits.clone() }, "at most 1024"),
        (
            Workload { pattern: Pattern::Sequential, threads: many, span: span(0, 65536), ..fits.clone() },
            "at least 32 blocks",
        ),
    ];
    for (workload, expected) in cases {
        let message = refusal(&mut bench.engine, &workload);
        assert!(message.contains(expected), "{message}");
    }
    assert!(std::fs::read(&bench.path).unwrap().iter().all(|byte| *byte == 0), "nothing was written");
}

/// Each operation in flight of the sync backend is a thread with buffers of its own.
#[test]
fn the_buffers_of_all_threads_of_the_sync_backend_are_counted_before_any_is_made() {
    let mut bench = Bench::new(MIB, true, BackendChoice::Sync);
    let message = refusal(&mut bench.engine, &much_to_write_from(MIB));
    assert!(message.contains("1024 operations in flight") && message.contains("of buffers"), "{message}");
    assert!(std::fs::read(&bench.path).unwrap().iter().all(|byte| *byte == 0), "nothing was written");
}

/// tmpfs has no direct I/O, so direct I/O is refused with that reason; buffered I/O works there.
#[test]
fn tmpfs_has_no_direct_io_and_works_through_the_page_cache() {
    let folder = tempfile::tempdir_in("/dev/shm").map_err(|_| "there is no /dev/shm");
    let Some(folder) = or_skip(folder) else { return };
    let path = folder.path().join("target");
    zeros(&path, MIB);
    for choice in BOTH {
        let mut engine = Engine::open(target(&path, MIB, false), choice).unwrap();
        let message = refusal(&mut engine, &workload(MIB));
        assert!(message.contains("does not support it: made by a test"), "{message}");
        let workload = Workload { direct: false, ..workload(MIB) };
        let (record, _) = run(&mut engine, &workload, &volume(MIB));
        assert_eq!((record.read.count, record.engine.direct_verified), (256, false));
        assert_eq!(record.engine.punted, choice == BackendChoice::Uring, "io_uring on tmpfs goes through io-wq");
    }
}

/// Writes are refused if the target is not a namespace, if the drive has no such handle, or through a ring; nothing
/// is written then.
#[test]
fn writes_that_cannot_be_placed_are_refused() {
    let load = Workload { write_percent: Percent::new(100).unwrap(), placement_handle: Some(1), ..workload(MIB) };
    let buffered = Workload { direct: false, ..load.clone() };
    let known = PlacementHandles {
        device: (0, 0),
        namespace: 1,
        logical_block: Bytes::new(512),
        largest_command: Bytes::new(128 << 10),
        handles: vec![0, 1],
    };
    for (choice, known, load, expected) in [
        (BackendChoice::Auto, None, &load, "its handles are not known"),
        (BackendChoice::Sync, Some(&known), &load, "not the whole namespace"),
        (BackendChoice::Sync, Some(&known), &buffered, "only direct I/O can be placed"),
        (BackendChoice::Uring, Some(&known), &load, "use the sync backend"),
    ] {
        let bench = Bench::new(MIB, true, choice);
        let options = Options { placement: known.cloned(), ..Options::new(choice) };
        let mut engine = Engine::open(target(&bench.path, MIB, true), options).unwrap();
        let message = refusal(&mut engine, load);
        assert!(message.contains(expected), "{message}");
        assert!(std::fs::read(&bench.path).unwrap().iter().all(|byte| *byte == 0), "nothing was written");
    }
}
