//! The line under contention, and the mapping by examples worked out by hand.

use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_core::load::{OpKind, OtherOps};
use drivelab_core::replay::{Replay, ReplayMode, TraceFacts, TraceFit, TraceOp, TraceSource, TraceTrims};
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::{Span, Workload};

use super::line::{Changed, Item, Line, Taken};
use super::map::Mapper;
use super::take::{Due, Taker};

fn item(number: u64) -> Item {
    Item {
        due_ns: number,
        offset: number * 512,
        length: 512,
        kind: OpKind::Write,
        changed: Changed::default(),
        skipped: 0,
    }
}

#[test]
fn what_is_packed_comes_out_as_it_was() {
    let line = Line::new();
    let changed = Changed { moved: true, aligned: false, shortened: true };
    let odd =
        Item { due_ns: u64::MAX, offset: 1 << 63, length: u32::MAX, kind: OpKind::Flush, changed, skipped: 65_535 };
    assert!(line.push(&odd));
    assert_eq!(line.take(), Taken::Item(0, odd));
    assert_eq!(line.take(), Taken::NotYet);
    line.end();
    assert_eq!(line.take(), Taken::End);
    assert_eq!(line.outcome(), (1, true, 0));
}

#[test]
fn every_operation_is_taken_exactly_once_by_whichever_thread_and_the_line_never_holds_more_than_it_has_places() {
    const ALL: u64 = 300_000;
    let line = Line::new();
    let (sum, count, full) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut last = None;
                loop {
                    match line.take() {
                        Taken::Item(number, item) => {
                            assert_eq!(item.offset, number * 512, "what is in a place belongs to its position");
                            assert!(last.replace(number).is_none_or(|last| last < number), "in order");
                            sum.fetch_add(number, Ordering::Relaxed);
                            count.fetch_add(1, Ordering::Relaxed);
                        }
                        Taken::NotYet => std::thread::yield_now(),
                        Taken::End => return,
                    }
                }
            });
        }
        for number in 0..ALL {
            while !line.push(&item(number)) {
                full.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
            }
        }
        line.end();
    });
    assert_eq!((count.into_inner(), sum.into_inner()), (ALL, ALL * (ALL - 1) / 2));
    let few = Line::new();
    let pushed = (0..100_000).take_while(|number| few.push(&item(*number))).count();
    assert_eq!(pushed, 1 << 15, "bounded");
    assert!(few.is_ready());
}

fn mapper(mode: ReplayMode, fit: TraceFit, trims: TraceTrims, span: (u64, u64), end: u64) -> Mapper {
    let facts = TraceFacts {
        format: "fio_v2".to_owned(),
        hash: String::new(),
        reads: 1,
        writes: 1,
        trims: 1,
        flushes: 1,
        read: Bytes::new(1),
        written: Bytes::new(1),
        largest: Bytes::new(65_536),
        end: Bytes::new(end),
        duration: Nanos::new(1),
        empty: 0,
        out_of_order: 0,
    };
    let source = TraceSource::File { path: "t".into(), format: None, device: None };
    let replay = Replay { trace: "t".to_owned(), source, mode, fit, trims, facts };
    let one = Percent::new(1).unwrap();
    let workload = Workload {
        write_percent: one,
        other: OtherOps { trim_percent: one, flush_percent: one, ..OtherOps::default() },
        block_size: Bytes::new(65_536),
        span: Span { offset: Bytes::new(span.0), length: Bytes::new(span.1) },
        ..Workload::default()
    };
    Mapper::new(&workload, &replay, 4096)
}

/// Place, length, and whether the operation was moved, aligned, shortened.
fn placed(mapper: &mut Mapper, offset: u64, length: u64) -> (u64, u32, [bool; 3]) {
    let item = mapper.map(TraceOp { at_ns: 0, op: OpKind::Read, offset, length }).unwrap().unwrap();
    let Changed { moved, aligned, shortened } = item.changed;
    (item.offset, item.length, [moved, aligned, shortened])
}

#[test]
fn places_wrap_or_scale_and_become_whole_blocks() {
    let span = (8192, 1 << 20);
    let mut wrap = mapper(ReplayMode::Timed {}, TraceFit::Wrap, TraceTrims::Skip, span, 1 << 30);
    assert_eq!(placed(&mut wrap, 0, 4096), (8192, 4096, [false; 3]));
    assert_eq!(placed(&mut wrap, (1 << 20) + 4096, 4096), (8192 + 4096, 4096, [true, false, false]));
    assert_eq!(placed(&mut wrap, 512, 512), (8192, 4096, [false, true, false]), "half a block is a block");
    assert_eq!(placed(&mut wrap, 4095, 2), (8192, 8192, [false, true, false]), "two bytes in two blocks");
    assert_eq!(
        placed(&mut wrap, (1 << 20) - 4096, 8192),
        (8192 + (1 << 20) - 8192, 8192, [true, false, false]),
        "the end"
    );
    assert_eq!(placed(&mut wrap, 0, 1 << 20), (8192, 65_536, [false, false, true]), "longer than the largest");
    assert_eq!(placed(&mut wrap, u64::MAX - 10, 20).1 % 4096, 0, "no overflow");
    let mut scale = mapper(ReplayMode::Timed {}, TraceFit::Scale, TraceTrims::Skip, span, 1 << 22);
    assert_eq!(placed(&mut scale, 1 << 21, 4096), (8192 + (1 << 19), 4096, [true, false, false]), "a quarter as far");
    let mut roomy = mapper(ReplayMode::Timed {}, TraceFit::Scale, TraceTrims::Skip, span, 1 << 19);
    assert_eq!(placed(&mut roomy, 1 << 18, 4096), (8192 + (1 << 18), 4096, [false; 3]), "what fits stays");
}

#[test]
fn times_follow_the_mode_and_trims_are_left_out_or_sent() {
    let dues = |mode| {
        let mut mapper = mapper(mode, TraceFit::Wrap, TraceTrims::Skip, (0, 1 << 20), 1 << 20);
        [0, 10, 1010, 1013].map(|at_ns| {
            let op = TraceOp { at_ns, op: OpKind::Write, offset: 0, length: 4096 };
            mapper.map(op).unwrap().unwrap().due_ns
        })
    };
    assert_eq!(dues(ReplayMode::Timed {}), [0, 10, 1010, 1013]);
    assert_eq!(dues(ReplayMode::Scaled { percent: 50 }), [0, 5, 505, 506]);
    assert_eq!(dues(ReplayMode::CappedIdle { cap: Nanos::new(25) }), [0, 10, 35, 38]);
    assert_eq!(dues(ReplayMode::ClosedLoop {}), [0; 4]);
    let trim = TraceOp { at_ns: 5, op: OpKind::Trim, offset: 4096, length: 4096 };
    let mut skip = mapper(ReplayMode::Timed {}, TraceFit::Wrap, TraceTrims::Skip, (0, 1 << 20), 1 << 20);
    assert_eq!((skip.map(trim).unwrap(), skip.map(trim).unwrap(), skip.skipped()), (None, None, 2));
    let after = skip.map(TraceOp { op: OpKind::Flush, length: 0, ..trim }).unwrap().unwrap();
    assert_eq!((after.skipped, after.length, skip.skipped()), (2, 0, 0));
    let mut send = mapper(ReplayMode::Timed {}, TraceFit::Wrap, TraceTrims::Send, (0, 1 << 20), 1 << 20);
    assert_eq!(send.map(trim).unwrap().map(|item| (item.kind, item.offset)), Some((OpKind::Trim, 4096)));
}

#[test]
fn a_kind_that_nobody_announced_is_an_error_and_not_a_write() {
    let mut mapper = mapper(ReplayMode::Timed {}, TraceFit::Wrap, TraceTrims::Skip, (0, 1 << 20), 1 << 20);
    let zeroes = TraceOp { at_ns: 0, op: OpKind::WriteZeroes, offset: 0, length: 4096 };
    assert!(mapper.map(zeroes).unwrap_err().contains("operation 1 of the trace is a write_zeroes"));
}

#[test]
fn operations_wait_for_their_time_and_what_was_not_read_in_time_is_counted() {
    let line = Line::new();
    let mut taker = Taker::default();
    assert!(line.push(&Item { due_ns: 100, ..item(0) }));
    assert!(matches!(taker.next(&line, 1000, 1000, true), Due::NotBefore(1100)));
    assert!(matches!(taker.next(&line, 1100, 1000, true), Due::Item(0, _, 1100)));
    // Nothing has been read: the loop checks again, and the operation that comes at last was due 500 ns ago.
    assert!(matches!(taker.next(&line, 1200, 1000, true), Due::NotBefore(_)));
    assert!(line.push(&Item { due_ns: 500, ..item(1) }));
    assert!(matches!(taker.next(&line, 2000, 1000, true), Due::Item(1, _, 1500)));
    assert_eq!((taker.counts.starved_ns, taker.counts.starved_operations), (500, 1));
    // One that comes before its time did not cause a wait.
    assert!(matches!(taker.next(&line, 2100, 1000, true), Due::NotBefore(_)));
    assert!(line.push(&Item { due_ns: 9000, ..item(2) }));
    assert!(matches!(taker.next(&line, 2200, 1000, true), Due::NotBefore(10_000)));
    assert_eq!(taker.counts.starved_operations, 1);
    // Without times every wait counts.
    let mut closed = Taker::default();
    assert!(matches!(closed.next(&line, 2300, 1000, false), Due::NotBefore(_)));
    assert!(line.push(&item(3)));
    assert!(matches!(closed.next(&line, 2400, 1000, false), Due::Item(_, _, 0)));
    assert_eq!(closed.counts.starved_ns, 100);
}
