//! What the tests of the generators share.

use drivelab_core::load::{OtherOps, SizeShare};
use drivelab_core::places::Places;
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Span, Workload};
use proptest::prelude::*;

use super::build::streams;
use super::stream::{Op, Stream};

/// Chi-square of counts compared with the expected ones, in standard deviations from its mean (Wilson and Hilferty
/// 1931), so that one bound fits any number of bins. The seeds of the tests are fixed: a correct generator always
/// passes.
pub(crate) fn chi_square_deviation(counts: &[u64], expected: &[f64]) -> f64 {
    assert_eq!(counts.len(), expected.len());
    let chi_square: f64 =
        counts.iter().zip(expected).map(|(count, expected)| (*count as f64 - expected).powi(2) / expected).sum();
    let degrees = counts.len() as f64 - 1.0;
    let cube_root = (chi_square / degrees).cbrt();
    (cube_root - (1.0 - 2.0 / (9.0 * degrees))) / (2.0 / (9.0 * degrees)).sqrt()
}

/// Whether this many of this many draws fit a share, within six standard deviations. With seeds that change, as in
/// property tests, a correct generator fails once in 500 million times.
pub(crate) fn is_share(count: u64, draws: u64, share: f64) -> bool {
    let (expected, draws) = (share * draws as f64, draws as f64);
    (count as f64 - expected).abs() <= 6.0 * (draws * share * (1.0 - share)).sqrt() + 1e-9
}

/// Per cent, in range.
pub(crate) fn percent(value: u64) -> Percent {
    Percent::new(value).unwrap()
}

/// Reads of 4 KiB over this many blocks from byte 0 on.
pub(crate) fn load(pattern: Pattern, blocks: u64) -> Workload {
    let span = Span { offset: Bytes::new(0), length: Bytes::new(blocks * 4096) };
    Workload { pattern, span, ..Workload::default() }
}

/// The stream of a workload of one thread.
pub(crate) fn the_one(workload: &Workload) -> Stream {
    streams(workload, 42).unwrap().remove(0)
}

/// The operations of a stream from a cursor on.
pub(crate) fn ops(stream: &Stream, mut cursor: u64) -> impl Iterator<Item = Op> {
    std::iter::repeat_with(move || {
        let (op, next) = stream.op(cursor);
        cursor = next;
        op
    })
}

/// Workloads with every kind of order, of at most `most_blocks` blocks, that change blocks in every way; with flushes
/// and reads in between, and some with mixed sizes or jumps.
pub(crate) fn loads(most_blocks: u64) -> impl Strategy<Value = Workload> {
    let patterns = prop_oneof![
        Just((Pattern::Sequential, 0)),
        (2_u64..9).prop_map(|stride| (Pattern::Sequential, stride)),
        (2_u64..9).prop_map(|stride| (Pattern::Reverse, stride)),
        Just((Pattern::Reverse, 0)),
        Just((Pattern::RandomOnce, 0)),
        Just((Pattern::Random, 0)),
    ];
    let shares = (0_u64..=30, 30_u64..=50, 0_u64..=10, 0_u64..=10);
    (patterns, 10..=most_blocks, shares, 0_u64..=3, 1..u64::MAX).prop_map(
        |((pattern, stride), blocks, (flush, write, trim, zero), variant, seed)| Workload {
            places: (variant == 3 && stride == 0 && pattern.is_sequential()).then_some(Places { count: 7, seed }),
            stride: (stride > 0).then(|| Bytes::new(stride * 4096)),
            write_percent: percent(write),
            other: OtherOps {
                trim_percent: percent(trim),
                write_zeroes_percent: percent(zero),
                flush_percent: percent(flush),
                sync_every: 0,
            },
            seek_percent: percent(if variant == 1 && pattern.is_sequential() { 20 } else { 0 }),
            block_size_mix: if variant == 2 && stride == 0 && pattern != Pattern::RandomOnce {
                [1024, 4096].map(|size| SizeShare { block_size: Bytes::new(size), operations: 1 }).to_vec()
            } else {
                Vec::new()
            },
            seed,
            ..load(pattern, blocks)
        },
    )
}
