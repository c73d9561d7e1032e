//! The vocabulary of the file as a whole: target, forms, profiles, defaults, sources, and the tables that it has.
//!
//! The checker, the JSON Schema and the tests of the guide all read these tables, so a key cannot be known to one of
//! them and unknown to another. Must not know: targets, plans, rendering.

use crate::vocabulary::around::{CONDITIONS, DRIVES};
use crate::vocabulary::ending::ENDING;
use crate::vocabulary::frame::{INCLUDE, REQUIRES, SUITE};
use crate::vocabulary::load::LOAD;
use crate::vocabulary::marks::MARKS;
use crate::vocabulary::prepare::PREPARE;
use crate::vocabulary::shape::{Key, Kind, NAME, Shape, Word, key, later_word, must, must_or, word};
use crate::vocabulary::test::{PUBLISHED_UNIT, REPEAT, SETS, TEST};
use crate::vocabulary::{files, scores, trace};

static TARGET: Shape = Shape {
    name: "`[target]`",
    keys: &[&[
        must("kind", Kind::OneOf(TARGET_KINDS), "What the tests run on."),
        must(
            "size",
            Kind::SizeOrShare,
            "How much is used: the size of the file, or the first bytes or a share of a block device, such as \"100 %\".",
        ),
        key("file_size", Kind::Size, "Size of the file, if it differs from `size` or `size` is a share."),
        must("minimum_size", Kind::Size, "Smallest useful size: a smaller target is refused."),
        key("content", Kind::OneOf(TARGET_CONTENTS), "What reads may come from. Default written."),
    ]],
    lists: false,
};

const TARGET_CONTENTS: &[Word] = &[
    word("written", "Only what a [[prepare]] step wrote: a methodology that reads and fills nothing is refused."),
    word("as_found", "Whatever an existing target holds; a new scratch file is refused, because it holds nothing."),
];

const TARGET_KINDS: &[Word] = &[
    word("file", "A file on a mounted file system."),
    word(
        "file_or_block",
        "A file, or the first `size` bytes or the share `size` of a block device that the user released.",
    ),
    word("any", "Any target, including one that stores nothing (/dev/null, nop:)."),
    word("block_device", "A whole drive or a partition that the user released; files are refused."),
    word("directory", "A folder on a mounted file system, in which the run creates its own files and folders."),
    later_word("virtual", "A virtual drive.", "there are no virtual drives yet"),
];

static FORM_TARGET_SIZES: &[Key] = &[
    key("size", Kind::SizeOrShare, "How much of the target is used in this form."),
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

pub(crate) static PROFILE: Shape = Shape {
    name: "a profile",
    keys: &[
        &[
            must("name", Kind::Name, "Short name, as on the command line."),
            must("purpose", Kind::Text, "What it is, in a sentence.").not_compared(),
            must("tests", Kind::ListOf(&NAME), "Names of its tests."),
            key("target", Kind::Table(&PROFILE_TARGET), "Keys of [target] that differ in this profile."),
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
            "The methodology as published. May be empty: the tests then keep their values.",
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

static LIMITS: Shape = Shape {
    name: "`[limits]`",
    keys: &[&[must(
        "fail_if",
        Kind::ListOf(&LIMIT),
        "Conditions under which the run fails (exit code 3), each \"STEP:METRIC > VALUE\" as for `--fail-if`.",
    )]],
    lists: false,
};

static LIMIT: Kind = Kind::Text;

/// The whole file.
pub(crate) static FILE: Shape = Shape {
    name: "a methodology",
    keys: &[&[
        must("format", Kind::Format, "Version of the language: 1."),
        must("name", Kind::Name, "Short name, as on the command line."),
        must("title", Kind::Text, "Title for people.").not_compared(),
        must("version", Kind::Version, "Version of the methodology, major.minor.patch.").not_compared(),
        must("summary", Kind::Text, "What it does, in a sentence or two.").not_compared(),
        must("good_for", Kind::Text, "Which question it answers well.").not_compared(),
        must("cannot_tell", Kind::Text, "What its results do not show.").not_compared(),
        must("sources", Kind::Tables(&SOURCE), "What the methodology cites.").not_compared(),
        key(
            "published_unit",
            PUBLISHED_UNIT,
            "Unit in which the source published rates; charts are drawn in it, and tables show it beside MB/s.",
        )
        .not_compared(),
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
        key("scores", Kind::Tables(&scores::SCORE), "Figures computed from those of several steps by a formula."),
        key(
            "profiles",
            Kind::Tables(&PROFILE),
            "Named selections of the tests, with their own values; the first is the default.",
        )
        // The chosen one is compared: the tree has a copy of it.
        .not_compared(),
        key("suite", Kind::Tables(&SUITE), "Tests of other methodologies, in order, after its own."),
        key("include", Kind::Table(&INCLUDE), "The methodology that this one is derived from."),
        key("requires", Kind::Table(&REQUIRES), "What the methodology needs; it is refused if that is missing."),
        key(
            "conditions",
            Kind::Table(&CONDITIONS),
            "What is set up around the target, and the arms that are compared.",
        ),
        key("drives", Kind::Table(&DRIVES), "How several targets are measured."),
        key("limits", Kind::Table(&LIMITS), "Limits that the figures must meet.").not_compared(),
        key(
            "headlines",
            Kind::ListOf(&NAME),
            "Tests whose figures are shown at the top of the page, most important first, at most eight per profile. \
             Default the first tests.",
        )
        .not_compared(),
    ]],
    lists: false,
};
