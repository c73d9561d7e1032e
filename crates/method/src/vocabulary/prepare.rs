//! The vocabulary of `[[prepare]]`: actions, what each does and how, and what goes on until its speed is flat.
//!
//! The meaning of each key is what schema and messages say about it. Must not know: which action takes which key.

use crate::vocabulary::load::DATA_WORDS;
use crate::vocabulary::marks::MARKS;
use crate::vocabulary::shape::{Key, Kind, NAME, Shape, Word, key, must, word};

const ACTIONS: &[Word] = &[
    word("fill", "Write the span sequentially: 1 MiB at queue depth 8 unless stated."),
    word(
        "overwrite_random",
        "Write as many bytes as the span has at random offsets: 4 KiB at queue depth 32 unless stated.",
    ),
    word("idle", "Do nothing for `time`."),
    word(
        "discard",
        "Trim the span sequentially to its last byte, so that it holds nothing: 64 MiB at queue depth 1 unless \
             stated. A remainder after the last whole block is one more step.",
    ),
    word("cool_down", "Wait until the drive is cooler than `below`, at most for `cap`."),
];

/// Orders in which it overwrites.
const PREPARED_PATTERN: &[Word] = &[
    word("random", "Offsets repeat: of every 100 blocks, one pass leaves about 37 untouched."),
    word("random_once", "Every block once per pass."),
];

/// Headers that it writes.
const PREPARED_VERIFY: &[Word] = &[
    word("off", "Blocks carry no headers."),
    word("headers", "Written blocks carry headers, which a later step checks."),
    word("at_once", "As headers, and each block is read back and checked as soon as it was written."),
];

/// What a preparation step does and how; its forms may replace each of these.
static PREPARING: &[Key] = &[
    key("passes", Kind::Whole(1, 100), "How often the span is written. Default 1."),
    key("block_size", Kind::Size, "Bytes of one operation."),
    key("queue_depth", Kind::Whole(1, 65_535), "Operations in flight per thread."),
    key("threads", Kind::Whole(1, 1024), "Threads that issue I/O. Default 1."),
    key("span", Kind::Extent, "Part of the target that is written. Default 100 %."),
    key("pattern", Kind::OneOf(PREPARED_PATTERN), "Order of `overwrite_random`. Default random."),
    key("data", Kind::OneOf(DATA_WORDS), "What is written. Default incompressible."),
    key("compress_percent", Kind::Whole(0, 100), "Share of each block that compresses away, per cent. Default 0."),
    key("dedup_percent", Kind::Whole(0, 100), "Share of the blocks that repeat earlier ones, per cent. Default 0."),
    key(
        "data_window",
        Kind::Size,
        "Distance within which no data repeats, so that a compressor finds nothing. Default: as for a load on this target.",
    ),
    key("data_pattern", Kind::Hex, "The bytes of data = \"pattern\", as hexadecimal digits."),
    key("data_file", Kind::Path, "The file of data = \"file\"."),
    key("verify", Kind::OneOf(PREPARED_VERIFY), "Whether blocks get headers that later steps check. Default off."),
    key("direct", Kind::Flag, "Past the page cache or through it. Default true."),
    key(
        "time",
        Kind::Duration,
        "How long `idle` lasts; `overwrite_random` continues for this long instead of `passes`.",
    ),
    key("below", Kind::Temperature, "Temperature that `cool_down` waits for, such as \"45 C\"."),
    key("cap", Kind::Duration, "The step never lasts longer. Default 24 h, of `cool_down` 30 min."),
];

/// What says that a step goes on until its speed is flat.
static FLAT: &[Key] = &[
    key(
        "until",
        Kind::OneOf(&[word(
            "flat",
            "Its throughput over the last five slices is in the SNIA window: range at most 20 %, slope at most 10 %.",
        )]),
        "Continue slice by slice until this is reached; only in the last step of its preparation, instead of `passes`.",
    ),
    key(
        "slice",
        Kind::Whole(1, 100),
        "Part of the span that is a slice of `overwrite_random`, per cent. Default 10; a slice of `fill` is a pass.",
    ),
    key("at_most", Kind::Whole(1, 100), "Passes after which `until` is given up, with a finding. Default 10."),
];

static PREPARE_FORM: Shape = Shape { name: "a form of a preparation step", keys: &[PREPARING, MARKS], lists: false };

static PREPARE_FORMS: Shape = Shape {
    name: "the forms of a preparation step",
    keys: &[&[
        key("faithful", Kind::Table(&PREPARE_FORM), "Values that replace this step's in the faithful form."),
        key("quick", Kind::Table(&PREPARE_FORM), "Values that replace this step's in the quick form."),
    ]],
    lists: false,
};

/// `[[prepare]]`.
pub(crate) static PREPARE: Shape = Shape {
    name: "a preparation step",
    keys: &[
        &[
            must("action", Kind::OneOf(ACTIONS), "What to do."),
            // Of the chosen profile the tree has only the steps that are done in it.
            key("profiles", Kind::ListOf(&NAME), "The profiles that it is done in. Default all.").not_compared(),
            key("before", Kind::Name, "The test that it is done before. Default: before the first."),
            key(
                "reuse",
                Kind::Flag,
                "Skip this preparation if the target is already in the state that it leaves. Default false.",
            ),
            key("forms", Kind::Table(&PREPARE_FORMS), "Values of this step that differ in a form."),
            key("sources", Kind::ListOf(&NAME), "Ids of the sources that describe it.").not_compared(),
        ],
        PREPARING,
        FLAT,
        MARKS,
    ],
    lists: false,
};
