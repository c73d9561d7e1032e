//! The vocabulary of the methodology language: every table, key, unit and word, once.
//!
//! The checker ([`crate::check`]), the JSON Schema ([`crate::schema`]) and the tests of the guide all read these
//! tables, so a key cannot be known to one of them and unknown to another. What describes a load is in
//! [`crate::keys::load`]. Must not know: targets, plans, rendering.

mod around;
pub(crate) mod files;
mod frame;
mod load;
mod scores;
mod trace;

pub(crate) use load::{AXIS_WORDS, DETAILS, ENDING, EXCLUSIVE, LOAD, LOCALITY, TOGETHER, axes, axis_names};

use crate::shape::{Key, Kind, Shape, Word, elsewhere, key, later, later_word, must, must_or, word};
use around::{CONDITIONS, DRIVES};
use frame::{INCLUDE, PRIORITY, REQUIRES, SUITE};
use load::{DATA_WORDS, GROUP, PREPARED_PATTERN, PREPARED_VERIFY};

/// The language version that this program reads.
pub(crate) const FORMAT: u64 = 1;

/// The axis that `[[tests.cases]]` makes.
pub(crate) const CASE: &str = "case";

/// The keys that say what and how often a test repeats; only one of them may be stated.
pub(crate) const REPEATS: [&str; 3] = ["rounds", "steady", "find_rate"];

/// Those of them that are tables of a rule; marks can be about them as about parameters.
pub(crate) const RULES: [&str; 2] = ["steady", "find_rate"];

/// Every parameter that marks can be about.
pub(crate) fn parameters() -> impl Iterator<Item = &'static Key> {
    LOAD.iter().chain(ENDING).chain(REPEAT).chain(SETS).chain(files::own_parameters())
}

static NAME: Kind = Kind::Name;

static POINT: Kind = Kind::Whole(1, 1000);
static CURVE: Shape = Shape {
    name: "`curve`",
    keys: &[&[
        must(
            "points",
            Kind::ListOf(&POINT),
            "Shares of the full speed in per cent, in order of execution; above 100 too.",
        ),
        key(
            "rounding",
            Kind::OneOf(&[
                word("none", "The share as it is."),
                word(
                    "vdbench",
                    "Up to the next 100 IOPS above 1000 IOPS, else up to the next 10; what is below 10 IOPS is left out.",
                ),
            ]),
            "How a share becomes the rate that is asked for. Default none.",
        ),
        key(
            "stop_above",
            Kind::Duration,
            "The curve ends after the first point whose mean latency is longer than this.",
        ),
    ]],
    lists: false,
};

/// Parameters of a whole test.
pub(crate) static REPEAT: &[Key] = &[
    key(
        "curve",
        Kind::Table(&CURVE),
        "Run each step at full speed, then with scheduled arrivals at shares of the rate that it reached; excludes rate.",
    ),
    key("rounds", Kind::Whole(1, 1000), "How often the steps are executed, 1 to 1000. Default 1."),
    key(
        "combine",
        Kind::OneOf(&[
            word("mean", "Arithmetic mean of the rounds."),
            word("best", "The best round: highest rate, lowest latency."),
            word("median", "Median of the rounds."),
        ]),
        "How the rounds become one figure. Default mean.",
    ),
    key(
        "order",
        Kind::OneOf(&[
            word("round_by_round", "All steps once, then all steps again."),
            word("step_by_step", "A step in all its rounds, then the next step."),
        ]),
        "Order of execution. Default round_by_round.",
    ),
    key(
        "warm_up_rounds",
        Kind::Whole(0, 100),
        "Rounds before those that count: run, recorded, left out of the figures. Default 0.",
    ),
    key(
        "rest_after",
        Kind::OneOf(&[
            word("rounds", "After each round of a step."),
            word("steps", "After the last round of a step, and not after the last step of the last test."),
        ]),
        "What the rest follows. Default rounds.",
    ),
];

/// What is about all tests together: allowed in `[defaults]` and forms.
pub(crate) static SETS: &[Key] =
    &[key("sets", Kind::Whole(1, 100), "How often the whole set of tests is run, preparation left out. Default 1.")];

/// Where values come from: allowed beside the parameters they are about.
pub(crate) static MARKS: &[Key] = &[
    key("source_of", Kind::Marks, "From parameter to the id of the source that states its value."),
    key("derived", Kind::Marks, "From parameter to how its value follows from what the source states."),
    key("approximation", Kind::Marks, "From parameter to the reason why its value is ours and not the source's."),
];

static CASES: Shape = Shape {
    name: "a case",
    keys: &[&[must("name", Kind::Name, "Name of the bundle, unique in the test.")], LOAD, ENDING, MARKS],
    lists: false,
};

static TEST_FORM: Shape = Shape { name: "a form of a test", keys: &[LOAD, ENDING, REPEAT, MARKS], lists: true };
static TEST_FORMS: Shape = Shape {
    name: "the forms of a test",
    keys: &[&[
        key("faithful", Kind::Table(&TEST_FORM), "Values that replace this test's in the faithful form."),
        key("quick", Kind::Table(&TEST_FORM), "Values that replace this test's in the quick form."),
    ]],
    lists: true,
};

static STEADY: Shape = Shape {
    name: "`steady`",
    keys: &[&[
        must(
            "tracked",
            Kind::OneOf(&[
                word("iops", "Operations per second."),
                word("throughput", "Bytes per second."),
                word("latency_mean", "Mean latency."),
            ]),
            "The figure that is watched.",
        ),
        must("max_rounds", Kind::Whole(5, 2000), "Most rounds, 5 to 2000; after them the result is \"not reached\"."),
        key(
            "max_passes",
            Kind::Whole(1, 100),
            "Likewise once the test has written so many times all that its threads write to, counted after each round.",
        ),
        key(
            "min_passes",
            Kind::Whole(1, 100),
            "The test goes on until it has written so many times that, steady or not.",
        ),
        key(
            "step",
            Kind::Text,
            "The step that is watched, by the second part of its id. Needed where there are several.",
        ),
    ]],
    lists: false,
};

static FIND_RATE: Shape = Shape {
    name: "`find_rate`",
    keys: &[&[
        must(
            "percentile",
            Kind::Decimal(1_000, 99_999),
            "Percentile of the response time that is held against the bound, 1 to 99.999.",
        ),
        must("bound", Kind::Duration, "Longest response time that it may have."),
        must("from", Kind::Rate, "Lowest rate tried, in operations per second; the first round has it."),
        must("to", Kind::Rate, "Highest rate tried, in operations per second; the second round has it."),
        key("rounds", Kind::Whole(3, 100), "Most rounds, 3 to 100. Default 12."),
    ]],
    lists: false,
};

/// Units in which rates were published.
const PUBLISHED_UNIT: Kind = Kind::OneOf(&[
    word("MB/s", "1,000,000 bytes a second: charts of random loads are then drawn in it instead of IOPS."),
    word("MiB/s", "1,048,576 bytes a second, which many programs call MB/s."),
    word("IOPS", "Operations a second: charts over the block size are then drawn in it instead of bytes a second."),
]);

static TEST: Shape = Shape {
    name: "a test",
    keys: &[
        &[
            must("name", Kind::Name, "Short name, the first part of the ids of its steps."),
            must("title", Kind::Text, "Title for people."),
            must("purpose", Kind::Text, "What the test asks, in a sentence."),
            must("sources", Kind::ListOf(&NAME), "Ids of the sources that describe it."),
            key(
                "axes",
                Kind::ListOf(&AXIS_WORDS),
                "Order of the axes, outermost first. Needed where there are several.",
            ),
            key("cases", Kind::Tables(&CASES), "Bundles of parameters, for combinations that are not a product."),
            key(
                "groups",
                Kind::Tables(&GROUP),
                "Groups of threads that run at the same time, beside the test's own load.",
            ),
            key("steady", Kind::Table(&STEADY), "Repeat until the SNIA five-round window is steady; excludes rounds."),
            key(
                "find_rate",
                Kind::Table(&FIND_RATE),
                "Find the highest rate at which a percentile of the response time keeps a bound; excludes rounds and rate.",
            ),
            key(
                "files",
                Kind::Tables(&files::FILE_STEP),
                "Steps on sets of files, in order, in the place of a load on one target.",
            ),
            key(
                "needs",
                Kind::Table(&crate::needs::SHAPE),
                "The state that it asks of the target; another one is a finding.",
            ),
            key(
                "recovers_to",
                Kind::Name,
                "An earlier test with the same load: how long it takes until its mean rate is reached again is told.",
            ),
            key(
                "published_unit",
                PUBLISHED_UNIT,
                "Unit of this test's rates in the source, where it is not the file's.",
            ),
            key("forms", Kind::Table(&TEST_FORMS), "Values of this test that differ in a form."),
            crate::twin::TWIN,
            key("priority", PRIORITY, "Which tests stay where not all fit the time: higher ones first. Default 0."),
            key("requires", Kind::Table(&REQUIRES), "What the test needs; without it the test is left out."),
            elsewhere("on", "the test's own load goes to the target; a group beside it may go to another namespace"),
        ],
        LOAD,
        ENDING,
        REPEAT,
        MARKS,
    ],
    lists: true,
};

const ACTIONS: &[Word] = &[
    word("fill", "Write the span in order: 1 MiB at queue depth 8 unless stated."),
    word(
        "overwrite_random",
        "Write as many bytes as the span has at random offsets: 4 KiB at queue depth 32 unless stated.",
    ),
    word("idle", "Do nothing for `time`."),
    word("discard", "Trim the span in order, so that it holds nothing: 64 MiB at queue depth 1 unless stated."),
    word("cool_down", "Wait until the drive is cooler than `below`, at most for `cap`."),
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
    key("data_window", Kind::Size, "How far back a compressor may look and find nothing. Default: as the target asks."),
    key("data_pattern", Kind::Hex, "The bytes of data = \"pattern\", as hexadecimal digits."),
    key("data_file", Kind::Path, "The file of data = \"file\"."),
    key("verify", Kind::OneOf(PREPARED_VERIFY), "Whether blocks get headers that later steps check. Default off."),
    key("direct", Kind::Flag, "Past the page cache or through it. Default true."),
    key("time", Kind::Duration, "How long `idle` lasts; `overwrite_random` goes on for so long instead of `passes`."),
    key("below", Kind::Temperature, "Temperature that `cool_down` waits for, such as \"45 C\"."),
    key("cap", Kind::Duration, "The step never lasts longer. Default 24 h, of `cool_down` 30 min."),
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

static PREPARE: Shape = Shape {
    name: "a preparation step",
    keys: &[
        &[
            must("action", Kind::OneOf(ACTIONS), "What to do."),
            key("profiles", Kind::ListOf(&NAME), "The profiles that it is done in. Default all."),
            key("before", Kind::Name, "The test that it is done before. Default: before the first."),
            key(
                "reuse",
                Kind::Flag,
                "This preparation is left out where the target is as it would leave it. Default false.",
            ),
            key("forms", Kind::Table(&PREPARE_FORMS), "Values of this step that differ in a form."),
            key("sources", Kind::ListOf(&NAME), "Ids of the sources that describe it."),
        ],
        PREPARING,
        crate::prepare::FLAT,
        MARKS,
    ],
    lists: false,
};

static TARGET: Shape = Shape {
    name: "`[target]`",
    keys: &[&[
        must("kind", Kind::OneOf(TARGET_KINDS), "What the tests run on."),
        must(
            "size",
            Kind::SizeOrShare,
            "How much is wanted: the size of the file, and the first bytes or a share of a block device, such as \"100 %\".",
        ),
        key("file_size", Kind::Size, "Size of the file, where that is another than `size` or `size` is a share."),
        must("minimum_size", Kind::Size, "The methodology says nothing useful below this size and is refused."),
        key("content", Kind::OneOf(TARGET_CONTENTS), "What reads may come from. Default written."),
    ]],
    lists: false,
};
const TARGET_CONTENTS: &[Word] = &[
    word("written", "Only what a [[prepare]] step wrote: a methodology that reads and fills nothing is refused."),
    word(
        "as_found",
        "Whatever is there, for targets that exist already; a scratch file is refused, since it is all holes.",
    ),
];
const TARGET_KINDS: &[Word] = &[
    word("file", "A file on a mounted file system."),
    word(
        "file_or_block",
        "A file, or the first `size` bytes or the share `size` of a block device that the user released.",
    ),
    word("any", "Whatever the command names: a file, a block device, /dev/null, /dev/zero or nop:."),
    word("block_device", "A whole drive or a partition that the user released; files are refused."),
    word("directory", "A folder on a mounted file system, in which the run makes files and folders of its own."),
    later_word("virtual", "A virtual drive.", "there are no virtual drives yet"),
];

static FORM_TARGET_SIZES: &[Key] = &[
    key("size", Kind::SizeOrShare, "How much of the target is wanted in this form."),
    key("file_size", Kind::Size, "Size of the file in this form."),
    key("minimum_size", Kind::Size, "Smallest useful size in this form."),
];
static FORM_TARGET: Shape = Shape { name: "the target of a form", keys: &[FORM_TARGET_SIZES], lists: false };
static FORM: Shape = Shape {
    name: "a form",
    keys: &[
        &[
            key("target", Kind::Table(&FORM_TARGET), "Sizes of the target that differ in this form."),
            key("conditions", Kind::Table(&CONDITIONS), "Keys of [conditions] that differ in this form."),
            key("drives", Kind::Table(&DRIVES), "Keys of [drives] that differ in this form."),
        ],
        LOAD,
        ENDING,
        REPEAT,
        SETS,
        MARKS,
    ],
    lists: true,
};
static PROFILE_TARGET: Shape = Shape {
    name: "the target of a profile",
    keys: &[&[key("kind", Kind::OneOf(TARGET_KINDS), "What the tests of this profile run on.")], FORM_TARGET_SIZES],
    lists: false,
};
static PROFILE: Shape = Shape {
    name: "a profile",
    keys: &[
        &[
            must("name", Kind::Name, "Short name, as on the command line."),
            must("purpose", Kind::Text, "What it is, in a sentence."),
            must("tests", Kind::ListOf(&NAME), "Names of its tests."),
            key("target", Kind::Table(&PROFILE_TARGET), "What of the target differs in this profile."),
            key("conditions", Kind::Table(&CONDITIONS), "Keys of [conditions] that differ in this profile."),
        ],
        LOAD,
        ENDING,
        REPEAT,
        SETS,
        MARKS,
    ],
    lists: true,
};
static FORMS: Shape = Shape {
    name: "`[forms]`",
    keys: &[&[
        key(
            "faithful",
            Kind::Table(&FORM),
            "The methodology as published. May be empty: the values then stand as they are.",
        ),
        key("quick", Kind::Table(&FORM), "Shortened, same shape. May be empty."),
    ]],
    lists: true,
};
/// What can be set on the command line.
pub(crate) static SETTING: Shape = Shape { name: "`--set`", keys: &[LOAD, ENDING, REPEAT, SETS], lists: true };
static DEFAULTS: Shape = Shape { name: "`[defaults]`", keys: &[LOAD, ENDING, REPEAT, SETS, MARKS], lists: true };
static SOURCE: Shape = Shape {
    name: "a source",
    keys: &[&[
        must("id", Kind::Name, "Short name by which tests and parameters refer to it."),
        must("citation", Kind::Text, "What it is and where: title, version, author, page."),
    ]],
    lists: false,
};

/// The whole file.
pub(crate) static FILE: Shape = Shape {
    name: "a methodology",
    keys: &[&[
        must("format", Kind::Format, "Version of the language: 1."),
        must("name", Kind::Name, "Short name, as on the command line."),
        must("title", Kind::Text, "Title for people."),
        must("version", Kind::Version, "Version of the methodology, major.minor.patch."),
        must("summary", Kind::Text, "What it does, in a sentence or two."),
        must("good_for", Kind::Text, "Which question it answers well."),
        must("cannot_tell", Kind::Text, "What its results do not show."),
        must("sources", Kind::Tables(&SOURCE), "What the methodology cites."),
        key(
            "published_unit",
            PUBLISHED_UNIT,
            "Unit in which the source published rates; charts are drawn in it, and tables show it beside MB/s.",
        ),
        must("target", Kind::Table(&TARGET), "What the tests run on."),
        key("defaults", Kind::Table(&DEFAULTS), "Parameters that hold for every test that does not state its own."),
        must("forms", Kind::Table(&FORMS), "The forms in which it exists; smoke is always derived."),
        key(
            "file_sets",
            Kind::Tables(&files::FILE_SET),
            "Sets of files that tests work on, in a folder of the run's own.",
        ),
        key("prepare", Kind::Tables(&PREPARE), "Steps that bring the target into the state that the tests ask for."),
        key(
            "traces",
            Kind::Tables(&trace::TRACE),
            "Traces that tests replay; each can be replaced by `--trace NAME=FILE`.",
        ),
        must_or("tests", "suite", Kind::Tables(&TEST), "The tests, in order of execution."),
        key("scores", Kind::Tables(&scores::SCORE), "Figures made of those of several steps by a formula."),
        key(
            "profiles",
            Kind::Tables(&PROFILE),
            "Named selections of the tests with values of their own; the first holds where none is named.",
        ),
        key("suite", Kind::Tables(&SUITE), "Tests of other methodologies, in order, behind its own."),
        key("include", Kind::Table(&INCLUDE), "The methodology that this one is derived from."),
        key("requires", Kind::Table(&REQUIRES), "What the methodology needs; without it it is refused."),
        key(
            "conditions",
            Kind::Table(&CONDITIONS),
            "What is set up around the target, and the arms that are compared.",
        ),
        key("drives", Kind::Table(&DRIVES), "What becomes of several targets."),
        later(
            "acceptance",
            "Limits that the figures must meet.",
            "findings have no limits of the methodology's own yet",
        ),
    ]],
    lists: false,
};
