//! The vocabulary around tests: what a methodology takes from others, and what it and its tests need.

use crate::vocabulary::shape::{Key, Kind, NAME, Shape, key, must, word};

/// What tests have to be told apart by where not all fit the time.
pub(crate) const PRIORITY: Kind = Kind::Whole(0, 1000);

pub(crate) static INCLUDE: Shape = Shape {
    name: "`[include]`",
    keys: &[&[
        must("method", Kind::Path, "Name of a built-in methodology, or a TOML file relative to this one's folder."),
        key("drop_tests", Kind::ListOf(&NAME), "Names of its tests that are left out."),
    ]],
    lists: false,
};

pub(crate) static SUITE: Shape = Shape {
    name: "an entry of a suite",
    keys: &[&[
        must("method", Kind::Path, "Name of a built-in methodology, or a TOML file relative to this one's folder."),
        key("tests", Kind::ListOf(&NAME), "Names of its tests that are taken. Default all."),
        key("prefix", Kind::Name, "What the names of its tests begin with. Default the name of the methodology."),
        key(
            "form",
            Kind::OneOf(&[
                word("faithful", "Parameters, quirks and durations as published."),
                word("quick", "Shortened, same shape."),
            ]),
            "The form in which its tests run. Default the suite's own.",
        ),
        key("priority", PRIORITY, "Added to the priority of each of its tests. Default 0."),
        key("requires", Kind::Table(&REQUIRES), "What its tests need, in addition to their own `requires`."),
    ]],
    lists: false,
};

static CAPABILITY: Kind = Kind::OneOf(&[
    word("discard", "The drive supports discards."),
    word("temperature", "A sensor or a thermometer reports the drive's temperature."),
    word("power", "A meter or the drive itself reports the drive's power."),
    word("nvme", "The drive is an NVMe drive."),
    word("smart", "The drive has a health log, with the bytes written."),
    word("power_states", "The drive has several power states."),
    word("endurance_log", "The drive has an endurance group log."),
    word("ocp_log", "The drive has the extended health log of OCP."),
    word("fdp", "The drive has Flexible Data Placement, switched on."),
    word("other_namespace", "The NVMe drive has another namespace that can be read."),
]);

pub(crate) static REQUIRES: Shape = Shape {
    name: "`requires`",
    keys: &[&[
        key(
            "target",
            Kind::OneOf(&[
                word("file", "A file on a mounted file system."),
                word("block_device", "A whole drive or a partition."),
            ]),
            "Kind of target that it needs.",
        ),
        key("capability", Kind::ListOf(&CAPABILITY), "Capabilities of drive and host that it needs."),
        key("free", Kind::Size, "Free space of the file system, or size of the block device."),
        key("logical_block", Kind::Size, "Largest logical block of the target with which it works."),
        key(
            "placement_handles",
            Kind::Whole(1, 128),
            "Fewest placement handles that writes can name; they are numbered from 0.",
        ),
        key("privilege", Kind::OneOf(&[word("root", "Administrator rights.")]), "Rights that it needs."),
        key("time", Kind::Duration, "Least total time of a review (`--time`) in which it is useful."),
    ]],
    lists: false,
};

const FILL: Key = key(
    "fill",
    Kind::Whole(1, 100),
    "Share of each part that the test touches that must hold data, at least this many per cent.",
);

/// The table.
pub(crate) static NEEDS: Shape = Shape {
    name: "`needs`",
    keys: &[&[
        FILL,
        key("empty", Kind::Flag, "What it touches was not written since the target was last discarded or formatted."),
        key(
            "pattern",
            Kind::OneOf(&[
                word("sequential", "Ascending."),
                word("random", "Random offsets that repeat."),
                word("random_once", "Every block once per pass."),
            ]),
            "Order of the last load that wrote.",
        ),
        key("block_size", Kind::Size, "Bytes of one operation of the last load that wrote."),
        key("idle", Kind::Duration, "Nothing was written for this long."),
        key("media_writes", Kind::Flag, "A source counts what the drive writes to its media: write amplification."),
        key("temperature", Kind::Flag, "A sensor or a thermometer reports the drive's temperature."),
    ]],
    lists: false,
};
