//! What the tests of the generators share.

use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Span, Workload};

use super::stream::{Op, Stream, streams};

/// Chi-square of counts against what was expected, in standard deviations from its mean (Wilson and Hilferty 1931),
/// so that one bound fits any number of bins. The seeds of the tests are fixed: a correct generator passes always.
pub(crate) fn chi_square_deviation(counts: &[u64], expected: &[f64]) -> f64 {
    assert_eq!(counts.len(), expected.len());
    let chi_square: f64 =
        counts.iter().zip(expected).map(|(count, expected)| (*count as f64 - expected).powi(2) / expected).sum();
    let degrees = counts.len() as f64 - 1.0;
    let cube_root = (chi_square / degrees).cbrt();
    (cube_root - (1.0 - 2.0 / (9.0 * degrees))) / (2.0 / (9.0 * degrees)).sqrt()
}

/// Per cent, in range.
pub(crate) fn percent(value: u64) -> Percent {
    Percent::new(value).unwrap()
}

/// Reads of 4 KiB over so many blocks from byte 0 on.
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
