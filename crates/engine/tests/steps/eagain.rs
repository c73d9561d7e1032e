//! A lower layer that would have had to wait: a first EAGAIN is not an error, and is counted separately.

use drivelab_core::load::{OpKind, Verify};
use drivelab_core::record::{Effort, StepRecord, StopReason};
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Workload};
use drivelab_engine::{BackendChoice, Engine};
use drivelab_rig::{or_skip, root_or_skip};

use super::answers::{Answer, Answering, Asked};
use crate::common::*;

const BLOCK: u32 = 8192;
const BLOCKS: u64 = 64;
const SPAN: u64 = BLOCKS * BLOCK as u64;

/// One sequential pass through a ring over the file with these answers: the record, and the requests. `None` if the
/// machine lacks what it needs, which has been printed.
fn one_pass(
    write_percent: u64,
    answer: impl Fn(OpKind, u64, u32, usize) -> Answer + Send + 'static,
) -> Option<(StepRecord, Vec<Asked>)> {
    one_pass_of((write_percent, Verify::Off), answer)
}

/// One pass, with or without headers.
fn one_pass_of(
    (write_percent, verify): (u64, Verify),
    answer: impl Fn(OpKind, u64, u32, usize) -> Answer + Send + 'static,
) -> Option<(StepRecord, Vec<Asked>)> {
    if !root_or_skip("mounting a file system") {
        return None;
    }
    let file = or_skip(Answering::new(SPAN, answer))?;
    let mut engine = Engine::open(target(&file.path(), SPAN, true), BackendChoice::Uring).unwrap();
    let load = Workload {
        block_size: Bytes::new(u64::from(BLOCK)),
        pattern: Pattern::Sequential,
        write_percent: Percent::new(write_percent).unwrap(),
        verify,
        ..workload(SPAN)
    };
    let (record, _) = run(&mut engine, &load, &passes(1));
    Some((record, file.take()))
}

fn effort(record: &StepRecord) -> &Effort {
    record.engine.effort.as_ref().unwrap()
}

#[test]
fn eagain_is_asked_for_once_more_and_counted_by_itself() {
    for (write_percent, kind) in [(0, OpKind::Read), (100, OpKind::Write)] {
        // Every fourth block gets EAGAIN the first time.
        let answer = move |asked, offset: u64, _, before| {
            let away = asked == kind && before == 0 && (offset / u64::from(BLOCK)).is_multiple_of(4);
            if away { Answer::Eagain } else { Answer::Whole }
        };
        let Some((record, asked)) = one_pass(write_percent, answer) else { return };
        let done = record.op(kind).unwrap();
        assert_eq!((done.count, done.errors), (BLOCKS, 0), "{:?}", record.errors.first());
        assert_eq!(done.bytes.get(), SPAN);
        assert_eq!((effort(&record).eagain_retries, effort(&record).short_transfers), (BLOCKS / 4, 0));
        assert_eq!(effort(&record).operations, BLOCKS, "a repeated request is still the same operation");
        let times = |block: u64| asked.iter().filter(|one| one.offset == block * u64::from(BLOCK)).count();
        for block in 0..BLOCKS {
            assert_eq!(times(block), if block % 4 == 0 { 2 } else { 1 }, "block {block}");
        }
        assert!(asked.iter().all(|one| (one.kind, one.length) == (kind, BLOCK)));
    }
}

#[test]
fn eagain_twice_in_a_row_is_an_error() {
    let bad = 5 * u64::from(BLOCK);
    let answer = move |_, offset, _, _| if offset == bad { Answer::Eagain } else { Answer::Whole };
    let Some((record, asked)) = one_pass(0, answer) else { return };
    assert_eq!((record.read.count, record.read.errors, record.stop_reason), (BLOCKS - 1, 1, StopReason::Passes));
    assert_eq!((record.errors[0].errno, record.errors[0].offset), (libc::EAGAIN, bad));
    assert_eq!(effort(&record).eagain_retries, 1);
    // A thread of io_uring tries once before it waits.
    assert!((2..=3).contains(&asked.iter().filter(|one| one.offset == bad).count()), "once more, not for ever");
}

/// A write and its read-back have one position and one slot, and are two operations: each is requested once more. The
/// file does not keep what is written, so its content is not checked.
#[test]
fn eagain_of_a_write_is_none_of_what_reads_it_back() {
    let answer = |_, _, _, before| if before == 0 { Answer::Eagain } else { Answer::Whole };
    let Some((record, asked)) = one_pass_of((100, Verify::AtOnce), answer) else { return };
    assert_eq!((record.write.count, record.write.errors), (BLOCKS, 0), "{:?}", record.errors.first());
    assert_eq!((record.read.count, record.read.errors), (BLOCKS, 0), "{:?}", record.errors.first());
    assert_eq!(effort(&record).eagain_retries, 2 * BLOCKS);
    for kind in [OpKind::Write, OpKind::Read] {
        assert_eq!(asked.iter().filter(|one| one.kind == kind).count() as u64, 2 * BLOCKS, "{kind:?}");
    }
}

/// Half of an operation, then EAGAIN: only the rest is requested again, and each is counted separately. io_uring's
/// own thread requests the rest twice before it returns the half.
#[test]
fn what_is_left_of_a_part_is_asked_for_once_more_alone() {
    let answer = |_, _, length, before| match (length, before) {
        (BLOCK, _) => Answer::Part(BLOCK / 2),
        (_, 0..3) => Answer::Eagain,
        _ => Answer::Whole,
    };
    let Some((record, asked)) = one_pass(0, answer) else { return };
    assert_eq!((record.read.count, record.read.errors, record.read.bytes.get()), (BLOCKS, 0, SPAN));
    assert_eq!((effort(&record).short_transfers, effort(&record).eagain_retries), (BLOCKS, BLOCKS));
    for block in 0..BLOCKS {
        let start = block * u64::from(BLOCK);
        let own = asked.iter().filter(|one| (start..start + u64::from(BLOCK)).contains(&one.offset));
        let own: Vec<(u64, u32, Answer)> = own.map(|one| (one.offset - start, one.length, one.answer)).collect();
        let half = BLOCK / 2;
        let rest = u64::from(half);
        let away = (rest, half, Answer::Eagain);
        let expected = [(0, BLOCK, Answer::Part(half)), away, away, away, (rest, half, Answer::Whole)];
        assert_eq!(own, expected, "block {block}");
    }
}
