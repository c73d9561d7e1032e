//! The vocabulary of a test: its own keys, how often it repeats, its cases, and what differs in a form.
//!
//! The meaning of each key is what schema and messages say about it. Must not know: what keys mean together.

use crate::vocabulary::ending::ENDING;
use crate::vocabulary::files;
use crate::vocabulary::frame::{NEEDS, PRIORITY, REQUIRES};
use crate::vocabulary::load::{AXIS_WORDS, GROUP, LOAD};
use crate::vocabulary::marks::MARKS;
use crate::vocabulary::shape::{Key, Kind, NAME, Shape, elsewhere, key, must, word};
use crate::vocabulary::twin::TWIN;

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
            "How a share becomes the requested rate. Default none.",
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
            "Likewise \"not reached\" once the test has written all that its threads write to this many times; counted after \
             each round.",
        ),
        key(
            "min_passes",
            Kind::Whole(1, 100),
            "The test continues until it has written all that its threads write to this many times, steady or not.",
        ),
        key("step", Kind::Text, "The step that is watched, by the second part of its id. Needed if there are several."),
    ]],
    lists: false,
};

static FIND_RATE: Shape = Shape {
    name: "`find_rate`",
    keys: &[&[
        must(
            "percentile",
            Kind::Decimal(1_000, 99_999),
            "Percentile of the response time that is compared with the bound, 1 to 99.999.",
        ),
        must("bound", Kind::Duration, "Longest response time that it may have."),
        must("from", Kind::Rate, "Lowest rate tried, in operations per second; the first round has it."),
        must("to", Kind::Rate, "Highest rate tried, in operations per second; the second round has it."),
        key("rounds", Kind::Whole(3, 100), "Most rounds, 3 to 100. Default 12."),
    ]],
    lists: false,
};

/// Units in which rates were published.
pub(crate) const PUBLISHED_UNIT: Kind = Kind::OneOf(&[
    word("MB/s", "1,000,000 bytes a second: charts of random loads are then drawn in it instead of IOPS."),
    word("MiB/s", "1,048,576 bytes a second, which many programs call MB/s."),
    word("IOPS", "Operations a second: charts over the block size are then drawn in it instead of bytes a second."),
]);

pub(crate) static TEST: Shape = Shape {
    name: "a test",
    keys: &[
        &[
            must("name", Kind::Name, "Short name, the first part of the ids of its steps."),
            must("title", Kind::Text, "Title for people.").not_compared(),
            must("purpose", Kind::Text, "What the test asks, in a sentence.").not_compared(),
            must("sources", Kind::ListOf(&NAME), "Ids of the sources that describe it.").not_compared(),
            key("axes", Kind::ListOf(&AXIS_WORDS), "Order of the axes, outermost first. Needed if there are several."),
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
                "Find the highest rate at which a percentile of the response time stays within a bound; excludes rounds and rate.",
            ),
            key(
                "files",
                Kind::Tables(&files::FILE_STEP),
                "Steps on sets of files, in order, instead of a load on one target.",
            ),
            key("needs", Kind::Table(&NEEDS), "The state of the target that it needs; any other state is a finding."),
            key(
                "recovers_to",
                Kind::Name,
                "An earlier test with the same load: the report gives the time until its mean rate is reached again.",
            ),
            key("published_unit", PUBLISHED_UNIT, "Unit of this test's rates in the source, if it is not the file's.")
                .not_compared(),
            key("forms", Kind::Table(&TEST_FORMS), "Values of this test that differ in a form."),
            TWIN,
            key("priority", PRIORITY, "Which tests are kept if not all fit the time: higher ones first. Default 0."),
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
