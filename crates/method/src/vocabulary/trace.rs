//! The vocabulary of traces: `[[traces]]`, and the parameters of a load that replays one.

use crate::vocabulary::shape::{Kind, Shape, Word, key, must, word};

const FORMATS: &[Word] = &[
    word("fio_v2", "fio's log of I/O, version 2."),
    word("fio_v3", "fio's log of I/O, version 3."),
    word("blkparse", "The text of blkparse in its default layout."),
    word("msr", "Microsoft Research Cambridge, CSV."),
    word("alibaba", "Alibaba Cloud block traces, CSV."),
    word("systor17", "Systor '17, CSV."),
    word("tencent", "Tencent CBS, CSV."),
    word("spc", "UMass trace repository, CSV of the Storage Performance Council."),
];

static SYNTHETIC: Shape = Shape {
    name: "`synthetic`",
    keys: &[&[
        key("sequential_reads", COUNT_KIND, "Reads that begin where the read before them ended. Default 0."),
        key("random_reads", COUNT_KIND, "Reads that begin anywhere. Default 0."),
        key("sequential_writes", COUNT_KIND, "Writes that begin where the write before them ended. Default 0."),
        key("random_writes", COUNT_KIND, "Writes that begin anywhere. Default 0."),
        key("read", Kind::Size, "Bytes of all reads. Default: sizes are uniform between smallest and largest."),
        key("written", Kind::Size, "Bytes of all writes. Default: sizes are uniform between smallest and largest."),
        key("smallest", Kind::Size, "Smallest operation, a multiple of 4 KiB. Default 4 KiB."),
        key("largest", Kind::Size, "Largest operation, a multiple of 4 KiB. Default 1 MiB."),
        must("footprint", Kind::Size, "Size of the range of addresses, which starts at 0."),
        key("burst", Kind::Whole(1, 65_535), "Mean number of operations that arrive together. Default 1."),
        key("gap", Kind::Duration, "Mean time from one such group to the next, exponential. Default 0 s."),
        key("seed", Kind::Whole(0, i64::MAX as u64), "Same seed, same trace. Default 1."),
    ]],
    lists: false,
};

const COUNT_KIND: Kind = Kind::Whole(0, 1 << 40);

/// A trace that tests replay.
pub(crate) static TRACE: Shape = Shape {
    name: "a trace",
    keys: &[&[
        must("name", Kind::Name, "Name by which tests refer to it, and by which `--trace NAME=FILE` replaces it."),
        key("file", Kind::Path, "A recorded trace, relative to the folder of the methodology."),
        key("format", Kind::OneOf(FORMATS), "Format of the file. Default: its first line shows it."),
        key("device", Kind::Text, "Only operations of this device, volume or file of the trace. Default: of all."),
        key("synthetic", Kind::Table(&SYNTHETIC), "A trace made from counts and volumes."),
    ]],
    lists: false,
};

/// When operations of a trace are issued.
pub(crate) static REPLAY: Kind = Kind::OneOf(&[
    word("timed", "Operations are issued at their recorded times; how late they are is reported."),
    word("scaled", "As timed, with all gaps multiplied by `replay_scale`."),
    word("capped_idle", "As timed, with gaps cut to `idle_cap`."),
    word("closed_loop", "As fast as possible, in order, `queue_depth` in flight."),
]);

/// Where operations go that lie outside the span.
pub(crate) static FIT: Kind = Kind::OneOf(&[
    word("wrap", "Offsets are taken modulo the span."),
    word("scale", "Offsets are scaled down so that the whole trace lies in the span."),
]);

/// What is done with trims.
pub(crate) static TRIMS: Kind =
    Kind::OneOf(&[word("skip", "Trims are left out and counted."), word("send", "Trims are issued.")]);

/// Gaps of a replay as per cent of the recorded ones.
pub(crate) static SCALE: Kind = Kind::Whole(1, 100_000);
