//! The vocabulary of the methodology language: every table, key, unit and word, once.
//!
//! The checker ([`crate::check`]), the JSON Schema ([`crate::schema`]) and the tests of the guide all read these
//! tables, so a key cannot be known to one of them and unknown to another. Must not know: targets, plans, rendering.

/// A word that a key accepts.
#[derive(Debug)]
pub(crate) struct Word {
    /// As written in the file.
    pub(crate) name: &'static str,
    /// What it means, one sentence.
    pub(crate) meaning: &'static str,
    /// Why this version cannot do it yet, where it cannot.
    pub(crate) not_yet: Option<&'static str>,
}

/// What a key accepts.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The number of the language version, `1`.
    Format,
    /// Text that is not empty.
    Text,
    /// A short name: lower-case letters, digits and single hyphens.
    Name,
    /// `major.minor.patch`.
    Version,
    /// Bytes as text with a unit.
    Size,
    /// Time as text with a unit.
    Duration,
    /// A whole number between two bounds.
    Whole(u64, u64),
    /// `true` or `false`.
    Flag,
    /// One of some words.
    OneOf(&'static [Word]),
    /// Part of the target: size, per cent, or both ends in a table.
    Extent,
    /// A temperature in degrees Celsius.
    Temperature,
    /// A list, not empty.
    ListOf(&'static Kind),
    /// One value, or a list of values where the table allows lists.
    Axis(&'static Kind),
    /// A table with these keys.
    Table(&'static Shape),
    /// An array of tables (`[[…]]`), not empty.
    Tables(&'static Shape),
    /// A table from parameter names to texts.
    Marks,
    /// Said by the language, not understood further by this version.
    Anything,
}

/// One key of a table.
#[derive(Debug)]
pub(crate) struct Key {
    /// As written in the file.
    pub(crate) name: &'static str,
    /// What it accepts.
    pub(crate) kind: Kind,
    /// Whether the table must have it.
    pub(crate) required: bool,
    /// What it means, with its unit and its default.
    pub(crate) meaning: &'static str,
    /// Why this version cannot do it yet, where it cannot.
    pub(crate) not_yet: Option<&'static str>,
}

/// The keys of one kind of table.
#[derive(Debug)]
pub(crate) struct Shape {
    /// How messages call it: "a test".
    pub(crate) name: &'static str,
    /// Its keys, in groups that tables share.
    pub(crate) keys: &'static [&'static [Key]],
    /// Whether a parameter may be a list here, which makes it an axis.
    pub(crate) lists: bool,
}

impl Shape {
    /// All keys of all groups.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static Key> {
        self.keys.iter().copied().flatten()
    }
}

const fn key(name: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, required: false, meaning, not_yet: None }
}

const fn must(name: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, required: true, meaning, not_yet: None }
}

const fn later(name: &'static str, meaning: &'static str, why: &'static str) -> Key {
    Key { name, kind: Kind::Anything, required: false, meaning, not_yet: Some(why) }
}

const fn word(name: &'static str, meaning: &'static str) -> Word {
    Word { name, meaning, not_yet: None }
}

const fn later_word(name: &'static str, meaning: &'static str, why: &'static str) -> Word {
    Word { name, meaning, not_yet: Some(why) }
}

/// The language version that this program reads.
pub(crate) const FORMAT: u64 = 1;

/// The axis that `[[tests.cases]]` makes.
pub(crate) const CASE: &str = "case";

/// Parameters that may be a list and so become an axis; the order is the one in which messages name them.
pub(crate) const AXES: [&str; 8] =
    ["op", "write_percent", "block_size", "queue_depth", "threads", "pattern", "data", "span"];

/// Parameters of which only one may be stated in a table, since they say the same thing in two ways.
pub(crate) const EXCLUSIVE: [[&str; 2]; 2] = [["op", "write_percent"], ["rest", "duty_cycle"]];

/// The parameters that say when a step ends; a table that states one of them replaces all three.
pub(crate) const STOPS: [&str; 3] = ["time", "volume", "passes"];

static OP: Kind = Kind::OneOf(&[word("read", "Every operation reads."), word("write", "Every operation writes.")]);
static PATTERN: Kind = Kind::OneOf(&[
    word("sequential", "Ascending offsets, wrapping at the end of the span."),
    word("random", "Uniformly random offsets with repetition, multiples of the block size."),
]);
const DATA_WORDS: &[Word] =
    &[word("incompressible", "Random bytes that neither compress nor repeat."), word("zero", "Zero bytes only.")];
static DATA: Kind = Kind::OneOf(DATA_WORDS);
const STREAMS: &[Word] = &[
    word("disjoint", "Each thread has a stretch of the span to itself."),
    word("overlapping", "Each thread runs over the whole span with a stream of its own."),
];
static PERCENT: Kind = Kind::Whole(0, 100);
static DEPTH: Kind = Kind::Whole(1, 65_535);
static THREADS: Kind = Kind::Whole(1, 1024);
static NAME: Kind = Kind::Name;
static AXIS_NAME: Kind = Kind::OneOf(&[
    word("op", "Read or write."),
    word("write_percent", "Share of writes."),
    word("block_size", "Block sizes."),
    word("queue_depth", "Queue depths."),
    word("threads", "Threads."),
    word("pattern", "Sequential or random."),
    word("data", "What is written."),
    word("span", "Parts of the target."),
    word(CASE, "The bundles of `[[tests.cases]]`."),
]);

/// Parameters of one step: allowed in defaults, tests, cases and forms.
pub(crate) static STEP: &[Key] = &[
    key("op", Kind::Axis(&OP), "Read or write; excludes write_percent. No default."),
    key("write_percent", Kind::Axis(&PERCENT), "Share of operations that write, per cent, drawn per operation."),
    key("block_size", Kind::Axis(&Kind::Size), "Bytes of one operation. No default."),
    key("queue_depth", Kind::Axis(&DEPTH), "Operations in flight per thread, 1 to 65535. No default."),
    key("threads", Kind::Axis(&THREADS), "Threads that issue I/O, 1 to 1024. Default 1."),
    key("pattern", Kind::Axis(&PATTERN), "Order of offsets. No default."),
    key("data", Kind::Axis(&DATA), "What is written. Default incompressible."),
    key(
        "span",
        Kind::Axis(&Kind::Extent),
        "Part of the target that is touched: size, per cent, or {offset, length}. Default 100 %.",
    ),
    key("streams", Kind::OneOf(STREAMS), "How threads share the span of a sequential pattern. Default disjoint."),
    key("direct", Kind::Flag, "Past the page cache (O_DIRECT) or through it. Default true."),
    key("seed", Kind::Whole(0, i64::MAX as u64), "Seed of offsets, operation draws and data. Default 1."),
    key("time", Kind::Duration, "Stop after this measured time; the ramp is not counted."),
    key("volume", Kind::Size, "Stop after so many bytes, reads and writes together; the ramp is not counted."),
    key("passes", Kind::Whole(1, 1_000_000), "Stop when the whole span was touched so many times; sequential only."),
    key("at_least", Kind::Duration, "The step does not end before this measured time, whatever volume or passes say."),
    key("cap", Kind::Duration, "The step never lasts longer. Default 1 h, or twice `time` where that is longer."),
    key("ramp", Kind::Duration, "Time at the start that is left out of the results. Default 0 s."),
    key("rest", Kind::Duration, "Waiting after the step; excludes duty_cycle. Default 0 s."),
    key(
        "duty_cycle",
        Kind::Whole(1, 100),
        "Active share of step and rest together, per cent: the rest follows from it.",
    ),
    key("rest_cap", Kind::Duration, "Longest rest that duty_cycle may ask for. Default 10 min."),
    later(
        "rate",
        "Open loop: operations or bytes per second that are issued whatever the target does.",
        "the engine issues as fast as the queue depth allows; open-loop load is planned",
    ),
    later("trim_percent", "Share of operations that discard.", "the engine reads and writes only"),
    later("block_size_mix", "Shares of several block sizes in one load.", "a workload has one block size"),
    later("locality", "Shares of the accesses that go to shares of the span.", "random offsets are uniform"),
];

/// Parameters of a whole test.
pub(crate) static REPEAT: &[Key] = &[
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
];

/// Where values come from: allowed beside the parameters they are about.
pub(crate) static MARKS: &[Key] = &[
    key("source_of", Kind::Marks, "From parameter to the id of the source that states its value."),
    key("approximation", Kind::Marks, "From parameter to the reason why its value is ours and not the source's."),
];

static CASES: Shape = Shape {
    name: "a case",
    keys: &[&[must("name", Kind::Name, "Name of the bundle, unique in the test.")], STEP, MARKS],
    lists: false,
};

static TEST_FORM: Shape = Shape { name: "a form of a test", keys: &[STEP, REPEAT, MARKS], lists: true };
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
        must("max_rounds", Kind::Whole(5, 1000), "Most rounds, 5 to 1000; after them the result is \"not reached\"."),
        key(
            "step",
            Kind::Text,
            "The step that is watched, by the second part of its id. Needed where there are several.",
        ),
    ]],
    lists: false,
};

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
                Kind::ListOf(&AXIS_NAME),
                "Order of the axes, outermost first. Needed where there are several.",
            ),
            key("cases", Kind::Tables(&CASES), "Bundles of parameters, for combinations that are not a product."),
            key("steady", Kind::Table(&STEADY), "Repeat until the SNIA five-round window is steady; excludes rounds."),
            key("forms", Kind::Table(&TEST_FORMS), "Values of this test that differ in a form."),
        ],
        STEP,
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
    later_word("discard", "Tell the drive that the span holds nothing.", "the engine sends no discards"),
    later_word("cool_down", "Wait until the drive is cooler than `below`.", "drivelab does not read temperatures yet"),
];

static PREPARE: Shape = Shape {
    name: "a preparation step",
    keys: &[
        &[
            must("action", Kind::OneOf(ACTIONS), "What to do."),
            key("passes", Kind::Whole(1, 100), "How often the span is written. Default 1."),
            key("block_size", Kind::Size, "Bytes of one operation."),
            key("queue_depth", Kind::Whole(1, 65_535), "Operations in flight per thread."),
            key("threads", Kind::Whole(1, 1024), "Threads that issue I/O. Default 1."),
            key("span", Kind::Extent, "Part of the target that is written. Default 100 %."),
            key("data", Kind::OneOf(DATA_WORDS), "What is written. Default incompressible."),
            key("direct", Kind::Flag, "Past the page cache or through it. Default true."),
            key("time", Kind::Duration, "How long `idle` lasts."),
            key("below", Kind::Temperature, "Temperature that `cool_down` waits for, such as \"45 C\"."),
            key("cap", Kind::Duration, "The step never lasts longer. Default 24 h."),
            key("sources", Kind::ListOf(&NAME), "Ids of the sources that describe it."),
        ],
        MARKS,
    ],
    lists: false,
};

static TARGET: Shape = Shape {
    name: "`[target]`",
    keys: &[&[
        must("kind", Kind::OneOf(TARGET_KINDS), "What the tests run on."),
        must("size", Kind::Size, "Size of the file that is wanted."),
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
    later_word("block_device", "A whole drive or a partition.", "drivelab writes to files only"),
    later_word("directory", "Many files in a folder.", "drivelab writes to one file only"),
    later_word("virtual", "A virtual drive.", "there are no virtual drives yet"),
];

static FORM_TARGET: Shape = Shape {
    name: "the target of a form",
    keys: &[&[
        key("size", Kind::Size, "Size of the file that is wanted in this form."),
        key("minimum_size", Kind::Size, "Smallest useful size in this form."),
    ]],
    lists: false,
};
static FORM: Shape = Shape {
    name: "a form",
    keys: &[
        &[key("target", Kind::Table(&FORM_TARGET), "Sizes of the target that differ in this form.")],
        STEP,
        REPEAT,
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
static DEFAULTS: Shape = Shape { name: "`[defaults]`", keys: &[STEP, REPEAT, MARKS], lists: true };
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
        must("target", Kind::Table(&TARGET), "What the tests run on."),
        key("defaults", Kind::Table(&DEFAULTS), "Parameters that hold for every test that does not state its own."),
        must("forms", Kind::Table(&FORMS), "The forms in which it exists; smoke is always derived."),
        key("prepare", Kind::Tables(&PREPARE), "Steps that bring the target into the state that the tests ask for."),
        must("tests", Kind::Tables(&TEST), "The tests, in order of execution."),
        later(
            "conditions",
            "Encryption arm, partition, cooling and the like.",
            "a run records the conditions it finds; it cannot set them up",
        ),
        later(
            "acceptance",
            "Limits that the figures must meet.",
            "findings have no limits of the methodology's own yet",
        ),
    ]],
    lists: false,
};

/// Whether a name is a parameter that marks can be about.
pub(crate) fn is_parameter(name: &str) -> bool {
    STEP.iter().chain(REPEAT).any(|key| key.name == name && key.not_yet.is_none())
}
