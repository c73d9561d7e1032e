//! The vocabulary of sets of files and of the work on them.
//!
//! The meaning of each key is what schema and messages say about it. Must not know: what keys mean together.

use drivelab_core::files::FILES_MAX;

use crate::vocabulary::marks::MARKS;
use crate::vocabulary::shape::{Key, Kind, Shape, key, must, word};

/// What a set is made of; each may differ in a form.
pub(crate) static SET: &[Key] = &[
    key("count", Kind::Whole(1, FILES_MAX as u64), "How many files."),
    key("size", Kind::Size, "Bytes of each file, if all have the same size."),
    key(
        "median",
        Kind::Size,
        "Median of log-normal sizes; with `sigma`, or with `total`, from which the spread follows.",
    ),
    key(
        "sigma",
        Kind::Decimal(1, 5_000),
        "Standard deviation of the natural logarithm of log-normal sizes, 0.001 to 5.",
    ),
    key("smallest", Kind::Size, "Smallest of sizes whose logarithm is uniform; with `largest`."),
    key("largest", Kind::Size, "Largest of sizes whose logarithm is uniform; with `smallest`."),
    key("total", Kind::Size, "Bytes of all files together, to which drawn sizes are scaled."),
    key("compress_percent", Kind::Whole(0, 100), "Share of each 4 KiB of the files that is zero bytes. Default 0."),
    key("seed", Kind::Whole(0, u64::MAX >> 11), "Seed of sizes and content. Default 1."),
];

/// What a step does with a set.
static WORK: &[Key] = &[
    must(
        "work",
        Kind::OneOf(&[
            word("create", "Make the files on the drive, with content from memory."),
            word("copy", "Read the files and write them to the drive as new ones: from the source, or on the drive."),
            word("read", "Read the files."),
            word("verify", "Read the files and compare their content with what was written."),
            word("delete", "Remove the files."),
        ]),
        "What is done with each file of the set.",
    ),
    key(
        "of",
        Kind::OneOf(&[
            word("source", "The set in the folder of `--source`; without one, its content is made in memory."),
            word("original", "The set on the drive."),
            word("copy", "The copy of it that was made on the drive."),
        ]),
        "Which copy of the set is copied, read, verified or deleted. Default original.",
    ),
    key(
        "sync",
        Kind::OneOf(&[
            word("end", "Everything that was written is made durable at the end, inside the time (syncfs)."),
            word("each", "Each file is made durable before it counts as done, the folders at the end (fsync)."),
            word("never", "Nothing is made durable: the page cache is measured too."),
        ]),
        "When what is written must be durable. Default end.",
    ),
];

/// Keys of a set that are no parameters of a load, for marks.
pub(crate) fn own_parameters() -> impl Iterator<Item = &'static Key> {
    let of_loads = ["compress_percent", "seed"];
    SET.iter().chain(WORK).filter(move |key| !of_loads.contains(&key.name))
}

static SET_FORM: Shape = Shape { name: "a form of a file set", keys: &[SET, MARKS], lists: false };

static SET_FORMS: Shape = Shape {
    name: "the forms of a file set",
    keys: &[&[
        key("faithful", Kind::Table(&SET_FORM), "Values that replace this set's in the faithful form."),
        key("quick", Kind::Table(&SET_FORM), "Values that replace this set's in the quick form."),
    ]],
    lists: false,
};

pub(crate) static FILE_SET: Shape = Shape {
    name: "a file set",
    keys: &[
        &[
            must("name", Kind::Name, "Short name by which tests refer to it."),
            key("forms", Kind::Table(&SET_FORMS), "Values of this set that differ in a form."),
        ],
        SET,
        MARKS,
    ],
    lists: false,
};

pub(crate) static FILE_STEP: Shape = Shape {
    name: "a step on files",
    keys: &[&[must("set", Kind::Text, "Name of the file set.")], WORK, MARKS],
    lists: false,
};
