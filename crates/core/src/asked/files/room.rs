//! Maximum space that the file sets of a plan need, on the drive and in the source folder.

use std::collections::BTreeMap;

use super::set::{FileLoad, FilePlace, FileWork};
use crate::plan::{Plan, Step};
use crate::units::Bytes;

/// Space for sets of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// On the drive, when it is fullest.
    pub drive: Bytes,
    /// In the folder that the files come from, if they come from a folder.
    pub source: Bytes,
}

/// The loads of a plan that work on files.
pub fn loads(plan: &Plan) -> impl Iterator<Item = &FileLoad> {
    plan.steps().filter_map(Step::workload).filter_map(|workload| workload.files.as_deref())
}

/// The space that a plan's file sets need. Walks through the steps in order and keeps the sets as the engine would: a
/// set that a step makes replaces the earlier one, and a set that a step needs is present.
#[must_use]
pub fn room(plan: &Plan) -> Room {
    let scheduled = plan.schedule();
    room_of(scheduled.iter().filter_map(|(_, step)| step.workload()?.files.as_deref()))
}

/// The same for loads in the order in which they run.
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
