//! Opens a place for what is to be done there, or says what it refuses; makes a scratch file where none is.
//!
//! Owns which kinds of operation make sense where. Must not know how the load is described or run.

use std::path::Path;

use drivelab_core::environment::{BlockDeviceFacts, Environment, TargetFacts, TargetKind};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::load::OtherOps;
use drivelab_core::plan::{Plan, Step};
use drivelab_core::target::{IoTarget, WritableTarget};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use drivelab_device::guard::{self, Destroy};
use drivelab_device::{BlockNode, Named, OpenedToRead, Scratch};
use drivelab_report::format;

use super::leftovers::clear_leftovers;
use super::place::{DEFAULT_SIZE, NOP, Place, folder_of};
use super::refusals::{destroys_nothing, no_room, not_writable};
use crate::failure::{Failure, Result};
use crate::voice::Voice;

/// Kinds of operation that a load issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Moves bytes from the target.
    pub reads: bool,
    /// Moves bytes to the target.
    pub writes: bool,
    /// Trims or writes zeroes without sending them: what only storage can do, and what changes it.
    pub deallocates: bool,
    /// Flushes.
    pub flushes: bool,
}

impl Needs {
    /// Of all groups of a load that go to the target.
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

    /// Of all steps of a plan.
    #[must_use]
    pub fn of_plan(plan: &Plan) -> Needs {
        plan.steps().filter_map(Step::workload).map(Needs::of).fold(Needs::default(), |all, one| Needs {
            reads: all.reads || one.reads,
            writes: all.writes || one.writes,
            deallocates: all.deallocates || one.deallocates,
            flushes: all.flushes || one.flushes,
        })
    }

    /// Whether what the target holds can be changed.
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
    /// What will be done there.
    pub needs: Needs,
    /// What the user said may be overwritten.
    pub destroy: &'a Destroy,
    /// What `--size` said.
    pub size: Option<Bytes>,
    /// Whether it is measured in a file system that was made for the run.
    pub own: bool,
}

/// A target that is open, and what was found about it.
pub struct OpenedIo {
    /// For the engine.
    pub target: IoTarget,
    /// The scratch file's keeper, where one was made: it is new and has no content yet.
    pub scratch: Option<Scratch>,
    /// For the record.
    pub facts: TargetFacts,
    /// What the user should know about how the target was chosen.
    pub remarks: Vec<String>,
}

impl Place {
    /// What [`Place::open`] would refuse, without making anything.
    ///
    /// # Errors
    /// As there.
    pub fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        if self.makes_scratch()? {
            return scratch_asked(wanted).map(drop);
        }
        let changes = wanted.needs.changes();
        match self {
            Place::Named(Named::ExistingFile(file)) => {
                refuse_size(file, wanted)?;
                if changes {
                    guard::authorise_file(file, wanted.destroy.id.as_deref())?;
                }
            }
            Place::Named(Named::BlockDevice(node)) => {
                refuse_size(&node.path, wanted)?;
                if changes {
                    guard::authorise_device(node, wanted.destroy)?;
                }
            }
            Place::Named(Named::NullDevice(path)) => refuse_of_null(path, wanted.needs)?,
            Place::Named(Named::ZeroDevice(path)) => refuse_of_zero(path, wanted.needs)?,
            Place::Nop | Place::Named(Named::Folder(_) | Named::NewFile(_)) => {}
        }
        Ok(())
    }

    /// Opens the place for what is wanted; makes a scratch file where it is a folder or a new file, after removing what
    /// killed runs left there.
    ///
    /// # Errors
    /// Operations that mean nothing there, `--size` or `--destroy` where they mean nothing, and whatever the write
    /// guard refuses.
    pub fn open(&self, wanted: &Wanted<'_>, voice: Voice) -> Result<OpenedIo> {
        let addresses = wanted.size.unwrap_or(DEFAULT_SIZE);
        match self {
            Place::Nop => Ok(nop(addresses)),
            Place::Named(Named::Folder(folder)) => scratch(folder, None, wanted, voice),
            Place::Named(Named::NewFile(file)) => scratch(folder_of(file), Some(file), wanted, voice),
            Place::Named(Named::ExistingFile(file)) if drivelab_device::is_scratch(file)? => {
                scratch(folder_of(file), Some(file), wanted, voice)
            }
            Place::Named(Named::ExistingFile(file)) => existing_file(file, wanted),
            Place::Named(Named::BlockDevice(node)) => block_device(node, wanted),
            Place::Named(Named::NullDevice(path)) => null_device(path, addresses, wanted.needs),
            Place::Named(Named::ZeroDevice(path)) => zero_device(path, addresses, wanted.needs),
        }
    }
}

impl OpenedIo {
    /// The last look, for right before the first write: that a device is still as it was when it was let through.
    ///
    /// # Errors
    /// What was found meanwhile.
    pub fn look_again(&self) -> Result<()> {
        match &self.target {
            IoTarget::Writable(target) => Ok(guard::look_again(target)?),
            IoTarget::ReadOnly(_) | IoTarget::Nop { .. } => Ok(()),
        }
    }

    /// Everything found, as it goes on record, without what was measured of the host before; `data` is the folder of
    /// results, where there is to be one. Looks at the host for half a second where there is a device.
    #[must_use]
    pub fn environment(&self, data: Option<&Path>) -> Environment {
        let devices = &self.facts.devices;
        let guard = match &self.target {
            IoTarget::Writable(target) => Some(target.decision().clone()),
            IoTarget::ReadOnly(_) | IoTarget::Nop { .. } => None,
        };
        Environment {
            target: self.facts.clone(),
            testbed: drivelab_device::testbed_facts(devices.first().map(|device| device.name.as_str())),
            guard,
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

fn unusable(message: String) -> Failure {
    Failure::new(ExitCode::TargetUnusable, message)
}

fn nop(length: Bytes) -> OpenedIo {
    let facts = drivelab_device::facts_of_nothing(TargetKind::Nop, Path::new(NOP), length);
    OpenedIo { target: IoTarget::Nop { length }, scratch: None, facts, remarks: Vec::new() }
}

fn null_device(path: &Path, length: Bytes, needs: Needs) -> Result<OpenedIo> {
    refuse_of_null(path, needs)?;
    let target = guard::authorise_null(path, length)?;
    let facts = drivelab_device::facts_of_nothing(TargetKind::NullDevice, target.path(), length);
    Ok(OpenedIo { target: target.into(), scratch: None, facts, remarks: Vec::new() })
}

fn refuse_of_null(path: &Path, needs: Needs) -> Result<()> {
    if needs.reads {
        let path = path.display();
        return Err(unusable(format!(
            "reads from {path} give no bytes, so nothing is moved; read from /dev/zero or nop:"
        )));
    }
    refuse_storage_only(path, needs)
}

fn zero_device(path: &Path, length: Bytes, needs: Needs) -> Result<OpenedIo> {
    refuse_of_zero(path, needs)?;
    Ok(read_only(drivelab_device::open_zero_to_read(path, length)?))
}

fn refuse_of_zero(path: &Path, needs: Needs) -> Result<()> {
    if needs.writes {
        let path = path.display();
        return Err(unusable(format!(
            "{path} is a target for reads; write to /dev/null or nop:, which keep nothing either"
        )));
    }
    refuse_storage_only(path, needs)
}

/// The memory devices know neither trims nor flushes.
fn refuse_storage_only(path: &Path, needs: Needs) -> Result<()> {
    let what = match needs {
        Needs { deallocates: true, .. } => "trimmed or zeroed",
        Needs { flushes: true, .. } => "flushed",
        _ => return Ok(()),
    };
    Err(unusable(format!(
        "{} stores nothing that could be {what}: name nop:, a folder, a file or a block device",
        path.display()
    )))
}

fn read_only(opened: OpenedToRead) -> OpenedIo {
    let OpenedToRead { target, facts } = opened;
    let mut remarks = vec![format!("{} is only read: {}", facts.path.display(), target.reason())];
    if facts.kind.stores_nothing() {
        remarks.clear();
    }
    OpenedIo { target: target.into(), scratch: None, facts, remarks }
}

/// `--size` says how large something is that drivelab makes; what is there has its size.
fn refuse_size(path: &Path, wanted: &Wanted<'_>) -> Result<()> {
    if wanted.size.is_none() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} has its size already: --size is for scratch files, /dev/null, /dev/zero and nop:; to use a part of it, say \
         --span",
        path.display()
    )))
}

fn existing_file(file: &Path, wanted: &Wanted<'_>) -> Result<OpenedIo> {
    refuse_size(file, wanted)?;
    if !wanted.needs.changes() {
        return Ok(read_only(drivelab_device::open_file_to_read(file)?));
    }
    let target = guard::authorise_file(file, wanted.destroy.id.as_deref())?;
    let mut facts = drivelab_device::target_facts(target.path(), TargetKind::NamedFile, target.length())?;
    facts.direct_io = target.direct_io().clone();
    Ok(OpenedIo { target: target.into(), scratch: None, facts, remarks: Vec::new() })
}

fn block_device(node: &BlockNode, wanted: &Wanted<'_>) -> Result<OpenedIo> {
    refuse_size(&node.path, wanted)?;
    if !wanted.needs.changes() {
        return Ok(read_only(drivelab_device::open_device_to_read(node)?));
    }
    Ok(released_device(node, guard::authorise_device(node, wanted.destroy)?))
}

/// A device that the guard let through, with what is found about it.
#[must_use]
pub fn released_device(node: &BlockNode, target: WritableTarget) -> OpenedIo {
    let facts = drivelab_device::device_facts(node, target.length(), target.direct_io().clone());
    OpenedIo { target: target.into(), scratch: None, facts, remarks: Vec::new() }
}

/// The size that was asked of a scratch file, in whole MiB.
fn scratch_asked(wanted: &Wanted<'_>) -> Result<Option<Bytes>> {
    if let Some(destroy) = &wanted.destroy.id {
        return Err(destroys_nothing(destroy));
    }
    let asked = wanted.size.map(|size| size.align_down(Bytes::MIB));
    if asked.is_some_and(|size| size.get() == 0) {
        return Err(Failure::usage("a scratch file takes at least 1 MiB; say more with --size"));
    }
    Ok(asked)
}

/// A new scratch file in a folder, named where the user gave a name.
fn scratch(folder: &Path, file: Option<&Path>, wanted: &Wanted<'_>, voice: Voice) -> Result<OpenedIo> {
    let asked = scratch_asked(wanted)?;
    let facts = drivelab_device::folder_facts(folder)?;
    if !facts.writable {
        return Err(not_writable(folder, &facts.file_system));
    }
    clear_leftovers(folder, voice)?;
    let (length, minimum) = (asked.unwrap_or(DEFAULT_SIZE), asked.unwrap_or(Bytes::MIB));
    let memory = drivelab_device::total_memory();
    let fit = if wanted.own { drivelab_device::own_scratch_size } else { drivelab_device::scratch_size };
    let length = fit(length, minimum, facts.file_system.free, memory)
        .map_err(|error| no_room(folder, &facts.file_system, &error))?;
    let mut remarks = Vec::new();
    if let Some(size) = wanted.size.filter(|size| *size != length) {
        remarks.push(format!("the scratch file is {}, whole MiB of the {} asked for", exact(length), exact(size)));
    } else if asked.is_none() && length < DEFAULT_SIZE {
        remarks.push(format!(
            "the scratch file is {} instead of {}: it takes at most 10 % of the free space, and no more than memory",
            format::bytes(length),
            format::bytes(DEFAULT_SIZE)
        ));
    }
    let name = file.and_then(Path::file_name);
    let (target, scratch) = guard::make_scratch(folder, name, wanted.run, length)?;
    let mut facts = drivelab_device::target_facts(target.path(), TargetKind::ScratchFile, length)?;
    facts.direct_io = target.direct_io().clone();
    Ok(OpenedIo { target: target.into(), scratch: Some(scratch), facts, remarks })
}

fn exact(bytes: Bytes) -> String {
    format!("{} bytes", bytes.get())
}

#[cfg(test)]
mod tests {
    use drivelab_core::units::Percent;

    use super::*;
    use crate::voice::Loudness;

    const VOICE: Voice = Voice { loudness: Loudness::Quiet, to: |_| () };
    const READS: Needs = Needs { reads: true, writes: false, deallocates: false, flushes: false };
    const WRITES: Needs = Needs { reads: false, writes: true, deallocates: false, flushes: false };

    fn open(word: &str, needs: Needs, size: Option<Bytes>) -> Result<OpenedIo> {
        let wanted = Wanted { run: RunId::now(), needs, destroy: &Destroy::default(), size, own: false };
        Place::of(Path::new(word)).expect("a place").open(&wanted, VOICE)
    }

    fn refused(word: &str, needs: Needs, size: Option<Bytes>, code: ExitCode, says: &str) {
        let Err(failure) = open(word, needs, size) else { panic!("{word} was opened for {needs:?}") };
        assert_eq!(failure.code, code, "{}", failure.message);
        assert!(failure.message.contains(says), "{}", failure.message);
    }

    #[test]
    fn needs_are_those_of_all_groups() {
        let mut load = Workload::default();
        assert_eq!(Needs::of(&load), READS);
        let mut group = Workload { write_percent: Percent::new(100).expect("a share"), ..Workload::default() };
        group.other.sync_every = 4;
        load.beside.push(group);
        assert_eq!(Needs::of(&load), Needs { writes: true, flushes: true, ..READS });
    }

    #[test]
    fn targets_that_store_nothing_have_the_asked_length_and_are_marked() {
        for (word, needs, kind) in [
            ("nop:", READS, TargetKind::Nop),
            ("/dev/null", WRITES, TargetKind::NullDevice),
            ("/dev/zero", READS, TargetKind::ZeroDevice),
        ] {
            let place = Place::of(Path::new(word)).expect("a place");
            assert!(!place.direct_by_default());
            assert_eq!(place.path(), Path::new(word));
            let opened = open(word, needs, Some(Bytes::MIB)).expect("open");
            assert_eq!((opened.facts.kind, opened.facts.length), (kind, Bytes::MIB));
            assert_eq!((opened.target.length(), opened.target.handle(true).is_some()), (Bytes::MIB, false));
            let environment = opened.environment(Some(Path::new("/")));
            assert_eq!(environment.guard.is_some(), kind == TargetKind::NullDevice);
            assert!(!environment.bundle_on_same_device);
            assert_eq!(open(word, needs, None).map(|opened| opened.target.length()).ok(), Some(DEFAULT_SIZE));
        }
    }

    #[test]
    fn what_a_place_cannot_do_is_refused_in_words() {
        refused("/dev/null", READS, None, ExitCode::TargetUnusable, "give no bytes");
        refused("/dev/zero", WRITES, None, ExitCode::TargetUnusable, "write to /dev/null");
        refused("/dev/null", Needs { flushes: true, ..WRITES }, None, ExitCode::TargetUnusable, "flushed");
        refused("/dev/zero", Needs { deallocates: true, ..READS }, None, ExitCode::TargetUnusable, "trimmed");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("photos.tar");
        std::fs::write(&file, vec![1; 8192]).expect("a file");
        let file = file.to_str().expect("a plain path");
        refused(file, WRITES, None, ExitCode::GuardRefused, "--destroy");
        refused(file, READS, Some(Bytes::MIB), ExitCode::Usage, "--span");
        assert!(matches!(open(file, READS, None).expect("open").target, IoTarget::ReadOnly(_)));
        refused(folder.path().to_str().expect("a plain path"), WRITES, Some(Bytes::new(5)), ExitCode::Usage, "1 MiB");
    }

    #[test]
    fn a_folder_gets_a_scratch_file_of_whole_mebibytes_that_goes_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let word = folder.path().to_str().expect("a plain path");
        let opened = open(word, WRITES, Some(Bytes::new((2 << 20) + 5))).expect("open");
        assert_eq!(opened.target.length(), Bytes::new(2 << 20));
        assert!(opened.remarks.iter().any(|remark| remark.contains("whole MiB")), "{:?}", opened.remarks);
        assert!(opened.scratch.is_some());
        drop(opened);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
