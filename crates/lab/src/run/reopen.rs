//! The target of a run that goes on, opened again or only looked at: the same one, on the same drive as before, or one
//! clear refusal.

use std::path::{Path, PathBuf};

use drivelab_core::environment::{BlockDeviceFacts, TargetFacts, TargetKind};
use drivelab_core::exit::ExitCode;
use drivelab_core::run::RunRecords;
use drivelab_core::target::{DeviceIdentity, WritableTarget};
use drivelab_core::units::Bytes;
use drivelab_device::guard::{self, Destroy, Whole};
use drivelab_device::{BlockNode, FileIdentity, Scratch};
use drivelab_report::{DryRunDevice, format};
use drivelab_session::state_changed;
use drivelab_store::Bundle;

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::plan::dry_run;
use crate::run::drive_state::Book;
use crate::run::notes;
use crate::target::naming::place_of;
use crate::target::opened::{Needs, OpenedIo, Wanted};
use crate::target::released::released_device;
use crate::voice::Voice;

/// A file that is open again, with what is found about it now.
fn opened_file(recorded: &TargetFacts, target: WritableTarget, scratch: Option<Scratch>) -> Result<OpenedIo> {
    let mut facts = drivelab_device::target_facts(target.path(), recorded.kind, target.length())?;
    facts.direct_io = target.direct_io().clone();
    Ok(OpenedIo { target: target.into(), scratch, facts, remarks: Vec::new() })
}

/// Refuses another drive than the run began on.
fn same_drive(records: &RunRecords, now: &[BlockDeviceFacts]) -> Result<()> {
    let changed = changed_drive(&records.environment.target.devices, now);
    changed.map_or(Ok(()), |changed| Err(Failure::new(ExitCode::TargetUnusable, changed)))
}

/// A sentence where the drive is another one than the run began on.
fn changed_drive(before: &[BlockDeviceFacts], now: &[BlockDeviceFacts]) -> Option<String> {
    let serials = |devices: &[BlockDeviceFacts]| -> Vec<String> {
        devices.iter().map(|device| device.serial.clone().unwrap_or_else(|| "without a serial number".into())).collect()
    };
    let (before, now) = (serials(before), serials(now));
    (before != now).then(|| {
        format!(
            "the target lies on another drive than when the run began (then {}, now {}): figures of both would not belong \
             together; put the first drive back, or begin a new run",
            before.join(" on "),
            now.join(" on ")
        )
    })
}

/// What becomes of a target that is not as the run left it.
fn again(records: &RunRecords) -> &'static str {
    if records.plan.prepares() { "is prepared again" } else { "is not as the run left it" }
}

/// What is said of a device that is as this run left it, and whether what is left to do needs another state than that.
fn as_left_or_changed(words: &str, records: &RunRecords) -> (String, bool) {
    match state_changed(records) {
        None => (words.to_owned(), false),
        Some(why) => (format!("{words}; but {why}, so that state is restored"), true),
    }
}

/// The target, open again.
pub(super) struct Reopened {
    pub(super) opened: OpenedIo,
    /// What became of it since, for the report.
    pub(super) state: String,
    pub(super) prepared_again: bool,
}

impl Reopened {
    /// A device whose preparation still holds is not prepared again.
    pub(super) fn as_left(&mut self, book: Option<&Book>, records: &RunRecords) {
        if !Needs::of_plan(&records.plan).changes() {
            return;
        }
        let Some(book) = book else { return };
        (self.state, self.prepared_again) = match book.prepared() {
            Ok(words) => as_left_or_changed(&format!("the device was released anew and is {words}"), records),
            Err(why) => (format!("the device was released anew and {}, since {why}", again(records)), true),
        };
    }
}

/// Opens the target again: the same one, on the same drive as before.
pub(super) fn reopen(bundle: &Bundle, records: &RunRecords, destroy: Option<&Path>, voice: &Voice) -> Result<Reopened> {
    let recorded = &records.environment.target;
    let folder = recorded.path.parent().map_or_else(|| PathBuf::from("/"), PathBuf::from);
    if recorded.kind.is_file() {
        same_drive(records, &drivelab_device::folder_facts(&folder)?.devices)?;
    }
    let needs = Needs::of_plan(&records.plan);
    let reopened = match recorded.kind {
        TargetKind::NamedFile if needs.changes() => {
            let target = named_file(bundle, records, &recorded.path)?;
            let state = "the named file is prepared again, since its content is not known".to_owned();
            Reopened { opened: opened_file(recorded, target, None)?, state, prepared_again: true }
        }
        TargetKind::ScratchFile => {
            let (target, scratch, state, prepared_again) = scratch(bundle, records, &folder)?;
            Reopened { opened: opened_file(recorded, target, Some(scratch))?, state, prepared_again }
        }
        TargetKind::BlockDevice if needs.changes() => block_device(records, destroy)?,
        TargetKind::NamedFile
        | TargetKind::BlockDevice
        | TargetKind::NullDevice
        | TargetKind::ZeroDevice
        | TargetKind::Nop => {
            let size = recorded.kind.stores_nothing().then_some(records.plan.capacity);
            let wanted = Wanted { run: records.run, needs, destroy: &Destroy::default(), size, own: false };
            let opened = place_of(&recorded.path)?.open(&wanted, voice)?;
            let state = "the target was opened again".to_owned();
            // What stores nothing is in no state.
            Reopened { opened, state, prepared_again: !recorded.kind.stores_nothing() }
        }
    };
    as_it_began(records, &reopened.opened.facts.devices, reopened.opened.target.length())?;
    Ok(reopened)
}

/// Refuses another drive or another length than the run began with.
fn as_it_began(records: &RunRecords, devices: &[BlockDeviceFacts], length: Bytes) -> Result<()> {
    same_drive(records, devices)?;
    let recorded = &records.environment.target;
    // Of a block device the plan may use a part.
    let began = if recorded.kind == TargetKind::BlockDevice { recorded.length } else { records.plan.capacity };
    if length == began {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "{} is {} now, but the run began with {}: figures of both would not belong together; begin a new run",
            recorded.path.display(),
            format::bytes(length),
            format::bytes(began)
        ),
    ))
}

/// What a dry run found of the target.
pub(super) struct Looked {
    /// What is on it, where it is a block device, and whether the user's word for it is there.
    pub(super) device: Option<DryRunDevice>,
    pub(super) remark: String,
    pub(super) prepared_again: bool,
}

impl Looked {
    /// Whether the preparation of a device still holds.
    pub(super) fn as_left(&mut self, lab: &Lab<'_>, records: &RunRecords) -> Result<()> {
        if !Needs::of_plan(&records.plan).changes() {
            return Ok(());
        }
        let (node, _) = same_block_device(records)?;
        let book = Book::of_device(&node, &lab.data()?, records.run);
        (self.remark, self.prepared_again) = match book.prepared() {
            Ok(words) => as_left_or_changed(&format!("the target is {words}"), records),
            Err(why) => (format!("the target {}, since {why}", again(records)), true),
        };
        Ok(())
    }
}

/// Looks at the target with the refusals of [`reopen`]; only the missing word for a device is left to be said later,
/// beside what is on it.
pub(super) fn look(bundle: &Bundle, records: &RunRecords, destroy: Option<&Path>) -> Result<Looked> {
    let recorded = &records.environment.target;
    let folder = recorded.path.parent().map_or_else(|| PathBuf::from("/"), PathBuf::from);
    if recorded.kind.is_file() {
        same_drive(records, &drivelab_device::folder_facts(&folder)?.devices)?;
    }
    let needs = Needs::of_plan(&records.plan);
    let prepares = |device| Looked { device, remark: "the target is prepared again".to_owned(), prepared_again: true };
    match recorded.kind {
        TargetKind::ScratchFile => {
            let changed = state_changed(records);
            let prepared_again = changed.is_some();
            let remark = changed.map_or("the target is filled again where its fill is gone".to_owned(), |why| {
                format!("the target is made again: {why}")
            });
            Ok(Looked { device: None, remark, prepared_again })
        }
        TargetKind::NamedFile if needs.changes() => {
            let target = named_file(bundle, records, &recorded.path)?;
            as_it_began(records, &recorded.devices, target.length())?;
            Ok(prepares(None))
        }
        TargetKind::BlockDevice if needs.changes() => {
            let (node, planned) = same_block_device(records)?;
            if destroy.is_some() {
                let target = guard::authorise_device(&node, &Destroy::named(destroy).planned_for(planned))?;
                let device = target.decision().device.as_deref().map(dry_run::of_guarded);
                let opened = released_device(&node, target);
                as_it_began(records, &opened.facts.devices, opened.target.length())?;
                return Ok(prepares(device));
            }
            guard::still_planned(&node, &Destroy::default().planned_for(planned))?;
            let preview = guard::preview_device(&node)?;
            let facts = drivelab_device::open_device_to_read(&node)?.facts;
            as_it_began(records, &facts.devices, facts.length)?;
            Ok(prepares(Some(dry_run::of_preview(preview))))
        }
        TargetKind::NamedFile
        | TargetKind::BlockDevice
        | TargetKind::NullDevice
        | TargetKind::ZeroDevice
        | TargetKind::Nop => {
            let size = recorded.kind.stores_nothing().then_some(records.plan.capacity);
            let place = place_of(&recorded.path)?;
            place.check(&Wanted { run: records.run, needs, destroy: &Destroy::default(), size, own: false })?;
            let Some(node) = place.device() else { return Ok(prepares(None)) };
            let facts = drivelab_device::open_device_to_read(node)?.facts;
            as_it_began(records, &facts.devices, facts.length)?;
            Ok(prepares(Some(dry_run::only_read(node)?)))
        }
    }
}

/// The block device that the user released when the run began, released anew.
fn block_device(records: &RunRecords, destroy: Option<&Path>) -> Result<Reopened> {
    let (node, before) = same_block_device(records)?;
    let target = guard::authorise_device(&node, &Destroy::named(destroy).planned_for(before))?;
    let state = "the device was released anew and is prepared again, since its content is not known".to_owned();
    Ok(Reopened { opened: released_device(&node, target), state, prepared_again: true })
}

/// The block device that the user released when the run began, and what it must still be: the very same device, by its
/// serial number, or by everything that is known of it where it has none.
fn same_block_device(records: &RunRecords) -> Result<(BlockNode, DeviceIdentity)> {
    let path = &records.environment.target.path;
    let refuse = |why: &str| {
        let text = format!("{} {why}, so it is left alone; begin a new run to name it", path.display());
        Err(Failure::new(ExitCode::GuardRefused, text))
    };
    let Some(node) = place_of(path)?.device().cloned() else {
        return refuse("is no block device any more");
    };
    let decision = records.environment.guard.as_ref();
    let Some(mut before) = decision.and_then(|decision| decision.device.as_ref()).map(|device| device.identity.clone())
    else {
        return refuse("was released by a version that did not record which device it is");
    };
    if before.serial.is_some() {
        // It may have been unplugged, or the machine restarted: its serial number speaks for it.
        before.diskseq = drivelab_device::identity_of(&node).diskseq;
    }
    Ok((node, before))
}

/// The file that the user released when the run began: the very same file, not another one at its path.
fn named_file(bundle: &Bundle, records: &RunRecords, path: &Path) -> Result<WritableTarget> {
    let released = notes::named_file(bundle);
    if released.is_none() || FileIdentity::of_path(path).ok() != released {
        return Err(Failure::new(
            ExitCode::GuardRefused,
            format!(
                "{} is not the file that was named with --destroy when the run began (another file is there now, or none), \
                 so it is left alone; begin a new run to name it",
                path.display()
            ),
        ));
    }
    Ok(guard::authorise_file(
        path,
        records.environment.guard.as_ref().and_then(|guard| guard.destroy_named.as_deref()),
    )?)
}

/// The scratch file: the same one where it is still there and whole, otherwise made again.
fn scratch(bundle: &Bundle, records: &RunRecords, folder: &Path) -> Result<(WritableTarget, Scratch, String, bool)> {
    let why = match notes::scratch(bundle).map(|claim| guard::reopen_scratch(&claim)) {
        Some(Ok((target, scratch, Whole::Whole))) => match state_changed(records) {
            None => return Ok((target, scratch, "the scratch file was still there and filled".to_owned(), false)),
            Some(why) => {
                // Another file: in the old one is what was written since, and it may lie in other places on the drive.
                drop((target, scratch));
                why
            }
        },
        Some(Ok((target, scratch, Whole::NotWhole(why)))) => {
            return Ok((target, scratch, format!("the scratch file is filled again: {why}"), true));
        }
        Some(Err(error)) if error.is_gone() => "it was gone".to_owned(),
        Some(Err(error)) => return Err(error.into()),
        None => "the run was interrupted before it was on record".to_owned(),
    };
    let name = records.environment.target.path.file_name();
    let (target, scratch) = guard::make_scratch(folder, name, records.run, records.plan.capacity)?;
    Ok((target, scratch, format!("the scratch file was made and filled again: {why}"), true))
}
