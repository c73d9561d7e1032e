//! Streams as a worker sees them: kinds, determinism, bounds, and the plain orders.

use drivelab_core::load::OtherOps;
use drivelab_core::units::Bytes;
use drivelab_core::workload::{Pattern, Span, Streams, Workload};
use proptest::prelude::*;

use super::*;
use crate::generate::build::streams;
use crate::generate::testing::{chi_square_deviation, load, ops, percent, the_one};

const PATTERNS: [Pattern; 4] = [Pattern::Sequential, Pattern::Reverse, Pattern::Random, Pattern::RandomOnce];

fn shares(write: u64, trim: u64, write_zeroes: u64, flush: u64) -> Workload {
    Workload {
        write_percent: percent(write),
        other: OtherOps {
            trim_percent: percent(trim),
            write_zeroes_percent: percent(write_zeroes),
            flush_percent: percent(flush),
            sync_every: 0,
        },
        ..load(Pattern::Random, 1000)
    }
}

#[test]
fn random_offsets_are_uniform_and_aligned() {
    for seed in [1, 2, 77] {
        let (bins, draws) = (1000_usize, 1_000_000_usize);
        let mut workload = load(Pattern::Random, bins as u64);
        workload.span.offset = Bytes::new(8192);
        let mut counts = vec![0_u64; bins];
        for op in ops(&streams(&workload, seed).unwrap()[0], 0).take(draws) {
            assert_eq!((op.offset % 4096, op.length), (0, 4096));
            counts[usize::try_from((op.offset - 8192) / 4096).unwrap()] += 1;
        }
        let deviation = chi_square_deviation(&counts, &vec![draws as f64 / bins as f64; bins]);
        assert!(deviation.abs() < 4.0, "seed {seed}: chi-square {deviation} standard deviations off");
    }
}

/// The lag-1 correlation of independent draws has a standard deviation of 1/sqrt(n) = 0.001.
#[test]
fn consecutive_random_offsets_are_independent() {
    let stream = the_one(&load(Pattern::Random, 1 << 20));
    let draws: Vec<f64> = ops(&stream, 0).take(1_000_000).map(|op| op.offset as f64 / 2f64.powi(32) - 0.5).collect();
    let correlation = draws.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / draws.len() as f64 * 12.0;
    assert!(correlation.abs() < 0.005, "lag-1 correlation {correlation}");
}

/// All patterns, because those with places draw flushes separately.
#[test]
fn every_kind_has_the_share_that_was_asked() {
    let draws = 400_000_usize;
    for asked in [[30, 0, 0, 0], [1, 99, 0, 0], [50, 20, 20, 10], [0, 0, 0, 60], [10, 0, 0, 89], [97, 1, 1, 1]] {
        for pattern in PATTERNS {
            let workload = Workload { pattern, ..shares(asked[0], asked[1], asked[2], asked[3]) };
            let mut counts = [0_u64; 5];
            for op in ops(&the_one(&workload), 0).take(draws) {
                assert_eq!(op.length == 0, op.kind == OpKind::Flush);
                counts[OpKind::ALL.iter().position(|kind| *kind == op.kind).unwrap()] += 1;
            }
            let read = 100 - asked.iter().sum::<u64>();
            let expected = [read, asked[0], asked[1], asked[2], asked[3]].map(|share| share as f64 / 100.0);
            let asked_for = |place: &usize| expected[*place] > 0.0;
            assert!((0..5).filter(|place| !asked_for(place)).all(|place| counts[place] == 0), "{asked:?}: {counts:?}");
            let present: Vec<usize> = (0..5).filter(asked_for).collect();
            let counts: Vec<u64> = present.iter().map(|place| counts[*place]).collect();
            let expected: Vec<f64> = present.iter().map(|place| expected[*place] * draws as f64).collect();
            let deviation = chi_square_deviation(&counts, &expected);
            assert!(deviation < 4.0, "{asked:?} {pattern:?}: {counts:?} against {expected:?}");
        }
    }
}

#[test]
fn one_kind_alone_is_never_another() {
    for (asked, kind) in [
        ([0, 0, 0, 0], OpKind::Read),
        ([100, 0, 0, 0], OpKind::Write),
        ([0, 100, 0, 0], OpKind::Trim),
        ([0, 0, 100, 0], OpKind::WriteZeroes),
        ([0, 0, 0, 100], OpKind::Flush),
    ] {
        for pattern in PATTERNS {
            let workload = Workload { pattern, ..shares(asked[0], asked[1], asked[2], asked[3]) };
            assert!(ops(&the_one(&workload), 0).take(10_000).all(|op| op.kind == kind));
        }
    }
}

#[test]
fn the_kind_of_an_operation_says_nothing_about_its_place() {
    let workload = Workload { write_percent: percent(50), ..load(Pattern::Random, 1 << 20) };
    let (mut sum, mut writes) = (0.0, 0.0);
    for op in ops(&the_one(&workload), 0).take(400_000).filter(|op| op.kind == OpKind::Write) {
        sum += op.offset as f64 / 2f64.powi(32);
        writes += 1.0;
    }
    assert!((sum / writes - 0.5_f64).abs() < 0.005, "mean place of writes {}", sum / writes);
}

/// Two passes that drew the same kinds would write the same blocks again and never the others.
#[test]
fn each_pass_draws_its_kinds_anew() {
    for pattern in [Pattern::Sequential, Pattern::Reverse, Pattern::RandomOnce] {
        let workload = Workload { write_percent: percent(50), ..load(pattern, 1000) };
        let kinds: Vec<(u64, bool)> =
            ops(&the_one(&workload), 0).take(2000).map(|op| (op.offset, op.kind == OpKind::Write)).collect();
        let mut passes = [kinds[..1000].to_vec(), kinds[1000..].to_vec()];
        passes.iter_mut().for_each(|pass| pass.sort_unstable());
        let same = passes[0].iter().zip(&passes[1]).filter(|(first, second)| first == second).count();
        assert!((400..600).contains(&same), "{pattern:?}: {same} of 1000 blocks have the same kind in both passes");
    }
}

#[test]
fn a_run_goes_on_from_any_cursor() {
    for pattern in PATTERNS {
        let workload = Workload { pattern, ..shares(30, 0, 0, 20) };
        let stream = the_one(&workload);
        let all: Vec<Op> = ops(&stream, 0).take(5000).collect();
        let middle = (0..1234).fold(0, |cursor, _| stream.op(cursor).1);
        assert!(ops(&stream, middle).take(3766).eq(all[1234..].iter().copied()), "{pattern:?}");
    }
}

#[test]
fn shares_beyond_a_hundred_are_refused() {
    let error = streams(&shares(60, 30, 5, 6), 1).unwrap_err();
    assert!(error.contains("101 %"), "{error}");
}

proptest! {
    #[test]
    fn the_same_key_gives_the_same_sequence_and_another_key_another(
        key in any::<u64>(), blocks in 64_u64..1 << 40, pattern in 2_usize..4,
    ) {
        let workload = Workload { write_percent: percent(50), ..load(PATTERNS[pattern], blocks) };
        let sequence = |key| ops(&streams(&workload, key).unwrap()[0], 0).take(64).collect::<Vec<_>>();
        prop_assert_eq!(sequence(key), sequence(key));
        prop_assert_ne!(sequence(key), sequence(key.wrapping_add(1)));
    }

    #[test]
    fn every_pass_of_a_sequence_touches_each_block_once(
        blocks in 1_u64..500, passes in 1_u64..4, start in 0_u64..1 << 30, write in 0_u64..=80, flush in 0_u64..20,
        pattern in 0_usize..3, cut in 0_u64..500,
    ) {
        let pattern = [Pattern::Sequential, Pattern::Reverse, Pattern::RandomOnce][pattern];
        let workload = Workload {
            pattern,
            block_size: Bytes::new(512),
            span: Span { offset: Bytes::new(start * 512), length: Bytes::new(blocks * 512) },
            ..shares(write, 0, 0, flush)
        };
        let stream = the_one(&workload);
        prop_assert_eq!(stream.pass(), Some(blocks));
        prop_assert_eq!(stream.stretch(), (start * 512, blocks * 512));
        let mut touched = vec![0_u64; usize::try_from(blocks).unwrap()];
        // In two parts, as after an interruption.
        let (mut cursor, mut left) = (0, blocks * passes);
        for part in [cut.min(left), left - cut.min(left)] {
            let mut done = 0;
            while done < part {
                let (op, next) = stream.op(cursor);
                cursor = next;
                if op.kind != OpKind::Flush {
                    touched[usize::try_from((op.offset - start * 512) / 512).unwrap()] += 1;
                    done += 1;
                }
            }
            left -= part;
        }
        prop_assert!(left == 0 && touched.iter().all(|count| *count == passes));
    }

    #[test]
    fn no_operation_leaves_the_stretch(
        key in any::<u64>(), cursor in any::<u64>(), blocks in 1_u64..1 << 40, pattern in 2_usize..4,
    ) {
        let mut workload = load(PATTERNS[pattern], blocks);
        workload.span.offset = Bytes::new(512);
        let stream = &streams(&workload, key).unwrap()[0];
        // A cursor of the permutation has its place below the number of blocks.
        let cursor = if pattern == 2 { cursor } else { cursor % blocks };
        let (op, _) = stream.op(cursor);
        prop_assert!(op.offset >= 512 && op.offset + u64::from(op.length) <= 512 + 4096 * blocks);
    }

    #[test]
    fn threads_have_stretches_or_indices_of_their_own(
        blocks in 1_u64..400, threads in 1_u64..9, pattern in 0_usize..3,
    ) {
        let pattern = [Pattern::Sequential, Pattern::Reverse, Pattern::RandomOnce][pattern];
        let mut workload = load(pattern, blocks);
        workload.threads = drivelab_core::units::Threads::new(threads).unwrap();
        workload.streams = Streams::Disjoint;
        match streams(&workload, 3) {
            Err(error) => prop_assert!(blocks < threads, "{error}"),
            Ok(streams) => {
                let mut offsets: Vec<u64> = streams
                    .iter()
                    .flat_map(|stream| ops(stream, 0).take(stream.pass().unwrap() as usize).map(|op| op.offset / 4096))
                    .collect();
                offsets.sort_unstable();
                prop_assert!(offsets.into_iter().eq(0..blocks));
            }
        }
    }
}
