//! `[tests.needs]`: the state that a test needs its target to be in.

use drivelab_core::drive_state::StateNeeds;
use drivelab_core::workload::Pattern;

use crate::tree::value::Table;

/// What a test needs, if it states anything.
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
