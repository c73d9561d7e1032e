//! The vocabulary of `[[scores]]`: figures made of those of several steps.

use crate::vocabulary::marks::MARKS_HERE;
use crate::vocabulary::shape::{Kind, NAME, Shape, Word, key, must, word};

static TEXT: Kind = Kind::Text;

/// The figures that a score can be made of: ids of metrics.
const FIGURES: &[Word] = &[
    word("read.throughput", "Reads, MB/s."),
    word("write.throughput", "Writes, MB/s."),
    word("total.throughput", "Reads and writes together, MB/s."),
    word("read.iops", "Reads per second."),
    word("write.iops", "Writes per second."),
    word("total.iops", "Reads and writes per second."),
    word("read.latency_mean", "Mean latency of reads, microseconds."),
    word("read.latency_p99", "99th percentile of the latency of reads, microseconds."),
    word("write.latency_mean", "Mean latency of writes, microseconds."),
    word("write.latency_p99", "99th percentile of the latency of writes, microseconds."),
    word("replay.bytes", "Data that a replay moved, MB."),
    word("replay.busy_time", "Busy time of a replay, seconds."),
    word("power.mean", "Average power of the drive, W; only if something measures it."),
];

static PART: Shape = Shape {
    name: "a part of a score",
    keys: &[&[
        must("test", Kind::Name, "Name of the test."),
        key("steps", Kind::ListOf(&TEXT), "Its steps that count, by the second part of their ids. Default all."),
        must("figure", Kind::OneOf(FIGURES), "The figure that is taken of each step."),
        key("weight", Kind::Decimal(1, 1_000_000), "What each of them is multiplied by, 0.001 to 1000. Default 1."),
    ]],
    lists: false,
};

pub(crate) static SCORE: Shape = Shape {
    name: "a score",
    keys: &[
        &[
            must("name", Kind::Name, "Short name, unique in the file."),
            must("title", Kind::Text, "Title for people.").not_compared(),
            must("sources", Kind::ListOf(&NAME), "Ids of the sources that describe it.").not_compared(),
            key(
                "rule",
                Kind::OneOf(&[
                    word("sum", "The figures, each times its weight, added up."),
                    word("mean", "That sum divided by the sum of the weights."),
                ]),
                "How the parts become one figure. Default sum.",
            ),
            key("unit", Kind::Text, "Unit as printed. Default: that of the figures if all have the same, else points."),
            key(
                "rates_in",
                Kind::OneOf(&[
                    word("MB/s", "10^6 bytes per second."),
                    word("MiB/s", "2^20 bytes per second, as some programs count."),
                ]),
                "What rates of bytes are counted in. Default MB/s.",
            ),
            must("parts", Kind::Tables(&PART), "The steps and figures that it is computed from."),
            key("over", Kind::Name, "Name of a score before this one, by which it is divided."),
        ],
        MARKS_HERE,
    ],
    lists: false,
};
