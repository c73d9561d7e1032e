//! The history compared with a naive one: a map that records every write.

use std::collections::HashMap;

use drivelab_core::load::Verify;
use drivelab_core::record::DataFault;
use drivelab_core::units::{Bytes, Threads};
use drivelab_core::workload::{Pattern, Span, Workload};
use proptest::prelude::*;

use super::super::busy::{Busy, Window};
use super::super::check::Checker;
use super::super::scan::Scan;
use super::super::seal::{Header, Sealer};
use super::*;
use crate::generate::build::streams;
use crate::generate::stream::Op;
use crate::generate::testing::{load, loads, percent, the_one};

const UNIT: u64 = 1024;

/// Any workload, with `threads` threads, each of which has blocks of its own.
fn verified(workload: Workload, threads: u64) -> Option<Vec<Stream>> {
    let threads = Threads::new(threads).unwrap();
    streams(&Workload { verify: Verify::Headers, threads, ..workload }, 11).ok()
}

/// The first operations of a stream with their cursors, and the cursor after them.
fn issued(stream: &Stream, operations: usize) -> (Vec<(u64, Op)>, u64) {
    let (mut all, mut cursor) = (Vec::new(), 0);
    for _ in 0..operations {
        let (op, next) = stream.op(cursor);
        all.push((cursor, op));
        cursor = next;
    }
    (all, cursor)
}

/// What the naive map knows of each unit: the last certain change, and whether a later one is uncertain.
fn naive(streams: &[Stream], operations: usize, in_flight: usize) -> HashMap<u64, Expected> {
    let mut map = HashMap::new();
    for stream in streams {
        let (all, _) = issued(stream, operations);
        let certain = operations.saturating_sub(in_flight);
        for (number, (cursor, op)) in all.into_iter().enumerate() {
            let shift = stream.turn_shift();
            let turn = Turn { turn: cursor >> shift, shift };
            let now = match (op.kind, number < certain) {
                (OpKind::Read | OpKind::Flush, _) | (OpKind::Write, false) => continue,
                (OpKind::Write, true) => Expected::Since(turn),
                (OpKind::WriteZeroes, true) => Expected::ZerosSince(turn),
                (OpKind::WriteZeroes, false) | (OpKind::Trim, _) => Expected::Nothing,
            };
            for part in (0..u64::from(op.length)).step_by(usize::try_from(stream.unit()).unwrap()) {
                map.insert(op.offset + part, now);
            }
        }
    }
    map
}

proptest! {
    /// Every kind of stream, computed or replayed: the last change of every block is the one in the map.
    #[test]
    fn the_last_write_to_each_block_is_found_again(
        workload in loads(120), threads in 1_u64..=3, operations in 0_usize..800,
    ) {
        let Some(streams) = verified(workload.clone(), threads) else { return Ok(()) };
        let cursors: Vec<u64> = streams.iter().map(|stream| issued(stream, operations).1).collect();
        let history = History::replay(&streams, &cursors, 0).unwrap();
        let map = naive(&streams, operations, 0);
        for address in (0..workload.span.length.get()).step_by(usize::try_from(streams[0].unit()).unwrap()) {
            let asked = map.get(&address).copied().unwrap_or(Expected::Nothing);
            prop_assert_eq!(history.expected(address), asked, "at {}", address);
        }
    }

    /// As above, with the last operations in doubt. A computed history is in doubt further back (it counts places,
    /// and flushes take none), so it may expect less, never more.
    #[test]
    fn what_was_in_flight_is_not_insisted_on(
        workload in loads(120), operations in 0_usize..800, in_flight in 0_u32..200,
    ) {
        let Some(streams) = verified(workload.clone(), 1) else { return Ok(()) };
        let cursors = [issued(&streams[0], operations).1];
        let history = History::replay(&streams, &cursors, in_flight).unwrap();
        let map = naive(&streams, operations, in_flight as usize);
        for address in (0..workload.span.length.get()).step_by(usize::try_from(streams[0].unit()).unwrap()) {
            let (found, asked) = (history.expected(address), map.get(&address).copied().unwrap_or(Expected::Nothing));
            let is_weaker = match (found, asked) {
                (Expected::Nothing, _) => streams[0].is_orderly(),
                (Expected::Since(found), Expected::Since(asked)) => found.turn <= asked.turn,
                (Expected::ZerosSince(found), Expected::Since(asked)) => found.turn < asked.turn,
                _ => false,
            };
            let may_be_weaker = streams[0].is_orderly() && is_weaker;
            prop_assert!(found == asked || may_be_weaker, "at {address}: {found:?} where {asked:?}");
        }
    }
}

/// A drive in memory under a worker that keeps the rules of `busy`: operations complete in any order, and when the
/// run is cut off, each one in flight may have reached the drive or not.
struct Simulation {
    drive: Vec<u8>,
    sealer: Sealer,
    random: u64,
}

#[derive(Clone, Copy)]
struct Flight {
    number: u64,
    cursor: u64,
    op: Op,
}

impl Simulation {
    fn draw(&mut self, below: usize) -> usize {
        self.random = crate::generate::mix(self.random.wrapping_add(1));
        self.random as usize % below
    }

    fn land(&mut self, Flight { cursor, op, .. }: Flight) {
        let at = usize::try_from(op.offset).unwrap();
        let part = &mut self.drive[at..at + op.length as usize];
        match op.kind {
            OpKind::Write => self.sealer.seal(part, op.offset, cursor + 1),
            OpKind::WriteZeroes => part.fill(0),
            OpKind::Trim => part.fill(0x7e),
            OpKind::Read | OpKind::Flush => {}
        }
    }

    /// Issues `operations` of a stream and is then cut off. Returns the cursor of the next one.
    fn run(&mut self, stream: &Stream, operations: u64, depth: u32) -> u64 {
        let (busy, mut window) = (Busy::new(u64::from(depth), 16), Window::new(depth));
        let (mut flights, mut cursor, mut number): (Vec<Flight>, u64, u64) = (Vec::new(), 0, 0);
        let blocks = |op: Op| (op.offset / UNIT, u64::from(op.length) / UNIT);
        while number < operations {
            let (op, next) = stream.op(cursor);
            let (first, count) = blocks(op);
            let is_free = flights.len() < depth as usize
                && window.admits(number, flights.iter().map(|flight| flight.number))
                && busy.try_claim(first, count);
            if is_free {
                flights.push(Flight { number, cursor, op });
                (cursor, number) = (next, number + 1);
            } else {
                // The oldest hangs: it is as unlikely to end as all others together.
                let which = self.draw(flights.len() * 8).min(flights.len() - 1);
                let flight = flights.remove(which);
                self.land(flight);
                let (first, count) = blocks(flight.op);
                busy.release(first, count);
            }
        }
        for flight in flights {
            if self.draw(2) == 0 {
                self.land(flight);
            }
        }
        cursor
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Cut off at any point, no block of the drive is called bad, whether the position is known or found by a scan;
    /// and a block that is put back to an older state is called stale, if its last write is certain.
    #[test]
    fn after_a_cut_nothing_right_is_called_wrong_and_a_lost_write_is_found(
        workload in loads(60), operations in 0_u64..1500, depth in 1_u32..=4, random in any::<u64>(),
    ) {
        let workload = Workload {
            block_size: Bytes::new(4 * UNIT),
            span: Span { offset: Bytes::new(0), ..workload.span },
            ..workload
        };
        let Some(streams) = verified(workload.clone(), 1) else { return Ok(()) };
        let unit = streams[0].unit();
        let drive = vec![0; usize::try_from(workload.span.length.get()).unwrap()];
        let sealer = Sealer::new(1, 2, unit).unwrap();
        let mut simulation = Simulation { drive, sealer, random };
        let cursor = simulation.run(&streams[0], operations, depth);
        let mut scan = Scan::new(&streams);
        let blocks = |drive: &[u8]| -> Vec<(u64, Vec<u8>)> {
            drive.chunks(unit as usize).zip((0..).step_by(unit as usize)).map(|(b, a)| (a, b.to_vec())).collect()
        };
        let all = blocks(&simulation.drive);
        all.iter().filter_map(|(_, block)| Header::intact(block)).for_each(|header| scan.note(header));
        let checker = Checker::new(1, 2, unit).unwrap();
        let window = Window::operations(depth);
        let known = History::replay(&streams, &[cursor], window).unwrap();
        let found = scan.history(window).unwrap();
        for history in [&known, &found] {
            for (address, block) in &all {
                let expected = history.expected(*address);
                let verdict = checker.check(block, *address, expected, |write| history.wrote(*address, write));
                prop_assert_eq!(verdict, Ok(()), "at {}, where {:?} is expected", address, expected);
            }
        }
        // A lost write: the block holds what any earlier generation wrote.
        let earlier = issued(&streams[0], operations as usize).0;
        for (address, _) in &all {
            let Expected::Since(last) = known.expected(*address) else { continue };
            let covers = |op: &Op| (op.offset..op.offset + u64::from(op.length)).contains(address);
            let is_before = |(cursor, op): &&(u64, Op)| {
                op.kind == OpKind::Write && covers(op) && cursor >> last.shift < last.turn
            };
            let Some((cursor, _)) = earlier.iter().find(is_before) else { continue };
            let mut old = vec![9; unit as usize];
            simulation.sealer.seal(&mut old, *address, cursor + 1);
            let verdict = checker.check(&old, *address, known.expected(*address), |_| false);
            prop_assert_eq!(verdict, Err((DataFault::Stale, None)));
        }
    }
}

#[test]
fn a_failed_write_is_not_held_against_the_drive() {
    let stream = the_one(&Workload { write_percent: percent(100), ..load(Pattern::Sequential, 10) });
    let cursor = issued(&stream, 10).1;
    let mut history = History::replay(&[stream], &[cursor], 0).unwrap();
    history.excuse(4096, 8192);
    let is_expected: Vec<bool> = (0..5).map(|block| history.expected(block * 4096) != Expected::Nothing).collect();
    assert_eq!(is_expected, [true, false, false, true, true]);
}

#[test]
fn what_has_no_answer_is_refused_in_words() {
    let once = |pattern, blocks| the_one(&Workload { write_percent: percent(100), ..load(pattern, blocks) });
    let refused = |streams: &[Stream], cursors: &[u64]| History::replay(streams, cursors, 0).unwrap_err();
    let small = once(Pattern::Sequential, 10);
    assert!(refused(std::slice::from_ref(&small), &[15]).contains("not a position"));
    assert!(refused(&[small.clone(), small.clone()], &[1, 1]).contains("same blocks"));
    assert!(refused(&[small], &[]).contains("same parameters"));
    // 64 TiB: random order needs a number for each block; sequential order and every block once need none.
    let huge = 1 << 34;
    let message = refused(&[once(Pattern::Random, huge)], &[1000]);
    assert!(message.contains("64 GiB") && message.contains("random_once"), "{message}");
    for pattern in [Pattern::Sequential, Pattern::RandomOnce] {
        let stream = once(pattern, huge);
        let history = History::replay(std::slice::from_ref(&stream), &[huge * 3 + 7], 0).unwrap();
        let (op, _) = stream.op(huge * 3 + 6);
        let turn = |turn| Expected::Since(Turn { turn, shift: stream.turn_shift() });
        assert_eq!(history.expected(op.offset), turn(3));
        let (op, _) = stream.op(huge * 2 + 5_000_000);
        let later = (huge * 3..huge * 3 + 7).any(|cursor| stream.op(cursor).0.offset == op.offset);
        assert_eq!(history.expected(op.offset), turn(if later { 3 } else { 2 }));
    }
}
