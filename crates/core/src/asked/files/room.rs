//! Room that the sets of files of a plan take at most, on the drive and where they come from.

use std::collections::BTreeMap;

use super::set::{FileLoad, FilePlace, FileWork};
use crate::plan::{Plan, Step};
use crate::units::Bytes;

/// Room for sets of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// On the drive, at the fullest moment.
    pub drive: Bytes,
    /// Where the files come from, where that is a folder.
    pub source: Bytes,
}

/// The loads on files of a plan.
pub fn loads(plan: &Plan) -> impl Iterator<Item = &FileLoad> {
    plan.steps().filter_map(Step::workload).filter_map(|workload| workload.files.as_deref())
}

/// The room that a plan's sets take: walks the steps in order, with sets as the engine leaves them. What a step makes
/// anew goes before, and what it needs is there.
#[must_use]
pub fn room(plan: &Plan) -> Room {
    let scheduled = plan.schedule();
    room_of(scheduled.iter().filter_map(|(_, step)| step.workload()?.files.as_deref()))
}

/// The same of loads in the order in which they are done.
#[must_use]
pub fn room_of<'l>(loads: impl Iterator<Item = &'l FileLoad>) -> Room {
    let mut there: BTreeMap<(&str, FilePlace), u64> = BTreeMap::new();
    let mut room = Room::default();
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    for load in loads {
        let name = load.set.name.as_str();
        let bytes = *sizes.entry(name).or_insert_with(|| load.set.bytes_on_disk().get());
        if load.work != FileWork::Create {
            there.insert((name, load.of), bytes);
        }
        if let Some(made) = load.makes() {
            there.insert((name, made), bytes);
        }
        let sum = |is_source: bool| {
            let of = there.iter().filter(|((_, place), _)| (*place == FilePlace::Source) == is_source);
            Bytes::new(of.map(|(_, bytes)| *bytes).sum())
        };
        (room.drive, room.source) = (room.drive.max(sum(false)), room.source.max(sum(true)));
        if load.work == FileWork::Delete {
            there.remove(&(name, load.of));
        }
    }
    room
}
