//! The vocabulary of a load: parameters of a step and of a group of threads, and which of them may be axes.
//!
//! The meaning of each key is what schema and messages say about it. Must not know: what keys mean together.

use crate::vocabulary::shape::{Key, Kind, NAME, Shape, Word, elsewhere, key, must, word};
use crate::vocabulary::trace;

/// The axis that `[[tests.cases]]` makes.
pub(crate) const CASE: &str = "case";

static OP: Kind = Kind::OneOf(&[
    word("read", "Every operation reads."),
    word("write", "Every operation writes."),
    word("trim", "Every operation tells the target that blocks are no longer used."),
    word("write_zeroes", "Every operation asks the target to make blocks zero without sending zeros."),
    word("flush", "Every operation asks the target to make durable what it has acknowledged."),
    word("verify", "Every operation reads, and checks the headers that an earlier step wrote."),
]);

static PATTERN: Kind = Kind::OneOf(&[
    word("sequential", "Ascending offsets, wrapping at the end of the thread's part of the span."),
    word("reverse", "Descending offsets, wrapping at the start of the thread's part of the span."),
    word("random", "Random offsets with repetition, multiples of the block size, distributed by `locality`."),
    word("random_once", "Random order in which every block is touched once before any is touched again."),
]);

pub(crate) const DATA_WORDS: &[Word] = &[
    word("incompressible", "Random bytes that neither compress nor repeat."),
    word("zero", "Zero bytes only."),
    word("one_block", "One random block per thread, written again and again."),
    word("pattern", "The bytes of `data_pattern`, repeated."),
    word("file", "The bytes of `data_file`, again and again."),
];

static DATA: Kind = Kind::OneOf(DATA_WORDS);

static STREAMS: Kind = Kind::OneOf(&[
    word("disjoint", "Each thread has a part of the span to itself."),
    word("overlapping", "Each thread runs over the whole span with a stream of its own."),
    word("shared", "All threads take their blocks from one stream over the whole span."),
    word(
        "by_kind",
        "As overlapping, but the reads of a thread have a position of their own, and its other operations another.",
    ),
]);

static VERIFY: Kind = Kind::OneOf(&[
    word("off", "Blocks carry no headers."),
    word("headers", "Written blocks carry headers, which a later step checks."),
    word("at_once", "As headers, and each block is read back and checked as soon as it was written."),
    word("check", "Reads check the headers that an earlier step wrote."),
]);

static ARRIVALS: Kind = Kind::OneOf(&[
    word("constant", "Equal gaps."),
    word("exponential", "Exponential gaps: a Poisson process."),
    word("uniform", "Gaps uniform between zero and twice the mean."),
]);

const SHARES_OF: &[Word] =
    &[word("operations", "Shares of the number of operations."), word("bytes", "Shares of the bytes moved.")];

static PERCENT: Kind = Kind::Whole(0, 100);
static DEPTH: Kind = Kind::Whole(1, 65_535);
static THREADS: Kind = Kind::Whole(1, 1024);
static COUNT: Kind = Kind::Whole(0, u32::MAX as u64);

/// The engine and the analysis each hold a list of them.
static PLACES: Kind = Kind::Whole(2, 1 << 20);

static BATCH: Kind = Kind::Whole(1, 65_535);
static CPU: Kind = Kind::Whole(0, 65_535);

/// A namespace has at most 128 placement handles (NVM Express Base Specification 2.1, I/O Management Receive).
const HANDLE: Kind = Kind::Whole(0, 127);

/// The axes that a test may order: every parameter that may be a list, and its cases.
pub(crate) static AXIS_WORDS: Kind = Kind::AxisName;

/// Every word of [`AXIS_WORDS`].
pub(crate) fn axis_names() -> impl Iterator<Item = &'static str> {
    axes().chain([CASE])
}

/// Parameters that may be a list and so become an axis; the order is the one in which messages name them.
pub(crate) fn axes() -> impl Iterator<Item = &'static str> {
    LOAD.iter().filter(|key| matches!(key.kind, Kind::Axis(_))).map(|key| key.name)
}

static SIZE_SHARE: Shape = Shape {
    name: "a size of a mix",
    keys: &[&[
        must("block_size", Kind::Size, "Bytes of one operation."),
        must("share", Kind::Whole(1, 1_000_000), "Weight among the sizes; only the proportion counts."),
    ]],
    lists: false,
};

static ZONE: Shape = Shape {
    name: "a zone",
    keys: &[&[
        must("accesses", Kind::Whole(0, 100), "Share of the accesses, per cent."),
        must("span", Kind::Whole(1, 100), "Share of the span, per cent; zones follow each other from its start."),
    ]],
    lists: false,
};

static BAND: Shape = Shape {
    name: "a hot band",
    keys: &[&[
        must("accesses", Kind::Whole(1, 100), "Share of the accesses that go to the band, per cent."),
        must("from", Kind::Whole(0, 99), "Start of the band as a share of the span, per cent."),
        must("to", Kind::Whole(1, 100), "End of the band as a share of the span, per cent."),
    ]],
    lists: false,
};

/// The table of `locality`: one distribution.
pub(crate) static LOCALITY: Shape = Shape {
    name: "`locality`",
    keys: &[&[
        key(
            "zipf",
            Kind::Decimal(1, 10_000),
            "The block of rank k is chosen in proportion to k^-theta: theta, 0.001 to 10.",
        ),
        key("pareto", Kind::Decimal(1, 999), "Self-similar with this h, 0.001 to 0.999; 0.2 is the 80/20 rule."),
        key(
            "normal",
            Kind::Whole(1, 100),
            "Normal around the middle of the span: standard deviation in per cent of the span.",
        ),
        key("zones", Kind::Tables(&ZONE), "Shares of the accesses go to shares of the span; both sum to 100."),
        key("hot_band", Kind::Table(&BAND), "A share of the accesses goes to one band, the rest to all of the span."),
        key(
            "scattered",
            Kind::Flag,
            "Of zipf and pareto: hot blocks are spread over the span, or lie together at its start. Default true.",
        ),
    ]],
    lists: false,
};

/// The table of `bursts`.
static BURSTS: Shape = Shape {
    name: "`bursts`",
    keys: &[&[
        key("on", Kind::Duration, "Time of activity; needs `off`."),
        key("off", Kind::Duration, "Pause after it."),
        key("volume", Kind::Size, "Bytes of one burst, instead of `on` and `off`; needs `duty_cycle`."),
        key("duty_cycle", Kind::Whole(1, 99), "Active share of burst and pause together, per cent."),
        key(
            "on_at_most",
            Kind::Duration,
            "With `volume`: longest time of one burst. Default: until its volume is moved.",
        ),
    ]],
    lists: false,
};

/// `seed` where the file states none.
pub(crate) const SEED: u64 = 1;

/// Parameters of a load: allowed in defaults, tests, cases, forms and groups.
pub(crate) static LOAD: &[Key] = &[
    key("op", Kind::Axis(&OP), "What every operation does; excludes the shares. No default."),
    key(
        "write_percent",
        Kind::Axis(&PERCENT),
        "Share of operations that write, per cent, drawn per operation; the rest are reads.",
    ),
    key(
        "trim_percent",
        Kind::Axis(&PERCENT),
        "Share of operations that trim (discard; in a file, punch a hole), per cent, drawn per operation. Default 0.",
    ),
    key(
        "write_zeroes_percent",
        Kind::Axis(&PERCENT),
        "Share of operations that write zeroes, per cent, drawn per operation. Default 0.",
    ),
    key(
        "flush_percent",
        Kind::Axis(&PERCENT),
        "Share of operations that flush, per cent, drawn per operation. Default 0.",
    ),
    key(
        "sync_every",
        Kind::Axis(&COUNT),
        "Flush after this many writes of a thread, in addition to `flush_percent`; 0 for never. Default 0.",
    ),
    key("block_size", Kind::Axis(&Kind::Size), "Bytes of one operation; excludes block_size_mix. No default."),
    key(
        "block_size_mix",
        Kind::Tables(&SIZE_SHARE),
        "Several sizes, drawn per operation, with their shares; excludes block_size.",
    ),
    key(
        "block_size_shares_of",
        Kind::OneOf(SHARES_OF),
        "What the shares of `block_size_mix` count. Default operations.",
    ),
    key("queue_depth", Kind::Axis(&DEPTH), "Operations in flight per thread, 1 to 65535. No default."),
    key("threads", Kind::Axis(&THREADS), "Threads that issue I/O, 1 to 1024. Default 1."),
    key("pattern", Kind::Axis(&PATTERN), "Order of offsets. No default."),
    key(
        "locality",
        Kind::Axis(&Kind::Locality),
        "How random offsets are distributed: \"uniform\" or a table. Default uniform.",
    ),
    key("stride", Kind::Axis(&Kind::Size), "Distance between the starts of sequential operations. Default: no gap."),
    key(
        "places",
        Kind::Axis(&PLACES),
        "Only this many blocks of the span: both ends, both sides of powers of two, a run and a grid that detect wraps, and \
         random ones.",
    ),
    key(
        "seek_percent",
        Kind::Axis(&PERCENT),
        "Share of sequential operations that jump to a random block and continue from there, per cent. Default 0.",
    ),
    key("streams", Kind::Axis(&STREAMS), "How threads share the span. Default disjoint."),
    key("data", Kind::Axis(&DATA), "What is written. Default incompressible."),
    key(
        "compress_percent",
        Kind::Axis(&PERCENT),
        "Share of each block that is zero and compresses away, per cent. Default 0.",
    ),
    key(
        "dedup_percent",
        Kind::Axis(&PERCENT),
        "Share of the blocks that repeat one written before, per cent. Default 0.",
    ),
    key(
        "data_window",
        Kind::Size,
        "Distance in the order of addresses within which no data repeats, so that a compressor finds nothing. Default: 1 \
         MiB; more on bcachefs, ZFS, network file systems and FUSE.",
    ),
    key("data_pattern", Kind::Hex, "The bytes of data = \"pattern\", as hexadecimal digits."),
    key("data_file", Kind::Path, "The file of data = \"file\", relative to the folder of the methodology."),
    key(
        "span",
        Kind::Axis(&Kind::Extent),
        "Part of the target that is touched: size, per cent, or {offset, length}. Default 100 %.",
    ),
    key(
        "rate",
        Kind::Axis(&Kind::Rate),
        "Open loop: operations or bytes per second, over all threads, that arrive whatever the target does.",
    ),
    key("arrivals", Kind::Axis(&ARRIVALS), "How the arrivals of an open loop are spaced. Default constant."),
    key(
        "bursts",
        Kind::Table(&BURSTS),
        "Activity and pause in turn, from the start of the step on: by time, or by volume and duty cycle.",
    ),
    key(
        "think_time",
        Kind::Axis(&Kind::Duration),
        "In a closed loop, time between the end of an operation and the next one in its place. Default 0 s.",
    ),
    key(
        "weight",
        Kind::Whole(1, 1_000_000),
        "This group's share among groups: of the test's rate, or of the operations of a closed loop.",
    ),
    key("verify", Kind::Axis(&VERIFY), "Whether blocks carry headers that are checked. Default off."),
    key("direct", Kind::Axis(&Kind::Flag), "Past the page cache (O_DIRECT) or through it. Default true."),
    key("cpus", Kind::ListOf(&CPU), "CPUs that the threads are pinned to in turn. Default: the scheduler decides."),
    key(
        "batch",
        Kind::Axis(&BATCH),
        "Completions to wait for at a time; above 1, latencies include this wait, and results are marked (ceiling mode). \
         Default 1.",
    ),
    key(
        "placement_handle",
        HANDLE,
        "Placement handle of the writes, 0 to 127, on an NVMe namespace with FDP; needs root. Default: none; the drive \
         then uses 0.",
    ),
    key("seed", Kind::Whole(0, i64::MAX as u64), "Seed of offsets, operation draws and data. Default 1."),
    key("trace", Kind::Axis(&NAME), "Replay this one of [[traces]], with its operations, sizes, addresses and times."),
    key("replay", Kind::Axis(&trace::REPLAY), "When operations of the trace are issued. Default timed."),
    key(
        "replay_scale",
        Kind::Axis(&trace::SCALE),
        "With replay = \"scaled\": gaps in per cent of the recorded ones; 50 is twice as fast.",
    ),
    key("idle_cap", Kind::Axis(&Kind::Duration), "With replay = \"capped_idle\": longest gap."),
    key(
        "trace_fit",
        Kind::Axis(&trace::FIT),
        "What happens to operations of the trace that lie outside the span. Default wrap.",
    ),
    key("trace_trims", Kind::Axis(&trace::TRIMS), "What happens to trims of the trace. Default skip."),
];

/// What a group may go to.
const ON: &[Word] = &[
    word("target", "The target, as the test's own load does."),
    word("other_namespace", "Another namespace of the same NVMe drive, which is only read."),
];

const OF_THE_STEP: &str = "all groups of a step begin and end together; state it in the test";

/// A group of threads beside the test's own load.
pub(crate) static GROUP: Shape = Shape {
    name: "a group",
    keys: &[
        &[must("name", Kind::Name, "Name of the group, unique in the test; not `main`, which is the test's own load.")],
        &[key("on", Kind::OneOf(ON), "What the group goes to. Default target.")],
        LOAD,
        &[
            elsewhere("groups", "a group has no groups of its own"),
            elsewhere("time", OF_THE_STEP),
            elsewhere("volume", OF_THE_STEP),
            elsewhere("passes", OF_THE_STEP),
            elsewhere("operations", OF_THE_STEP),
            elsewhere("coverage", OF_THE_STEP),
            elsewhere("at_least", OF_THE_STEP),
            elsewhere("cap", OF_THE_STEP),
            elsewhere("errors", OF_THE_STEP),
            elsewhere("ramp", OF_THE_STEP),
            elsewhere("rest", OF_THE_STEP),
            elsewhere("duty_cycle", OF_THE_STEP),
            elsewhere("rest_cap", OF_THE_STEP),
            elsewhere("start_below", OF_THE_STEP),
            elsewhere("start_below_cap", OF_THE_STEP),
        ],
    ],
    lists: false,
};
