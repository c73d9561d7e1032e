//! Orders as streams produce them: coverage, strides, jumps, sizes, and which thread has which blocks.

use std::collections::HashSet;

use drivelab_core::load::{Locality, OpKind, OtherOps, SizeShare, Verify, Zone};
use drivelab_core::units::{Bytes, Threads};
use drivelab_core::workload::{Pattern, Streams, Workload};
use proptest::prelude::*;

use crate::generate::build::streams;
use crate::generate::stream::{Op, Stream};
use crate::generate::testing::{chi_square_deviation, load, ops, percent, the_one};

fn mixed(pattern: Pattern, blocks: u64, sizes: &[(u64, u32)]) -> Workload {
    let block_size = Bytes::new(sizes.iter().map(|(bytes, _)| *bytes).max().unwrap());
    let block_size_mix =
        sizes.iter().map(|(bytes, operations)| SizeShare { block_size: Bytes::new(*bytes), operations: *operations });
    let mut workload = Workload { block_size, block_size_mix: block_size_mix.collect(), ..load(pattern, 0) };
    workload.span.length = Bytes::new(blocks * block_size.get());
    workload
}

/// The sizes of JESD219 (research notes, methods, section 6) with their shares of the operations.
const JESD219: [(u64, u32); 12] = [
    (512, 4),
    (1024, 1),
    (1536, 1),
    (2048, 1),
    (2560, 1),
    (3072, 1),
    (3584, 1),
    (4096, 67),
    (8192, 10),
    (16_384, 7),
    (32_768, 3),
    (65_536, 3),
];

fn threads(workload: Workload, threads: u64) -> Workload {
    Workload { threads: Threads::new(threads).unwrap(), ..workload }
}

/// Operations from `cursor` until the stretch was covered once, and the cursor after them.
fn lap(stream: &Stream, mut cursor: u64) -> (Vec<Op>, u64) {
    let (mut lap, mut bytes) = (Vec::new(), 0);
    while bytes < stream.stretch().1 {
        let (op, next) = stream.op(cursor);
        cursor = next;
        bytes += u64::from(op.length);
        lap.push(op);
    }
    (lap, cursor)
}

fn share_deviation(sizes: &[(u64, u32)], ops: impl Iterator<Item = Op>) -> f64 {
    let mut counts = vec![0_u64; sizes.len()];
    ops.for_each(|op| counts[sizes.iter().position(|(bytes, _)| *bytes == u64::from(op.length)).unwrap()] += 1);
    let (all, weight) =
        (counts.iter().sum::<u64>() as f64, sizes.iter().map(|(_, share)| f64::from(*share)).sum::<f64>());
    let expected: Vec<f64> = sizes.iter().map(|(_, share)| f64::from(*share) / weight * all).collect();
    chi_square_deviation(&counts, &expected)
}

/// 5 blocks by 2: 0 2 4, then 1 3, then again; backwards from the end.
#[test]
fn strides_visit_what_lies_between_in_later_rounds() {
    let visits = |pattern| {
        let workload = Workload { stride: Some(Bytes::new(8192)), ..load(pattern, 5) };
        ops(&the_one(&workload), 0).take(7).map(|op| op.offset / 4096).collect::<Vec<u64>>()
    };
    assert_eq!(visits(Pattern::Sequential), [0, 2, 4, 1, 3, 0, 2]);
    assert_eq!(visits(Pattern::Reverse), [4, 2, 0, 3, 1, 4, 2]);
}

/// Reads continue where reads ended, and other operations where other operations ended; flushes take no block.
#[test]
fn streams_by_kind_go_on_each_by_themselves() {
    let other = OtherOps { trim_percent: percent(10), flush_percent: percent(10), ..OtherOps::default() };
    for (pattern, write) in [(Pattern::Sequential, 0), (Pattern::Sequential, 30), (Pattern::Reverse, 70)] {
        let streams = Streams::ByKind;
        let stream = the_one(&Workload { write_percent: percent(write), other, streams, ..load(pattern, 100) });
        assert_eq!(stream.pass(), None);
        let all: Vec<Op> = ops(&stream, 0).take(20_000).filter(|op| op.kind != OpKind::Flush).collect();
        let (reads, others): (Vec<Op>, Vec<Op>) = all.iter().partition(|op| op.kind == OpKind::Read);
        let due = |count: u64| {
            let place = count % 100;
            4096 * if pattern == Pattern::Reverse { 99 - place } else { place }
        };
        for part in [&reads, &others] {
            assert!(
                part.len() > 1500 && part.iter().zip(0..).all(|(op, count)| op.offset == due(count)),
                "{pattern:?}"
            );
        }
        let share = reads.len() as f64 / all.len() as f64 - (80 - write) as f64 / 90.0;
        assert!(share.abs() < 0.02, "{share} off");
        // The sequence is the same from any cursor on.
        let middle = (0..777).fold(0, |cursor, _| stream.op(cursor).1);
        assert!(ops(&stream, middle).zip(ops(&stream, 0).skip(777)).take(500).all(|(one, two)| one == two));
        assert!(stream.is_cursor(middle) && !stream.is_cursor(127));
    }
}

/// A tenth of the operations jump; a jump that lands where the sequence would have continued anyway is not counted.
#[test]
fn jumps_have_their_share_and_land_anywhere() {
    for (asked, stride, pattern) in [(10, None, Pattern::Sequential), (50, Some(16_384), Pattern::Reverse)] {
        let workload = Workload { seek_percent: percent(asked), stride: stride.map(Bytes::new), ..load(pattern, 1000) };
        let visits: Vec<i64> = ops(&the_one(&workload), 0).take(500_000).map(|op| op.offset as i64 / 4096).collect();
        let step = stride.unwrap_or(4096) as i64 / 4096 * if pattern == Pattern::Reverse { -1 } else { 1 };
        let mut landings = vec![0_u64; 1000];
        let mut jumps = 0_u64;
        for pair in visits.windows(2) {
            // The end of a lap is not a jump. A lap of strides begins again one block further.
            let wraps = !(0..1000).contains(&(pair[0] + step));
            if !wraps && pair[1] != pair[0] + step {
                landings[pair[1] as usize] += 1;
            }
            jumps += u64::from(!wraps && pair[1] != pair[0] + step);
        }
        let steps = visits.windows(2).filter(|pair| (0..1000).contains(&(pair[0] + step))).count() as f64;
        let share = asked as f64 / 100.0 * 0.999;
        let deviation = (steps * share * (1.0 - share)).sqrt();
        assert!((jumps as f64 - steps * share).abs() < 5.0 * deviation, "{asked} %: {jumps} of {steps}");
        let deviation = chi_square_deviation(&landings, &vec![jumps as f64 / 1000.0; 1000]);
        assert!(deviation.abs() < 4.0, "{asked} %: {deviation} standard deviations off");
    }
}

/// Lengths of runs between jumps are geometric: a place does not always have the same successor.
#[test]
fn runs_between_jumps_are_geometric() {
    let workload = Workload { seek_percent: percent(20), ..load(Pattern::Sequential, 1 << 30) };
    let visits: Vec<u64> = ops(&the_one(&workload), 0).take(1_000_000).map(|op| op.offset / 4096).collect();
    let (mut counts, mut run) = (vec![0_u64; 30], 0);
    for pair in visits.windows(2) {
        if pair[1] == pair[0] + 1 {
            run += 1;
        } else {
            counts[run.min(29)] += 1;
            run = 0;
        }
    }
    let runs = counts.iter().sum::<u64>() as f64;
    let mut expected: Vec<f64> = (0..30).map(|length| 0.2 * 0.8_f64.powi(length) * runs).collect();
    expected[29] = 0.8_f64.powi(29) * runs;
    let deviation = chi_square_deviation(&counts, &expected);
    assert!(deviation.abs() < 4.0, "{deviation} standard deviations off: {counts:?}");
}

/// With jumps on every operation no order is left.
#[test]
fn jumps_on_every_operation_are_random_order() {
    let workload = Workload { seek_percent: percent(100), ..load(Pattern::Sequential, 100) };
    let mut counts = vec![0_u64; 100];
    ops(&the_one(&workload), 0).skip(1).take(200_000).for_each(|op| counts[(op.offset / 4096) as usize] += 1);
    let deviation = chi_square_deviation(&counts, &[2000.0; 100]);
    assert!(deviation.abs() < 4.0, "{deviation} standard deviations off");
}

#[test]
fn sizes_have_their_shares_of_the_operations() {
    for pattern in [Pattern::Random, Pattern::Sequential, Pattern::Reverse] {
        let stream = the_one(&mixed(pattern, 1 << 20, &JESD219));
        let deviation = share_deviation(&JESD219, ops(&stream, 0).take(500_000));
        assert!(deviation.abs() < 4.0, "{pattern:?}: {deviation} standard deviations off");
        // A size without a share is never drawn.
        let stream = the_one(&mixed(pattern, 1 << 20, &[(4096, 1), (8192, 0), (65_536, 3)]));
        let deviation = share_deviation(&[(4096, 1), (65_536, 3)], ops(&stream, 0).take(100_000));
        assert!(deviation.abs() < 4.0, "{pattern:?}: {deviation} standard deviations off");
    }
}

/// 5 blocks of 1.5 KiB, and sizes of 1 and 1.5 KiB: if 512 bytes are left, nothing fits and the next lap begins.
#[test]
fn a_lap_ends_where_no_size_fits() {
    let stream = the_one(&mixed(Pattern::Sequential, 5, &[(1024, 1), (1536, 1)]));
    let all: Vec<Op> = ops(&stream, 0).take(10_000).collect();
    for pair in all.windows(2) {
        let end = pair[0].offset + u64::from(pair[0].length);
        assert!(pair[1].offset == end || (pair[1].offset == 0 && 7680 - end <= 512), "{pair:?}");
    }
    assert!(all.iter().any(|op| op.offset + u64::from(op.length) == 7168));
}

/// The whole load of JESD219: 60 % writes, its sizes, its zones. The zones keep their shares of the starts of
/// operations of every size, and the kinds keep theirs in every zone.
#[test]
fn the_client_load_of_jesd219_has_all_its_shares_at_once() {
    let zone = |accesses, span| Zone { accesses: percent(accesses), span: percent(span) };
    let workload = Workload {
        write_percent: percent(60),
        locality: Locality::Zoned { zones: vec![zone(50, 5), zone(30, 15), zone(20, 80)] },
        ..mixed(Pattern::Random, 1 << 20, &JESD219)
    };
    let stream = the_one(&workload);
    let all: Vec<Op> = ops(&stream, 0).take(1_000_000).collect();
    assert!(share_deviation(&JESD219, all.iter().copied()).abs() < 4.0);
    let zone_of = |op: &Op| match op.offset as f64 / workload.span.length.as_f64() {
        share if share < 0.05 => 0,
        share if share < 0.2 => 1,
        _ => 2,
    };
    for size in [512, 4096, 65_536] {
        let mut counts = [0_u64; 6];
        for op in all.iter().filter(|op| op.length == size) {
            assert!(op.offset.is_multiple_of(u64::from(size)));
            counts[zone_of(op) * 2 + usize::from(op.kind == OpKind::Write)] += 1;
        }
        let sum = counts.iter().sum::<u64>() as f64;
        let expected = [0.5 * 0.4, 0.5 * 0.6, 0.3 * 0.4, 0.3 * 0.6, 0.2 * 0.4, 0.2 * 0.6].map(|share| share * sum);
        let deviation = chi_square_deviation(&counts, &expected);
        assert!(deviation < 4.0, "{size}: {counts:?} against {expected:?}");
    }
}

#[test]
fn threads_have_what_the_word_says() {
    let of = |pattern, how, verify| {
        let workload = Workload { streams: how, verify, ..threads(load(pattern, 1000), 4) };
        streams(&workload, 7)
    };
    let first = |streams: &[Stream]| -> Vec<Vec<Op>> {
        streams.iter().map(|stream| ops(stream, 0).take(250).collect()).collect()
    };
    let stretches = |streams: &[Stream]| streams.iter().map(Stream::stretch).collect::<Vec<_>>();
    let quarters: Vec<(u64, u64)> = (0..4).map(|thread| (thread * 1_024_000, 1_024_000)).collect();
    for pattern in [Pattern::Sequential, Pattern::Reverse, Pattern::Random, Pattern::RandomOnce] {
        let shared = first(&of(pattern, Streams::Shared, Verify::Off).unwrap());
        assert!(shared.iter().all(|ops| *ops == shared[0]), "{pattern:?}");
        let overlapping = of(pattern, Streams::Overlapping, Verify::Off).unwrap();
        assert_eq!(stretches(&overlapping), [(0, 4_096_000); 4]);
        let ordered: HashSet<Vec<u64>> =
            first(&overlapping).iter().map(|ops| ops.iter().map(|op| op.offset).collect()).collect();
        assert_eq!(ordered.len(), if pattern.is_sequential() { 1 } else { 4 }, "{pattern:?}");
        // The verifier relies on it: no block belongs to two threads, whatever the order.
        assert_eq!(stretches(&of(pattern, Streams::Disjoint, Verify::Headers).unwrap()), quarters);
        for how in [Streams::Shared, Streams::Overlapping] {
            assert!(of(pattern, how, Verify::AtOnce).unwrap_err().contains("disjoint"));
        }
    }
    assert_eq!(stretches(&of(Pattern::Sequential, Streams::Disjoint, Verify::Off).unwrap()), quarters);
    for pattern in [Pattern::Random, Pattern::RandomOnce] {
        assert_eq!(stretches(&of(pattern, Streams::Disjoint, Verify::Off).unwrap()), [(0, 4_096_000); 4]);
    }
}

/// A thread's part of a random order without repetition is spread over the whole span.
#[test]
fn interleaved_threads_each_see_the_whole_span() {
    let workload = threads(load(Pattern::RandomOnce, 400_000), 4);
    for stream in streams(&workload, 1).unwrap() {
        let mut counts = vec![0_u64; 100];
        ops(&stream, 0).take(100_000).for_each(|op| counts[(op.offset / 4096 / 4000) as usize] += 1);
        // A quarter of all blocks, without repetition: the variance is three quarters of the usual one.
        let deviation = chi_square_deviation(&counts, &[1000.0; 100]);
        assert!(deviation < 4.0, "{deviation} standard deviations off");
    }
}

#[test]
fn what_cannot_be_had_together_is_refused_with_a_way_out() {
    let stride = |pattern, stride: u64| Workload { stride: Some(Bytes::new(stride)), ..load(pattern, 100) };
    let sizes = |pattern| mixed(pattern, 100, &[(4096, 1), (8192, 1)]);
    let zipf = Locality::Zipf { theta_thousandths: 1000, scattered: true };
    for (workload, said) in [
        (stride(Pattern::Random, 8192), "no meaning in random order"),
        (stride(Pattern::Sequential, 6000), "multiple"),
        (stride(Pattern::Sequential, 0), "multiple"),
        (stride(Pattern::Sequential, 409_600), "smaller stride"),
        (Workload { stride: Some(Bytes::new(16_384)), ..sizes(Pattern::Sequential) }, "one block size"),
        (Workload { seek_percent: percent(1), ..load(Pattern::RandomOnce, 100) }, "seek percentage"),
        (Workload { locality: zipf, ..load(Pattern::Sequential, 100) }, "locality"),
        (sizes(Pattern::RandomOnce), "one block size"),
        (mixed(Pattern::Random, 100, &[(4096, 0), (8192, 0)]), "more than 0"),
        (Workload { block_size: Bytes::new(4096), ..sizes(Pattern::Random) }, "whose largest"),
        (Workload { streams: Streams::ByKind, ..load(Pattern::Random, 100) }, "streams by kind need all blocks"),
        (Workload { streams: Streams::ByKind, ..sizes(Pattern::Sequential) }, "with one block size"),
        (Workload { streams: Streams::ByKind, ..load(Pattern::Sequential, 1 << 29) }, "at most 268435456 blocks"),
        (load(Pattern::Random, 0), "no whole block"),
        (threads(load(Pattern::Sequential, 3), 4), "at least 4 blocks"),
        (threads(load(Pattern::RandomOnce, 3), 4), "at least 4 blocks"),
        (Workload { block_size: Bytes::new(0), ..load(Pattern::Random, 3) }, "block size of 0"),
    ] {
        let error = streams(&workload, 1).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
    }
}

proptest! {
    #[test]
    fn a_pass_of_strides_touches_each_block_once(
        blocks in 2_u64..300, stride in 1_u64..300, backwards in any::<bool>(), cut in 0_u64..300,
    ) {
        prop_assume!(stride < blocks);
        let pattern = if backwards { Pattern::Reverse } else { Pattern::Sequential };
        let stream = the_one(&Workload { stride: Some(Bytes::new(stride * 4096)), ..load(pattern, blocks) });
        prop_assert_eq!(stream.pass(), Some(blocks));
        let (all, next) = lap(&stream, 0);
        let mut visits: Vec<u64> = all.iter().map(|op| op.offset / 4096).collect();
        let middle = (0..cut % blocks).fold(0, |cursor, _| stream.op(cursor).1);
        prop_assert!(ops(&stream, middle).zip(&all[(cut % blocks) as usize..]).all(|(op, other)| op == *other));
        visits.sort_unstable();
        prop_assert!(visits.into_iter().eq(0..blocks));
        prop_assert_eq!(lap(&stream, next).0, all);
    }

    /// Mixed sizes in sequence: each byte of the stretch comes once in each lap, nothing crosses its end, and each
    /// lap has its own sizes.
    #[test]
    fn mixed_sizes_follow_each_other_without_gaps(
        blocks in 1_u64..50, key in any::<u64>(), backwards in any::<bool>(), count in 1_u64..4,
        sizes in prop::collection::vec((1_u64..32, 0_u32..5), 1..5), write in 0_u64..=100, flush in 0_u64..50,
    ) {
        let pattern = if backwards { Pattern::Reverse } else { Pattern::Sequential };
        let mut sizes: Vec<(u64, u32)> = sizes.iter().map(|(sectors, share)| (sectors * 512, *share)).collect();
        // All sizes are multiples of the smallest, so that laps can end exactly.
        sizes.push((512, 1));
        let mut workload = threads(mixed(pattern, blocks * count, &sizes), count);
        workload.write_percent = percent(write.min(100 - flush));
        workload.other.flush_percent = percent(flush);
        let streams = streams(&workload, key).unwrap();
        let mut all = Vec::new();
        for stream in &streams {
            let mut cursor = 0;
            for _ in 0..3 {
                let (ops, next) = lap(stream, cursor);
                cursor = next;
                let mut place = 0;
                for op in ops.iter().filter(|op| op.kind != OpKind::Flush) {
                    let (start, bytes) = stream.stretch();
                    let from = if backwards { start + bytes - place - u64::from(op.length) } else { start + place };
                    prop_assert_eq!(op.offset, from);
                    prop_assert!(sizes.iter().any(|(bytes, share)| *bytes == u64::from(op.length) && *share > 0));
                    place += u64::from(op.length);
                }
                prop_assert_eq!(place, stream.stretch().1);
            }
            all.push(stream.stretch());
        }
        let end = all.iter().fold(0, |end, (start, bytes)| if *start == end { end + bytes } else { u64::MAX });
        prop_assert_eq!(end, workload.span.length.get());
    }

    /// Any size, random: aligned to it, inside the span, and inside the thread's stretch if blocks are verified.
    #[test]
    fn random_operations_of_any_size_are_aligned_and_inside(
        blocks in 4_u64..1 << 30, key in any::<u64>(), cursor in any::<u64>(), start in 0_u64..1 << 20,
        sizes in prop::collection::vec((1_u64..128, 1_u32..5), 1..8), verified in any::<bool>(),
    ) {
        let sizes: Vec<(u64, u32)> = sizes.iter().map(|(sectors, share)| (sectors * 512, *share)).collect();
        let mut workload = threads(mixed(Pattern::Random, blocks, &sizes), 4);
        workload.verify = if verified { Verify::Headers } else { Verify::Off };
        workload.span.offset = Bytes::new(start * workload.block_size.get());
        for (stream, thread) in streams(&workload, key).unwrap().iter().zip(0..) {
            let (op, next) = stream.op(cursor);
            let (from, bytes) = stream.stretch();
            prop_assert!(op.offset >= from && op.offset + u64::from(op.length) <= from + bytes);
            prop_assert!((op.offset - from).is_multiple_of(u64::from(op.length)));
            prop_assert_eq!(next, cursor.wrapping_add(1));
            prop_assert!(!verified || thread == 0 || from > workload.span.offset.get());
        }
    }

    /// Laps of a random order split over threads: all together cover every block once, from any lap on, whatever the
    /// split.
    #[test]
    fn threads_share_every_lap_of_a_random_order(
        blocks in 8_u64..500, count in 1_u64..9, key in any::<u64>(), laps in 1_u64..4, verified in any::<bool>(),
    ) {
        let mut workload = threads(load(Pattern::RandomOnce, blocks), count);
        workload.verify = if verified { Verify::Headers } else { Verify::Off };
        let streams = streams(&workload, key).unwrap();
        let mut cursors = vec![0; streams.len()];
        let mut orders = Vec::new();
        for _ in 0..laps {
            let mut order = Vec::new();
            for (stream, cursor) in streams.iter().zip(&mut cursors) {
                for _ in 0..stream.pass().unwrap() {
                    let (op, next) = stream.op(*cursor);
                    *cursor = next;
                    order.push(op.offset / 4096);
                }
            }
            let mut blocks_seen = order.clone();
            blocks_seen.sort_unstable();
            prop_assert!(blocks_seen.into_iter().eq(0..blocks));
            orders.push(order);
        }
        // A new order for each lap; with few blocks two laps may agree.
        prop_assert!(blocks < 100 || laps == 1 || orders[0] != orders[1]);
    }
}
