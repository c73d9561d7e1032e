//! The target of a resumed run, opened again or only inspected: the same target on the same drive as before, or one
//! clear refusal.

use std::path::{Path, PathBuf};

use drivelab_core::environment::{BlockDeviceFacts, Content, TargetFacts, TargetKind};
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

/// A file that is open again, with its present facts.
fn opened_file(recorded: &TargetFacts, target: WritableTarget, scratch: Option<Scratch>) -> Result<OpenedIo> {
    let mut facts = drivelab_device::target_facts(target.path(), recorded.kind, target.length())?;
    facts.direct_io = target.direct_io().clone();
    Ok(OpenedIo { scratch, ..OpenedIo::of(target, facts) })
}

/// Refuses a drive other than the one that the run began on.
fn same_drive(records: &RunRecords, now: &[BlockDeviceFacts]) -> Result<()> {
    let changed = changed_drive(&records.environment.target.devices, now);
    changed.map_or(Ok(()), |changed| Err(Failure::new(ExitCode::TargetUnusable, changed)))
}

/// A sentence if the drive is not the one that the run began on.
fn changed_drive(before: &[BlockDeviceFacts], now: &[BlockDeviceFacts]) -> Option<String> {
    let serials = |devices: &[BlockDeviceFacts]| -> Vec<String> {
        devices.iter().map(|device| device.serial.clone().unwrap_or_else(|| "without a serial number".into())).collect()
    };
    let (before, now) = (serials(before), serials(now));
    (before != now).then(|| {
        format!(
            "the target lies on another drive than when the run began (then {}, now {}): results from two drives cannot be \
             combined; reconnect the first drive, or begin a new run",
            before.join(" on "),
            now.join(" on ")
        )
    })
}

/// What happens to a target that is not as the run left it.
fn again(records: &RunRecords) -> &'static str {
    if records.plan.prepares() { "is prepared again" } else { "is not as the run left it" }
}

/// Text for a device that is as this run left it, and whether the remaining steps need another state.
fn as_left_or_changed(words: &str, records: &RunRecords) -> (String, bool) {
    match state_changed(records) {
        None => (words.to_owned(), false),
        Some(why) => (format!("{words}; but {why}, so the state is restored"), true),
    }
}

/// The target, open again.
pub(super) struct Reopened {
    pub(super) opened: OpenedIo,
    /// What happened to it since, for the report.
    pub(super) state: String,
    pub(super) prepared_again: bool,
}

impl Reopened {
    /// A device whose preparation is still valid is not prepared again.
    pub(super) fn as_left(&mut self, book: Option<&Book>, records: &RunRecords) {
        if !Needs::of_plan(&records.plan).changes() {
            return;
        }
        let Some(book) = book else { return };
        (self.state, self.prepared_again) = match book.prepared() {
            Ok(words) => as_left_or_changed(&format!("the device was released again and is {words}"), records),
            Err(why) => (format!("the device was released again and {}, because {why}", again(records)), true),
        };
    }
}

/// Opens the target again: the same target on the same drive as before.
pub(super) fn reopen(bundle: &Bundle, records: &RunRecords, destroy: Option<&Path>, voice: &Voice) -> Result<Reopened> {
    let recorded = &records.environment.target;
    let folder = recorded.path.parent().map_or_else(|| PathBuf::from("/"), PathBuf::from);
    if recorded.kind.is_file() {
        same_drive(records, &drivelab_device::folder_facts(&folder)?.devices)?;
    }
    let needs = Needs::of_plan(&records.plan);
    let reopened = match recorded.kind.content() {
        Content::File if needs.changes() => {
            let target = named_file(bundle, records, &recorded.path)?;
            let state = "the named file is prepared again, because its content is unknown".to_owned();
            Reopened { opened: opened_file(recorded, target, None)?, state, prepared_again: true }
        }
        Content::Scratch => {
            let (target, scratch, state, prepared_again) = scratch(bundle, records, &folder)?;
            Reopened { opened: opened_file(recorded, target, Some(scratch))?, state, prepared_again }
        }
        Content::Device if needs.changes() => block_device(records, destroy)?,
        // Only read, or without content.
        Content::File | Content::Device | Content::Nothing => {
            let size = recorded.kind.stores_nothing().then_some(records.plan.capacity);
            let wanted = Wanted { run: records.run, needs, destroy: &Destroy::default(), size, own: false };
            let opened = place_of(&recorded.path)?.open(&wanted, voice)?;
            let state = "the target was opened again".to_owned();
            // A target that stores nothing has no state.
            Reopened { opened, state, prepared_again: !recorded.kind.stores_nothing() }
        }
    };
    as_it_began(records, &reopened.opened.facts.devices, reopened.opened.target.length())?;
    Ok(reopened)
}

/// Refuses a drive or a length other than the run began with.
fn as_it_began(records: &RunRecords, devices: &[BlockDeviceFacts], length: Bytes) -> Result<()> {
    same_drive(records, devices)?;
    let recorded = &records.environment.target;
    // The plan may use only a part of a block device.
    let began = if recorded.kind == TargetKind::BlockDevice { recorded.length } else { records.plan.capacity };
    if length == began {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "{} is {} now, but the run began with {}: their results cannot be combined; begin a new run",
            recorded.path.display(),
            format::bytes(length),
            format::bytes(began)
        ),
    ))
}

/// What a dry run found out about the target.
pub(super) struct Looked {
    /// The content of the target, if it is a block device, and whether it is named with `--destroy`.
    pub(super) device: Option<DryRunDevice>,
    pub(super) remark: String,
    pub(super) prepared_again: bool,
}

impl Looked {
    /// Checks whether the preparation of a device is still valid.
    pub(super) fn as_left(&mut self, lab: &Lab<'_>, records: &RunRecords) -> Result<()> {
        if !Needs::of_plan(&records.plan).changes() {
            return Ok(());
        }
        let (node, _) = same_block_device(records)?;
        let book = Book::of_device(&node, &lab.data()?, records.run);
        (self.remark, self.prepared_again) = match book.prepared() {
            Ok(words) => as_left_or_changed(&format!("the target is {words}"), records),
            Err(why) => (format!("the target {}, because {why}", again(records)), true),
        };
        Ok(())
    }
}

/// Inspects the target and refuses whatever [`reopen`] would refuse. Only a missing `--destroy` for a device is
/// reported later, together with the device's content.
pub(super) fn look(bundle: &Bundle, records: &RunRecords, destroy: Option<&Path>) -> Result<Looked> {
    let recorded = &records.environment.target;
    let folder = recorded.path.parent().map_or_else(|| PathBuf::from("/"), PathBuf::from);
    if recorded.kind.is_file() {
        same_drive(records, &drivelab_device::folder_facts(&folder)?.devices)?;
    }
    let needs = Needs::of_plan(&records.plan);
    let prepares = |device| Looked { device, remark: "the target is prepared again".to_owned(), prepared_again: true };
    match recorded.kind.content() {
        Content::Scratch => {
            let changed = state_changed(records);
            let prepared_again = changed.is_some();
            let remark = changed.map_or("the target is filled again if its content is lost".to_owned(), |why| {
                format!("the target is created again: {why}")
            });
            Ok(Looked { device: None, remark, prepared_again })
        }
        Content::File if needs.changes() => {
            let target = named_file(bundle, records, &recorded.path)?;
            as_it_began(records, &recorded.devices, target.length())?;
            Ok(prepares(None))
        }
        Content::Device if needs.changes() => {
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
        // Only read, or without content.
        Content::File | Content::Device | Content::Nothing => {
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

/// The block device that the user released when the run began, released again.
fn block_device(records: &RunRecords, destroy: Option<&Path>) -> Result<Reopened> {
    let (node, before) = same_block_device(records)?;
    let target = guard::authorise_device(&node, &Destroy::named(destroy).planned_for(before))?;
    let state = "the device was released again and is prepared again, because its content is unknown".to_owned();
    Ok(Reopened { opened: released_device(&node, target), state, prepared_again: true })
}

/// The block device that the user released when the run began. It must be the same device, by its serial number, or
/// by all its other identifiers if it has none.
fn same_block_device(records: &RunRecords) -> Result<(BlockNode, DeviceIdentity)> {
    let path = &records.environment.target.path;
    let refuse = |why: &str| {
        let text = format!("{} {why}, so it was not changed; begin a new run to name it", path.display());
        Err(Failure::new(ExitCode::GuardRefused, text))
    };
    let Some(node) = place_of(path)?.device().cloned() else {
        return refuse("is no longer a block device");
    };
    let decision = records.environment.guard.as_ref();
    let Some(mut before) = decision.and_then(|decision| decision.device.as_ref()).map(|device| device.identity.clone())
    else {
        return refuse("was released by a version that did not record the device's identity");
    };
    if before.serial.is_some() {
        // It may have been unplugged, or the host restarted: the serial number identifies it.
        before.diskseq = drivelab_device::identity_of(&node).diskseq;
    }
    Ok((node, before))
}

/// The file that the user released when the run began: the same file, not another one at its path.
fn named_file(bundle: &Bundle, records: &RunRecords, path: &Path) -> Result<WritableTarget> {
    let released = notes::named_file(bundle);
    if released.is_none() || FileIdentity::of_path(path).ok() != released {
        return Err(Failure::new(
            ExitCode::GuardRefused,
            format!(
                "{} is not the file that was named with --destroy when the run began (there is another file now, or none), \
                 so it was not changed; begin a new run to name it",
                path.display()
            ),
        ));
    }
    Ok(guard::authorise_file(
        path,
        records.environment.guard.as_ref().and_then(|guard| guard.destroy_named.as_deref()),
    )?)
}

/// The scratch file: the same one if it still exists and is complete, otherwise a new one.
fn scratch(bundle: &Bundle, records: &RunRecords, folder: &Path) -> Result<(WritableTarget, Scratch, String, bool)> {
    let why = match notes::scratch(bundle).map(|claim| guard::reopen_scratch(&claim)) {
        Some(Ok((target, scratch, Whole::Whole))) => match state_changed(records) {
            None => return Ok((target, scratch, "the scratch file still existed and was filled".to_owned(), false)),
            Some(why) => {
                // A new file: the old one holds data written since, and the new one may lie in other places on the
                // drive.
                drop((target, scratch));
                why
            }
        },
        Some(Ok((target, scratch, Whole::NotWhole(why)))) => {
            return Ok((target, scratch, format!("the scratch file is filled again: {why}"), true));
        }
        Some(Err(error)) if error.is_gone() => "it no longer existed".to_owned(),
        Some(Err(error)) => return Err(error.into()),
        None => "the run was interrupted before the file was recorded".to_owned(),
    };
    let name = records.environment.target.path.file_name();
    let (target, scratch) = guard::make_scratch(folder, name, records.run, records.plan.capacity)?;
    Ok((target, scratch, format!("the scratch file was created and filled again: {why}"), true))
}
