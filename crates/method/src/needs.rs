//! `[tests.needs]`: the state that a test asks of its target.

use drivelab_core::drive_state::StateNeeds;
use drivelab_core::workload::Pattern;

use crate::shape::{Key, Kind, Shape, key, word};
use crate::value::Table;

const FILL: Key =
    key("fill", Kind::Whole(1, 100), "Share of every part that the test touches that holds data, per cent at least.");

/// The table.
pub(crate) static SHAPE: Shape = Shape {
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
        key("idle", Kind::Duration, "Nothing was written for so long."),
        key("media_writes", Kind::Flag, "Something counts what the drive writes to its media: write amplification."),
        key("temperature", Kind::Flag, "Something tells the drive's temperature."),
    ]],
    lists: false,
};

/// What a test needs, where it says anything.
pub(crate) fn of(test: &Table) -> Option<StateNeeds> {
    let table = test.table("needs")?;
    Some(StateNeeds {
        fill: table.whole("fill").and_then(|share| u8::try_from(share).ok()),
        empty: table.flag("empty"),
        pattern: match table.text("pattern") {
            "sequential" => Some(Pattern::Sequential),
            "random" => Some(Pattern::Random),
            "random_once" => Some(Pattern::RandomOnce),
            _ => None,
        },
        block_size: table.size("block_size"),
        idle: table.time("idle"),
        media_writes: table.flag("media_writes"),
        temperature: table.flag("temperature"),
    })
}
