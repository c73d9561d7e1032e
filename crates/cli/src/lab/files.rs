//! Sets of files: whether there is room for them, the run's own folders for them, and where they come from.
//!
//! Must not know: how files are worked on.

use std::path::Path;

use drivelab_core::environment::FileSource;
use drivelab_core::exit::ExitCode;
use drivelab_core::files::{self, Room};
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::Bytes;
use drivelab_device::guard::{self, RunFolder};
use drivelab_device::{FolderFacts, Named};
use drivelab_engine::Folders;
use drivelab_report::format;

use super::begin::Order;
use super::place::Place;
use super::target::{self, Site};
use crate::fail::{Failure, Result};
use crate::say::Voice;

/// Room that is left free beside the sets: a file system keeps books of its own.
const SPARE: u64 = 32 << 20;

/// The run's folders, made, and who removes them.
#[derive(Default)]
pub struct Made {
    /// For the engine.
    pub folders: Folders,
    /// They are removed when these are.
    pub owners: Vec<RunFolder>,
    /// For the record.
    pub source: Option<Box<FileSource>>,
}

/// Refuses what cannot be worked on, before anything is made.
///
/// # Errors
/// A target that is no folder, a source that is none or means nothing, and too little room.
pub fn check(order: &Order<'_>, plan: &Plan, site: &Site) -> Result<()> {
    let room = files::room(plan);
    if files::loads(plan).next().is_none() {
        return order.source.map_or(Ok(()), |source| {
            Err(Failure::usage(format!(
                "--source {} says where files are copied from, and '{}' copies none; leave it out",
                source.display(),
                plan.methodology.name
            )))
        });
    }
    let Place::Named(Named::Folder(folder)) = &site.place else {
        return Err(target::no_folder(site.place.path(), order.methodology));
    };
    let of_drive = drivelab_device::folder_facts(folder)?;
    let scratch = if site.makes_scratch { site.length.get() } else { 0 };
    enough(folder, &of_drive, Bytes::new(room.drive.get() + scratch), order, site)?;
    match order.source {
        None => Ok(()),
        Some(source) => check_source(source, folder, room, order, site),
    }
}

fn check_source(source: &Path, folder: &Path, room: Room, order: &Order<'_>, site: &Site) -> Result<()> {
    let of_source = source_facts(source)?;
    let same = |one: &Path, other: &Path| one.canonicalize().ok() == other.canonicalize().ok();
    if same(source, folder) {
        let text = "--source is the target itself: files are copied from it to the drive; name another folder, or none \
                    (then they are made in memory)";
        return Err(Failure::usage(text));
    }
    if !of_source.writable {
        return Err(target::not_writable(source, &of_source.file_system));
    }
    let both =
        same(&of_source.file_system.mount_point, &drivelab_device::folder_facts(folder)?.file_system.mount_point);
    let needed = if both { room.source.get() + room.drive.get() } else { room.source.get() };
    enough(source, &of_source, Bytes::new(needed), order, site)
}

fn source_facts(source: &Path) -> Result<FolderFacts> {
    match Place::of(source)? {
        Place::Named(Named::Folder(folder)) => Ok(drivelab_device::folder_facts(&folder)?),
        _ => Err(Failure::usage(format!("--source {} is no folder; files are copied from a folder", source.display()))),
    }
}

/// Refuses where there is too little room, and says what would fit.
fn enough(folder: &Path, facts: &FolderFacts, needed: Bytes, order: &Order<'_>, site: &Site) -> Result<()> {
    let free = facts.file_system.free;
    if free.get() >= needed.get().saturating_add(SPARE) {
        return Ok(());
    }
    let least = |form: Form| {
        Some((
            form,
            files::room(&target::plan(order.methodology, form, site, Some(order.telemetry), &order.words).ok()?),
        ))
    };
    let others = order.methodology.forms().into_iter().filter(|form| *form != order.form && *form != Form::Smoke);
    let fits = others.filter_map(least).find(|(_, room)| {
        let most = room.drive.get().max(room.source.get());
        free.get() >= most.saturating_add(SPARE + site.length.get())
    });
    let advice = match fits {
        Some((form, room)) => {
            format!(
                "the {} form needs {} and would fit (--form {})",
                form.name(),
                format::bytes(room.drive),
                form.name()
            )
        }
        None => "free some space, or name a folder on a larger file system".to_owned(),
    };
    let message = format!(
        "the files of '{}' in its {} form take up to {} in {}, and {} are free; {advice}",
        order.methodology.identity().name,
        order.form.name(),
        format::bytes(needed),
        folder.display(),
        format::bytes(free)
    );
    Err(Failure::new(ExitCode::TargetUnusable, message))
}

/// Makes the folders that a plan needs; nothing where it works on no files.
///
/// # Errors
/// What the guard refuses.
pub fn make(plan: &Plan, folder: &Path, source: Option<&Path>, run: RunId, voice: Voice) -> Result<Made> {
    if files::loads(plan).next().is_none() {
        return Ok(Made::default());
    }
    clear(folder, voice)?;
    let (target, owner) = guard::make_folder(folder, run)?;
    let mut made = Made { folders: Folders::default(), owners: vec![owner], source: None };
    let mut from = None;
    if let Some(source) = source {
        clear(source, voice)?;
        let (folder, owner) = guard::make_folder(source, run)?;
        made.owners.push(owner);
        let FolderFacts { file_system, devices, .. } = drivelab_device::folder_facts(source)?;
        let path = source.canonicalize().unwrap_or_else(|_| source.to_owned());
        made.source = Some(Box::new(FileSource { path, file_system, devices }));
        from = Some(folder);
    }
    made.folders = Folders::new(Some(target), from);
    Ok(made)
}

/// Removes folders of files that killed runs left, naming each.
///
/// # Errors
/// One that is provably drivelab's and cannot be removed.
pub fn clear(folder: &Path, voice: Voice) -> Result<()> {
    for (path, run) in guard::clear_folders(folder)? {
        voice.say(format!("removed {}, left behind by run {run}, which was killed", path.display()));
    }
    Ok(())
}

/// Removes the run's folders, with a word where one has to stay.
pub fn remove(owners: Vec<RunFolder>, voice: Voice) {
    for owner in owners {
        let path = owner.path().to_owned();
        if let Err(error) = owner.remove() {
            voice.warn(format!("the folder {} could not be removed: {error}", path.display()));
        }
    }
}
