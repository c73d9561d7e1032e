//! What will be done with a target, and the opened target.

use std::path::Path;

use drivelab_core::environment::{BlockDeviceFacts, Environment, TargetFacts, TargetKind};
use drivelab_core::ids::RunId;
use drivelab_core::load::OtherOps;
use drivelab_core::plan::{Plan, Step};
use drivelab_core::target::IoTarget;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use drivelab_device::guard::Destroy;
use drivelab_device::{OpenedToRead, Scratch};

use super::storage::Storage;

/// Kinds of operation that a load issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Reads data from the target.
    pub reads: bool,
    /// Writes data to the target.
    pub writes: bool,
    /// Trims, or writes zeroes without sending them: operations that only storage supports, and that change it.
    pub deallocates: bool,
    /// Flushes.
    pub flushes: bool,
}

impl Needs {
    /// Needs of all groups of a load that access the target.
    #[must_use]
    pub fn of(workload: &Workload) -> Needs {
        workload.on_target().fold(Needs::default(), |needs, group| {
            let OtherOps { trim_percent, write_zeroes_percent, flush_percent, sync_every } = group.other;
            let any = |share: drivelab_core::units::Percent| share.get() > 0;
            Needs {
                reads: needs.reads || group.read_percent() > 0,
                writes: needs.writes || any(group.write_percent),
                deallocates: needs.deallocates || any(trim_percent) || any(write_zeroes_percent),
                flushes: needs.flushes || any(flush_percent) || sync_every > 0,
            }
        })
    }

    /// Needs of all steps of a plan.
    #[must_use]
    pub fn of_plan(plan: &Plan) -> Needs {
        plan.steps().filter_map(Step::workload).map(Needs::of).fold(Needs::default(), |all, one| Needs {
            reads: all.reads || one.reads,
            writes: all.writes || one.writes,
            deallocates: all.deallocates || one.deallocates,
            flushes: all.flushes || one.flushes,
        })
    }

    /// Whether the target's content can change.
    #[must_use]
    pub const fn changes(self) -> bool {
        self.writes || self.deallocates
    }
}

/// How a place is to be opened.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The run that a scratch file belongs to.
    pub run: RunId,
    /// What will be done with it.
    pub needs: Needs,
    /// What the user said may be overwritten (`--destroy`).
    pub destroy: &'a Destroy,
    /// The value of `--size`.
    pub size: Option<Bytes>,
    /// Whether the target is in a file system that was created for the run.
    pub own: bool,
}

/// An open target and its facts.
pub struct OpenedIo {
    /// The target.
    pub target: Box<dyn Storage>,
    /// The keeper of the scratch file, if one was created: it is new and has no content yet.
    pub scratch: Option<Scratch>,
    /// For the record.
    pub facts: TargetFacts,
    /// What the user should know about how the target was chosen.
    pub remarks: Vec<String>,
}

impl OpenedIo {
    /// A target and its facts; no scratch file was created for it.
    #[must_use]
    pub fn of(target: impl Into<IoTarget>, facts: TargetFacts) -> Self {
        OpenedIo { target: Box::new(target.into()), scratch: None, facts, remarks: Vec::new() }
    }

    /// A target that is open for reading only.
    #[must_use]
    pub fn read_only(opened: OpenedToRead) -> Self {
        let OpenedToRead { target, facts } = opened;
        let mut remarks = vec![format!("{} is only read: {}", facts.path.display(), target.reason())];
        if facts.kind.stores_nothing() {
            remarks.clear();
        }
        OpenedIo { remarks, ..OpenedIo::of(target, facts) }
    }

    /// The environment for the record, without the stored measurements of the host; `data` is the folder of results,
    /// if there is one. Samples the host for half a second if there is a device.
    #[must_use]
    pub fn environment(&self, data: Option<&Path>) -> Environment {
        let devices = &self.facts.devices;
        Environment {
            target: self.facts.clone(),
            testbed: drivelab_device::testbed_facts(devices.first().map(|device| device.name.as_str())),
            guard: self.target.decision().cloned(),
            bundle_on_same_device: data.is_some_and(|data| same_device(devices, data)),
            ceilings: None,
            watching_cost: None,
            probe: drivelab_device::probe::drive_below(devices, self.facts.kind == TargetKind::BlockDevice)
                .map(Box::new),
            drive_facts: None,
            condition: None,
            source: None,
            content: None,
            data_sheet: None,
        }
    }
}

/// Whether a folder lies on one of the devices of the target.
fn same_device(devices: &[BlockDeviceFacts], folder: &Path) -> bool {
    let Ok(other) = drivelab_device::folder_facts(folder) else { return false };
    other.devices.iter().any(|device| devices.iter().any(|mine| mine.name == device.name))
}

#[cfg(test)]
mod tests {
    use drivelab_core::units::Percent;

    use super::*;

    #[test]
    fn needs_are_those_of_all_groups() {
        let mut load = Workload::default();
        assert_eq!(Needs::of(&load), Needs { reads: true, ..Needs::default() });
        let mut group = Workload { write_percent: Percent::new(100).expect("a share"), ..Workload::default() };
        group.other.sync_every = 4;
        load.beside.push(group);
        assert_eq!(Needs::of(&load), Needs { writes: true, flushes: true, reads: true, deallocates: false });
    }
}
