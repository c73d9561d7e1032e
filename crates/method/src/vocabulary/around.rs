//! The vocabulary of what lies around the tests: conditions that are set up on the target, and several drives.
//!
//! The words themselves (arms, shares, states) are read by `core::condition`, as they are on the command line. Must not
//! know: how a condition is set up.

use drivelab_core::condition::{Arm, ConditionError, DataState, MOST_REPEATS, PowerStates, Share};

use crate::vocabulary::marks::MARKS_HERE;
use crate::vocabulary::shape::{Key, Kind, Reading, Shape, key, word};

fn canonical<T>(text: &str) -> Result<String, String>
where
    T: std::str::FromStr<Err = ConditionError> + std::fmt::Display,
{
    text.parse::<T>().map(|read| read.to_string()).map_err(|error| error.to_string())
}

static SHARE: Reading = Reading {
    what: "a share of the drive as text, or a size with its unit",
    example: "90 %",
    pattern: r"^\s*([1-9]\d?|100)\s*%\s*$|^\s*\d[\d_]*(\.[\d_]+)?\s*([kKmMgGtTpP][iI]?[bB]?)\s*$",
    read: canonical::<Share>,
};

static ARM: Reading = Reading {
    what: "an arm as text",
    example: "luks2",
    pattern: r"^(none|opal|hw|(luks2|sw)(:.+)?)$",
    read: canonical::<Arm>,
};

static DATA_STATE: Reading = Reading {
    what: "a data state as text",
    example: "filled:80%",
    pattern: r"^(as-found|fresh|overwritten-random|discarded|filled:\s*\d{1,3}\s*%?)$",
    read: canonical::<DataState>,
};

static POWER_STATES: Reading = Reading {
    what: "power states as text",
    example: "all",
    pattern: r"^\s*(all|\d{1,2}(\s*,\s*\d{1,2})*)\s*$",
    read: canonical::<PowerStates>,
};

static AN_ARM: Kind = Kind::Read(&ARM);

/// What is set up around the target, and the arms that are compared.
pub(crate) static CONDITIONS: Shape = Shape { name: "`[conditions]`", keys: &[AROUND, MARKS_HERE], lists: false };

const AROUND: &[Key] = &[
    key("partition", Kind::Read(&SHARE), "A partition of this share of the drive; the rest stays unused."),
    key("span", Kind::Read(&SHARE), "Only this much of the device is tested, from its start, without a partition."),
    key(
        "file_system",
        Kind::OneOf(&[word("ext4", "ext4, by mkfs.ext4."), word("xfs", "XFS, by mkfs.xfs.")]),
        "Create this file system, and test a file in it.",
    ),
    key(
        "arms",
        Kind::RowOf(&AN_ARM),
        "The arms, measured one after the other: none, luks2 (or sw), opal (or hw). An arm may be listed twice.",
    ),
    key(
        "optional_arms",
        Kind::RowOf(&AN_ARM),
        "Arms that are left out if they are not available, whatever their options; any other arm is then refused.",
    ),
    key("data_state", Kind::Read(&DATA_STATE), "State of the target before the tests, as for --data-state."),
    key(
        "power_states",
        Kind::Read(&POWER_STATES),
        "Power states, one run for each: all, or numbers separated by commas.",
    ),
    key(
        "optional_power_states",
        Kind::Flag,
        "If power states cannot be set, measure the target as it is, and report that. Default false.",
    ),
    key("repeats", Kind::Whole(1, MOST_REPEATS as u64), "Rounds of all arms, 1 to 100. Default 1."),
    key(
        "arm_order",
        Kind::OneOf(&[
            word("as_written", "The first arm in all its rounds, then the next."),
            word("round_by_round", "All arms in their order, then all of them again."),
            word("abba", "As round_by_round, with every second round in reverse."),
        ]),
        "Order of the arms over several rounds. Default round_by_round.",
    ),
];

/// What becomes of several targets.
pub(crate) static DRIVES: Shape = Shape { name: "`[drives]`", keys: &[SEVERAL, MARKS_HERE], lists: false };

const SEVERAL: &[Key] = &[
    key("each", Kind::Flag, "Measure each drive alone, one after the other. Default true."),
    key("together", Kind::Flag, "Measure all drives at once. Default true."),
    key(
        "feed_rate",
        Kind::Rate,
        "Rate in bytes that a consumer needs. The result says how many of these drives deliver it.",
    ),
    key("feed_link", Kind::Rate, "Highest rate in bytes that one link of the consumer can carry."),
    key("per_doubling", Kind::Flag, "Report the ratio of each rate for a doubling of the capacity. Default false."),
];
